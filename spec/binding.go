package spec

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/httptool"
)

// timeoutMargin is what a tool's deadline has beyond its request's, so that
// the message that names the host is the one that is seen.
const timeoutMargin = 2 * time.Second

// A binding joins a registered tool to what its calls use, which changes when
// the file is loaded again and the tool stays the same.
type binding struct {
	use atomic.Pointer[bound]
	// latest is the runtime of the file that was applied last; nil for a tool
	// that is not Apply's.
	latest *atomic.Pointer[runtime]
}

type bound struct {
	tool    *httptool.Tool
	runtime *runtime
}

func newBinding(t *tool, r *runtime, latest *atomic.Pointer[runtime]) *binding {
	b := &binding{latest: latest}
	b.point(t, r)
	return b
}

func (b *binding) point(t *tool, r *runtime) { b.use.Store(&bound{t.http, r}) }

// enter returns what a call uses until it leaves; nil if all of it is closed. A
// call that begins just as its tool is replaced or removed, and the Spec of that
// closed, uses what came after.
func (b *binding) enter() *bound {
	for {
		use := b.use.Load()
		if use.runtime.enter() {
			return use
		}
		if b.latest == nil {
			return nil
		}
		latest := b.latest.Load()
		if latest != nil && latest.enter() {
			return &bound{b.use.Load().tool, latest}
		}
		if b.use.Load() == use && b.latest.Load() == latest {
			return nil
		}
	}
}

// call is the handler of a tool.
func (b *binding) call(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
	use := b.enter()
	if use == nil {
		return nil, kervan.ToolErrorf("%s", textClosed)
	}
	defer use.runtime.leave()
	res, err := use.tool.Call(ctx, use.runtime.http, call.Arguments())
	if err != nil {
		return nil, toolError(err)
	}
	return resultOf(res), nil
}

// toolError makes what a model is told; any other error is masked.
func toolError(err error) error {
	var e *httptool.Error
	if !errors.As(err, &e) {
		return err
	}
	shown := kervan.ToolErrorf("%s", e.Message)
	if e.Cause == nil {
		return shown
	}
	return shown.WithCause(e.Cause)
}

// resultOf makes a result of content. A structured one without notes gets its
// text from the pipeline.
func resultOf(r *httptool.Result) *kervan.Result {
	res := &kervan.Result{}
	if r.Structured != nil {
		res.StructuredContent = json.RawMessage(r.Structured)
		if len(r.Notes) == 0 {
			return res
		}
	}
	res.Content = []mcp.Content{kervan.Text(r.Text)}
	for _, note := range r.Notes {
		res.Content = append(res.Content, kervan.Text(note))
	}
	return res
}

// define makes the definition of a tool.
func (t *tool) define(b *binding) *kervan.ToolDef {
	def := kervan.RawTool(t.http.Name, t.description, t.input, b.call).
		OpenWorld(t.hints.openWorld).
		Timeout(t.http.Timeout + timeoutMargin)
	if t.title != "" {
		def.Title(t.title)
	}
	if t.output != nil {
		def.OutputSchema(t.output)
	}
	if t.hints.readOnly {
		def.ReadOnly()
	}
	if t.hints.destructive != nil {
		def.Destructive(*t.hints.destructive)
	}
	if t.hints.idempotent {
		def.Idempotent()
	}
	return def
}
