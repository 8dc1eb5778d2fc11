// Package servers builds the servers that are compared over HTTP, each the way
// the users of its library do it for a stateless server.
package servers

import (
	"fmt"
	"net/http"

	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/transport"
)

// Kinds are what New can build.
const (
	Kervan     = "kervan"
	GoSDK      = "gosdk"       // low-level tools: nothing is validated
	GoSDKTyped = "gosdk-typed" // arguments and results are validated
	MCPGo      = "mcp-go"      // arguments are validated
	MCPGoBoth  = "mcp-go-both" // arguments and results are validated
	Echo       = "echo"        // net/http and encoding/json, nothing else
	YAML       = "yaml"        // tools of a kervan.yaml; only those of package forecast
)

const (
	name    = "bench"
	version = "1.0.0"
)

// New returns a server of a kind as a handler of any path.
func New(kind string, tools []work.Tool) (http.Handler, error) {
	switch kind {
	case Kervan:
		app, err := App(tools)
		if err != nil {
			return nil, err
		}
		return transport.NewHandler(app, Options()...)
	case GoSDK, GoSDKTyped:
		return goSDK(tools, kind == GoSDKTyped), nil
	case MCPGo:
		return mcpGo(tools), nil
	case MCPGoBoth:
		return mcpGo(tools, mcpgoserver.WithOutputSchemaValidation()), nil
	case Echo:
		return newEcho(tools)
	}
	return nil, fmt.Errorf("there is no server of kind %q", kind)
}

// App returns Kervan's app with the default options.
func App(tools []work.Tool) (*kervan.App, error) {
	app := kervan.NewApp(name, version)
	defs := make([]*kervan.ToolDef, len(tools))
	for i, t := range tools {
		defs[i] = t.Kervan()
	}
	app.Add(defs...)
	return app, app.Err()
}

// Options are Kervan's transport options: the defaults, but for a rate limit that
// counts every request and never refuses one.
func Options() []transport.Option {
	return []transport.Option{transport.RateLimit(1_000_000_000)}
}

func goSDK(tools []work.Tool, typed bool) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, nil)
	for _, t := range tools {
		if typed {
			t.GoSDK(server)
		} else {
			t.GoSDKLow(server)
		}
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func mcpGo(tools []work.Tool, more ...mcpgoserver.ServerOption) http.Handler {
	options := append(more, mcpgoserver.WithToolCapabilities(true), mcpgoserver.WithInputSchemaValidation())
	server := mcpgoserver.NewMCPServer(name, version, options...)
	registered := make([]mcpgoserver.ServerTool, len(tools))
	for i, t := range tools {
		registered[i] = t.MCPGo()
	}
	server.AddTools(registered...)
	return mcpgoserver.NewStreamableHTTPServer(server, mcpgoserver.WithStateLess(true))
}
