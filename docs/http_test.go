package docs

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// production are the options of a server behind a reverse proxy.
var production = []transport.Option{
	transport.Addr("0.0.0.0:3000"),
	transport.AllowedHosts("mcp.example.com"),
	transport.AllowedOrigins("https://app.example.com"),
	transport.TrustedProxies("10.0.0.0/8"),
	transport.HealthPath("/healthz"),
	transport.DrainDelay(5 * time.Second),
}

func serveProduction(ctx context.Context) error {
	return transport.ServeHTTP(ctx, newApp(), production...)
}

func TestHTTPPage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	production[0] = transport.Addr("127.0.0.1:0")
	production[5] = transport.DrainDelay(0)
	if err := serveProduction(ctx); err != nil {
		t.Error(err)
	}
	h := handlerOf(t, newApp(), production...)
	list := func(change func(*http.Request)) *http.Response {
		return listTools(h, "https://mcp.example.com/mcp", change)
	}
	if got := list(func(*http.Request) {}); got.StatusCode != 200 {
		t.Error(got.Status)
	}
	if got := list(func(r *http.Request) { r.Host = "evil.example" }); got.StatusCode != 403 {
		t.Error(got.Status)
	}
	if got := list(func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); got.StatusCode != 403 {
		t.Error(got.Status)
	}
	got := list(func(r *http.Request) { r.Header.Set("Origin", "https://app.example.com") })
	if got.StatusCode != 200 || got.Header.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Error(got.Status, got.Header)
	}
}

func handlerOf(t *testing.T, app *kervan.App, opts ...transport.Option) *transport.Handler {
	t.Helper()
	h, err := transport.NewHandler(app, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Shutdown(context.Background()) })
	return h
}

// listTools sends a tools/list, altered by change.
func listTools(h http.Handler, url string, change func(*http.Request)) *http.Response {
	r := httptest.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
	r.Header.Set("Content-Type", "application/json")
	change(r)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func rateLimits(redis transport.Limiter) []transport.Option {
	return []transport.Option{
		transport.RateLimit(600), // a minute and client
		transport.RateLimitKey(func(_ *http.Request, info *auth.TokenInfo) string {
			if info == nil {
				return "" // the address
			}
			return info.UserID
		}),
		transport.SharedLimiter(redis),
	}
}

type brokenLimiter struct{}

func (brokenLimiter) Acquire(context.Context, string, int, int) (func(), time.Duration, error) {
	return nil, 0, errors.New("no connection")
}

func TestRateLimitsOfTheHTTPPage(t *testing.T) {
	h := handlerOf(t, kervan.NewApp("test", "1", kervan.WithLogger(discard)), append(rateLimits(brokenLimiter{}), transport.RateLimit(1))...)
	for _, want := range []int{200, 429} {
		if got := listTools(h, "http://localhost/mcp", func(*http.Request) {}); got.StatusCode != want {
			t.Error(got.Status)
		}
	}
}
