package routers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func TestRouters(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	for name, router := range map[string]func(*transport.Handler) http.Handler{
		"chi": chiRouter, "gin": ginRouter, "echo": echoRouter,
	} {
		t.Run(name, func(t *testing.T) {
			acme := new(kervan.MemoryRegistry)
			h, err := newHandler(map[string]*kervan.MemoryRegistry{"acme": acme})
			if err != nil {
				t.Fatal(err)
			}
			s := httptest.NewServer(router(h))
			t.Cleanup(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				if err := h.Shutdown(ctx); err != nil {
					t.Error(err)
				}
				s.Close()
			})
			testStream(t, s.URL+"/s/acme/mcp", acme)
			for path, want := range map[string]int{"/s/globex/mcp": 404, "/s/acme/mcp": 200} {
				if got := post(t, s.URL+path); got != want {
					t.Errorf("%s: %d, want %d", path, got, want)
				}
			}
		})
	}
}

// testStream sees a change arrive over a stream, and calls the new tool.
func testStream(t *testing.T, url string, registry *kervan.MemoryRegistry) {
	changed := make(chan bool, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
	})
	listening := make(listener, 10)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: listening}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	wait(t, listening, "the stream to begin")
	err = registry.Add(kervan.Tool("hello", "Greets.", func(context.Context, kervan.None) (string, error) { return "hello", nil }))
	if err != nil {
		t.Fatal(err)
	}
	wait(t, changed, "the change")
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "hello"})
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "hello" {
		t.Errorf("%+v %v", res, err)
	}
}

func wait(t *testing.T, c <-chan bool, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("waited in vain for " + what)
	}
}

// A listener tells when the stream of changes has begun.
type listener chan bool

func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Header.Get("Mcp-Method") == "subscriptions/listen" {
		resp.Body = &firstRead{resp.Body, l}
	}
	return resp, err
}

type firstRead struct {
	io.ReadCloser
	done chan<- bool
}

func (f *firstRead) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if n > 0 && f.done != nil {
		f.done <- true
		f.done = nil
	}
	return n, err
}

func post(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestDocumentedCode finds the code of the page in the files of this package.
func TestDocumentedCode(t *testing.T) {
	page, err := os.ReadFile("../routers.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code.WriteString(squeeze(string(data)) + "\n")
	}
	blocks := 0
	for i, part := range strings.Split(string(page), "```") {
		block, ok := strings.CutPrefix(part, "golang\n")
		if !ok || i%2 == 0 {
			continue
		}
		blocks++
		if !strings.Contains(code.String(), squeeze(block)) {
			t.Errorf("this code is in no file:\n%s", block)
		}
	}
	if blocks < 4 {
		t.Errorf("only %d blocks were found", blocks)
	}
}

// squeeze drops indentation and blank lines.
func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
