package transport

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/wire"
)

// A Handler serves an app over Streamable HTTP, to clients of protocol
// 2026-07-28 and of the four versions before it. It keeps no sessions unless
// [WithSessions] says so, so several processes may stand behind one address.
//
// It can be mounted in any router; path wildcards of [http.ServeMux] reach the
// hooks. It needs nothing of the http.Server around it: it bounds bodies, writes
// and streams by itself. A ResponseWriter that is wrapped on the way must have an
// Unwrap method, as [http.ResponseController] wants it.
//
// A Handler is safe for concurrent use.
type Handler struct {
	app    *kervan.App
	o      *options
	logger *slog.Logger
	times  timing

	// The servers of the app's own registry, without a resolver.
	announcing, quiet *mcp.Server

	gate     gate
	sessions *sessionTable // nil without WithSessions
	names    registryNames
	warnHost sync.Once
}

// timing holds what bounds the parts of a request.
type timing struct {
	body      time.Duration // for a body to arrive
	write     time.Duration // for a piece of an answer to leave
	keepAlive time.Duration // between comments on a quiet stream
	stream    time.Duration // life of a stream of notifications
}

// defaultTiming follows rule 3.15, and is short of the usual idle timeouts of
// proxies.
var defaultTiming = timing{
	body:      30 * time.Second,
	write:     30 * time.Second,
	keepAlive: 15 * time.Second,
	stream:    time.Hour,
}

// NewHandler makes a handler for app. It returns the mistakes in the app's
// definition and in the options, and installs no signals.
//
// Without [AllowedHosts] it serves requests for the names of the loopback
// interface only; see there.
func NewHandler(app *kervan.App, opts ...Option) (*Handler, error) {
	o, err := newOptions(opts)
	if err != nil {
		return nil, err
	}
	return newHandler(app, o)
}

func newHandler(app *kervan.App, o *options) (*Handler, error) {
	if app == nil {
		return nil, errNoApp
	}
	if err := o.checkHTTP(app); err != nil {
		return nil, err
	}
	root := bridge.Kervan()
	if err := root.Start(app); err != nil {
		return nil, err
	}
	h := &Handler{app: app, o: o, logger: root.Logger(app), times: defaultTiming}
	h.gate.init(o.maxInFlight)
	o.applyRate(app, h.logger)
	if o.sessions != nil {
		h.sessions = newSessionTable(*o.sessions)
	}
	if o.resolve != nil {
		return h, nil
	}
	var err error
	if h.announcing, err = root.Server(app, bridge.ServerSpec{}); err != nil {
		return nil, err
	}
	h.quiet, err = root.Server(app, bridge.ServerSpec{Quiet: true})
	return h, err
}

// applyRate installs the default rate limit if there is no other.
func (o *options) applyRate(app *kervan.App, logger *slog.Logger) {
	if o.rate == nil {
		o.rate = defaultRate()
	}
	if r, ok := o.rate.(interface {
		setApp(*kervan.App, *slog.Logger)
	}); ok {
		r.setApp(app, logger)
	}
}

// checkHTTP refuses options that do not go together.
func (o *options) checkHTTP(app *kervan.App) error {
	switch {
	case o.health != "" && o.path != "" && samePath(o.health, o.path):
		return errSamePath
	case o.share && o.resolve == nil:
		return errShareAlone
	case o.publicTTL == 0:
		return nil
	case o.resolve != nil:
		return publicLists("ResolveRegistry")
	case o.authenticate != nil:
		return publicLists("Authenticate")
	case hasVisibility(app):
		return publicLists("kervan.WithVisibility")
	}
	return nil
}

// A request is an HTTP request on its way to the app. Each step fills in what
// the later ones need.
type request struct {
	h *Handler
	w http.ResponseWriter
	r *http.Request

	info    *auth.TokenInfo // nil: anonymous
	entered bool            // it counts as in flight
	read    bool            // reading the body was begun
	body    *[]byte

	msg     jsonrpc.Message
	call    *jsonrpc.Request   // msg, if it is a request or notification
	facts   wire.Facts         // of call
	version string             // the protocol's
	modern  bool               // 2026-07-28 or later
	direct  *bridge.DirectCall // of a call that the SDK need not decode
	// logLevel is what a direct call asks for.
	logLevel mcp.LoggingLevel

	registry kervan.Registry // nil: the app's own
	caller   bridge.Caller
	server   *mcp.Server
	ctx      context.Context // with what the pipeline is to know
}

// steps is the way of a request (rule 3.1). A step that returns nil lets it go
// on; answered is returned by the one that has answered it.
var steps = [...]func(*request) *refusal{
	(*request).checkHealth,
	(*request).checkRepeated,
	(*request).checkHost,
	(*request).checkOrigin,
	(*request).checkRoutes,
	(*request).checkPath,
	(*request).limitRate,
	(*request).authenticate,
	(*request).enter,
	(*request).readBody,
	(*request).decode,
	(*request).checkHeaders,
	(*request).resolve,
	(*request).checkTool,
	(*request).serve,
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &request{h: h, w: w, r: r}
	defer q.leave()
	header := w.Header()
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	for _, step := range steps {
		if no := step(q); no != nil {
			q.refuse(no)
			return
		}
	}
}

// Header values that never change; nobody writes to them.
var (
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
	typeJSON  = []string{"application/json"}
	typeEvent = []string{"text/event-stream"}
)

// checkHealth answers the health path, before everything else (rule 3.14).
func (q *request) checkHealth() *refusal {
	o := q.h.o
	if o.health == "" || !samePath(q.r.URL.Path, o.health) {
		return nil
	}
	if q.r.Method != http.MethodGet && q.r.Method != http.MethodHead {
		q.w.Header().Set("Allow", "GET, HEAD")
		return refuseMethod
	}
	status, body := http.StatusOK, bodyHealthy
	if q.h.gate.isDraining() {
		status, body = http.StatusServiceUnavailable, bodyDraining
	}
	q.w.Header()["Content-Type"] = typeJSON
	q.writeBody(status, []byte(body))
	return answered
}

// checkRoutes answers the fixed paths.
func (q *request) checkRoutes() *refusal {
	for _, route := range q.h.o.extra {
		if q.r.URL.Path == route.path {
			route.handler.ServeHTTP(q.w, q.r)
			return answered
		}
	}
	return nil
}

// isEndpoint reports whether the path is the one that is served.
func (q *request) isEndpoint() bool {
	path := q.h.o.path
	return path == "" || samePath(q.r.URL.Path, path)
}

func (q *request) checkPath() *refusal {
	if !q.isEndpoint() {
		return refusePath
	}
	switch q.r.Method {
	case http.MethodPost:
		return nil
	case http.MethodGet, http.MethodDelete:
		if q.h.sessions != nil && q.r.Header.Get(headerVersion) < firstModern {
			return nil
		}
	}
	q.w.Header().Set("Allow", q.allowed())
	return refuseMethod
}

// allowed returns the methods of the endpoint.
func (q *request) allowed() string {
	methods := "POST"
	if q.h.sessions != nil {
		methods = "GET, POST, DELETE"
	}
	if q.h.o.origins != nil {
		methods += ", OPTIONS"
	}
	return methods
}

func (q *request) limitRate() *refusal {
	wait, ok := q.h.o.rate.allow(q.r, nil)
	return q.tooMany(wait, ok)
}

func (q *request) tooMany(wait time.Duration, ok bool) *refusal {
	if ok {
		return nil
	}
	q.w.Header().Set("Retry-After", retryAfter(wait))
	return refuseRate
}

// leave gives up what the request holds.
func (q *request) leave() {
	putBuffer(q.body)
	if q.entered {
		q.h.gate.leave()
	}
}

// enter counts the request as in flight (rules 3.12, 3.15). Opening and closing
// the streams of sessions is counted elsewhere.
func (q *request) enter() *refusal {
	if q.r.Method != http.MethodPost {
		return q.serveSession()
	}
	no := q.h.gate.enter()
	q.entered = no == nil
	return no
}
