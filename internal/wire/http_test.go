package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func decodeRequest(t *testing.T, message string) *jsonrpc.Request {
	t.Helper()
	msg, fail := wire.Decode([]byte(message))
	require.Nil(t, fail)
	return msg.(*jsonrpc.Request)
}

func TestFactsOf(t *testing.T) {
	const version = `"_meta":{"io.modelcontextprotocol/protocolVersion":`
	meta := func(value string) []byte { return []byte(strings.TrimPrefix(version, `"_meta":`) + value + "}") }
	for _, tt := range []struct {
		method, params string
		want           wire.Facts
	}{
		{"tools/call", `{"name":"a","arguments":{"x":1},"uri":"u"}`, wire.Facts{Name: "a", Named: true, Arguments: []byte(`{"x":1}`)}},
		{"tools/call", `{"name":"a\u0062"}`, wire.Facts{Name: "ab", Named: true, Plain: true}},
		{"tools/call", `{"name":"a",` + version + `"2026-07-28"}}`, wire.Facts{Name: "a", Named: true, Version: "2026-07-28", Versioned: true, Meta: meta(`"2026-07-28"`), Plain: true}},
		{"tools/call", `{"name":"a","requestState":"s"}`, wire.Facts{Name: "a", Named: true}},
		{"tools/call", `{"name":"a","inputResponses":{}}`, wire.Facts{Name: "a", Named: true}},
		{"prompts/get", `{"name":"p","arguments":{}}`, wire.Facts{Name: "p", Named: true}},
		{"prompts/get", `{"name":7}`, wire.Facts{}},
		{"resources/read", `{"uri":"u","name":"n"}`, wire.Facts{Name: "u", Named: true}},
		{"tools/list", `{"name":"n",` + version + `7}}`, wire.Facts{Versioned: true, Meta: meta("7")}},
		{"tools/list", `{"_meta":null}`, wire.Facts{}},
		{"tools/list", `{"cursor":"c"}`, wire.Facts{Cursor: "c", Plain: true}},
		{"tools/list", `{"cursor":null}`, wire.Facts{}},
		{"tools/list", `null`, wire.Facts{Plain: true}},
		{"ping", `null`, wire.Facts{}},
	} {
		req := decodeRequest(t, `{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":`+tt.params+`}`)
		assert.Equal(t, tt.want, wire.FactsOf(req), tt.params)
	}
	assert.True(t, wire.HasName("tools/call"))
	assert.False(t, wire.HasName("tools/list"))
}

func TestLookup(t *testing.T) {
	obj := []byte(`{"a":{"b":[1],"c\"d":true},"e":null}`)
	for _, tt := range []struct {
		path []string
		want string
	}{
		{[]string{"a", "b"}, "[1]"}, {[]string{"a", `c"d`}, "true"}, {[]string{"e"}, "null"},
		{[]string{"x"}, ""}, {[]string{"a", "b", "0"}, ""}, {[]string{"e", "f"}, ""}, {nil, string(obj)},
	} {
		assert.Equal(t, tt.want, string(wire.Lookup(obj, tt.path...)), tt.path)
	}
}

func TestIntegerDigits(t *testing.T) {
	for token, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "0e5": "0", "1": "1", "-17": "-17", "1.0": "1", "1e2": "100", "1E+2": "100", "1200e-2": "12", "4.2e1": "42",
		"9007199254740993": "9007199254740993", "-1.50e1": "-15", "1e30": "1" + strings.Repeat("0", 30),
	} {
		got, ok := wire.IntegerDigits(token)
		assert.True(t, ok, token)
		assert.Equal(t, want, got, token)
	}
	for _, token := range []string{"", "-", "1.5", "1e-1", "+1", "01", " 1", "1 ", "1,2", "x", "NaN", "1e999999999", strings.Repeat("1", 41), `"1"`, "0x1", "1_0", "true"} {
		_, ok := wire.IntegerDigits(token)
		assert.False(t, ok, token)
	}
}

// TestRestore encodes as the SDK does, which knows nothing of stand-ins.
func TestRestore(t *testing.T) {
	const big = "9007199254740993"
	req := decodeRequest(t, `{"jsonrpc":"2.0","id":`+big+`,"method":"x","params":{"_meta":{"progressToken":`+big+`}}}`)
	var params struct {
		Meta struct {
			Token any `json:"progressToken"`
		} `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(req.Params, &params))
	token, err := json.Marshal(params.Meta.Token)
	require.NoError(t, err)
	for want, msg := range map[string]jsonrpc.Message{
		`{"jsonrpc":"2.0","id":` + big + `,"result":{"content":"kervan:int:` + big + `"}}`: &jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{"content":"kervan:int:` + big + `"}`)},
		`{"jsonrpc":"2.0","method":"n","params":{"progressToken":` + big + `}}`:            &jsonrpc.Request{Method: "n", Params: json.RawMessage(`{"progressToken":` + string(token) + `}`)},
		`{"jsonrpc":"2.0","id":"plain","result":{}}`:                                       &jsonrpc.Response{ID: decodeRequest(t, `{"jsonrpc":"2.0","id":"plain","method":"x"}`).ID, Result: json.RawMessage(`{}`)},
	} {
		encoded, err := jsonrpc.EncodeMessage(msg)
		require.NoError(t, err)
		assert.Equal(t, want, string(wire.Restore(encoded)))
	}
	assert.Equal(t, `[1]`, string(wire.Restore([]byte(`[1]`))))
}

func TestIsResponse(t *testing.T) {
	assert.True(t, wire.IsResponse([]byte(`{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}`)))
	assert.True(t, wire.IsResponse([]byte(`{"jsonrpc":"2.0","id":1,"error":{}}`)))
	assert.False(t, wire.IsResponse([]byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)))
	assert.False(t, wire.IsResponse([]byte(`[]`)))
}

func TestAppendError(t *testing.T) {
	e := &jsonrpc.Error{Code: -32020, Message: "a<b", Data: json.RawMessage(`{"x":1}`)}
	assert.Equal(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"a<b","data":{"x":1}}}`, string(wire.AppendError(nil, nil, e)))
	assert.Equal(t, `{"jsonrpc":"2.0","id":"i","error":{"code":-32020,"message":"a<b","data":{"x":1}}}`, string(wire.AppendError(nil, []byte(`"i"`), e)))
}
