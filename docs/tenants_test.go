package docs

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// registries holds one registry for each tenant that was asked for.
type registries struct {
	mu    sync.Mutex
	known map[string]*kervan.MemoryRegistry
}

func (r *registries) of(tenant string) (*kervan.MemoryRegistry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if registry, ok := r.known[tenant]; ok {
		return registry, nil
	}
	registry := new(kervan.MemoryRegistry)
	if err := registry.Add(toolsOf(tenant)...); err != nil {
		return nil, err
	}
	r.known[tenant] = registry
	return registry, nil
}

func toolsOf(tenant string) []*kervan.ToolDef {
	return []*kervan.ToolDef{kervan.Tool("tenant", "Tells the tenant.", func(context.Context, kervan.None) (string, error) {
		return "of " + tenant, nil
	})}
}

func tenantRoutes(app *kervan.App, registries *registries, members map[string]string) (http.Handler, error) {
	h, err := transport.NewHandler(app,
		transport.Authenticate(func(r *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: r.Header.Get("X-Verified-User")}, nil
		}),
		transport.ResolveRegistry(func(ctx context.Context, r *transport.Request) (kervan.Registry, error) {
			tenant := r.PathValue("tenant")
			if members[r.Auth.UserID] != tenant {
				return nil, transport.ErrNotFound // also when there is no such tenant
			}
			r.Name = tenant
			return registries.of(tenant)
		}),
	)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/t/{tenant}/mcp", h)
	return mux, nil
}

func TestTenantsPage(t *testing.T) {
	registries := &registries{known: map[string]*kervan.MemoryRegistry{}}
	h, err := tenantRoutes(kervan.NewApp("test", "1"), registries, map[string]string{"ada": "acme", "ben": "globex"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		user, tenant string
		status       int
		body         string
	}{
		{"ada", "acme", 200, "of acme"},
		{"ada", "acme", 200, "of acme"},
		{"ben", "globex", 200, "of globex"},
		{"ada", "globex", 404, "no MCP server"},
		{"ada", "initech", 404, "no MCP server"},
	} {
		routed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Path = "/t/" + tt.tenant + "/mcp"
			h.ServeHTTP(w, r)
		})
		status, body := callTool(routed, "tenant", "X-Verified-User", tt.user)
		if status != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%+v: %d %s", tt, status, body)
		}
	}
	if len(registries.known) != 2 {
		t.Error(registries.known)
	}
}

// callTool calls a tool with a header.
func callTool(h http.Handler, name, header, value string) (status int, body string) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(call))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(header, value)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data, _ := io.ReadAll(w.Result().Body)
	return w.Code, string(data)
}
