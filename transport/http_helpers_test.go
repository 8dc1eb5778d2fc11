package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// An httpServer is a handler behind a real socket.
type httpServer struct {
	*httptest.Server
	t       *testing.T
	handler *transport.Handler
	client  *http.Client // nil: the Server's
}

func (s *httpServer) Client() *http.Client {
	if s.client != nil {
		return s.client
	}
	return s.Server.Client()
}

func newHTTP(t *testing.T, app *kervan.App, opts ...transport.Option) *httpServer {
	t.Helper()
	h, err := transport.NewHandler(app, opts...)
	require.NoError(t, err)
	return serveHandler(t, h, h)
}

// serveHandler serves h, which leads to handler.
func serveHandler(t *testing.T, handler *transport.Handler, h http.Handler) *httpServer {
	t.Helper()
	s := &httpServer{Server: httptest.NewServer(h), t: t, handler: handler}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		go func() { _ = handler.Shutdown(ctx) }()
		s.Close()
	})
	return s
}

// A reply is what came back for one request.
type reply struct {
	status int
	header http.Header
	body   string
}

// A change alters a request before it is sent.
type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
			return
		}
		r.Header[http.CanonicalHeaderKey(name)] = append(r.Header[http.CanonicalHeaderKey(name)], value)
	}
}

func set(name, value string) change { return func(r *http.Request) { r.Header.Set(name, value) } }
func host(h string) change          { return func(r *http.Request) { r.Host = h } }
func method(m string) change        { return func(r *http.Request) { r.Method = m } }
func path(p string) change          { return func(r *http.Request) { r.URL.Path = p } }
func contents(r io.Reader) change {
	return func(req *http.Request) { req.Body, req.ContentLength = io.NopCloser(r), -1 }
}

func (s *httpServer) request(body string, changes ...change) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, c := range changes {
		c(r)
	}
	return r
}

func (s *httpServer) do(body string, changes ...change) reply {
	s.t.Helper()
	resp, err := s.Client().Do(s.request(body, changes...))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

// rpc returns a call of the older era.
func rpc(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// toolCall returns a tools/call of the older era.
func toolCall(name, arguments string) string {
	return rpc("1", "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
}

// inModern puts what protocol 2026-07-28 wants into the params of a call.
func inModern(call string) string {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	if strings.Contains(call, `"_meta":{`) {
		return strings.Replace(call, `"_meta":{`, meta+",", 1)
	}
	out := strings.Replace(call, `"params":{`, `"params":{`+meta+`},`, 1)
	return strings.Replace(out, "},}", "}}", 1)
}

// modernHeaders are those of a call of protocol 2026-07-28.
func modernHeaders(method, name string) change {
	return func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", modern)
		r.Header.Set("Mcp-Method", method)
		if name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
}

// call calls a tool in an era.
func (s *httpServer) call(era, name, arguments string, changes ...change) reply {
	s.t.Helper()
	body := toolCall(name, arguments)
	if era == modern {
		return s.do(inModern(body), append([]change{modernHeaders("tools/call", name)}, changes...)...)
	}
	return s.do(body, append([]change{set("Mcp-Protocol-Version", era)}, changes...)...)
}

// errorOf returns code and message of the error in a reply, which must be one
// JSON-RPC error that says nothing else.
func errorOf(t *testing.T, r reply) (code int, message string) {
	t.Helper()
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Contains(t, r.header.Get("Cache-Control"), "no-store")
	assert.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	var v struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &v), r.body)
	require.NotNil(t, v.Error, r.body)
	assert.Equal(t, "2.0", v.Version)
	return v.Error.Code, v.Error.Message
}

// refused asserts a refusal and returns its message.
func refused(t *testing.T, r reply, status, code int) string {
	t.Helper()
	assert.Equal(t, status, r.status, r.body)
	got, message := errorOf(t, r)
	assert.Equal(t, code, got, r.body)
	return message
}

// connect connects the SDK's client.
func (s *httpServer) connect(era string, opts *mcp.ClientOptions) *mcp.ClientSession {
	s.t.Helper()
	session, err := s.tryConnect(era, opts)
	require.NoError(s.t, err)
	return session
}

func (s *httpServer) tryConnect(era string, opts *mcp.ClientOptions) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
	version := era
	if era == modern {
		version = ""
	}
	session, err := client.Connect(s.t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: s.Client(), MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		s.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

func eachEra(t *testing.T, f func(t *testing.T, era string)) {
	for _, era := range []string{modern, legacy} {
		t.Run(era, func(t *testing.T) { f(t, era) })
	}
}

// textOf returns the text of a tool's result.
func textOf(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, res.Content, 1)
	return res.Content[0].(*mcp.TextContent).Text
}

// soon waits for a condition.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 5*time.Second, 2*time.Millisecond, what)
}
