package kervan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
)

// maxServers bounds the registries whose servers are cached (rule 3.8).
const maxServers = 10_000

// More new registries in a minute than this look like a resolver that makes
// one for each request.
const churnWarning = 100

// servers caches the projections of an app. The app's own registry keeps its
// projections for good. Another registry keeps its projection alive by its
// subscription, and the cache holds both weakly, so that a registry which
// nobody uses any more takes its server with it.
type servers struct {
	app *App

	mu    sync.Mutex
	own   map[bool]*projection // by bare
	other map[serverKey]weak.Pointer[projection]

	minute time.Time // since when made counts
	made   int
	warned bool
}

// A serverKey names a projection without keeping its registry alive.
type serverKey struct {
	registry weak.Pointer[byte]
	kind     reflect.Type
	bare     bool
}

func newServers(a *App) *servers {
	return &servers{app: a, own: map[bool]*projection{}, other: map[serverKey]weak.Pointer[projection]{}}
}

// get returns the projection of a registry, the same one as long as the
// registry lives.
func (s *servers) get(r Registry, bare bool) (*projection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r == s.app.registry {
		return s.getOwn(bare)
	}
	key, err := keyOf(r, bare)
	if err != nil {
		return nil, err
	}
	if p := s.other[key].Value(); p != nil {
		return p, nil
	}
	p, err := s.app.newProjection(r, bare)
	if err != nil {
		return nil, err
	}
	s.makeRoom()
	s.other[key] = weak.Make(p)
	runtime.AddCleanup(p, func(key serverKey) { s.forget(key) }, key)
	s.countNew()
	return p, nil
}

func keyOf(r Registry, bare bool) (serverKey, error) {
	v := reflect.ValueOf(r)
	if v.Kind() != reflect.Pointer {
		return serverKey{}, fmt.Errorf("a registry of type %T is not a pointer, so nothing tells it from another", r)
	}
	return serverKey{weak.Make((*byte)(v.UnsafePointer())), v.Type(), bare}, nil
}

// find returns the tool of a name, through a projection if there is one.
func (s *servers) find(r Registry, name string) *RegisteredTool {
	for _, bare := range []bool{false, true} {
		if p := s.cached(r, bare); p != nil {
			if e := p.view().byName[name]; e != nil {
				return e.tool
			}
			return nil
		}
	}
	tools := r.Tools()
	if i := indexOf(tools, name); i >= 0 {
		return tools[i]
	}
	return nil
}

func (s *servers) cached(r Registry, bare bool) *projection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r == s.app.registry {
		return s.own[bare]
	}
	key, err := keyOf(r, bare)
	if err != nil {
		return nil
	}
	return s.other[key].Value()
}

func (s *servers) getOwn(bare bool) (*projection, error) {
	if p, ok := s.own[bare]; ok {
		return p, nil
	}
	p, err := s.app.newProjection(s.app.registry, bare)
	if err == nil {
		s.own[bare] = p
	}
	return p, err
}

// forget drops a key whose projection is gone, unless it has a new one.
func (s *servers) forget(key serverKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := s.other[key]; ok && w.Value() == nil {
		delete(s.other, key)
	}
}

// makeRoom keeps the cache within its bound, at the cost of building a server
// anew for a registry that is used again.
func (s *servers) makeRoom() {
	for key, w := range s.other {
		if len(s.other) < maxServers {
			return
		}
		if p := w.Value(); p != nil {
			p.unsubscribe()
		}
		delete(s.other, key)
	}
}

func (s *servers) countNew() {
	now := time.Now()
	if now.Sub(s.minute) > time.Minute {
		s.minute, s.made = now, 0
	}
	s.made++
	if s.made > churnWarning && !s.warned {
		s.warned = true
		s.app.settings.logger.Warn("many new registries are being served; return the same registry for the same tenant, or each request pays for a new server", "in a minute", s.made)
	}
}

// addFeature adds a prompt or resource to the servers that have them.
func (s *servers) addFeature(add func(*mcp.Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.own[false]; p != nil {
		p.addFeature(add)
	}
	for key, w := range s.other {
		if p := w.Value(); p != nil && !key.bare {
			p.addFeature(add)
		}
	}
}

// close drops all projections and their subscriptions.
func (s *servers) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for bare, p := range s.own {
		p.unsubscribe()
		delete(s.own, bare)
	}
	for key, w := range s.other {
		if p := w.Value(); p != nil {
			p.unsubscribe()
		}
		delete(s.other, key)
	}
}

// root is this package's side of the bridge.
type root struct{}

func init() { bridge.Register(root{}) }

func (root) Start(app any) error {
	a := app.(*App)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := errors.Join(a.errs...); err != nil {
		return err
	}
	a.served = true
	return nil
}

// registryOf returns the registry that a transport names, nil being the app's.
func registryOf(a *App, registry any) Registry {
	if registry == nil {
		return a.registry
	}
	return registry.(Registry)
}

func (root) Server(app any, spec bridge.ServerSpec) (*mcp.Server, error) {
	a := app.(*App)
	p, err := a.servers.get(registryOf(a, spec.Registry), spec.Bare)
	if err != nil {
		return nil, err
	}
	if spec.Quiet {
		return p.quiet, nil
	}
	return p.server, nil
}

func (root) Tool(ctx context.Context, app, registry any, name string) (bridge.ToolFacts, bool) {
	a := app.(*App)
	t := a.servers.find(registryOf(a, registry), name)
	if t == nil || !a.visible(ctx, t) {
		return bridge.ToolFacts{}, false
	}
	return bridge.ToolFacts{Scopes: t.info.Scopes, Headers: t.headers}, true
}

func (root) HeaderNames(app any) []string {
	var names []string
	for _, t := range app.(*App).registry.Tools() {
		for _, h := range t.headers {
			names = append(names, h.Header)
		}
	}
	return names
}

func (root) Cancelled(app any, tool, requestID string) {
	app.(*App).emit(CallEvent{Tool: clip(tool, maxNameInText), RequestID: requestID, Outcome: OutcomeCancelled})
}

func (root) Emit(app, event any) { app.(*App).emit(event.(Event)) }

func (root) HasVisibility(app any) bool { return app.(*App).settings.visible != nil }

func (root) Logger(app any) *slog.Logger { return app.(*App).settings.logger }

func (root) Describe(app any, name, version, instructions string) {
	app.(*App).describe(name, version, instructions)
}

func (root) Close(app any) { app.(*App).servers.close() }
