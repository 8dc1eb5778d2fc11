package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// A stream is an open stream of events.
type stream struct {
	t      *testing.T
	header http.Header
	events chan string // closed at the end
	close  func()
}

func listenCall(id, notifications string) string {
	return inModern(rpc(id, "subscriptions/listen", `{"notifications":`+notifications+`}`))
}

// listen opens a stream that asks for changes of tools, and reads the
// acknowledgement.
func (s *httpServer) listen(changes ...change) *stream {
	s.t.Helper()
	st, r := s.tryListen(changes...)
	require.NotNil(s.t, st, r.body)
	ack := st.next()
	require.Contains(s.t, ack, "notifications/subscriptions/acknowledged")
	require.Contains(s.t, ack, `"toolsListChanged":true`)
	return st
}

func (s *httpServer) tryListen(changes ...change) (*stream, reply) {
	s.t.Helper()
	return s.open(listenCall("77", `{"toolsListChanged":true}`), append([]change{modernHeaders("subscriptions/listen", "")}, changes...)...)
}

// open sends a request whose answer is a stream; otherwise it returns the reply.
func (s *httpServer) open(body string, changes ...change) (*stream, reply) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	resp, err := s.Client().Do(s.request(body, changes...).WithContext(ctx))
	require.NoError(s.t, err)
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		require.NoError(s.t, err)
		return nil, reply{resp.StatusCode, resp.Header, string(data)}
	}
	st := &stream{t: s.t, header: resp.Header, events: make(chan string, 1000), close: cancel}
	go func() {
		defer close(st.events)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "data: "):
				st.events <- strings.TrimPrefix(line, "data: ")
			case strings.HasPrefix(line, ":"):
				st.events <- line
			}
		}
	}()
	return st, reply{}
}

func (s *stream) next() string {
	s.t.Helper()
	select {
	case e, ok := <-s.events:
		require.True(s.t, ok, "the stream has ended")
		return e
	case <-time.After(5 * time.Second):
		s.t.Fatal("nothing comes")
		return ""
	}
}

func (s *stream) silent(d time.Duration) {
	s.t.Helper()
	select {
	case e, ok := <-s.events:
		s.t.Fatalf("unexpected: %q, %v", e, ok)
	case <-time.After(d):
	}
}

func (s *stream) ended() {
	s.t.Helper()
	select {
	case e, ok := <-s.events:
		require.False(s.t, ok, "unexpected: %q", e)
	case <-time.After(5 * time.Second):
		s.t.Fatal("the stream does not end")
	}
}

var toolNumber atomic.Int32

func changeTools(app *kervan.App) {
	app.Add(kervan.Tool(fmt.Sprintf("tool%d", toolNumber.Add(1)), "A tool.", func(context.Context, none) (string, error) { return "", nil }))
}

func TestRule3_11_Stream(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App)
	st := s.listen(set("Accept", "application/json")) // a stream is what was asked for
	assert.Equal(t, "no", st.header.Get("X-Accel-Buffering"))
	assert.Contains(t, st.header.Get("Cache-Control"), "no-store")
	assert.Equal(t, 1, s.handler.Running())
	changeTools(box.App)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":77}}}`, st.next())
	st.close()
	soon(t, "the stream is given up", func() bool { return s.handler.Running() == 0 })
}

func TestRule3_11_NothingUnasked(t *testing.T) {
	box := newToolbox()
	box.Prompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	s := newHTTP(t, box.App)
	prompts, r := s.open(listenCall("1", `{"promptsListChanged":true}`), modernHeaders("subscriptions/listen", ""))
	require.NotNil(t, prompts, r.body)
	assert.Contains(t, prompts.next(), "acknowledged")
	watch := rpc("2", "tools/call", `{"name":"watch","arguments":{},"_meta":{"progressToken":1}}`)
	newer, _ := s.open(inModern(watch), modernHeaders("tools/call", "watch"))
	older, _ := s.open(watch)
	for _, st := range []*stream{newer, older} {
		assert.Contains(t, st.next(), "notifications/progress")
	}
	st := s.listen()
	changeTools(box.App)
	assert.Contains(t, st.next(), "list_changed")
	close(box.release)
	for _, st := range []*stream{newer, older} {
		assert.Contains(t, st.next(), "released")
		st.ended()
	}
	prompts.silent(50 * time.Millisecond)
}

func TestRule3_11_ListenErrors(t *testing.T) {
	s := newHTTP(t, newToolbox().App)
	st, r := s.open(inModern(rpc("1", "subscriptions/listen", `{}`)), modernHeaders("subscriptions/listen", ""))
	require.Nil(t, st)
	refused(t, r, 400, -32602)
	st, r = s.open(rpc("1", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))
	require.Nil(t, st)
	refused(t, r, 200, -32601)
	assert.Zero(t, s.handler.Running())
}

func TestRule3_11_KeepAlive(t *testing.T) {
	s := newHTTP(t, newToolbox().App)
	s.handler.SetTiming(0, 0, 10*time.Millisecond, 0)
	st := s.listen()
	for range 3 {
		assert.True(t, strings.HasPrefix(st.next(), ":"))
	}
}

// TestRule3_11_StalledListener has a client that opens a stream and never
// reads, until its queue is full.
func TestRule3_11_StalledListener(t *testing.T) {
	box := newToolbox()
	h, err := transport.NewHandler(box.App)
	require.NoError(t, err)
	h.SetTiming(0, time.Minute, 0, 0)
	listener := newPipeListener()
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	stalled := listener.dial()
	defer stalled.Close()
	body := listenCall("1", `{"toolsListChanged":true}`)
	_, err = fmt.Fprintf(stalled, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Protocol-Version: %s\r\nMcp-Method: subscriptions/listen\r\nContent-Length: %d\r\n\r\n%s", modern, len(body), body)
	require.NoError(t, err)
	soon(t, "the stalled stream is open", func() bool { return h.Running() == 1 })

	s := serveHandler(t, h, h)
	st := s.listen()
	for range transport.StreamQueue + 3 {
		start := time.Now()
		changeTools(box.App)
		require.Contains(t, st.next(), "list_changed")
		require.Less(t, time.Since(start), 2*time.Second, "the stalled stream delays the other")
	}
}

// A pipeListener makes connections without sockets. Nothing buffers them, so a
// peer that does not read stalls at once, and they work in fake time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn, 16), done: make(chan struct{})}
}

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3000} }

// inFakeTime runs f in a bubble, with a server that is reached over pipes.
func inFakeTime(t *testing.T, app func() *kervan.App, opts []transport.Option, f func(t *testing.T, s *httpServer)) {
	synctest.Test(t, func(t *testing.T) {
		h, err := transport.NewHandler(app(), opts...)
		require.NoError(t, err)
		l := newPipeListener()
		server := &http.Server{Handler: h}
		go func() { _ = server.Serve(l) }()
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(), nil }}}
		f(t, &httpServer{t: t, handler: h, client: client, Server: &httptest.Server{URL: "http://localhost"}})
		client.CloseIdleConnections()
		_ = server.Close()
	})
}

func TestRule3_15_StreamsEnd(t *testing.T) {
	const ending = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77,"reason":"the server ends this stream; open a new one"}}`
	const result = `{"jsonrpc":"2.0","id":77,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":77},"resultType":"complete"}}`
	for _, tt := range []struct {
		name string
		info func() *auth.TokenInfo
		life time.Duration
	}{
		{"after an hour", func() *auth.TokenInfo { return nil }, time.Hour},
		{"with the credentials", func() *auth.TokenInfo { return &auth.TokenInfo{Expiration: time.Now().Add(10 * time.Minute)} }, 10 * time.Minute},
		{"with credentials that last longer", func() *auth.TokenInfo { return &auth.TokenInfo{Expiration: time.Now().Add(10 * time.Hour)} }, time.Hour},
		{"with credentials that are over", func() *auth.TokenInfo { return &auth.TokenInfo{Expiration: time.Now().Add(-time.Second)} }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hook := transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) { return tt.info(), nil })
			inFakeTime(t, func() *kervan.App { return newToolbox().App }, []transport.Option{hook}, func(t *testing.T, s *httpServer) {
				start := time.Now()
				st, r := s.tryListen()
				require.NotNil(t, st, r.body)
				var events []string
				for e := range st.events {
					if !strings.HasPrefix(e, ":") && !strings.Contains(e, "acknowledged") {
						events = append(events, e)
					}
				}
				assert.Equal(t, []string{ending, result}, events)
				assert.Equal(t, tt.life, time.Since(start).Truncate(time.Second))
				synctest.Wait()
				assert.Zero(t, s.handler.Running())
			})
		})
	}
}

func TestRule3_15_StreamBounds(t *testing.T) {
	app := newToolbox().App
	s := newHTTP(t, app, transport.NoRateLimit(), transport.Authenticate(func(r *http.Request) (*auth.TokenInfo, error) {
		if u := r.Header.Get("X-User"); u != "" {
			return &auth.TokenInfo{UserID: u}, nil
		}
		return nil, nil
	}))
	var open []*stream
	for range transport.MaxStreamsPerKey {
		open = append(open, s.listen(set("X-User", "ada")))
	}
	_, r := s.tryListen(set("X-User", "ada"))
	refused(t, r, 503, -32000)
	assert.NotEmpty(t, r.header.Get("Retry-After"))
	s.listen(set("X-User", "bob"))
	s.listen() // anonymous, by its address
	assert.Equal(t, 200, s.do(ping, set("X-User", "ada")).status)
	open[0].close()
	soon(t, "a place is free", func() bool { return s.handler.Running() == transport.MaxStreamsPerKey+1 })
	s.listen(set("X-User", "ada"))
}

func TestRule3_15_StreamsInAll(t *testing.T) {
	s := newHTTP(t, newToolbox().App, transport.NoRateLimit(), transport.Authenticate(func(r *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: r.Header.Get("X-User")}, nil
	}))
	for i := range transport.MaxStreams {
		s.listen(set("X-User", fmt.Sprint(i)))
	}
	_, r := s.tryListen(set("X-User", "last"))
	refused(t, r, 503, -32000)
}
