package kervan

import (
	"bytes"
	"context"
	"encoding/json"
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

// A projection shows one registry as an SDK server. The registry is the
// truth: lists and calls read it, and the SDK's own tool table holds one stub
// only, whose replacement makes the SDK announce a change.
type projection struct {
	app    *App
	source Registry
	server *mcp.Server // announces changes
	quiet  *mcp.Server // the same, for transports that cannot deliver them

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

// newProjection builds the servers of a registry and follows its changes.
func (a *App) newProjection(r Registry, bare bool) (*projection, error) {
	p := &projection{app: a, source: r}
	info := &mcp.Implementation{Name: a.name, Version: a.version, Title: a.settings.title}
	err := try(func() {
		p.server = p.newServer(info, true)
		p.quiet = p.newServer(info, false)
	})
	if err != nil {
		return nil, &DefinitionError{Code: InvalidAppOptions, Message: "the SDK refused the server's options: " + err.Error(), Hint: "correct what WithServerOptions sets", Err: err}
	}
	if !bare {
		for _, f := range a.allFeatures() {
			p.addFeature(f.add)
		}
	}
	p.announced = p.view().list
	p.unsubscribe = r.Subscribe(p.changed)
	return p, nil
}

// newServer makes one of the two servers of a projection: one that announces
// changes, and one for transports that could not deliver them.
func (p *projection) newServer(info *mcp.Implementation, announces bool) *mcp.Server {
	a := p.app
	opts := &mcp.ServerOptions{
		Instructions: a.settings.instructions,
		Logger:       slog.New(slog.DiscardHandler), // the SDK logs what requests hold
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: announces}},
		SetCacheable: func(ctx context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = cacheHint(ctx)
		},
	}
	if a.settings.protocolLogging {
		opts.Capabilities.Logging = &mcp.LoggingCapabilities{}
	}
	for _, configure := range a.settings.serverOptions {
		configure(opts)
	}
	soundCompletion(opts)
	if !announces {
		a.hush(opts.Capabilities)
	}
	s := mcp.NewServer(info, opts)
	s.AddReceivingMiddleware(p.receive)
	if err := addDirect(s); err != nil {
		panic(err) // the method's name is ours; the caller recovers
	}
	return s
}

// hush keeps the SDK from advertising changes of prompts and resources, which
// it infers.
func (a *App) hush(caps *mcp.ServerCapabilities) {
	if caps == nil {
		return
	}
	prompts, resources := a.hasFeatures()
	if prompts && caps.Prompts == nil {
		caps.Prompts = &mcp.PromptCapabilities{}
	}
	if resources && caps.Resources == nil {
		caps.Resources = &mcp.ResourceCapabilities{}
	}
}

// cacheHint says how long a cache may keep a list, and for whom (rule 3.16).
func cacheHint(ctx context.Context) (ttlMs int, scope string) {
	if ttl := bridge.CallerFrom(ctx).PublicTTL; ttl > 0 {
		return ttl, "public"
	}
	return 0, "private"
}

// addFeature adds a prompt or resource to both servers.
func (p *projection) addFeature(add func(*mcp.Server)) {
	add(p.server)
	add(p.quiet)
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
		return p.app.shielded(method, func() (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.CallToolRequest:
				return p.callTool(ctx, r)
			case *mcp.ServerRequest[*directParams]:
				return p.callDirect(ctx, r)
			case *mcp.ServerRequest[*mcp.ListToolsParams]:
				return p.listTools(ctx, r)
			}
			switch method {
			case "prompts/get", "resources/read", "completion/complete", "resources/subscribe", "resources/unsubscribe":
				return p.app.guarded(ctx, method, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, req) })
			}
			res, err := next(ctx, method, req)
			if err == nil {
				p.app.identity.Load().introduce(res)
			}
			return res, err
		})
	}
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
