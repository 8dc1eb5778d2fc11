package kervan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// An App is a set of tools and how they are called. It is safe for concurrent
// use, and tools may change while clients are connected.
type App struct {
	name, version string
	settings      *settings
	registry      Registry
	chain         atomic.Pointer[appChain]
	identity      atomic.Pointer[identity]
	seals         *sealer

	mu       sync.Mutex
	errs     []error
	served   bool
	features []feature
	servers  *servers
}

// NewApp makes an app without tools. Name and version must not be blank; they
// are what clients see of the server. Mistakes in name, version and options
// are reported by [App.Err].
func NewApp(name, version string, opts ...Option) *App {
	s := newSettings(name, version, opts)
	a := &App{name: name, version: version, settings: s, registry: s.registry}
	a.servers = newServers(a)
	a.chain.Store(&appChain{})
	a.identity.Store(newIdentity(name, version, s.title, s.instructions))
	a.seals = newSealer(s.stateKeys)
	if a.registry == nil {
		a.registry = &MemoryRegistry{logger: s.logger}
	}
	for _, p := range s.problems {
		message, hint := splitHint(p)
		a.fail(&DefinitionError{Code: InvalidAppOptions, Message: message, Hint: hint})
	}
	return a
}

// Registry returns the registry whose tools the app serves.
func (a *App) Registry() Registry { return a.registry }

// Use adds app middleware, the first outermost. It wraps the calls that begin
// from now on, in every registry that the app serves; running calls keep what
// they have.
func (a *App) Use(middleware ...Middleware) {
	for i, m := range middleware {
		if m == nil {
			a.fail(&DefinitionError{Code: InvalidMiddleware, Message: fmt.Sprintf("middleware %d given to Use is nil", i+1), Hint: "remove it"})
			return
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.chain.Load().middleware
	a.chain.Store(&appChain{append(old[:len(old):len(old)], middleware...)})
}

// Add registers tools. A mistake in a definition is kept for [App.Err], so
// that serving the app reports it; the other tools are registered. After the
// app was first served a mistake is logged and emitted as a [DefinitionEvent]
// instead: use AddTool then.
func (a *App) Add(defs ...*ToolDef) {
	for _, d := range defs {
		if err := a.AddTool(d); err != nil {
			a.fail(err)
		}
	}
}

// A toolWriter is the write side that MemoryRegistry has.
type toolWriter interface {
	Add(...*ToolDef) error
	Replace(...*ToolDef) error
	Remove(string) bool
}

// AddTool registers a tool and reports a mistake at once, for use at run
// time. The error is a *[DefinitionError].
func (a *App) AddTool(def *ToolDef) error {
	return a.write(def, func(w toolWriter) error { return w.Add(def) })
}

// ReplaceTool puts a tool in the place of the one of the same name. Clients
// are told only if what they see differs. The error is a *[DefinitionError].
func (a *App) ReplaceTool(def *ToolDef) error {
	return a.write(def, func(w toolWriter) error { return w.Replace(def) })
}

// RemoveTool takes a tool out and reports whether there was one. Its running
// calls finish.
func (a *App) RemoveTool(name string) bool {
	w, ok := a.registry.(toolWriter)
	return ok && w.Remove(name)
}

func (a *App) write(def *ToolDef, f func(toolWriter) error) error {
	w, ok := a.registry.(toolWriter)
	if !ok {
		return &DefinitionError{Code: InvalidAppOptions, Message: "the registry given to WithRegistry cannot be written to", Hint: "embed a MemoryRegistry in it, or change it by its own methods"}
	}
	if err := f(w); err != nil {
		return err
	}
	def.report = a.fail
	tools := a.registry.Tools()
	if i := indexOf(tools, def.name); i >= 0 {
		a.note(tools[i])
	}
	return nil
}

// Err returns the mistakes that were made in defining the app, joined, or
// nil. Serving an app returns the same error.
func (a *App) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Join(a.errs...)
}

// fail keeps a definition error, or tells of it if it is too late to keep.
func (a *App) fail(err error) {
	a.mu.Lock()
	served := a.served
	if !served {
		a.errs = append(a.errs, err)
	}
	a.mu.Unlock()
	if served {
		a.settings.logger.Error("a definition was refused", "error", err.Error())
		event := DefinitionEvent{Err: err}
		if def := find[*DefinitionError](err); def != nil {
			event.Tool = def.Tool
		}
		a.emit(event)
	}
}

// note tells once of what is allowed in a tool's definition and may surprise.
func (a *App) note(t *RegisteredTool) {
	if t.noted.Swap(true) {
		return
	}
	if !portableName.MatchString(t.info.Name) {
		a.settings.logger.Warn("some clients refuse this tool name once they add their prefix; 1 to 64 of A-Z a-z 0-9 _ - is safe", "tool", t.info.Name)
	}
	if bad := t.input.BadDefaults(); len(bad) > 0 {
		a.settings.logger.Warn("defaults that do not fit their own schema are not filled in", "tool", t.info.Name, "pointers", bad)
	}
	for _, name := range t.opaque {
		a.emit(DefinitionEvent{Tool: t.info.Name, OpaqueType: name})
	}
}

// try runs f and returns its panic as an error.
func try(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	f()
	return nil
}

// splitHint parts "what is wrong; what to do".
func splitHint(problem string) (message, hint string) {
	message, hint, _ = strings.Cut(problem, "; ")
	return message, hint
}

// visible reports whether a caller may see and call t (rule 1.17).
func (a *App) visible(ctx context.Context, t *RegisteredTool) (ok bool) {
	if a.settings.visible == nil {
		return true
	}
	defer func() {
		if v := recover(); v != nil {
			a.settings.logger.Error("the visibility function panicked; the tool is hidden", "tool", t.info.Name, "error", errorText(&panicError{value: v}))
			ok = false
		}
	}()
	return a.settings.visible(ctx, t.info)
}
