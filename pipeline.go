package kervan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/schema"
)

// maxArgumentDepth bounds the nesting of arguments (rule 1.6).
const maxArgumentDepth = 64

// maxAbandoned is how many handlers of one tool may still run after their
// calls were answered (rule 1.11).
const maxAbandoned = 100

// A request is a call as a transport hands it over: no part of it depends on
// how it was framed.
type request struct {
	tool      *entry
	arguments []byte // as sent; empty if none
	id        string
	version   string // of the protocol
	auth      *auth.TokenInfo
	principal string
	registry  string
	responses mcp.InputResponseMap
	state     string // opened
	sdk       *mcp.CallToolRequest
}

// progressToken returns the token that the client gave, or nil.
func (r *request) progressToken() any {
	if r == nil || r.sdk == nil || r.sdk.Session == nil {
		return nil
	}
	return r.sdk.Params.GetProgressToken()
}

// modern reports whether the client speaks the new era.
func (r *request) modern() bool { return r.version >= modernVersion }

// errTimedOut is the cause of a context whose deadline is the call's own.
var errTimedOut = errors.New("the deadline of the call passed")

// run makes a call: it answers when the handler does, when the deadline
// passes, or when the client cancels, whichever is first.
func (a *App) run(ctx context.Context, req *request) *answer {
	if refused := a.admit(req); refused != nil {
		return refused
	}
	return a.attend(ctx, req, time.Now())
}

// admit refuses a call before anything of it runs, or returns nil.
func (a *App) admit(req *request) *answer {
	t := req.tool.tool
	if missing := missingScopes(t.info.Scopes, req.auth); missing != nil {
		return textAnswer(OutcomeRejected, textScopes(t.info.Name, missing))
	}
	if t.abandoned.Load() >= maxAbandoned {
		return textAnswer(OutcomeRejected, textOverloaded(t.info.Name))
	}
	return nil
}

func missingScopes(need []string, info *auth.TokenInfo) []string {
	var missing []string
	for _, s := range need {
		if info == nil || !slices.Contains(info.Scopes, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

// The stages of a call that its two goroutines agree on.
const (
	callRuns int32 = iota
	callEnded
	callAbandoned
)

// attend runs the call on a goroutine of its own and waits for it or its
// deadline.
func (a *App) attend(ctx context.Context, req *request, start time.Time) *answer {
	t := req.tool.tool
	timeout := t.timeout
	if timeout == 0 {
		timeout = a.settings.timeout
	}
	deadline := start.Add(timeout)
	ctx, cancel := context.WithDeadlineCause(ctx, deadline, errTimedOut)
	defer cancel()
	call, ctx := a.newCall(ctx, req)
	defer call.sends.end()

	var stage atomic.Int32
	done := make(chan *answer, 1)
	go func() {
		var ans *answer
		err := error(errGoexit)
		defer func() {
			if stage.CompareAndSwap(callRuns, callEnded) {
				done <- a.settle(ctx, call, ans, err)
				return
			}
			t.abandoned.Add(-1)
			a.late(call, err)
		}()
		defer catch(&err)
		ans, err = a.execute(ctx, call)
	}()

	var ans *answer
	select {
	case ans = <-done:
	case <-ctx.Done():
		t.abandoned.Add(1)
		if !stage.CompareAndSwap(callRuns, callAbandoned) {
			t.abandoned.Add(-1)
			ans = <-done
		}
	}
	switch {
	case context.Cause(ctx) == errTimedOut || !time.Now().Before(deadline):
		return textAnswer(OutcomeTimeout, textTimeout(t.info.Name, timeout))
	case ctx.Err() != nil:
		return textAnswer(OutcomeCancelled, textCancelled(t.info.Name))
	}
	return ans
}

// newCall makes what middleware and handlers see of req, and puts it in ctx.
func (a *App) newCall(ctx context.Context, req *request) (*Call, context.Context) {
	c := &Call{tool: req.tool.tool.info.Name, from: req, state: &callState{}}
	c.sends = &sender{ctx: ctx, call: c}
	c.logger = sync.OnceValue(func() *slog.Logger {
		log := a.settings.logger.With("tool", c.tool, "request", req.id)
		if min, ok := a.clientLogLevel(req); ok {
			log = slog.New(&clientHandler{next: log.Handler(), sends: c.sends, min: min})
		}
		return log
	})
	return c, context.WithValue(ctx, callKey{}, c)
}

// clientLogLevel returns the level from which the client of req wants to see
// log records, which it must say in the request itself (rule 1.14).
func (a *App) clientLogLevel(req *request) (slog.Level, bool) {
	if !a.settings.protocolLogging || req.sdk == nil || req.sdk.Session == nil {
		return 0, false
	}
	name, _ := req.sdk.Params.GetMeta()[mcp.MetaKeyLogLevel].(string)
	min, ok := logLevels[mcp.LoggingLevel(name)]
	return min, ok
}

// execute takes a call from its bytes to its answer. User code in it may
// panic or end the goroutine.
func (a *App) execute(ctx context.Context, call *Call) (*answer, error) {
	t := call.from.tool.tool
	if violations := a.accept(call); violations != nil {
		refused := textAnswer(OutcomeRefused, textInvalidInput(t.info.Name, violations))
		refused.problems = len(violations)
		return refused, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // no handler starts after its deadline
	}
	res, err := a.invoke(ctx, call)
	if err != nil {
		return nil, err
	}
	if res.InputRequests != nil && !res.IsError {
		return interimAnswer(res)
	}
	return a.conclude(call, res)
}

// accept validates and decodes the arguments (rules 1.5 to 1.8).
func (a *App) accept(call *Call) []schema.Violation {
	t := call.from.tool.tool
	raw := call.from.arguments
	if isNoArguments(raw) {
		raw = []byte("{}")
	}
	tree, err := jsonx.Parse(raw, jsonx.Limits{Depth: maxArgumentDepth, Elements: a.settings.elements})
	if err != nil {
		return []schema.Violation{violationOf(err)}
	}
	tree, changes := t.input.Prepare(tree, a.settings.repair)
	if violations := t.input.Validate(tree); violations != nil {
		return violations
	}
	if len(changes.Nulls)+len(changes.Repaired) > 0 {
		a.emit(RepairEvent{Tool: t.info.Name, Nulls: changes.Nulls, Repaired: changes.Repaired})
	}
	call.args = raw
	if changes.Changed {
		call.args = jsonx.AppendValue(nil, tree)
	}
	if t.decode == nil {
		call.args = slices.Clone(call.args) // a transport may reuse its buffer
		return nil
	}
	if call.state.input, err = t.decode(call.args); err != nil {
		return []schema.Violation{violationOf(err)}
	}
	return nil
}

// isNoArguments reports whether raw is one of the ways to say nothing: some
// languages write an empty map as [].
func isNoArguments(raw []byte) bool {
	inner := raw
	for len(inner) > 0 && isSpace(inner[0]) {
		inner = inner[1:]
	}
	for len(inner) > 0 && isSpace(inner[len(inner)-1]) {
		inner = inner[:len(inner)-1]
	}
	switch {
	case len(inner) == 0 || string(inner) == "null":
		return true
	case inner[0] == '[' && inner[len(inner)-1] == ']':
		for _, c := range inner[1 : len(inner)-1] {
			if !isSpace(c) {
				return false
			}
		}
		return true
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// invoke runs the middleware and the handler.
func (a *App) invoke(ctx context.Context, call *Call) (*Result, error) {
	e := call.from.tool
	chain, err := e.chainFor(a.chain.Load())
	if err != nil {
		return nil, err
	}
	call.state.entered = make([]atomic.Bool, chain.length)
	res, err := chain.handler(ctx, call)
	if failed := call.state.failure(); failed != nil {
		return nil, failed
	}
	if res == nil && err == nil {
		err = fmt.Errorf("%s returned neither a result nor an error", stageName(chain.app, e.tool, 0))
	}
	return res, err
}

// conclude encodes and validates the result.
func (a *App) conclude(call *Call, res *Result) (*answer, error) {
	t := call.from.tool.tool
	ans, violations, err := encodeResult(t, res)
	if err != nil {
		return nil, err
	}
	if violations != nil {
		a.logViolations(call, violations)
		bad := textAnswer(OutcomeBadOutput, textInvalidOutput(t.info.Name, violations))
		bad.problems = len(violations)
		return bad, nil
	}
	if t.output != nil && ans.structured == nil && !ans.isError {
		a.settings.logger.Error("a result lacks the structured content that its tool declares", "tool", t.info.Name, "request", call.from.id)
		return textAnswer(OutcomeBadOutput, textMissingOutput(t.info.Name)), nil
	}
	return ans, nil
}

// settle turns an error into the answer that the client sees (rules 1.11 and
// 1.12): a ToolError's own message, or a reference.
func (a *App) settle(ctx context.Context, call *Call, ans *answer, err error) *answer {
	if deadline, _ := ctx.Deadline(); ctx.Err() != nil || !time.Now().Before(deadline) {
		a.late(call, err)
		return nil // the end of ctx is the answer
	}
	if err == nil {
		return ans
	}
	if te := find[*ToolError](err); te != nil {
		a.logHidden(call.tool, call.from.id, te, err)
		return textAnswer(OutcomeToolError, te.message)
	}
	return a.masked(call.tool, call.from.id, err)
}

// masked is the answer for an error that the client must not see.
func (a *App) masked(tool, requestID string, err error) *answer {
	ref := a.mask(tool, requestID, err)
	ans := textAnswer(OutcomeMasked, textMasked(tool, ref))
	ans.ref = ref
	return ans
}

// failed is the answer for a call that broke off between two rounds.
func (a *App) failed(ctx context.Context, req *request, err error) *answer {
	name := req.tool.tool.info.Name
	if ctx.Err() != nil {
		return textAnswer(OutcomeCancelled, textCancelled(name))
	}
	return a.masked(name, req.id, err)
}
