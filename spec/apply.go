package spec

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/kervan-mcp/kervan"
)

// Apply makes the tools of a registry those of s, as one change of which
// clients are told once, and only if their list differs. It may be called again
// with a Spec that was loaded anew from the same file (by [Options].Name): then a
// tool that did not change stays as it is, with its counters, though its calls
// use s from now on; others take the place of what they were; tools that the
// file lacks now are removed; and the order is that of the file. Nothing else in
// the registry is touched. That of an app which was given none is
// app.Registry().(*kervan.MemoryRegistry).
//
// The Spec that was applied before may be closed then: its running calls
// finish. Calls of Apply run one after the other.
//
// With an error nothing changes. A name that others registered is a
// *[kervan.DefinitionError] with the code [kervan.DuplicateTool]; a Spec that
// is closed is an error too.
func Apply(r *kervan.MemoryRegistry, s *Spec) error {
	applying.Lock()
	defer applying.Unlock()
	if s.runtime.closed() {
		return errors.New(textApplyClosed)
	}
	owner := findOwner(r, s.source)
	next := make([]ownedTool, len(s.tools))
	defs := make([]*kervan.ToolDef, len(s.tools))
	for i, t := range s.tools {
		next[i] = owner.keep(t)
		if next[i].def == nil {
			b := newBinding(t, s.runtime, &owner.latest)
			next[i] = ownedTool{binding: b, def: t.define(b)}
		}
		next[i].tool = t
		defs[i] = next[i].def
	}
	s.runtime.succeed(owner.latest.Load())
	if err := r.Sync(owner, defs...); err != nil {
		return err
	}
	for _, kept := range next {
		kept.binding.point(kept.tool, s.runtime)
	}
	owner.tools = next
	owner.latest.Store(s.runtime)
	return nil
}

// applying is held by Apply: what a registry has of a file is read before it
// is changed.
var applying sync.Mutex

// An owner stands in a registry for a file whose tools it has.
type owner struct {
	source string
	tools  []ownedTool
	latest atomic.Pointer[runtime] // of the last Spec
}

// An ownedTool is a tool of the file as it was registered.
type ownedTool struct {
	tool    *tool
	binding *binding
	def     *kervan.ToolDef
}

// findOwner returns what stands for a file in r, or a new one.
func findOwner(r *kervan.MemoryRegistry, source string) *owner {
	for _, t := range r.Tools() {
		if o, ok := t.Info().Owner.(*owner); ok && o.source == source {
			return o
		}
	}
	return &owner{source: source}
}

// keep returns the registered tool that t equals; the zero value if it is new
// or has changed.
func (o *owner) keep(t *tool) ownedTool {
	for _, known := range o.tools {
		if known.tool.http.Name == t.http.Name && known.tool.fingerprint == t.fingerprint {
			return known
		}
	}
	return ownedTool{}
}
