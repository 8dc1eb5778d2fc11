package kervan

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Prompt adds a prompt. It is the SDK's own, under Kervan's protection: a
// panic or an error of handler costs one request and is masked unless it is a
// [ToolError] or a *jsonrpc.Error, and the app's tool timeout applies.
func (a *App) Prompt(prompt *mcp.Prompt, handler mcp.PromptHandler) {
	if prompt == nil || handler == nil || prompt.Name == "" {
		a.fail(featureError("a prompt", "a name and a handler"))
		return
	}
	sound := func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return soundResult(handler(ctx, r))
	}
	a.add(feature{key: "prompt " + prompt.Name, isPrompt: true, add: func(s *mcp.Server) { s.AddPrompt(prompt, sound) }})
}

// Resource adds a resource, protected like a prompt. Its URI must be absolute.
func (a *App) Resource(resource *mcp.Resource, handler mcp.ResourceHandler) {
	if resource == nil || handler == nil || !absoluteURI.MatchString(resource.URI) {
		a.fail(featureError("a resource", "an absolute URI, such as file:///notes.txt, and a handler"))
		return
	}
	a.add(feature{key: "resource " + resource.URI, add: func(s *mcp.Server) { s.AddResource(resource, soundResource(handler)) }})
}

// ResourceTemplate adds a resource template, protected like a prompt.
func (a *App) ResourceTemplate(template *mcp.ResourceTemplate, handler mcp.ResourceHandler) {
	if template == nil || handler == nil || !absoluteURI.MatchString(template.URITemplate) {
		a.fail(featureError("a resource template", "an absolute URI template, such as file:///{path}, and a handler"))
		return
	}
	a.add(feature{key: "template " + template.URITemplate, add: func(s *mcp.Server) { s.AddResourceTemplate(template, soundResource(handler)) }})
}

var absoluteURI = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

func featureError(what, needs string) error {
	return &DefinitionError{Code: InvalidHandler, Message: what + " is incomplete", Hint: "give it " + needs}
}

func soundResource(handler mcp.ResourceHandler) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return soundResult(handler(ctx, r))
	}
}

// soundCompletion protects the completion handler that WithServerOptions set.
func soundCompletion(opts *mcp.ServerOptions) {
	handler := opts.CompletionHandler
	if handler == nil {
		return
	}
	opts.CompletionHandler = func(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return soundResult(handler(ctx, r))
	}
}

// soundResult refuses what the SDK would crash on (nil) or never answer (what
// does not marshal), and copies the rest, since the SDK writes to it.
func soundResult[R any](res *R, err error) (*R, error) {
	if err != nil {
		return nil, err
	}
	if res == nil {
		return nil, errors.New("the handler returned neither a result nor an error")
	}
	c := *res
	if m, ok := any(&c).(interface {
		GetMeta() map[string]any
		SetMeta(map[string]any)
	}); ok {
		m.SetMeta(maps.Clone(m.GetMeta()))
	}
	if _, err := json.Marshal(&c); err != nil {
		return nil, errUnencodable{err}
	}
	return &c, nil
}

// A feature is a prompt, a resource or a resource template.
type feature struct {
	key      string // one of the same key takes its place
	isPrompt bool
	add      func(*mcp.Server)
}

// add adds a feature to every server of the app, those to come too. The SDK
// panics on what it refuses; that becomes a definition error.
func (a *App) add(f feature) {
	if err := try(func() { f.add(mcp.NewServer(&mcp.Implementation{Name: a.name, Version: a.version}, nil)) }); err != nil {
		a.fail(&DefinitionError{Code: InvalidHandler, Message: "the SDK refused a prompt or resource: " + err.Error(), Hint: "correct it"})
		return
	}
	a.mu.Lock()
	a.features = append(slices.DeleteFunc(a.features, func(old feature) bool { return old.key == f.key }), f)
	a.mu.Unlock()
	a.servers.addFeature(f.add)
}

// allFeatures returns the prompts and resources added so far.
func (a *App) allFeatures() []feature {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.features)
}

// hasFeatures reports which kinds of features were added so far.
func (a *App) hasFeatures() (prompts, resources bool) {
	for _, f := range a.allFeatures() {
		prompts = prompts || f.isPrompt
		resources = resources || !f.isPrompt
	}
	return prompts, resources
}

// shielded runs what the SDK does with a method, in which handlers of
// WithServerOptions may panic: on the SDK's goroutine that would end the
// process.
func (a *App) shielded(method string, run func() (mcp.Result, error)) (res mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, a.protocolError(method, &panicError{value: v, stack: debug.Stack()})
		}
	}()
	return run()
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

// sdkError recognises the SDK's own errors, which it wraps, by the texts of
// what it wraps; a wrapped error of anyone else, such as another server that a
// handler called, is not for this client. The text around is left out.
func sdkError(err error) error {
	wire := find[*jsonrpc.Error](err)
	if wire == nil {
		return nil
	}
	switch {
	case wire.Code == jsonrpc.CodeInvalidParams && wire.Message == "invalid params":
		return &jsonrpc.Error{Code: wire.Code, Message: textInvalidParams}
	case wire.Code == mcp.CodeResourceNotFound && wire.Message == "Resource not found":
		return &jsonrpc.Error{Code: wire.Code, Message: wire.Message, Data: wire.Data}
	}
	return nil
}

// protocolError is what a client sees of an error outside of tools.
func (a *App) protocolError(method string, err error) error {
	if wire, ok := err.(*jsonrpc.Error); ok && wire != nil {
		return &jsonrpc.Error{Code: wire.Code, Message: wire.Message, Data: wire.Data}
	}
	if known := sdkError(err); known != nil {
		return known
	}
	if te := find[*ToolError](err); te != nil {
		a.logHidden(method, "", te, err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: te.message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: textMaskedMethod(method, a.mask(method, "", err))}
}
