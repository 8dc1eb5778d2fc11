package transport

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"reflect"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
)

// A Request is what a resolver may decide by: who asks, and where.
type Request struct {
	// HTTP is the request; its body was read already.
	HTTP *http.Request
	// Auth is what the [Authenticate] hook returned, nil for an anonymous caller.
	Auth *auth.TokenInfo
	// Name may be set by the resolver to a name of the registry that is the same
	// in every process and is not another registry's. It binds what a client keeps
	// between the rounds of a call ([kervan.WithStateKeys]). When it is left empty,
	// only the process that asked for input can go on with the call.
	Name string
}

// PathValue returns what a path wildcard of [http.ServeMux] matched, "" when
// there is none.
func (r *Request) PathValue(name string) string { return r.HTTP.PathValue(name) }

// Errors of a resolver that are answered with a fixed text.
var (
	// ErrNotFound is answered with 404: there is no server for this request.
	ErrNotFound = errors.New("no server for this request")
	// ErrForbidden is answered with 403: the caller may not use this server.
	ErrForbidden = errors.New("the caller may not use this server")
)

// ResolveRegistry has resolve choose the tools of each request, so that one
// handler serves tenants that see nothing of each other. It is called for lists
// and calls alike, after authentication, at the same time from several requests,
// and must return the same registry object for the same tenant each time: what
// clients are told of changes, and what is cached, goes by the object.
//
// [ErrNotFound], a nil registry, and a nil pointer in one are answered with 404,
// [ErrForbidden] with 403; any other error, and a panic, with 500 and a reference
// that the log has too. The prompts and resources of the app are left out unless
// [SharePromptsAndResources] is given. By default every request gets the app's
// own registry.
func ResolveRegistry(resolve func(ctx context.Context, r *Request) (kervan.Registry, error)) Option {
	return optionFunc(func(o *options) error {
		if resolve == nil {
			return badValue("ResolveRegistry", "nil", "give a function, or leave it out")
		}
		o.resolve = resolve
		return nil
	})
}

// SharePromptsAndResources serves the app's prompts and resources together with
// every registry that [ResolveRegistry] returns. They are the same for every
// tenant.
func SharePromptsAndResources() Option {
	return optionFunc(func(o *options) error {
		o.share = true
		return nil
	})
}

// resolve finds the registry and the SDK server of the request (rule 3.8).
func (q *request) resolve() *refusal {
	no := q.resolveServer()
	if no != nil {
		if q.call != nil && q.call.IsCall() && no != answered {
			return no.with(q.id())
		}
		return no
	}
	q.ctx = bridge.WithCaller(q.r.Context(), q.caller)
	return nil
}

func (q *request) resolveServer() *refusal {
	h := q.h
	q.caller.PublicTTL = int(h.o.publicTTL / time.Millisecond)
	if q.info != nil {
		q.caller.Principal = q.info.UserID
	}
	if h.o.resolve == nil {
		q.server = h.announcing
		if !q.announces() {
			q.server = h.quiet
		}
		return nil
	}
	view := &Request{HTTP: q.r, Auth: q.info}
	registry, err := q.runResolver(view)
	switch {
	case errors.Is(err, ErrNotFound), err == nil && isNil(registry):
		return refuseServer
	case errors.Is(err, ErrForbidden):
		return refuseForbidden
	case err != nil && q.r.Context().Err() != nil:
		return answered // nobody is there to read it
	case err != nil:
		return q.masked(logResolve, err)
	}
	q.registry = registry
	return q.serverOf(registry, view.Name)
}

// announces reports whether list_changed can be delivered to the client.
func (q *request) announces() bool { return q.modern || q.h.sessions != nil }

func (q *request) runResolver(view *Request) (registry kervan.Registry, err error) {
	defer catch(&err)
	return q.h.o.resolve(q.r.Context(), view)
}

func (q *request) serverOf(registry kervan.Registry, name string) *refusal {
	spec := bridge.ServerSpec{Registry: registry, Quiet: !q.announces(), Bare: !q.h.o.share}
	server, err := bridge.Kervan().Server(q.h.app, spec)
	if err != nil {
		return q.masked(logServer, err)
	}
	if name == "" {
		name = q.h.names.of(server)
	}
	q.server, q.caller.Registry = server, name
	return nil
}

// isNil reports nil, and a nil pointer in an interface.
func isNil(registry kervan.Registry) bool {
	switch r := registry.(type) {
	case nil:
		return true
	case *kervan.MemoryRegistry:
		return r == nil
	}
	v := reflect.ValueOf(registry)
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return v.IsNil()
	}
	return false
}

// registryNames gives the servers of registries names that nothing else ever
// has. A server lives as long as its registry, and its name no longer.
type registryNames struct {
	mu    sync.Mutex
	names map[weak.Pointer[mcp.Server]]string
}

func (n *registryNames) of(server *mcp.Server) string {
	key := weak.Make(server)
	n.mu.Lock()
	defer n.mu.Unlock()
	if name, ok := n.names[key]; ok {
		return name
	}
	if n.names == nil {
		n.names = map[weak.Pointer[mcp.Server]]string{}
	}
	name := rand.Text()
	n.names[key] = name
	runtime.AddCleanup(server, n.forget, key)
	return name
}

func (n *registryNames) forget(key weak.Pointer[mcp.Server]) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.names, key)
}

// checkTool checks what a tool wants of its callers before they call it: scopes
// and mirrored arguments (rules 3.7, 3.9). What a caller cannot see is left to
// the pipeline, which says that there is no such tool.
func (q *request) checkTool() *refusal {
	if q.call == nil || q.call.Method != methodCallTool || !q.call.IsCall() {
		return nil
	}
	var registry any
	if q.registry != nil {
		registry = q.registry
	}
	facts, ok := bridge.Kervan().Tool(q.ctx, q.h.app, registry, q.facts.Name)
	if !ok {
		return nil
	}
	if need := missingScopes(facts.Scopes, q.info); need != nil {
		if q.h.o.challenge != nil {
			q.addHeaders(q.h.o.challenge(need))
		}
		return refuseScope.with(q.id())
	}
	if !q.modern {
		return nil
	}
	for _, p := range facts.Headers {
		if no := q.checkParam(p.Header, p.Path); no != nil {
			return no.with(q.id())
		}
	}
	return nil
}

// missingScopes returns all scopes of a tool if the caller lacks one.
func missingScopes(need []string, info *auth.TokenInfo) []string {
	for _, scope := range need {
		if info == nil || !hasScope(info, scope) {
			return need
		}
	}
	return nil
}

func hasScope(info *auth.TokenInfo, scope string) bool {
	for _, s := range info.Scopes {
		if s == scope {
			return true
		}
	}
	return false
}

// hasVisibility reports whether an app shows tools to some callers only.
func hasVisibility(app *kervan.App) bool {
	return bridge.Kervan().HasVisibility(app)
}
