package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// registryWith returns a registry with a tool that answers with its own name.
func registryWith(t *testing.T, names ...string) *kervan.MemoryRegistry {
	t.Helper()
	r := new(kervan.MemoryRegistry)
	for _, name := range names {
		require.NoError(t, r.Add(kervan.Tool(name, "A tool.", func(context.Context, none) (string, error) { return name, nil })))
	}
	return r
}

// A tenantServer serves the registry that the path names.
func tenantServer(t *testing.T, tenants map[string]kervan.Registry, opts ...transport.Option) *httpServer {
	t.Helper()
	return tenantApp(t, kervan.NewApp("test", "1"), tenants, opts...)
}

func tenantApp(t *testing.T, app *kervan.App, tenants map[string]kervan.Registry, opts ...transport.Option) *httpServer {
	t.Helper()
	h, err := transport.NewHandler(app, append(opts, transport.NoRateLimit(),
		transport.ResolveRegistry(func(_ context.Context, r *transport.Request) (kervan.Registry, error) {
			switch tenant := r.PathValue("tenant"); tenant {
			case "missing":
				return nil, transport.ErrNotFound
			case "wrapped":
				return nil, fmt.Errorf("tenant %s: %w", tenant, transport.ErrNotFound)
			case "typed-nil":
				return (*kervan.MemoryRegistry)(nil), nil
			case "other-nil":
				return (*embedding)(nil), nil
			case "forbidden":
				return nil, transport.ErrForbidden
			case "broken":
				return nil, errors.New("dial postgres://user:hunter2@db/tenants: refused")
			case "panic":
				panic("hunter2")
			default:
				return tenants[tenant], nil
			}
		}))...)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/s/{tenant}/mcp", h)
	return serveHandler(t, h, mux)
}

type embedding struct{ *kervan.MemoryRegistry }

func TestRule3_8_Refusals(t *testing.T) {
	var log syncBuffer
	app := kervan.NewApp("test", "1", kervan.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	s := tenantApp(t, app, nil)
	for _, body := range []string{ping, toolCall("x", "{}"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		for _, tenant := range []string{"missing", "wrapped", "nil", "typed-nil", "other-nil"} {
			r := s.do(body, path("/s/"+tenant+"/mcp"), set("X-Tenant", "secret"))
			assert.Equal(t, "Not Found: there is no MCP server at this address", refused(t, r, 404, -32600), tenant)
		}
		assert.Equal(t, "Forbidden", refused(t, s.do(body, path("/s/forbidden/mcp"), set("X-Tenant", "secret")), 403, -32600))
		for _, tenant := range []string{"broken", "panic"} {
			message := refused(t, s.do(body, path("/s/"+tenant+"/mcp")), 500, -32603)
			ref := regexp.MustCompile(`^Internal error \(ref: ([0-9a-f]{8})\)$`).FindStringSubmatch(message)
			require.NotNil(t, ref, message)
			assert.Contains(t, log.String(), "ref="+ref[1])
		}
	}
	assert.Contains(t, log.String(), "hunter2")
}

func TestRule3_8_TenantsSeeTheirOwn(t *testing.T) {
	a, b := registryWith(t, "alpha", "shared"), registryWith(t, "beta", "shared")
	s := tenantServer(t, map[string]kervan.Registry{"a": a, "b": b})
	eachEra(t, func(t *testing.T, era string) {
		call := func(tenant, tool string) reply { return s.call(era, tool, "{}", path("/s/"+tenant+"/mcp")) }
		assert.Contains(t, call("a", "alpha").body, `"text":"alpha"`)
		assert.Contains(t, call("b", "beta").body, `"text":"beta"`)
		r := call("a", "beta")
		_, message := errorOf(t, r)
		assert.Contains(t, message, "beta")
		assert.NotContains(t, r.body, `"shared"`)
		r = s.do(rpc("1", "tools/list", "{}"), path("/s/a/mcp"))
		assert.Contains(t, r.body, "alpha")
		assert.NotContains(t, r.body, "beta")
	})
	t.Run("concurrently", func(t *testing.T) {
		var group sync.WaitGroup
		for range 20 {
			for _, tenant := range []struct{ name, tool string }{{"a", "alpha"}, {"b", "beta"}} {
				group.Go(func() {
					assert.Contains(t, s.call(modern, tenant.tool, "{}", path("/s/"+tenant.name+"/mcp")).body, `"text":"`+tenant.tool+`"`)
				})
			}
		}
		group.Wait()
	})
}

func TestRule3_8_ChangesReachOneTenantOnly(t *testing.T) {
	a, b := registryWith(t, "alpha"), registryWith(t, "beta")
	s := tenantServer(t, map[string]kervan.Registry{"a": a, "b": b})
	toA, toB := s.listen(path("/s/a/mcp")), s.listen(path("/s/b/mcp"))
	require.NoError(t, a.Add(kervan.Tool("more", "A tool.", func(context.Context, none) (string, error) { return "", nil })))
	assert.Contains(t, toA.next(), "notifications/tools/list_changed")
	toA.silent(100 * time.Millisecond)
	toB.silent(100 * time.Millisecond)
}

func TestRule3_8_PromptsAndResources(t *testing.T) {
	app := func() *kervan.App {
		app := kervan.NewApp("test", "1")
		app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		return app
	}
	tenants := map[string]kervan.Registry{"a": registryWith(t, "alpha")}
	list := func(s *httpServer) string { return s.do(rpc("1", "prompts/list", "{}"), path("/s/a/mcp")).body }
	assert.NotContains(t, list(tenantApp(t, app(), tenants)), "greet")
	assert.Contains(t, list(tenantApp(t, app(), tenants, transport.SharePromptsAndResources())), "greet")
}

func TestRule3_8_ResolverSeesTheCaller(t *testing.T) {
	type seen struct {
		auth  *auth.TokenInfo
		agent string
	}
	var got seen
	who := &auth.TokenInfo{UserID: "ada"}
	registry := registryWith(t, "alpha")
	h, err := transport.NewHandler(kervan.NewApp("test", "1"),
		transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) { return who, nil }),
		transport.ResolveRegistry(func(ctx context.Context, r *transport.Request) (kervan.Registry, error) {
			assert.NotNil(t, ctx)
			got = seen{r.Auth, r.HTTP.Header.Get("X-Agent")}
			return registry, nil
		}))
	require.NoError(t, err)
	assert.Equal(t, 200, record(t, h, ping, set("X-Agent", "x")).status)
	assert.Equal(t, seen{who, "x"}, got)
}

// TestRule3_8_OneSubscription counts who follows a registry.
func TestRule3_8_OneSubscription(t *testing.T) {
	r := &counting{MemoryRegistry: registryWith(t, "alpha")}
	s := tenantServer(t, map[string]kervan.Registry{"a": r})
	for range 3 {
		s.call(legacy, "alpha", "{}", path("/s/a/mcp"))
		s.call(modern, "alpha", "{}", path("/s/a/mcp"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.Equal(t, 1, r.subscribed)
}

type counting struct {
	*kervan.MemoryRegistry
	mu         sync.Mutex
	subscribed int
}

func (c *counting) Subscribe(changed func()) func() {
	c.mu.Lock()
	c.subscribed++
	c.mu.Unlock()
	return c.MemoryRegistry.Subscribe(changed)
}

// A syncBuffer is a buffer for a logger.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
