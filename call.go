package kervan

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Call is one call of a tool, as middleware and handlers see it. It is safe
// for concurrent use. The zero Call is usable: it belongs to no client, so it
// reports nothing and sends nothing.
type Call struct {
	tool   string
	args   []byte
	from   *request
	logger func() *slog.Logger // made when it is first asked for
	state  *callState
	sends  *sender
}

type callKey struct{}

// CallFromContext returns the call that ctx belongs to. It is never nil:
// outside of a call it is one that reports nothing and sends nothing, so that
// a handler can be tested as a plain function.
func CallFromContext(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// Tool returns the name of the called tool.
func (c *Call) Tool() string { return c.tool }

// RequestID returns the JSON-RPC id of the request as the client wrote it, or
// "" if the transport does not tell.
func (c *Call) RequestID() string {
	if c.from == nil {
		return ""
	}
	return c.from.id
}

// Arguments returns a copy of the validated arguments, a JSON object, with
// defaults filled in and every digit kept.
func (c *Call) Arguments() json.RawMessage {
	if c.args == nil {
		return json.RawMessage("{}")
	}
	return slices.Clone(c.args)
}

// Auth returns who makes the call, as the transport verified it, or nil.
func (c *Call) Auth() *auth.TokenInfo {
	if c.from == nil {
		return nil
	}
	return c.from.auth
}

// ProtocolVersion returns the client's protocol version, such as
// "2026-07-28", or "".
func (c *Call) ProtocolVersion() string {
	if c.from == nil {
		return ""
	}
	return c.from.version
}

// ClientInfo returns the name and version that the client gave, or nil.
func (c *Call) ClientInfo() *mcp.Implementation {
	if r := c.Request(); r != nil {
		return r.ClientInfo()
	}
	return nil
}

// ClientCapabilities returns what the client can do, or nil.
func (c *Call) ClientCapabilities() *mcp.ClientCapabilities {
	if r := c.Request(); r != nil {
		return r.ClientCapabilities()
	}
	return nil
}

// Request returns the SDK's request, for parts of the protocol that Kervan
// adds nothing to, or nil. Its arguments are as the client sent them.
func (c *Call) Request() *mcp.CallToolRequest {
	if c.from == nil {
		return nil
	}
	return c.from.sdk
}

// InputResponses returns what the client answered to the InputRequests of an
// interim result of this tool, or nil.
func (c *Call) InputResponses() mcp.InputResponseMap {
	if c.from == nil {
		return nil
	}
	return c.from.responses
}

// RequestState returns the RequestState of the interim result that the client
// answers, verified to be this tool's own for these arguments and this
// caller, or "".
func (c *Call) RequestState() string {
	if c.from == nil {
		return ""
	}
	return c.from.state
}

// Logger logs with the tool and the request id, to the app's log and, with
// [WithProtocolLogging], to a client that asked for it.
func (c *Call) Logger() *slog.Logger {
	if c.logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.logger()
}

// Progress tells the client how far the call is, if it asked. Done must rise
// from one report to the next; what does not is dropped and logged. A total
// of 0 means that it is unknown; message may be empty. After the call has
// been answered nothing is sent.
func (c *Call) Progress(done, total float64, message string) {
	if c.sends == nil {
		return
	}
	c.sends.progress(done, total, message)
}

// A sender sends what belongs to a running call, and nothing after it.
type sender struct {
	ctx  context.Context // of the request: the SDK finds the stream by it
	call *Call

	mu    sync.Mutex
	ended bool
	last  float64
	begun bool
}

// end is called before the answer is sent.
func (s *sender) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

func (s *sender) progress(done, total float64, message string) {
	token := s.call.from.progressToken()
	if token == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if math.IsNaN(done) || math.IsInf(done, 0) || math.IsNaN(total) || math.IsInf(total, 0) {
		s.call.logger().Warn("progress dropped: not a number")
		return
	}
	if s.begun && done <= s.last {
		s.call.logger().Warn("progress dropped: it must rise", "last", s.last, "now", done)
		return
	}
	s.begun, s.last = true, done
	// A client that is gone is told to the handler by its context.
	_ = s.call.from.sdk.Session.NotifyProgress(s.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Progress: done, Total: total, Message: message,
	})
}

// log forwards a record to the client as a logging notification.
func (s *sender) log(level mcp.LoggingLevel, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	_ = s.call.from.sdk.Session.Log(s.ctx, &mcp.LoggingMessageParams{
		Level: level, Logger: s.call.tool, Data: data,
	})
}
