package kerventest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// OverHTTP connects over Streamable HTTP through a [transport.Handler] made
// with opts, without a socket: requests are function calls, answers are
// streamed. There is no rate limit unless opts set one.
func OverHTTP(opts ...transport.Option) Option {
	return optionFunc(func(c *config) { c.http = &httpConfig{options: opts} })
}

// OverSocket is OverHTTP over a real socket of the loopback interface.
func OverSocket(opts ...transport.Option) Option {
	return optionFunc(func(c *config) { c.http = &httpConfig{options: opts, socket: true} })
}

type httpConfig struct {
	options []transport.Option
	socket  bool
}

// serveHTTP starts a handler and returns the client's transport to it.
func serveHTTP(app *kervan.App, cfg config, rec *recorder) (mcp.Transport, func(), error) {
	options := append([]transport.Option{transport.NoRateLimit()}, cfg.http.options...)
	if cfg.auth != nil {
		options = append(options, transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) { return cfg.auth, nil }))
	}
	handler, err := transport.NewHandler(app, options...)
	if err != nil {
		return nil, nil, err
	}
	endpoint, next := "http://localhost/mcp", http.RoundTripper(direct{handler})
	closeServer := func() {}
	if cfg.http.socket {
		server := httptest.NewServer(handler)
		client := server.Client()
		endpoint, next = server.URL+"/mcp", client.Transport
		closeServer = func() { client.CloseIdleConnections(); server.Close() }
	}
	stop := func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = handler.Shutdown(ctx) // what still runs then is a handler that ignores its context
		closeServer()
	}
	return &mcp.StreamableClientTransport{
		Endpoint:   endpoint,
		HTTPClient: &http.Client{Transport: &tap{next: next, rec: rec}},
	}, stop, nil
}

// direct is a RoundTripper that calls a handler.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.RemoteAddr, in.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	out, pipe := io.Pipe()
	w := &pipeWriter{header: http.Header{}, pipe: pipe, ready: make(chan struct{})}
	go func() {
		defer pipe.Close()
		defer w.WriteHeader(http.StatusOK)
		d.handler.ServeHTTP(w, in)
	}()
	select {
	case <-w.ready:
	case <-ctx.Done():
		cancel()
		_ = out.Close()
		return nil, ctx.Err()
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &cancelBody{out, cancel}, ContentLength: -1, Request: r,
	}, nil
}

// A pipeWriter is a ResponseWriter whose body is read while it is written.
type pipeWriter struct {
	header http.Header
	pipe   *io.PipeWriter
	once   sync.Once
	ready  chan struct{} // closed when the status is known
	status int
	sent   http.Header
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.pipe.Write(p)
}

func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

// A cancelBody ends the request when the client closes the answer.
type cancelBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *cancelBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// A tap records what goes over HTTP, and keeps the bytes of results.
type tap struct {
	next http.RoundTripper
	rec  *recorder
}

func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		t.rec.sent(body)
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); media {
	case "application/json":
		return t.readJSON(res)
	case "text/event-stream":
		res.Body = newEventReader(res.Body, t.rec)
	}
	return res, nil
}

func (t *tap) readJSON(res *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	body = t.rec.received(body)
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	res.Header.Del("Content-Length")
	return res, nil
}

// An eventReader passes events on, with the messages in them recorded.
type eventReader struct {
	body io.ReadCloser
	in   *bufio.Reader
	out  bytes.Buffer
	rec  *recorder
}

func newEventReader(body io.ReadCloser, rec *recorder) *eventReader {
	return &eventReader{body: body, in: bufio.NewReader(body), rec: rec}
}

func (e *eventReader) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		line, err := e.in.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			e.out.WriteString("data: ")
			e.out.Write(e.rec.received(bytes.TrimSuffix(data, []byte("\n"))))
			e.out.WriteByte('\n')
		} else {
			e.out.Write(line)
		}
		if err != nil && e.out.Len() == 0 {
			return 0, err
		}
	}
	return e.out.Read(p)
}

func (e *eventReader) Close() error { return e.body.Close() }

// A recorder keeps the exchange of a client, and the answers of its calls.
type recorder struct {
	exchange *exchange

	mu     sync.Mutex
	tokens map[int64]*capture  // calls by their progress token
	calls  map[string]*capture // the same by the JSON of their id

	listening     chan struct{} // closed when the server acknowledged a listen
	acknowledging sync.Once
}

func newRecorder(ex *exchange) *recorder {
	return &recorder{exchange: ex, tokens: map[int64]*capture{}, calls: map[string]*capture{}, listening: make(chan struct{})}
}

// expect makes a call's answer be kept in cap.
func (r *recorder) expect(cap *capture) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[cap.token] = cap
}

func (r *recorder) forget(cap *capture) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tokens, cap.token)
}

// A header is what of a message says to which call it belongs.
type header struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func (r *recorder) sent(message []byte) {
	r.exchange.add("client", message)
	var h header
	var params struct {
		Meta struct {
			Token int64 `json:"progressToken"`
		} `json:"_meta"`
	}
	if json.Unmarshal(message, &h) != nil || h.Method != "tools/call" || json.Unmarshal(h.Params, &params) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cap := r.tokens[params.Meta.Token]; cap != nil {
		r.calls[string(h.ID)] = cap
	}
}

// received records a message of the server and returns what the client reads.
func (r *recorder) received(message []byte) []byte {
	r.exchange.add("server", message)
	var h header
	if json.Unmarshal(message, &h) != nil {
		return message
	}
	switch {
	case h.Method == "notifications/progress":
		r.keepProgress(h.Params)
	case h.Method == "notifications/subscriptions/acknowledged":
		r.acknowledging.Do(func() { close(r.listening) })
	case h.Method == "" && h.Result != nil:
		return r.keep(message, h)
	}
	return message
}

func (r *recorder) keep(message []byte, h header) []byte {
	r.mu.Lock()
	cap := r.calls[string(h.ID)]
	delete(r.calls, string(h.ID))
	r.mu.Unlock()
	if cap == nil {
		return message
	}
	cap.mu.Lock()
	defer cap.mu.Unlock()
	cap.raw = h.Result
	rest, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": h.ID, "result": withoutStructured(h.Result)})
	if err != nil {
		return message
	}
	return rest
}

func (r *recorder) keepProgress(params json.RawMessage) {
	var p struct {
		Token int64 `json:"progressToken"`
		Progress
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	r.mu.Lock()
	cap := r.tokens[p.Token]
	r.mu.Unlock()
	if cap != nil {
		cap.mu.Lock()
		defer cap.mu.Unlock()
		cap.progress = append(cap.progress, p.Progress)
	}
}

// withoutStructured takes structuredContent out of what the SDK's client
// reads: it decodes numbers as float64, and fails on those that are too large.
func withoutStructured(result json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members["structuredContent"] == nil {
		return result
	}
	delete(members, "structuredContent")
	data, err := json.Marshal(members)
	if err != nil {
		return result
	}
	return data
}

var errAuthOverStdio = errors.New("WithAuth does not work over stdio, which authenticates nobody")
