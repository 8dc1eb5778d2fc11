package transport_test

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// directApp has a tool for each way in which a call can end.
func directApp() *kervan.App {
	app := kervan.NewApp("test", "1", kervan.WithTitle("A <title>"), kervan.WithLogger(slog.New(slog.DiscardHandler)), kervan.WithProtocolLogging())
	type in struct {
		N int64 `json:"n,omitempty"`
	}
	type out struct {
		N    int64  `json:"n"`
		Text string `json:"text"`
	}
	app.Add(
		kervan.Tool("typed", "d", func(_ context.Context, v in) (out, error) { return out{v.N, "<&>\u2028"}, nil }),
		kervan.Tool("tool_error", "d", func(context.Context, in) (string, error) { return "", kervan.ToolErrorf("no") }),
		kervan.Tool("masked", "d", func(context.Context, in) (string, error) { return "", errors.New("hidden") }),
		kervan.Tool("panics", "d", func(context.Context, in) (string, error) { panic("hidden") }),
		kervan.Tool("meta", "d", func(context.Context, in) (*kervan.Result, error) {
			r := kervan.ResultOf(kervan.Text("x"))
			r.Meta = map[string]any{"a": 1}
			return r, nil
		}),
		kervan.Tool("client", "d", func(ctx context.Context, _ in) (string, error) {
			call := kervan.CallFromContext(ctx)
			text := call.ProtocolVersion() + " " + call.RequestID()
			if info := call.ClientInfo(); info != nil {
				text += " " + info.Name
			}
			if caps := call.ClientCapabilities(); caps != nil && caps.Elicitation != nil {
				text += " elicits"
			}
			return text, nil
		}),
		kervan.Tool("talks", "d", func(ctx context.Context, _ in) (string, error) {
			call := kervan.CallFromContext(ctx)
			call.Progress(1, 2, "half")
			call.Logger().Warn("careful")
			return "said", nil
		}),
	)
	return app
}

var refs = regexp.MustCompile(`ref: [0-9a-f]{8}`)

// TestDirectCallsAnswerTheSame compares the answers to calls and lists that
// the SDK does not decode with those to the same that it does, byte for byte.
func TestDirectCallsAnswerTheSame(t *testing.T) {
	app := directApp()
	direct, indirect := newHTTP(t, app, transport.NoRateLimit()), newHTTP(t, app, transport.NoRateLimit(), transport.WithoutDirect())
	compare := func(t *testing.T, name, body string, changes ...change) {
		t.Helper()
		a, b := direct.do(body, changes...), indirect.do(body, changes...)
		assert.Equal(t, b.status, a.status, name)
		assert.Equal(t, b.header.Get("Content-Type"), a.header.Get("Content-Type"), name)
		assert.Equal(t, refs.ReplaceAllString(b.body, "ref"), refs.ReplaceAllString(a.body, "ref"), name)
		assert.NotEmpty(t, a.body, name)
	}
	arguments := []string{`{}`, `{"n":9007199254740993}`, `{"n":1.0}`, `{"n":"x"}`, `{"m":1}`, `{"n":1e5000000}`, `[]`, `null`, `[1]`, `"x"`}
	for _, tool := range []string{"typed", "tool_error", "masked", "panics", "meta", "client", "talks", "type", "unknown"} {
		for _, args := range arguments {
			name := tool + " " + args
			compare(t, "legacy "+name, toolCall(tool, args), set("Mcp-Protocol-Version", legacy))
			compare(t, "modern "+name, inModern(toolCall(tool, args)), modernHeaders("tools/call", tool))
		}
	}
	const known = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	metas := map[string]string{
		"capabilities":     known + `{"elicitation":{"form":{}},"sampling":{}}`,
		"client info":      known + `{},"io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"}`,
		"odd info":         known + `{},"io.modelcontextprotocol/clientInfo":{"name":5}`,
		"info no object":   known + `{},"io.modelcontextprotocol/clientInfo":"x"`,
		"no capabilities":  `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`,
		"odd capabilities": known + `{"elicitation":5}`,
		"null":             known + `null`,
		"token":            known + `{},"progressToken":7`,
		"large token":      known + `{},"progressToken":9007199254740993`,
		"text token":       known + `{},"progressToken":"t"`,
		"log level":        known + `{},"io.modelcontextprotocol/logLevel":"debug"`,
		"high log level":   known + `{},"io.modelcontextprotocol/logLevel":"error"`,
		"odd log level":    known + `{},"io.modelcontextprotocol/logLevel":5`,
		"others":           known + `{},"x":[1,{"y":null}]`,
	}
	for name, meta := range metas {
		for _, tool := range []string{"talks", "client"} {
			call := rpc(`9007199254740993`, "tools/call", `{"_meta":{`+meta+`},"name":"`+tool+`","arguments":{}}`)
			compare(t, name, call, modernHeaders("tools/call", tool))
		}
		compare(t, "list "+name, rpc(`"id"`, "tools/list", `{"_meta":{`+meta+`}}`), modernHeaders("tools/list", ""))
	}
	for _, params := range []string{`{}`, `null`, `[]`, `{"cursor":""}`, `{"cursor":null}`, `{"cursor":"bad"}`, `{"cursor":5}`, `{"x":1}`, `{"_meta":{"progressToken":3}}`} {
		compare(t, "list "+params, rpc("1", "tools/list", params), set("Mcp-Protocol-Version", legacy))
	}
	for _, params := range []string{
		`{"name":"talks","arguments":{},"_meta":{"progressToken":3}}`, `{"name":"client","requestState":"x"}`, `{"name":"client","inputResponses":{}}`,
		`{"name":"client","task":{}}`, `{"name":""}`, `{"name":5}`, `{}`, `{"name":"client","_meta":null}`,
	} {
		compare(t, params, rpc("1", "tools/call", params), set("Mcp-Protocol-Version", legacy))
	}
}

// TestDirectMethodIsOurs: a client cannot use the method by which a handler
// hands its direct calls over.
func TestDirectMethodIsOurs(t *testing.T) {
	s := newHTTP(t, directApp())
	code, _ := errorOf(t, s.do(rpc("1", "kervan/direct", `{"name":"typed"}`), set("Mcp-Protocol-Version", legacy)))
	assert.Equal(t, -32601, code)
}
