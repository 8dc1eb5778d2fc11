package wire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func TestRule4_1_Lines(t *testing.T) {
	const (
		notJSON = "Parse error: the message is not valid JSON"
		batch   = "Invalid Request: batches are not supported, send one message at a time"
		badID   = "Invalid Request: id must be a string or an integer"
	)
	for _, tt := range []struct {
		name, input string
		want        []string // before the answer to the ping that follows
	}{
		{"garbage", "garbage\n", []string{refusal("-32700", "null", notJSON)}},
		{"truncated", `{"jsonrpc":"2.0","id":1,"meth` + "\n", []string{refusal("-32700", "null", notJSON)}},
		{"blank lines", "\n\r\n  \t\n", nil},
		{"CRLF", `{"jsonrpc":"2.0","id":1}` + "\r\n", []string{refusal("-32600", "1", "Invalid Request: neither a method nor a result")}},
		{"byte order mark", "\xef\xbb\xbf", nil},
		{"mark and blank", "\xef\xbb\xbf\n", nil},
		{"batch", "[" + ping + "]\n", []string{refusal("-32600", "null", batch)}},
		{"empty batch", "[]\n", []string{refusal("-32600", "null", batch)}},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", []string{refusal("-32600", "null", badID)}},
		{"id 1.5", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", []string{refusal("-32600", "null", badID)}},
		{"two in a line", ping + ping + "\n", []string{refusal("-32700", "null", "Parse error: more than one JSON value in the message")}},
		{"trailing blanks", " \t", nil},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/what"}` + "\n", nil},
		{"answer to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, append(tt.want, pong), exchange(t, tt.input+ping+"\n", wire.Options{}))
			assert.Equal(t, append(tt.want, pong), exchange(t, tt.input+ping, wire.Options{}), "without the last newline")
		})
	}
}

func TestRule4_1_IDs(t *testing.T) {
	for _, id := range []string{`0`, `9007199254740993`, `-9007199254740993`, `"x"`, `""`} {
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`},
			exchange(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`, wire.Options{}))
	}
}

// endless is a line of n bytes made while it is read.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.n -= n
	return n, nil
}

func TestRule4_1_LongLine(t *testing.T) {
	for _, size := range []int{4<<20 + 1, 8 << 20, 256 << 20} {
		var out strings.Builder
		in := io.MultiReader(strings.NewReader(hello), &endless{size}, strings.NewReader("\n"+ping+"\n"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		serve(t, newServer(nil), in, &out, wire.Options{})
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(48<<20), "size %d", size)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		assert.Equal(t, []string{refusal("-32600", "null", "Invalid Request: message too large"), pong}, lines[len(lines)-2:])
	}
}

func TestRule4_1_LineOfTheLargestSize(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":"ping","method":"ping","pad":"`
	line += strings.Repeat("x", 200-len(line)-2) + `"}`
	require.Len(t, line, 200)
	assert.Equal(t, []string{pong}, exchange(t, line+"\r\n", wire.Options{MaxLine: 200}))
	got := exchange(t, line+" \n", wire.Options{MaxLine: 200})
	require.Len(t, got, 1)
	assert.Contains(t, got[0], "too large")
	assert.Equal(t, got, exchange(t, line+" ", wire.Options{MaxLine: 200}), "without a newline")
}

func TestRule4_1_DuplicateID(t *testing.T) {
	release := make(chan struct{})
	k := newTalk(t, newServer(release), wire.Options{})
	k.send(callTool("5", "wait"))
	k.send(callTool("5", "echo"))
	assert.Equal(t, refusal("-32600", "null", "Invalid Request: the id is in use by a running call"), k.next())
	k.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5}}`)
	assert.Contains(t, k.next(), `"id":null,"error":{"code":-32602`, "an error must not answer the running call")
	close(release)
	assert.Contains(t, k.next(), `"id":5,"result":`)
	k.send(callTool("5", "echo"))
	assert.Contains(t, k.next(), `"id":5,"result":`, "the id is free again")
}

func TestRule4_2_EndOfInputWaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		time.AfterFunc(4*time.Second, func() { close(release) })
		var out strings.Builder
		serve(t, newServer(release), strings.NewReader(hello+callTool("1", "wait")+"\n"+callTool("2", "wait")), &out, wire.Options{})
		assert.Contains(t, out.String(), `"id":1,"result":`)
		assert.Contains(t, out.String(), `"id":2,"result":`)
	})
}

func TestRule4_2_EndOfInputWaitsForFiveSeconds(t *testing.T) {
	for _, tt := range []struct {
		drain, want time.Duration
	}{{0, 5 * time.Second}, {time.Second, time.Second}, {-1, 0}} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var out strings.Builder
			serve(t, newServer(nil), strings.NewReader(hello+callTool("1", "wait")), &out, wire.Options{Drain: tt.drain})
			assert.Equal(t, tt.want, time.Since(start))
			assert.NotContains(t, out.String(), `"id":1`)
		})
	}
}

func TestRule4_2_ListenStreamsDoNotHoldTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var out strings.Builder
		serve(t, newServer(nil), strings.NewReader(listen("1")), &out, wire.Options{})
		assert.Zero(t, time.Since(start))
	})
}

func TestRule4_2_OutputClosed(t *testing.T) {
	inR, inW := io.Pipe()
	broken := errors.New("broken")
	conn := wire.NewConn(inR, failingWriter{broken}, wire.Options{Close: inR.Close})
	ss, err := newServer(nil).Connect(t.Context(), conn, nil)
	require.NoError(t, err)
	_, _ = io.WriteString(inW, hello)
	_ = ss.Wait()
	assert.ErrorIs(t, conn.Err(), broken)

	// A refusal that the SDK never sees ends the connection too.
	conn = wire.NewConn(strings.NewReader("garbage\n"+hello), failingWriter{broken}, wire.Options{})
	ss, err = newServer(nil).Connect(t.Context(), conn, nil)
	require.NoError(t, err)
	_ = ss.Wait()
	assert.ErrorIs(t, conn.Err(), broken)
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestRule4_4_CancelledCallGetsNoAnswer(t *testing.T) {
	for _, id := range []string{`5`, `"x"`, `9007199254740993`} {
		k := newTalk(t, newServer(nil), wire.Options{})
		k.send(callTool(id, "wait"))
		k.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		k.send(ping)
		assert.Equal(t, pong, k.next())
		require.NoError(t, k.in.Close())
		<-k.conn.Done()
		_, more := <-k.lines
		assert.False(t, more, "nothing after the ping")
	}
}

func TestRule4_4_FractionCancelsNothing(t *testing.T) {
	release := make(chan struct{})
	k := newTalk(t, newServer(release), wire.Options{})
	k.send(callTool("1", "wait"))
	k.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}`)
	k.send(ping)
	assert.Equal(t, pong, k.next())
	close(release)
	assert.Contains(t, k.next(), `"id":1,"result"`)
}

func TestRule4_4_CancelFreesThePlace(t *testing.T) {
	k := newTalk(t, newServer(nil), wire.Options{MaxInFlight: 1})
	k.send(callTool("1", "wait"))
	k.send(callTool("2", "echo"))
	assert.Equal(t, refusal("-32000", "2", "too many calls in flight, try again later"), k.next())
	k.send(ping)
	assert.Equal(t, pong, k.next(), "a ping is answered while the server is busy")
	k.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	k.send(callTool("3", "echo"))
	assert.Contains(t, k.next(), `"id":3,"result"`)
}

func listen(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"_meta":` + modernMeta + `,"notifications":{"toolsListChanged":true}}}` + "\n"
}

const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestRule4_4_ListChangedReachesBothEras(t *testing.T) {
	s := newServer(nil)
	legacy := newTalk(t, s, wire.Options{})
	modern := newTalkWithout(t, s, wire.Options{})
	_, err := io.WriteString(modern.in, listen("9007199254740993"))
	require.NoError(t, err)
	assert.Contains(t, modern.next(), `"io.modelcontextprotocol/subscriptionId":9007199254740993`)
	s.RemoveTools("wait")
	assert.Contains(t, legacy.next(), "notifications/tools/list_changed")
	changed := modern.next()
	assert.Contains(t, changed, "notifications/tools/list_changed")
	assert.Contains(t, changed, `"io.modelcontextprotocol/subscriptionId":9007199254740993`)
	modern.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`)
	modern.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":` + modernMeta + `,"name":"echo"}}`)
	assert.Contains(t, modern.next(), `"id":1,"result"`, "a cancelled listen is not answered")
}

func TestRule4_4_BothErasOnOneConnection(t *testing.T) {
	modernCall := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":` + modernMeta + params + `}}`
	}
	for _, modernFirst := range []bool{true, false} {
		s := newServer(nil)
		var second *mcp.ServerSession
		k := newTalkWithout(t, s, wire.Options{Second: func(tr mcp.Transport) (err error) {
			second, err = s.Connect(context.Background(), tr, nil)
			return err
		}})
		beModern := func() {
			k.send(modernCall("1", "server/discover", ""))
			assert.Contains(t, k.next(), `"supportedVersions"`)
			k.send(strings.TrimSpace(listen("2")))
			assert.Contains(t, k.next(), "acknowledged")
		}
		beLegacy := func() {
			k.send(strings.TrimSpace(hello))
			assert.Contains(t, k.next(), `"protocolVersion":"2025-11-25"`)
		}
		if modernFirst {
			beModern()
			beLegacy()
		} else {
			beLegacy()
			beModern()
		}
		k.send(callTool("3", "echo"))
		assert.NotContains(t, k.next(), "resultType")
		k.send(modernCall("4", "tools/call", `,"name":"echo"`))
		assert.Contains(t, k.next(), "resultType")
		k.send(callTool("5", "wait"))
		k.send(modernCall("6", "tools/call", `,"name":"wait"`))
		for _, id := range []string{"5", "6"} {
			k.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		}
		s.RemoveTools("notify")
		changes := k.next() + k.next()
		assert.Equal(t, 2, strings.Count(changes, "tools/list_changed"), changes)
		assert.Equal(t, 1, strings.Count(changes, "subscriptionId"), changes)

		go func() { _ = second.Ping(t.Context(), nil) }()
		assert.Contains(t, k.next(), `"id":1099511627777,"method":"ping"`)
		k.send(`{"jsonrpc":"2.0","id":1099511627777,"result":{}}`)
		require.NoError(t, k.in.Close())
		<-k.conn.Done()
		_ = second.Wait()
	}
}

func TestProgressTokenComesBackExactly(t *testing.T) {
	for _, token := range []string{`9007199254740993`, `1.5`, `"x"`, `7`} {
		k := newTalk(t, newServer(nil), wire.Options{})
		k.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notify","_meta":{"progressToken":` + token + `}}}`)
		assert.Contains(t, k.next(), `"progressToken":`+token)
		assert.Contains(t, k.next(), `"id":1,"result"`)
	}
}

func TestDrainOnDemand(t *testing.T) {
	release := make(chan struct{})
	k := newTalk(t, newServer(release), wire.Options{})
	k.send(callTool("1", "wait"))
	k.send(ping)
	assert.Equal(t, pong, k.next())
	k.conn.Drain()
	k.send(callTool("2", "echo"))
	assert.Equal(t, refusal("-32000", "2", "the server is shutting down"), k.next())
	close(release)
	assert.Contains(t, k.next(), `"id":1,"result"`)
	<-k.conn.Done()
	assert.NoError(t, k.conn.Err())
}

func TestExtraGetsTheID(t *testing.T) {
	var mu sync.Mutex
	var ids []string
	opts := wire.Options{Extra: func(id string) *mcp.RequestExtra {
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, id)
		return &mcp.RequestExtra{}
	}}
	exchange(t, callTool("9007199254740993", "echo")+"\n"+callTool("0", "echo"), opts)
	assert.Equal(t, []string{"init", "", "9007199254740993", "0"}, ids)
}

func TestFramesAreReported(t *testing.T) {
	var mu sync.Mutex
	var frames []string
	opts := wire.Options{OnFrame: func(d wire.Direction, line []byte) {
		mu.Lock()
		defer mu.Unlock()
		frames = append(frames, fmt.Sprint(d)+" "+string(line))
	}}
	exchange(t, ping, opts)
	assert.Contains(t, frames, "0 "+ping)
	assert.Contains(t, frames, "1 "+pong)
}

func TestConnectOnce(t *testing.T) {
	conn := wire.NewConn(strings.NewReader(""), io.Discard, wire.Options{})
	_, err := conn.Connect(t.Context())
	require.NoError(t, err)
	_, err = conn.Connect(t.Context())
	assert.Error(t, err)
	assert.NoError(t, conn.Close())
}

func TestManyCallsAtOnce(t *testing.T) {
	var in, out bytes.Buffer
	in.WriteString(hello)
	for i := range 90 {
		in.WriteString(callTool(fmt.Sprint(i), "echo") + "\n")
	}
	serve(t, newServer(nil), &in, &out, wire.Options{})
	requireObjectLines(t, out.String())
	for i := range 90 {
		assert.Contains(t, out.String(), fmt.Sprintf(`"id":%d,"result"`, i))
	}
}
