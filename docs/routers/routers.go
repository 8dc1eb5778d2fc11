// Package routers holds the code of the page on routers (../routers.md), which
// its test compiles and runs. It is a module of its own, so that no router
// becomes a dependency of Kervan.
package routers

import (
	"context"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// newHandler serves one registry for each tenant in the path.
func newHandler(tenants map[string]*kervan.MemoryRegistry) (*transport.Handler, error) {
	app := kervan.NewApp("tenants", "1.0.0")
	return transport.NewHandler(app, transport.ResolveRegistry(
		func(_ context.Context, r *transport.Request) (kervan.Registry, error) {
			return tenants[r.PathValue("tenant")], nil // nil is answered with 404
		}))
}
