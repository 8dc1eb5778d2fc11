// Tenants serves two customers from one process. An API key says who calls;
// each tenant has tools of its own, and installs more while clients are
// connected, unseen by the other.
//
//	go run ./examples/tenants
//
//	claude mcp add --transport http notes http://127.0.0.1:3000/mcp --header "X-API-Key: acme-demo-key-0001"
package main

import (
	"context"
	"log"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// apiKeys are for the demo; real ones are random, and no part of the source.
var apiKeys = map[string]*auth.TokenInfo{
	"acme-demo-key-0001":   {UserID: "ada@acme.example", Extra: map[string]any{"tenant": "acme"}},
	"globex-demo-key-0001": {UserID: "ben@globex.example", Extra: map[string]any{"tenant": "globex"}},
	"nobody-demo-key-0001": {UserID: "eve@nowhere.example"},
}

func main() {
	app, options, err := newServer()
	if err == nil {
		err = transport.Serve(context.Background(), app, append(options, transport.HTTP())...)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func newServer() (*kervan.App, []transport.Option, error) {
	tenants, err := newTenants("acme", "globex")
	if err != nil {
		return nil, nil, err
	}
	options := []transport.Option{
		transport.APIKeys("X-API-Key", apiKeys),
		transport.ResolveRegistry(tenants.resolve),
		transport.RateLimitKey(tenantKey),
	}
	return kervan.NewApp("notes", "1.0.0"), options, nil
}

// tenantKey makes all users of a tenant share one rate limit.
func tenantKey(_ *http.Request, info *auth.TokenInfo) string { return tenantOf(info) }

func tenantOf(info *auth.TokenInfo) string {
	if info == nil {
		return ""
	}
	name, _ := info.Extra["tenant"].(string)
	return name
}
