package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func TestRule3_4_MethodsAndPaths(t *testing.T) {
	s := newHTTP(t, kervan.NewApp("test", "1"), transport.Path("/mcp"))
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"POST", "/mcp", 200},
		{"POST", "/mcp/", 200},
		{"GET", "/mcp", 405},
		{"GET", "/mcp/", 405},
		{"DELETE", "/mcp", 405},
		{"PUT", "/mcp", 405},
		{"PATCH", "/mcp", 405},
		{"OPTIONS", "/mcp", 405},
		{"post", "/mcp", 405},
		{"TRACE", "/mcp", 405},
		{"POST", "/", 404},
		{"POST", "/mcp//", 404},
		{"POST", "//mcp", 404},
		{"POST", "/mcp/x", 404},
		{"POST", "/x/../mcp", 404},
		{"POST", "/MCP", 404},
		{"POST", "/mcpx", 404},
		{"GET", "/other", 404},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := s.do(ping, method(tt.method), path(tt.path), set("Mcp-Session-Id", "stale"))
			assert.Equal(t, tt.status, r.status)
			assert.Empty(t, r.header.Get("Location"))
			assert.Empty(t, r.header.Get("Mcp-Session-Id"))
			if tt.status == 200 {
				return
			}
			refused(t, r, tt.status, -32600)
			if tt.status == 405 {
				assert.Equal(t, "POST", r.header.Get("Allow"))
			}
		})
	}
	r := s.do("", method(http.MethodHead))
	assert.Equal(t, 405, r.status)
	assert.Empty(t, r.body)
}

func TestRule3_4_ContentType(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"))
	require.NoError(t, err)
	for value, ok := range map[string]bool{
		"application/json":                   true,
		"application/json; charset=utf-8":    true,
		"Application/JSON;charset=\"utf-8\"": true,
		"application/json;":                  true,
		"application/json; broken":           true,
		"":                                   false,
		"text/plain":                         false,
		"application/jsonp":                  false,
		"application/json-rpc":               false,
		"text/plain; application/json":       false,
		"application/x-www-form-urlencoded":  false,
		"multipart/form-data; boundary=x":    false,
		"application/json, text/plain":       false,
	} {
		t.Run(value, func(t *testing.T) {
			r := record(t, h, ping, set("Content-Type", value))
			if ok {
				assert.Equal(t, 200, r.status)
			} else {
				refused(t, r, 415, -32600)
			}
		})
	}
	refused(t, record(t, h, ping, set("Content-Encoding", "gzip")), 415, -32600)
	assert.Equal(t, 200, record(t, h, ping, set("Content-Encoding", "identity")).status)
	refused(t, record(t, h, ping, func(r *http.Request) { r.Header.Del("Content-Type") }), 415, -32600)
}

func TestRule3_4_Accept(t *testing.T) {
	s := newHTTP(t, newToolbox().App)
	call := rpc("1", "tools/call", `{"name":"steps","arguments":{},"_meta":{"progressToken":7}}`)
	for _, tt := range []struct {
		accept string
		events bool
	}{
		{"application/json, text/event-stream", true},
		{"text/event-stream", true},
		{"text/event-stream;q=0.5, application/json", true},
		{"*/*", true},
		{"text/*", true},
		{"", false},
		{"application/json", false},
		{"application/*", false},
		{"image/png", false},
		{"application/json, text/event-stream;q=0", false},
		{"text/event-streams", false},
	} {
		t.Run(tt.accept, func(t *testing.T) {
			r := s.do(call, set("Accept", tt.accept))
			assert.Equal(t, 200, r.status)
			if !tt.events {
				assert.Equal(t, "application/json", r.header.Get("Content-Type"))
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`, r.body)
				return
			}
			assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
			events := strings.Split(strings.TrimSuffix(r.body, "\n\n"), "\n\n")
			require.Len(t, events, 4)
			assert.Contains(t, events[0], `"progressToken":7`)
			assert.Contains(t, events[3], `"result"`)
		})
	}
}

func TestRule3_4_BodySize(t *testing.T) {
	s := newHTTP(t, kervan.NewApp("test", "1"), transport.MaxBody(1024))
	padded := func(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }
	assert.Equal(t, 200, s.do(padded(1024)).status)
	refused(t, s.do(padded(1025)), 413, -32600)
	refused(t, s.do(padded(4096)), 413, -32600)
	t.Run("chunked", func(t *testing.T) {
		assert.Equal(t, 200, s.do("", contents(strings.NewReader(padded(1024)))).status)
		refused(t, s.do("", contents(strings.NewReader(padded(1025)))), 413, -32600)
	})
	t.Run("endless", func(t *testing.T) {
		refused(t, s.sendEndlessly(), 413, -32600)
	})
	t.Run("announced and never sent", func(t *testing.T) {
		r, err := s.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n")
		require.NoError(t, err)
		refused(t, r, 413, -32600)
	})
	t.Run("default", func(t *testing.T) {
		s := newHTTP(t, kervan.NewApp("test", "1"))
		assert.Equal(t, 200, s.do(padded(4<<20)).status)
		refused(t, s.do(padded(4<<20+1)), 413, -32600)
	})
}

// sendEndlessly sends a body that has no end, and reads the answer that comes
// all the same; the answer may come before a write fails, so both go on at once.
func (s *httpServer) sendEndlessly() reply {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.Listener.Addr().String())
	require.NoError(s.t, err)
	var writing sync.WaitGroup
	defer writing.Wait()
	defer conn.Close()
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	require.NoError(s.t, err)
	writing.Go(func() {
		chunk := []byte("100\r\n" + strings.Repeat(" ", 0x100) + "\r\n")
		for err := error(nil); err == nil; {
			_, err = conn.Write(chunk)
		}
	})
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

func TestRule3_15_SlowBody(t *testing.T) {
	for name, request := range map[string]string{
		"length":  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"chunked": "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := newHTTP(t, kervan.NewApp("test", "1"))
			s.handler.SetTiming(50*time.Millisecond, 0, 0, 0)
			start := time.Now()
			r, err := s.raw(request)
			require.NoError(t, err)
			refused(t, r, 408, -32600)
			assert.Less(t, time.Since(start), 5*time.Second)
			assert.Equal(t, "close", r.header.Get("Connection"))
			soon(t, "the call is over", func() bool { return s.handler.Running() == 0 })
		})
	}
	t.Run("a slow handler is not cut short", func(t *testing.T) {
		box := newToolbox()
		s := newHTTP(t, box.App)
		s.handler.SetTiming(30*time.Millisecond, 0, 0, 0)
		time.AfterFunc(200*time.Millisecond, func() { close(box.release) })
		assert.Contains(t, s.call(legacy, "wait", "{}").body, "released")
		assert.Zero(t, box.cancelled.Load())
	})
	t.Run("a refused request", func(t *testing.T) {
		s := newHTTP(t, kervan.NewApp("test", "1"), transport.Authenticate(rejectAll))
		s.handler.SetTiming(50*time.Millisecond, 0, 0, 0)
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(5*time.Second)))
		_, err = io.Copy(io.Discard, conn)
		assert.NoError(t, err, "the server waits for the rest of the body")
	})
}

func rejectAll(*http.Request) (*auth.TokenInfo, error) { return nil, &transport.Refusal{} }

func TestRule3_4_UndecodableBodies(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	for _, tt := range []struct {
		body         string
		status, code int
		id           string
	}{
		{``, 400, -32700, "null"},
		{` `, 400, -32700, "null"},
		{`{`, 400, -32700, "null"},
		{`{}{}`, 400, -32700, "null"},
		{ping + ping, 400, -32700, "null"},
		{"\xff", 400, -32700, "null"},
		{`"x"`, 400, -32600, "null"},
		{`null`, 400, -32600, "null"},
		{`{}`, 400, -32600, "null"},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, -32600, "null"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, -32600, "null"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, -32600, "null"},
		{`{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call"}`, 400, -32600, "3"},
		{`{"jsonrpc":"2.0","id":3,"Method":"ping"}`, 400, -32600, "3"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add","name":"wait"}}`, 400, -32600, `"a"`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}`, 200, -32602, "2"},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":7}`, 200, -32602, "2"},
	} {
		t.Run(tt.body, func(t *testing.T) {
			r := record(t, h, tt.body)
			refused(t, r, tt.status, tt.code)
			assert.Contains(t, r.body, `"id":`+tt.id+`,`)
		})
	}
	t.Run("bad params of a modern call", func(t *testing.T) {
		r := record(t, h, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}`, modernHeaders("tools/call", "add"))
		refused(t, r, 400, -32602)
	})
	t.Run("a bad notification", func(t *testing.T) {
		r := record(t, h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
		assert.Equal(t, 202, r.status)
		assert.Empty(t, r.body)
	})
}

func TestRule3_5_Batches(t *testing.T) {
	var ran atomic.Int32
	app := kervan.NewApp("test", "1")
	app.Add(kervan.Tool("count", "Counts.", func(context.Context, none) (string, error) { ran.Add(1); return "", nil }))
	allow := true
	h, err := transport.NewHandler(app, transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) {
		if !allow {
			return nil, &transport.Refusal{}
		}
		return nil, nil
	}))
	require.NoError(t, err)
	one := toolCall("count", "{}")
	batch := "[" + strings.Join([]string{one, one, one, one, one}, ",") + "]"
	for _, version := range []string{"", "2024-11-05", "2025-03-26", legacy, modern} {
		for _, body := range []string{"[]", "[" + one + "]", batch, " \n" + batch} {
			refused(t, record(t, h, body, set("Mcp-Protocol-Version", version)), 400, -32600)
		}
	}
	allow = false
	refused(t, record(t, h, batch), 401, -32600)
	assert.Zero(t, ran.Load())
}

// A reader that fails the test when it is read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestRule3_1_BodyUnreadBeforeAuthentication(t *testing.T) {
	app := kervan.NewApp("test", "1")
	hook := func(r *http.Request) (*auth.TokenInfo, error) {
		data, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Empty(t, data)
		return nil, &transport.Refusal{}
	}
	h, err := transport.NewHandler(app, transport.Authenticate(hook), transport.Path("/mcp"))
	require.NoError(t, err)
	unread := func(r *http.Request) { r.Body = io.NopCloser(untouched{t}) }
	refused(t, record(t, h, "", unread), 401, -32600)
	refused(t, record(t, h, "", unread, host("evil.example")), 403, -32600)
	refused(t, record(t, h, "", unread, set("Origin", "null")), 403, -32600)
	refused(t, record(t, h, "", unread, path("/x")), 404, -32600)
	refused(t, record(t, h, "", unread, method("PUT")), 405, -32600)

	t.Run("no 100-continue either", func(t *testing.T) {
		s := serveHandler(t, h, h)
		r, err := s.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n")
		require.NoError(t, err)
		refused(t, r, 401, -32600)
	})
}

func TestRule3_1_Order(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"), transport.Authenticate(rejectAll), transport.Path("/mcp"),
		transport.HealthPath("/healthz"), transport.RateLimit(3), transport.MaxBody(10))
	require.NoError(t, err)
	// Each request has what is wrong with the ones after it, too.
	big := strings.Repeat("x", 100)
	assert.Equal(t, 200, record(t, h, big, method("GET"), path("/healthz"), host("evil"), set("Origin", "null")).status)
	refused(t, record(t, h, big, host("evil"), set("Origin", "null"), path("/x")), 403, -32600)
	refused(t, record(t, h, big, set("Origin", "null"), path("/x")), 403, -32600)
	refused(t, record(t, h, big, path("/x")), 404, -32600)
	for range 3 {
		refused(t, record(t, h, big), 401, -32600)
	}
	r := record(t, h, big)
	refused(t, r, 429, -32000)
	assert.NotEmpty(t, r.header.Get("Retry-After"))
}

func TestRule3_14_Health(t *testing.T) {
	s := newHTTP(t, kervan.NewApp("test", "1"), transport.HealthPath("/healthz"), transport.Path("/mcp"), transport.Authenticate(rejectAll))
	for _, p := range []string{"/healthz", "/healthz/"} {
		r := s.do("", method("GET"), path(p), host("10.1.2.3:3000"))
		assert.Equal(t, 200, r.status)
		assert.Equal(t, `{"status":"ok"}`, r.body)
		assert.Equal(t, "no-store", r.header.Get("Cache-Control"))
	}
	r := s.do("", method("HEAD"), path("/healthz"), host("10.1.2.3:3000"))
	assert.Equal(t, 200, r.status)
	assert.Empty(t, r.body)
	r = s.do("", method("POST"), path("/healthz"))
	refused(t, r, 405, -32600)
	assert.Equal(t, "GET, HEAD", r.header.Get("Allow"))
	refused(t, s.do(ping, host("10.1.2.3:3000")), 403, -32600)
}

func TestRule3_9_Notifications(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"))
	require.NoError(t, err)
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/unheard_of"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
	} {
		r := record(t, h, body)
		assert.Equal(t, 202, r.status, body)
		assert.Empty(t, r.body)
	}
}

func TestRule3_9_StatusOfErrors(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	for _, tt := range []struct {
		call, method, name string
		code, status       int // in the newer era
	}{
		{toolCall("unknown", "{}"), "tools/call", "unknown", -32602, 400},
		{rpc("1", "unknown/method", "{}"), "unknown/method", "", -32601, 404},
		{rpc("1", "resources/read", `{"uri":"file:///x"}`), "resources/read", "file:///x", 0, 400},
		{rpc("1", "subscriptions/listen", `{}`), "subscriptions/listen", "", 0, 400},
	} {
		t.Run(tt.method, func(t *testing.T) {
			r := record(t, h, tt.call, set("Mcp-Protocol-Version", legacy))
			assert.Equal(t, 200, r.status, r.body)
			code, _ := errorOf(t, r)
			if tt.code != 0 {
				assert.Equal(t, tt.code, code)
			}
			r = record(t, h, inModern(tt.call), modernHeaders(tt.method, tt.name))
			assert.Equal(t, tt.status, r.status, r.body)
			errorOf(t, r)
		})
	}
	refused(t, record(t, h, inModern(rpc("1", "ping", "{}")), modernHeaders("ping", "")), 404, -32601)
	// What a tool refuses is a result.
	assert.Equal(t, 200, record(t, h, inModern(toolCall("add", `{"a":"x"}`)), modernHeaders("tools/call", "add")).status)
}

func TestRule1_6_IDsOverHTTP(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	for _, id := range []string{"0", "-1", "9007199254740992", "9007199254740993", "18446744073709551617", `"x"`, `""`, `"a\"<b"`} {
		r := record(t, h, rpc(id, "tools/call", `{"name":"whoami"}`))
		assert.Contains(t, r.body, `{"jsonrpc":"2.0","id":`+id+`,"result"`)
		plain := strings.Trim(id, `"`)
		if !strings.Contains(plain, "<") {
			assert.Contains(t, r.body, fmt.Sprintf(`"text":"anonymous %s"`, plain))
		}
		r = record(t, h, rpc(id, "tools/call", `{"name":"nothing"}`))
		assert.Contains(t, r.body, `{"jsonrpc":"2.0","id":`+id+`,"error"`)
		r = record(t, h, rpc(id, "tools/call", `{"name":"steps","_meta":{"progressToken":`+id+`}}`), set("Accept", "*/*"))
		assert.Contains(t, r.body, `"progressToken":`+id)
	}
}

func TestRequestIDHeaderIsOurs(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	r := record(t, h, rpc("17", "tools/call", `{"name":"whoami"}`), set("Kervan-Request-Id", "forged"), header("Kervan-Request-Id", "again"))
	assert.Contains(t, r.body, "anonymous 17")
}

func TestRule3_11_HTTP10(t *testing.T) {
	s := newHTTP(t, newToolbox().App)
	send := func(body string) (*http.Response, string) {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp, string(data)
	}
	resp, body := send(ping)
	assert.Equal(t, int64(len(body)), resp.ContentLength)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, body)
	resp, body = send(rpc("1", "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`))
	assert.Empty(t, resp.TransferEncoding)
	assert.True(t, resp.Close)
	assert.Equal(t, 4, strings.Count(body, "data: "))
}

func TestRule3_16_Headers(t *testing.T) {
	s := newHTTP(t, newToolbox().App)
	for _, r := range []reply{
		s.do(ping), s.do(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), s.do("{"), s.do("", method("GET")),
		s.do(rpc("1", "tools/call", `{"name":"steps","_meta":{"progressToken":"p"}}`)),
	} {
		assert.Contains(t, r.header.Get("Cache-Control"), "no-store")
		assert.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	}
}
