package kervan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/schema"
)

// modernVersion is the first protocol version of the new era.
const modernVersion = "2026-07-28"

// A projection shows one registry as one SDK server. The registry is the
// truth: lists and calls read it, and the SDK's own tool table holds one stub
// only, whose replacement makes the SDK announce a change.
type projection struct {
	app    *App
	source Registry
	server *mcp.Server
	impl   []byte // the server's implementation info as JSON

	current     atomic.Pointer[view]
	build       sync.Mutex
	announced   []byte // the list that clients were last told of
	announcing  sync.Mutex
	unsubscribe func()
}

// An entry is a tool in a view, with its cached chain.
type entry struct {
	tool  *RegisteredTool
	chain atomic.Pointer[composed]
}

// chainFor returns the tool's chain under the app's middleware, composing it
// when one of the two is new.
func (e *entry) chainFor(app *appChain) (*composed, error) {
	if c := e.chain.Load(); c != nil && c.app == app {
		return c, nil
	}
	c, err := compose(app, e.tool)
	if err == nil {
		e.chain.Store(c)
	}
	return c, err
}

// newProjection builds the server of a registry and follows its changes.
func (a *App) newProjection(r Registry) (*projection, error) {
	info := &mcp.Implementation{Name: a.name, Version: a.version, Title: a.settings.title}
	opts := &mcp.ServerOptions{
		Instructions: a.settings.instructions,
		Logger:       slog.New(slog.DiscardHandler), // the SDK logs what requests hold
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope, c.TTLMs = "private", 0 },
	}
	if a.settings.protocolLogging {
		opts.Capabilities.Logging = &mcp.LoggingCapabilities{}
	}
	p := &projection{app: a, source: r}
	var err error
	if p.impl, err = json.Marshal(info); err != nil {
		return nil, err
	}
	err = try(func() {
		for _, configure := range a.settings.serverOptions {
			configure(opts)
		}
		p.server = mcp.NewServer(info, opts)
		p.server.AddReceivingMiddleware(p.receive)
		for _, add := range a.features {
			add(p.server)
		}
	})
	if err != nil {
		return nil, &DefinitionError{Code: InvalidAppOptions, Message: "the SDK refused the server's options: " + err.Error(), Hint: "correct what WithServerOptions sets", Err: err}
	}
	p.announced = p.view().list
	p.unsubscribe = r.Subscribe(p.changed)
	return p, nil
}

// changed announces a change of the registry to clients, if they would see a
// difference (rule 2.4).
func (p *projection) changed() {
	p.announcing.Lock()
	defer p.announcing.Unlock()
	v := p.view()
	differs := !bytes.Equal(v.list, p.announced)
	p.announced = v.list
	p.app.emit(RegistryEvent{Tools: len(v.tools), ListChanged: differs})
	if differs {
		p.server.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, refuseStub)
	}
}

// refuseStub is never reached: receive answers every tools/call.
func refuseStub(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool"}
}

// receive answers what Kervan owns, and guards what it leaves to the SDK.
func (p *projection) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "tools/call":
			if r, ok := req.(*mcp.CallToolRequest); ok {
				return p.callTool(ctx, r)
			}
		case "tools/list":
			if r, ok := req.(*mcp.ServerRequest[*mcp.ListToolsParams]); ok {
				return p.listTools(ctx, r)
			}
		case "prompts/get", "resources/read", "completion/complete", "resources/subscribe", "resources/unsubscribe":
			return p.app.guarded(ctx, method, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) })
		}
		return next(ctx, method, req)
	}
}

// guarded runs a method that user code answers, under the app's timeout, with
// masking and panic isolation.
func (a *App) guarded(ctx context.Context, method string, run func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.settings.timeout, errTimedOut)
	defer cancel()
	type outcome struct {
		res mcp.Result
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errGoexit}
		defer func() { done <- o }()
		defer catch(&o.err)
		o.res, o.err = run(ctx)
	}()
	select {
	case o := <-done:
		if o.err == nil {
			return o.res, nil
		}
		return nil, a.protocolError(method, o.err)
	case <-ctx.Done():
		if context.Cause(ctx) == errTimedOut {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: textMethodTimeout(method, a.settings.timeout)}
		}
		return nil, ctx.Err()
	}
}

// protocolError is what a client sees of an error outside of tools.
func (a *App) protocolError(method string, err error) error {
	if wire := find[*jsonrpc.Error](err); wire != nil {
		return &jsonrpc.Error{Code: wire.Code, Message: wire.Message, Data: wire.Data}
	}
	if te := find[*ToolError](err); te != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: te.message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: textMaskedMethod(method, a.mask(method, "", err))}
}

// callTool finds the tool for this caller and runs it.
func (p *projection) callTool(ctx context.Context, r *mcp.CallToolRequest) (mcp.Result, error) {
	event := CallEvent{Tool: clip(r.Params.Name, maxNameInText), RequestID: requestID(r), Outcome: OutcomeUnknownTool}
	start := time.Now()
	defer func() {
		event.Duration = time.Since(start)
		p.app.emit(event)
	}()
	v := p.view()
	e := v.byName[r.Params.Name]
	if e == nil || !p.app.visible(ctx, e.tool) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: textUnknownTool(r.Params.Name, p.near(ctx, v, r.Params.Name))}
	}
	event.Outcome = OutcomeRejected
	req := newRequest(ctx, e, r)
	if err := p.app.openState(req, r.Params.RequestState); err != nil {
		return nil, err
	}
	ans, err := p.converse(ctx, req)
	if err != nil {
		return nil, err
	}
	event.Outcome, event.Ref, event.Problems = ans.outcome, ans.ref, ans.problems
	if ans.interim != nil {
		return p.interimResult(req, ans.interim), nil
	}
	return &callResult{answer: ans, modern: req.modern(), frame: p}, nil
}

// converse runs the call, and for a client of the older era asks it for the
// input that interim results want and runs the call again.
func (p *projection) converse(ctx context.Context, req *request) (*answer, error) {
	for range maxRounds {
		ans := p.app.run(ctx, req)
		if ans.interim == nil {
			return ans, nil
		}
		if err := missingCapability(ans.interim.requests, req.sdk.ClientCapabilities()); err != nil {
			return nil, err
		}
		if req.modern() {
			return ans, nil
		}
		responses, err := ask(ctx, req.sdk.Session, ans.interim.requests)
		if err != nil {
			return p.app.failed(ctx, req, err), nil
		}
		req.responses, req.state = responses, ans.interim.state
	}
	return p.app.failed(ctx, req, errTooManyRounds), nil
}

func newRequest(ctx context.Context, e *entry, r *mcp.CallToolRequest) *request {
	caller := bridge.CallerFrom(ctx)
	req := &request{
		tool: e, arguments: r.Params.Arguments, id: requestID(r), version: r.ProtocolVersion(),
		principal: caller.Principal, registry: caller.Registry, responses: r.Params.InputResponses, sdk: r,
	}
	if r.Extra != nil && r.Extra.TokenInfo != nil {
		req.auth = r.Extra.TokenInfo
		req.principal = r.Extra.TokenInfo.UserID
	}
	return req
}

// requestID returns the id as the transport told it.
func requestID(r *mcp.CallToolRequest) string {
	if r.Extra == nil || r.Extra.Header == nil {
		return ""
	}
	return r.Extra.Header.Get(bridge.RequestIDHeader)
}

// near returns the visible names that name may have meant.
func (p *projection) near(ctx context.Context, v *view, name string) []string {
	var names []string
	for _, t := range v.tools {
		if p.app.visible(ctx, t) {
			names = append(names, t.info.Name)
		}
	}
	return schema.Nearest(name, names, 3)
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

func (root) Server(app, registry any) (*mcp.Server, error) {
	a := app.(*App)
	r := a.registry
	if registry != nil {
		r = registry.(Registry)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if p, ok := a.projections[r]; ok {
		return p.server, nil
	}
	p, err := a.newProjection(r)
	if err != nil {
		return nil, err
	}
	a.projections[r] = p
	return p.server, nil
}

func (root) Logger(app any) *slog.Logger { return app.(*App).settings.logger }

func (root) Close(app any) {
	a := app.(*App)
	a.mu.Lock()
	defer a.mu.Unlock()
	for r, p := range a.projections {
		p.unsubscribe()
		delete(a.projections, r)
	}
}
