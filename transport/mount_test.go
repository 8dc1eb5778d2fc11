package transport_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/transport"
)

func TestMounted(t *testing.T) {
	bare, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	pathed, err := transport.NewHandler(newToolbox().App, transport.Path("/mcp"))
	require.NoError(t, err)
	mux := func(pattern string, h http.Handler) http.Handler {
		m := http.NewServeMux()
		m.Handle(pattern, h)
		return m
	}
	for _, tt := range []struct {
		name    string
		h       http.Handler
		path    string
		status  int
		byMuxes bool // the refusal is the router's
	}{
		{"bare anywhere", bare, "/any/where", 200, false},
		{"bare in a mux", mux("/api/mcp", bare), "/api/mcp", 200, false},
		{"bare in a mux with a method", mux("POST /api/mcp", bare), "/api/mcp", 200, false},
		{"bare below a path", mux("/api/", bare), "/api/mcp/", 200, false},
		{"bare with path values", mux("/s/{id}/mcp", bare), "/s/7/mcp", 200, false},
		{"outside of the mux's pattern", mux("/api/mcp", bare), "/other", 404, true},
		{"stripped", mux("/api/", http.StripPrefix("/api", pathed)), "/api/mcp", 200, false},
		{"stripped, final slash", mux("/api/", http.StripPrefix("/api", pathed)), "/api/mcp/", 200, false},
		{"stripped, other path", mux("/api/", http.StripPrefix("/api", pathed)), "/api/other", 404, false},
		{"stripped to nothing", mux("/mcp", http.StripPrefix("/mcp", bare)), "/mcp", 200, false},
		{"path in a mux", mux("/mcp", pathed), "/mcp", 200, false},
		{"path below a mux's", mux("/api/", pathed), "/api/mcp", 404, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := record(t, tt.h, ping, path(tt.path))
			if tt.status == 200 || tt.byMuxes {
				assert.Equal(t, tt.status, r.status, r.body)
			} else {
				refused(t, r, tt.status, -32600)
			}
		})
	}
}

// wrapped is a ResponseWriter as routers and loggers make them.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestMountedBehindMiddleware(t *testing.T) {
	box := newToolbox()
	h, err := transport.NewHandler(box.App)
	require.NoError(t, err)
	s := serveHandler(t, h, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) }))
	r := s.do(rpc("1", "tools/call", `{"name":"steps","_meta":{"progressToken":1}}`))
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	assert.Contains(t, r.body, "done")
}

func TestOneAppInTwoHandlers(t *testing.T) {
	box := newToolbox()
	one, err := transport.NewHandler(box.App)
	require.NoError(t, err)
	two, err := transport.NewHandler(box.App, transport.WithSessions(transport.SessionOptions{}))
	require.NoError(t, err)
	require.NoError(t, one.Shutdown(t.Context()))
	refused(t, record(t, one, ping), 503, -32000)
	assert.Equal(t, 200, record(t, two, ping).status)
}
