package wire_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// FuzzLines feeds arbitrary bytes to a server: it must not panic, every line it
// writes is one JSON object, and the ping that follows is answered.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "garbage", "[]", "\xef\xbb\xbf", hello, callTool("1", "echo"), ping + ping, listen("1"),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"init"}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"notify","_meta":{"progressToken":1e3}}}`,
		`{"jsonrpc":"2.0","id":"\u2028","method":"\u001b"}`, strings.Repeat("x", 300), "\x00", "{\"jsonrpc\"\n:",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		const last = "last-5d0c7be1"
		if strings.Contains(string(input), last) {
			return
		}
		release := make(chan struct{})
		close(release)
		var out strings.Builder
		in := hello + string(input) + "\n" + strings.ReplaceAll(ping, `"id":"ping"`, `"id":"`+last+`"`)
		serve(t, newServer(release), strings.NewReader(in), &out, wire.Options{MaxLine: 250})
		requireObjectLines(t, out.String())
		assert.Contains(t, out.String(), `"id":"`+last+`","result":{}`)
	})
}

// FuzzDecode checks that what Decode accepts can be sent and decoded again to
// the same message.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{ping, callTool("1", "x"), listen("2"), hello, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[],"_meta":{"progressToken":1.50}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		msg, fail := wire.Decode(line)
		if fail != nil {
			requireObjectLines(t, string(fail.Append(nil))+"\n")
			return
		}
		req, ok := msg.(*jsonrpc.Request)
		if !ok || strings.Contains(string(req.Params), "kervan:int:") {
			return
		}
		out, err := wire.Encode(req)
		require.NoError(t, err)
		again, fail := wire.Decode(out)
		require.Nil(t, fail, "%s", out)
		assert.Equal(t, req.ID, again.(*jsonrpc.Request).ID)
		assert.Equal(t, req.Method, again.(*jsonrpc.Request).Method)
		assert.Equal(t, string(req.Params), string(again.(*jsonrpc.Request).Params))
	})
}
