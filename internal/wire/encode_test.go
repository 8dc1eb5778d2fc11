package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func id(t *testing.T, v any) jsonrpc.ID {
	t.Helper()
	id, err := jsonrpc.MakeID(v)
	require.NoError(t, err)
	return id
}

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		msg  jsonrpc.Message
		want string
	}{
		{&jsonrpc.Response{ID: id(t, "<&>\u2028\x01"), Result: []byte(`{"a":"<&>"}`)}, `{"jsonrpc":"2.0","id":"<&>\u2028\u0001","result":{"a":"<&>"}}`},
		{&jsonrpc.Response{ID: id(t, 1.0), Result: []byte("{\n \"a\" :\r\n[1.0, 1e2]}")}, `{"jsonrpc":"2.0","id":1,"result":{"a":[1.0,1e2]}}`},
		{&jsonrpc.Response{ID: id(t, 1.0)}, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{&jsonrpc.Response{Error: &jsonrpc.Error{Code: -1, Message: "x\ny"}}, `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x\ny"}}`},
		{&jsonrpc.Response{ID: id(t, 1.0), Error: &jsonrpc.Error{Code: -1, Message: "x", Data: []byte("{\n}")}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x","data":{}}}`},
		{&jsonrpc.Response{ID: id(t, 1.0), Error: &jsonrpc.Error{Code: -1, Message: "x", Data: []byte(`{"uri":"\x07"}`)}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`},
		{&jsonrpc.Request{Method: "notifications/x"}, `{"jsonrpc":"2.0","method":"notifications/x"}`},
		{&jsonrpc.Request{ID: id(t, 4.0), Method: "ping", Params: []byte(`{}`)}, `{"jsonrpc":"2.0","id":4,"method":"ping","params":{}}`},
		{&jsonrpc.Request{Method: "notifications/progress", Params: []byte(`{"progressToken":"kervan:int:1e3","message":"kervan:int:5"}`)},
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e3,"message":"kervan:int:5"}}`},
		{&jsonrpc.Response{ID: id(t, 1.0), Result: []byte(`{"content":[{"text":"kervan:int:5"}],"progressToken2":"kervan:int:5"}`)},
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"kervan:int:5"}],"progressToken2":"kervan:int:5"}}`},
		{&jsonrpc.Response{ID: id(t, 1.0), Result: []byte(`{"_meta":{"a":"kervan:int:1","io.modelcontextprotocol/subscriptionId":"kervan:int:2"}}`)},
			`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":"kervan:int:1","io.modelcontextprotocol/subscriptionId":2}}}`},
	} {
		got, err := wire.Encode(tt.msg)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(got))
	}
	_, err := wire.Encode(&jsonrpc.Response{ID: id(t, 1.0), Result: []byte("{\n")})
	assert.Error(t, err)
}

func TestSanitize(t *testing.T) {
	wrap := func(code int64, inner, format string) error {
		return fmt.Errorf(format, &jsonrpc.Error{Code: code, Message: inner})
	}
	for _, tt := range []struct {
		err  error
		code int64
		want string
	}{
		// Made to be sent.
		{&jsonrpc.Error{Code: -32602, Message: `unknown tool "x"`}, -32602, `unknown tool "x"`},
		{&jsonrpc.Error{Code: -32603, Message: `Internal error in tool "x" (ref: 1a2b3c4d)`}, -32603, `Internal error in tool "x" (ref: 1a2b3c4d)`},
		{&jsonrpc.Error{Code: -32022, Message: "unsupported protocol version"}, -32022, "unsupported protocol version"},
		{&jsonrpc.Error{Code: -32602, Message: `missing or invalid _meta field "x"`}, -32602, `missing or invalid _meta field "x"`},
		{&jsonrpc.Error{Code: 0, Message: "password=hunter2"}, -32603, "Internal error"},
		{&jsonrpc.Error{Code: -32602, Message: `handling 'tools/call': x`}, -32602, "Invalid params"},
		{&jsonrpc.Error{Code: -32004, Message: "server is closing"}, -32000, "the server is shutting down"},
		// What the SDK says.
		{wrap(-32601, "method not found", `%w: "tools/what"`), -32601, `Method not found: "tools/what"`},
		{wrap(-32601, "method not found", `%w: "\x1b[31m"`), -32601, `Method not found`},
		{wrap(-32601, "method not found", `%w: "`+strings.Repeat("x", 200)+`"`), -32601, `Method not found`},
		{wrap(-32602, "invalid params", `handling 'tools/call': %w: unmarshaling "{\"name\":17}" into a *mcp.CallToolParamsRaw: json`), -32602, "Invalid params"},
		{wrap(-32602, "invalid params", `%w: missing required 'ref' field`), -32602, "Invalid params: missing required 'ref' field"},
		{wrap(-32602, "invalid params", `%w: missing required 'argument.name' field`), -32602, "Invalid params: missing required 'argument.name' field"},
		{wrap(-32602, "invalid params", `%w: missing required 'notifications' field`), -32602, "Invalid params: missing required 'notifications' field"},
		{wrap(-32600, "invalid request", `%w: missing required "params"`), -32600, "Invalid Request: params are missing"},
		{wrap(-32600, "invalid request", `handling 'x': %w: missing required "params"`), -32600, "Invalid Request: params are missing"},
		{wrap(-32600, "invalid request", `%w: unexpected id for "notifications/x"`), -32600, "Invalid Request: a notification has no id"},
		{wrap(-32600, "invalid request", `%w: request ID 5 already in use`), -32600, "Invalid Request: the id is in use by a running call"},
		{wrap(-32600, "invalid request", `%w: secret`), -32600, "Invalid Request"},
		{wrap(-32004, "server is closing", `%w: read 10.0.0.5: reset`), -32000, "the server is shutting down"},
		{wrap(-32603, "internal error", `%w: &{secret}`), -32603, "Internal error"},
		{wrap(-32042, "upstream secret", `calling "x": %w`), -32603, "Internal error"},
		{errors.New(`method "tools/call" is invalid during session initialization`), -32600, "Invalid Request: send initialize first, or the protocol version in _meta"},
		{errors.New(`duplicate "initialize" received`), -32600, "Invalid Request: this session was initialized already"},
		{errors.New(`handling 'initialize': unmarshaling "x" into a *mcp.initializeParamsV2: json`), -32602, "Invalid params"},
		{fmt.Errorf("secret: %w", context.Canceled), -32000, "the call was cancelled"},
		{context.DeadlineExceeded, -32603, "Internal error"},
		{errors.New("dial tcp 10.0.0.5: password=hunter2"), -32603, "Internal error"},
	} {
		got := wire.Sanitize(tt.err)
		assert.Equal(t, tt.code, got.Code, tt.err)
		assert.Equal(t, tt.want, got.Message, tt.err)
	}
}

// TestSDKErrors provokes the SDK's own errors, so that a new version with other
// texts is noticed.
func TestSDKErrors(t *testing.T) {
	const meta = `"_meta":` + modernMeta
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	for _, tt := range []struct {
		line, code, want string
	}{
		{request("tools/what", `{}`), "-32601", `Method not found: "tools/what"`},
		{request(`\u001b`, `{}`), "-32601", `Method not found`},
		{request("ping", `{`+meta+`}`), "-32601", `Method not found: "ping"`},
		{request("server/discover", `{}`), "-32601", `Method not found: "server/discover"`},
		{request("tools/call", `{"name":"nope"}`), "-32602", `unknown tool "nope"`},
		{request("tools/call", `{"name":"echo","requestState":5}`), "-32602", "Invalid params"},
		{request("tools/list", `{"cursor":"secret"}`), "-32602", "invalid params"},
		{request("prompts/get", `{"name":"nope"}`), "-32602", `unknown prompt "nope"`},
		{request("prompts/get", `{"name":5}`), "-32602", "Invalid params"},
		{request("resources/read", `{"uri":"\u0007"}`), "-32602", "Resource not found"},
		{request("resources/subscribe", `{"uri":"x"}`), "-32601", `Method not found: "resources/subscribe"`},
		{request("completion/complete", `{}`), "-32602", "Invalid params: missing required 'ref' field"},
		{request("completion/complete", `{"ref":{"type":"secret"}}`), "-32602", "Invalid params"},
		{request("logging/setLevel", `{"level":5}`), "-32602", "Invalid params"},
		{request("initialize", `{"protocolVersion":5}`), "-32602", "Invalid params"},
		{request("initialize", `{"protocolVersion":"2025-11-25"}`), "-32600", "Invalid Request: this session was initialized already"},
		{request("subscriptions/listen", `{`+meta+`}`), "-32602", "Invalid params: missing required 'notifications' field"},
		{request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), "-32602", `missing or invalid _meta field "io.modelcontextprotocol/clientCapabilities"`},
		{request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`), "-32022", "unsupported protocol version"},
		{request("tools/call", `{"name":"echo","_meta":{"x":1e400}}`), "-32602", "Invalid params"},
		{request("tools/call", `{"name":"fail"}`), "-32603", "Internal error"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			s := newServer(nil)
			s.AddTool(&mcp.Tool{Name: "fail", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("dial tcp 10.0.0.5: password=hunter2")
			})
			k := newTalk(t, s, wire.Options{})
			k.send(tt.line)
			got := k.next()
			assert.Contains(t, got, `"id":1,"error":{"code":`+tt.code+`,"message":`+quote(tt.want))
		})
	}
}

func TestSDKErrorBeforeInitialize(t *testing.T) {
	k := newTalkWithout(t, newServer(nil), wire.Options{})
	k.send(callTool("1", "echo"))
	assert.Equal(t, refusal("-32600", "1", "Invalid Request: send initialize first, or the protocol version in _meta"), k.next())
}
