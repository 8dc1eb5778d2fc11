package transport_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// later runs a request and delivers its reply.
func later(f func() reply) <-chan reply {
	c := make(chan reply, 1)
	go func() { c <- f() }()
	return c
}

func TestRule3_12_Shutdown(t *testing.T) {
	eachEra(t, func(t *testing.T, era string) {
		box := newToolbox()
		s := newHTTP(t, box.App, transport.HealthPath("/healthz"))
		st := s.listen()
		running := later(func() reply { return s.call(era, "wait", "{}") })
		soon(t, "the call runs", func() bool { return box.started.Load() == 1 })

		done := make(chan error, 1)
		go func() { done <- s.handler.Shutdown(t.Context()) }()
		assert.Contains(t, st.next(), `"method":"notifications/cancelled","params":{"requestId":77`)
		assert.Contains(t, st.next(), `"id":77,"result":{`)
		st.ended()

		r := s.call(era, "add", `{"a":1,"b":2}`)
		refused(t, r, 503, -32000)
		assert.NotEmpty(t, r.header.Get("Retry-After"))
		_, r = s.tryListen()
		refused(t, r, 503, -32000)
		r = s.do("", method("GET"), path("/healthz"))
		assert.Equal(t, 503, r.status)
		assert.Equal(t, `{"status":"draining"}`, r.body)

		select {
		case err := <-done:
			t.Fatalf("shutdown did not wait for the call: %v", err)
		default:
		}
		close(box.release)
		assert.Contains(t, (<-running).body, "released")
		assert.NoError(t, <-done)
		assert.Zero(t, box.cancelled.Load())
		assert.NoError(t, s.handler.Shutdown(t.Context()), "a second one")
	})
}

func TestRule3_12_CallsAreCancelledInTheEnd(t *testing.T) {
	for name, watch := range map[string]bool{"json": false, "events": true} {
		t.Run(name, func(t *testing.T) {
			box := newToolbox()
			s := newHTTP(t, box.App, transport.WithDrain(50*time.Millisecond))
			body := toolCall("wait", "{}")
			if watch {
				body = rpc("1", "tools/call", `{"name":"watch","_meta":{"progressToken":1}}`)
			}
			running := later(func() reply { return s.do(body) })
			soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
			start := time.Now()
			assert.NoError(t, s.handler.Shutdown(t.Context()))
			assert.Less(t, time.Since(start), 5*time.Second)
			r := <-running
			if watch {
				assert.Equal(t, 200, r.status)
				assert.Contains(t, r.body, `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32000,`)
			} else {
				refused(t, r, 503, -32000)
				assert.Contains(t, r.body, `"id":1`)
			}
			soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
		})
	}
	t.Run("by the context", func(t *testing.T) {
		box := newToolbox()
		s := newHTTP(t, box.App)
		running := later(func() reply { return s.call(modern, "wait", "{}") })
		soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		assert.ErrorIs(t, s.handler.Shutdown(ctx), context.DeadlineExceeded)
		refused(t, <-running, 503, -32000)
	})
}

func TestRule3_12_ShutdownOfNothing(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"))
	require.NoError(t, err)
	start := time.Now()
	assert.NoError(t, h.Shutdown(t.Context()))
	assert.Less(t, time.Since(start), time.Second)
}

func TestRule3_12_DrainDelay(t *testing.T) {
	box := newToolbox()
	l := listenLocal(t)
	h, err := transport.NewHandler(box.App, transport.DrainDelay(300*time.Millisecond), transport.HealthPath("/healthz"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.ServeListener(ctx, l) }()
	url := "http://" + l.Addr().String()
	assert.Equal(t, 200, post(t, url, ping).status)
	s := serveHandler(t, h, h)
	st := s.listen()
	cancel()
	soon(t, "the server drains", func() bool { return post(t, url, ping).status == 503 }) // over new connections
	st.silent(50 * time.Millisecond)
	assert.NoError(t, <-done)
	assert.Contains(t, st.next(), "notifications/cancelled")
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	assert.Error(t, err, "the listener is still open")
}

func TestRule3_12_ServeHTTP(t *testing.T) {
	box := newToolbox()
	addr, stop := serving(t, box.App, transport.Addr("127.0.0.1:0"))
	running := later(func() reply { return post(t, "http://"+addr+"/mcp", toolCall("wait", "{}")) })
	soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
	time.AfterFunc(100*time.Millisecond, func() { close(box.release) })
	assert.NoError(t, stop())
	assert.Contains(t, (<-running).body, "released", "the call was not waited for")
}

func TestRule3_15_InFlight(t *testing.T) {
	eachEra(t, func(t *testing.T, era string) {
		box := newToolbox()
		s := newHTTP(t, box.App, transport.WithMaxInFlight(2))
		var running []<-chan reply
		for range 2 {
			running = append(running, later(func() reply { return s.call(era, "wait", "{}") }))
		}
		soon(t, "two calls run", func() bool { return box.started.Load() == 2 })
		r := s.call(era, "add", `{"a":1,"b":2}`)
		refused(t, r, 503, -32000)
		assert.NotEmpty(t, r.header.Get("Retry-After"))
		close(box.release)
		for _, c := range running {
			assert.Contains(t, (<-c).body, "released")
		}
		assert.Equal(t, 200, s.call(era, "add", `{"a":1,"b":2}`).status)
	})
	t.Run("streams are no calls", func(t *testing.T) {
		s := newHTTP(t, newToolbox().App, transport.WithMaxInFlight(1))
		s.listen()
		s.listen()
		assert.Equal(t, 200, s.do(ping).status)
	})
}

// vanish sends a request and closes the connection when the call runs.
func vanish(t *testing.T, s *httpServer, box *toolbox, body string, changes ...change) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	before := box.started.Load()
	go func() {
		defer close(gone)
		resp, err := (&http.Client{Transport: &http.Transport{}}).Do(s.request(body, changes...).WithContext(ctx))
		if err == nil {
			_ = resp.Body.Close()
		}
	}()
	soon(t, "the call runs", func() bool { return box.started.Load() == before+1 })
	cancel()
	<-gone
}

func TestRule3_10_Disconnect(t *testing.T) {
	for name, opts := range map[string][]transport.Option{
		"stateless": nil,
		"sessions":  {transport.WithSessions(transport.SessionOptions{})},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tool := range []string{"wait", "watch"} {
				eachEra(t, func(t *testing.T, era string) {
					box := newToolbox()
					s := newHTTP(t, box.App, opts...)
					body, changes := rpc("1", "tools/call", `{"name":"`+tool+`","arguments":{},"_meta":{"progressToken":1}}`), []change(nil)
					if era == modern {
						body, changes = inModern(body), []change{modernHeaders("tools/call", tool)}
					} else if opts != nil {
						changes = []change{set("Mcp-Session-Id", s.initialize().id)}
					}
					vanish(t, s, box, body, changes...)
					soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
					soon(t, "the call is over", func() bool { return s.handler.Running() == 0 })
				})
			}
		})
	}
}

// A guarded ResponseWriter fails the test when it is used too late.
type guarded struct {
	http.ResponseWriter
	t    *testing.T
	over chan struct{}
}

func (g guarded) check() {
	select {
	case <-g.over:
		g.t.Error("the response was written to after the handler had returned")
	default:
	}
}
func (g guarded) Write(p []byte) (int, error) { g.check(); return g.ResponseWriter.Write(p) }
func (g guarded) WriteHeader(status int)      { g.check(); g.ResponseWriter.WriteHeader(status) }
func (g guarded) Header() http.Header         { g.check(); return g.ResponseWriter.Header() }

func TestRule3_10_NothingWrittenAfter(t *testing.T) {
	box := newToolbox()
	stubborn := make(chan struct{})
	box.Add(kervan.Tool("stubborn", "Does not mind its context.", func(context.Context, none) (string, error) {
		box.started.Add(1)
		<-stubborn
		return "late", nil
	}))
	h, err := transport.NewHandler(box.App)
	require.NoError(t, err)
	returned := make(chan struct{}, 10)
	s := serveHandler(t, h, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := guarded{w, t, make(chan struct{})}
		h.ServeHTTP(g, r)
		close(g.over)
		returned <- struct{}{}
	}))
	for _, tool := range []string{"wait", "watch", "stubborn"} {
		vanish(t, s, box, toolCall(tool, "{}"))
		select {
		case <-returned:
		case <-time.After(5 * time.Second):
			t.Fatal("the request is stuck")
		}
	}
	close(stubborn)
	time.Sleep(50 * time.Millisecond)
}

func TestRule3_10_FinishAfterDisconnect(t *testing.T) {
	for name, sessions := range map[string]bool{"stateless": false, "sessions": true} {
		t.Run(name, func(t *testing.T) {
			box := newToolbox()
			opts := []transport.Option{transport.FinishAfterDisconnect()}
			if sessions {
				opts = append(opts, transport.WithSessions(transport.SessionOptions{}))
			}
			s := newHTTP(t, box.App, opts...)
			var changes []change
			if sessions {
				changes = []change{set("Mcp-Session-Id", s.initialize().id)}
			}
			vanish(t, s, box, toolCall("wait", "{}"), changes...)
			time.Sleep(50 * time.Millisecond)
			assert.Zero(t, box.cancelled.Load())
			assert.Equal(t, 1, s.handler.Running(), "it still counts")
			close(box.release)
			soon(t, "the call is over", func() bool { return s.handler.Running() == 0 })
			assert.Zero(t, box.cancelled.Load())
		})
	}
	t.Run("newer clients are cancelled all the same", func(t *testing.T) {
		box := newToolbox()
		s := newHTTP(t, box.App, transport.FinishAfterDisconnect())
		vanish(t, s, box, inModern(toolCall("wait", "{}")), modernHeaders("tools/call", "wait"))
		soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
	})
}

func TestSlowReaderOfALargeAnswer(t *testing.T) {
	app := kervan.NewApp("test", "1")
	app.Add(kervan.Tool("large", "Answers at length.", func(context.Context, none) (string, error) { return strings.Repeat("x", 3<<20), nil }))
	s := newHTTP(t, app)
	s.handler.SetTiming(0, 100*time.Millisecond, 0, 0)
	assert.Len(t, s.call(legacy, "large", "{}").body, 3<<20+len(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""}]}}`))

	l := newPipeListener() // nothing is buffered
	server := &http.Server{Handler: s.handler}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	conn := l.dial()
	defer conn.Close()
	body := toolCall("large", "{}")
	_, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + itoa(len(body)) + "\r\n\r\n" + body))
	require.NoError(t, err)
	soon(t, "the call runs", func() bool { return s.handler.Running() == 1 })
	soon(t, "the client that does not read is given up", func() bool { return s.handler.Running() == 0 })
}
