package kervan

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
)

// A Registry holds the tools of a server. A server reads it at each list and
// call, so it must be quick and safe for concurrent use.
//
// Others than [MemoryRegistry] embed one, or make tools with [Compile].
// Several processes may share a registry if it runs its subscribers on each.
type Registry interface {
	// Tools returns the tools in the order of lists. It returns the same
	// slice until something changes, and the same pointer for a tool that did
	// not change. Callers do not write to it.
	Tools() []*RegisteredTool
	// Subscribe has changed called after changes, soon and on any goroutine,
	// until the returned function is called, which may be called twice.
	Subscribe(changed func()) (unsubscribe func())
}

// A MemoryRegistry is a [Registry] in memory. The zero value is empty and
// ready; it is safe for concurrent use and must not be copied.
//
// Subscribers run within 10 ms of the last change of a burst, and at most
// 100 ms after its first, once a burst.
type MemoryRegistry struct {
	mu       sync.Mutex // held by writers
	tools    atomic.Pointer[[]*RegisteredTool]
	notifier notifier
	schemas  schemas
	// A draft notes the definitions that it took, for when it takes effect.
	isDraft bool
	taken   []*ToolDef
	// logger hears of a subscriber that panics. Default: slog's.
	logger *slog.Logger
}

// Tools returns the tools in registration order.
func (r *MemoryRegistry) Tools() []*RegisteredTool {
	if p := r.tools.Load(); p != nil {
		return *p
	}
	return nil
}

// Subscribe has changed called after changes. A panic in it is logged and
// does not stop the other subscribers.
func (r *MemoryRegistry) Subscribe(changed func()) (unsubscribe func()) {
	return r.notifier.subscribe(changed)
}

// Add registers tools after those there are: all of them or, with an error,
// none. The errors, joined, are of type *[DefinitionError]; a name that is
// taken is [DuplicateTool].
func (r *MemoryRegistry) Add(defs ...*ToolDef) error {
	return r.put(defs, func(tools []*RegisteredTool, t *RegisteredTool) ([]*RegisteredTool, *DefinitionError) {
		if indexOf(tools, t.info.Name) >= 0 {
			return nil, nameTaken(t.info.Name)
		}
		return append(tools, t), nil
	})
}

// Replace puts tools in the place of those of the same name, which keep their
// position: all of them or, with an error, none. A name that nothing has is
// [UnknownTool].
func (r *MemoryRegistry) Replace(defs ...*ToolDef) error {
	return r.put(defs, func(tools []*RegisteredTool, t *RegisteredTool) ([]*RegisteredTool, *DefinitionError) {
		i := indexOf(tools, t.info.Name)
		if i < 0 {
			return nil, &DefinitionError{Code: UnknownTool, Tool: t.info.Name, Message: "there is no tool of this name to replace", Hint: "use AddTool for a new one"}
		}
		tools[i] = t
		return tools, nil
	})
}

// put compiles defs and places each in a copy of the tools.
func (r *MemoryRegistry) put(defs []*ToolDef, place func([]*RegisteredTool, *RegisteredTool) ([]*RegisteredTool, *DefinitionError)) error {
	var errs []error
	compiled := make([]*RegisteredTool, 0, len(defs))
	for _, d := range defs {
		t, err := compile(d, &r.schemas)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		compiled = append(compiled, t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	tools := slices.Clone(r.Tools())
	for _, t := range compiled {
		next, err := place(tools, t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		tools = next
	}
	if len(errs) == 1 {
		return errs[0]
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if len(compiled) > 0 {
		r.take(defs)
		r.publish(tools)
	}
	return nil
}

// take marks definitions as in use; those of a draft are when it takes effect.
func (r *MemoryRegistry) take(defs []*ToolDef) {
	if r.isDraft {
		r.taken = append(r.taken, defs...)
		return
	}
	for _, d := range defs {
		d.inUse.Store(true)
	}
}

// Remove takes a tool out and reports whether there was one.
func (r *MemoryRegistry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := indexOf(r.Tools(), name)
	if i < 0 {
		return false
	}
	r.publish(slices.Delete(slices.Clone(r.Tools()), i, i+1))
	return true
}

// Update makes several changes at once: change works on a draft, and what it
// leaves there takes effect together, with one notification. If it returns an
// error, nothing changes. It must not use r itself.
func (r *MemoryRegistry) Update(change func(draft *MemoryRegistry) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.Tools()
	draft := &MemoryRegistry{isDraft: true}
	draft.tools.Store(&before)
	if err := change(draft); err != nil {
		return err
	}
	r.take(draft.taken)
	if after := draft.Tools(); !slices.Equal(before, after) {
		r.publish(after)
	}
	return nil
}

// publish makes tools the current ones; r.mu is held.
func (r *MemoryRegistry) publish(tools []*RegisteredTool) {
	r.tools.Store(&tools)
	r.notifier.changed(r.logger)
}

func nameTaken(name string) *DefinitionError {
	return &DefinitionError{Code: DuplicateTool, Tool: name, Message: "the name is taken", Hint: "choose another name, or use ReplaceTool to take its place"}
}

func indexOf(tools []*RegisteredTool, name string) int {
	return slices.IndexFunc(tools, func(t *RegisteredTool) bool { return t.info.Name == name })
}
