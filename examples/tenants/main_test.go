package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/transport"
)

func TestTenantsSeeNothingOfEachOther(t *testing.T) {
	url := start(t)
	told := map[string]chan bool{"acme": make(chan bool, 10), "globex": make(chan bool, 10)}
	acme := connect(t, url, "acme-demo-key-0001", told["acme"])
	globex := connect(t, url, "globex-demo-key-0001", told["globex"])

	call(t, acme, "add_note", noteIn{"buy milk"})
	assert.Equal(t, "list_notes is installed", call(t, acme, "install", installIn{"list_notes"}))

	select {
	case <-told["acme"]:
	case <-time.After(10 * time.Second):
		t.Fatal("acme was not told of its new tool")
	}
	assert.Equal(t, []string{"add_note", "install", "list_notes"}, tools(t, acme))
	assert.JSONEq(t, `{"items":["buy milk"]}`, call(t, acme, "list_notes", nil))

	assert.Equal(t, []string{"add_note", "install"}, tools(t, globex))
	_, err := globex.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_notes"})
	assert.ErrorContains(t, err, `Unknown tool "list_notes"`)
	call(t, globex, "install", installIn{"search_notes"})
	assert.JSONEq(t, `{"items":[]}`, call(t, globex, "search_notes", noteIn{"milk"}))
	<-told["globex"]
	assert.Empty(t, told["globex"], "told once, of its own change")
}

func TestKeys(t *testing.T) {
	url := start(t)
	for key, want := range map[string]int{
		"":                     http.StatusUnauthorized,
		"acme-demo-key-0002":   http.StatusUnauthorized,
		"nobody-demo-key-0001": http.StatusForbidden,
		"acme-demo-key-0001":   http.StatusOK,
	} {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", key)
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_ = resp.Body.Close()
		assert.Equal(t, want, resp.StatusCode, key)
	}
}

func start(t *testing.T) (url string) {
	t.Helper()
	app, options, err := newServer()
	require.NoError(t, err)
	h, err := transport.NewHandler(app, options...)
	require.NoError(t, err)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		assert.NoError(t, h.Shutdown(ctx))
		s.Close()
	})
	return s.URL + "/mcp"
}

// A keyed transport sends an API key with each request, and tells when the
// server tells of changes.
type keyed struct {
	key       string
	listening chan bool
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Header.Get("Mcp-Method") == "subscriptions/listen" {
		resp.Body = &firstRead{resp.Body, k.listening}
	}
	return resp, err
}

type firstRead struct {
	io.ReadCloser
	done chan bool
}

func (f *firstRead) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if n > 0 && f.done != nil {
		f.done <- true
		f.done = nil
	}
	return n, err
}

func connect(t *testing.T, url, key string, told chan<- bool) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- true },
	})
	k := keyed{key, make(chan bool, 10)}
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: k}}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	<-k.listening // the client asks for changes on the side
	return session
}

func tools(t *testing.T, c *mcp.ClientSession) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func call(t *testing.T, c *mcp.ClientSession, tool string, args any) string {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.False(t, res.IsError, "%+v", res.Content)
	if len(res.Content) == 0 {
		return ""
	}
	return res.Content[0].(*mcp.TextContent).Text
}
