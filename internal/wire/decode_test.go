package wire_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func TestRule1_6_Refused(t *testing.T) {
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	for _, tt := range []struct {
		name, line string
		code       int
		id         string // empty: null
		message    string // part of it
	}{
		{"empty", ``, -32700, "", "not valid JSON"},
		{"garbage", `hello`, -32700, "", "not valid JSON"},
		{"truncated", `{"jsonrpc":"2.0","id":1,"method":"pi`, -32700, "", "not valid JSON"},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700, "", ""},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "", "UTF-8"},
		{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, -32600, "1", "surrogate"},
		{"string", `"ping"`, -32600, "", "not an object"},
		{"null", `null`, -32600, "", "not an object"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "", "batches"},
		{"empty batch", `[]`, -32600, "", "batches"},
		{"empty object", `{}`, -32600, "", "2.0"},
		{"version 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, "1", "2.0"},
		{"no version", `{"id":1,"method":"ping"}`, -32600, "1", "2.0"},
		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, -32600, "1", "duplicate key at /method"},
		{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32600, "", "duplicate key at /id"},
		{"id twice, once escaped", `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, -32600, "", "duplicate key"},
		{"name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, -32600, "1", "duplicate key at /params/name"},
		{"name twice, once escaped", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}`, -32600, "1", "duplicate key at /params/name"},
		{"_meta twice", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_meta":{}}}`, -32600, "1", "/params/_meta"},
		{"argument twice", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a","arguments":{"a":[{"b":1,"b":2}]}}}`, -32600, `"x"`, "/params/arguments/a/0/b"},
		{"duplicate in an unknown member", `{"jsonrpc":"2.0","id":1,"method":"ping","x":{"a":1,"a":1}}`, -32600, "1", "duplicate"},
		{"Params", `{"jsonrpc":"2.0","id":1,"method":"ping","Params":{}}`, -32600, "1", "only in case at /Params"},
		{"METHOD", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, -32600, "1", "at /METHOD"},
		{"Id", `{"jsonrpc":"2.0","Id":1,"method":"ping"}`, -32600, "", "at /Id"},
		{"long s for s", `{"jsonrpc":"2.0","id":1,"method":"ping","paramſ":{}}`, -32600, "1", "only in case"},
		{"Name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`, -32600, "1", "at /params/Name"},
		{"Arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Arguments":{}}}`, -32600, "1", "at /params/Arguments"},
		{"_META", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_META":{}}}`, -32600, "1", "at /params/_META"},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":` + deep + `}}`, -32600, "1", "too deeply"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, -32600, "1", "neither"},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":1}`, -32600, "1", "method"},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, -32600, "1", "both"},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, -32600, "", "both"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "", "id must be"},
		{"id 1.5", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "", "id must be"},
		{"id 1e2", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, -32600, "", "id must be"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "", "id must be"},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, "", "id must be"},
		{"id of 41 digits", `{"jsonrpc":"2.0","id":` + strings.Repeat("1", 41) + `,"method":"ping"}`, -32600, "", "id must be"},
		{"reserved id", `{"jsonrpc":"2.0","id":"kervan:int:5","method":"ping"}`, -32600, "", "reserved"},
		{"notification with an id", `{"jsonrpc":"2.0","id":7,"method":"notifications/cancelled","params":{"requestId":1}}`, -32600, "7", "notification"},
		{"params string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, -32602, "1", "at /params"},
		{"params array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, -32602, "1", "at /params"},
		{"no tool name", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32602, "1", "at /params/name"},
		{"tool name 17", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":17}}`, -32602, "1", "at /params/name"},
		{"_meta string", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":"x"}}`, -32602, "1", "at /params/_meta"},
		{"cursor 5", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, -32602, "1", "at /params/cursor"},
		{"long number", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a/b":{"c":` + strings.Repeat("9", 41) + `}}}`, -32602, "1", "at /params/a~1b/c"},
		{"large exponent", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":1e1000}}}`, -32602, "1", "at /params/_meta/x"},
		{"number in an unknown member", `{"jsonrpc":"2.0","id":1,"method":"ping","x":1e1000}`, -32600, "1", "at /x"},
		{"reserved token", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"kervan:int:5"}}}`, -32602, "1", "reserved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			msg, fail := wire.Decode([]byte(tt.line))
			require.NotNil(t, fail, "decoded as %v", msg)
			assert.Equal(t, tt.code, fail.Code, fail.Message)
			assert.Equal(t, tt.id, string(fail.ID))
			assert.Contains(t, fail.Message, tt.message)
			assert.False(t, fail.Quiet)
		})
	}
}

func TestRule1_6_NoAnswer(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"ping","params":"x"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"kervan:int:5"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}`,
	} {
		_, fail := wire.Decode([]byte(line))
		require.NotNil(t, fail, line)
		assert.True(t, fail.Quiet, line)
	}
}

func TestRule1_6_EchoesNothing(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"` + strings.Repeat("k", 300) + `":{"a":1,"a":1}}}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"\\u001b[31m\":1,\"\\u001b[31m\":2}}",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"ключ":1,"ключ":2}}`,
	} {
		_, fail := wire.Decode([]byte(line))
		require.NotNil(t, fail)
		assert.Equal(t, "Invalid Request: duplicate key", fail.Message)
	}
}

func TestRule1_5_SameParams(t *testing.T) {
	const before = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"`
	for _, tt := range []struct{ line, params string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, `{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[ ]}`, `{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, `{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`, `{"cursor":null}`},
		{before + `}}`, `{"name":"a"}`},
		{before + `,"arguments":{}}}`, `{"name":"a","arguments":{}}`},
		{before + `,"arguments":null}}`, `{"name":"a","arguments":{}}`},
		{before + `,"arguments":[],"_meta":[]}}`, `{"name":"a","arguments":{},"_meta":{}}`},
		{before + `,"arguments":[1]}}`, `{"name":"a","arguments":[1]}`},
		{before + `,"arguments":{"a":1e9999}}}`, `{"name":"a","arguments":{"a":1e9999}}`},
		{before + ` , "arguments" : { "\u0061" : 1.0 } } , "x":1}`, `{"name":"a","arguments":{"a":1.0}}`},
	} {
		msg, fail := wire.Decode([]byte(tt.line))
		require.Nil(t, fail, tt.line)
		assert.Equal(t, tt.params, string(msg.(*jsonrpc.Request).Params), tt.line)
	}
}

func TestNumbersBeyondTheSDK(t *testing.T) {
	msg, fail := wire.Decode([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"_meta":{"a":1,"progressToken":9007199254740995,"b":2},"name":"x"}}`))
	require.Nil(t, fail)
	req := msg.(*jsonrpc.Request)
	assert.Equal(t, "kervan:int:9007199254740993", req.ID.Raw())
	assert.Equal(t, `{"_meta":{"a":1,"progressToken":"kervan:int:9007199254740995","b":2},"name":"x"}`, string(req.Params))

	msg, fail = wire.Decode([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":-9007199254740993}}`))
	require.Nil(t, fail)
	assert.Equal(t, `{"requestId":"kervan:int:-9007199254740993"}`, string(msg.(*jsonrpc.Request).Params))
}

func TestIDsAreKept(t *testing.T) {
	for _, id := range []string{`0`, `-1`, `-0`, `9007199254740992`, `9007199254740993`, `123456789012345678901234567890`, `"a"`, `""`, `"1"`, `"\"\\"`, `"é"`} {
		msg, fail := wire.Decode([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		require.Nil(t, fail, id)
		out, err := wire.Encode(&jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Result: []byte(`{}`)})
		require.NoError(t, err)
		assert.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, string(out))
	}
}

func TestDecodeResponse(t *testing.T) {
	msg, fail := wire.Decode([]byte(`{"jsonrpc":"2.0","id":3,"result":{"a":1}}`))
	require.Nil(t, fail)
	resp := msg.(*jsonrpc.Response)
	assert.Equal(t, int64(3), resp.ID.Raw())
	assert.Equal(t, `{"a":1}`, string(resp.Result))

	msg, fail = wire.Decode([]byte(`{"jsonrpc":"2.0","id":3,"error":{"code":-5,"message":"no","data":[1]}}`))
	require.Nil(t, fail)
	assert.Equal(t, &jsonrpc.Error{Code: -5, Message: "no", Data: []byte(`[1]`)}, msg.(*jsonrpc.Response).Error)

	msg, fail = wire.Decode([]byte(`{"jsonrpc":"2.0","id":3,"result":1e1000}`))
	require.Nil(t, fail)
	assert.Error(t, msg.(*jsonrpc.Response).Error, "the server's call must end")
}

func TestNullIDOfANotification(t *testing.T) {
	msg, fail := wire.Decode([]byte(`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`))
	require.Nil(t, fail)
	assert.False(t, msg.(*jsonrpc.Request).IsCall())
}
