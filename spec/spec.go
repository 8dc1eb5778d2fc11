package spec

import (
	"errors"
	"slices"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
)

// A Spec is a file that was loaded: its tools, and what their calls share. It is
// safe for concurrent use.
type Spec struct {
	name, version, description string
	source                     string // what Apply knows the file by
	tools                      []*tool
	runtime                    *runtime
	warnings                   []Issue
}

func newSpec(doc *document, o Options) (*Spec, error) {
	s := &Spec{name: doc.name, version: doc.version, description: doc.description, source: o.Name, tools: doc.tools}
	if s.source == "" {
		s.source = doc.name
	}
	var err error
	s.runtime, err = newRuntime(s.source, o)
	return s, err
}

// Name returns the name in the file.
func (s *Spec) Name() string { return s.name }

// Version returns the version in the file.
func (s *Spec) Version() string { return s.version }

// Description returns the description in the file: what an app that serves
// nothing else gives to [kervan.WithInstructions]. It may be empty.
func (s *Spec) Description() string { return s.description }

// Warnings returns what loading found and accepted, in the order of the file.
func (s *Spec) Warnings() []Issue { return slices.Clone(s.warnings) }

// Tools returns new definitions of the tools, in the order of the file, to be
// added to an app or a registry. To load the file again later, use [Apply]
// instead: it does not touch tools that were added.
func (s *Spec) Tools() []*kervan.ToolDef {
	defs := make([]*kervan.ToolDef, len(s.tools))
	for i, t := range s.tools {
		defs[i] = t.define(newBinding(t, s.runtime, nil))
	}
	return defs
}

// Close releases connections and the sandbox, unless that was given in the
// options. It does not wait: calls that run finish first, and later ones are
// refused. Tools that a later Spec took over in [Apply] go on. Closing twice is
// harmless; the error is always nil.
func (s *Spec) Close() error {
	s.runtime.close()
	return nil
}

// warnOfBlocked tells of tools that cannot reach their host, as far as that is
// known without a look-up.
func (s *Spec) warnOfBlocked(found *issues) {
	for _, t := range s.tools {
		var blocked *guard.BlockedError
		if err := s.runtime.transport.CheckHost(t.http.Host); errors.As(err, &blocked) {
			found.warn(t.node.get("http").get("url"), textBlocked(blocked))
		}
	}
}
