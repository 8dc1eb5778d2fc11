package bench

import (
	"bufio"
	"context"
	"errors"
	"io"

	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	serverName    = "bench"
	serverVersion = "1.0.0"
)

// serveFunc serves one client until its input ends.
type serveFunc func(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error

// A peer is a library that servers can be built with.
type peer struct {
	name  string
	start func(tools []work.Tool) (serveFunc, error)
}

// The peers; all of them serve both eras.
var (
	kervanPeer = peer{"kervan", startKervan}
	goSDKPeer  = peer{"go-sdk", startGoSDK}
	mcpGoPeer  = peer{"mcp-go", startMCPGo()}
	// mcpGoBothPeer also validates results, as the first two do by default.
	mcpGoBothPeer = peer{"mcp-go-both", startMCPGo(mcpgoserver.WithOutputSchemaValidation())}
)

// startKervan builds an app with the default options: arguments and results are
// validated.
func startKervan(tools []work.Tool) (serveFunc, error) {
	app := kervan.NewApp(serverName, serverVersion)
	defs := make([]*kervan.ToolDef, len(tools))
	for i, t := range tools {
		defs[i] = t.Kervan()
	}
	app.Add(defs...)
	return func(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
		return transport.ServeStdio(ctx, app, transport.WithIO(r, w))
	}, app.Err()
}

// startGoSDK builds a server with the SDK's typed tools: arguments and results
// are validated.
func startGoSDK(tools []work.Tool) (serveFunc, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: serverName, Version: serverVersion}, nil)
	for _, t := range tools {
		t.GoSDK(server)
	}
	return func(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
		return server.Run(ctx, &mcp.IOTransport{Reader: r, Writer: w})
	}, nil
}

// startMCPGo builds servers with typed tools whose arguments are validated. A
// server accepts the library's only stdio session once, so each client gets a
// server of its own.
func startMCPGo(more ...mcpgoserver.ServerOption) func([]work.Tool) (serveFunc, error) {
	return func(tools []work.Tool) (serveFunc, error) {
		registered := make([]mcpgoserver.ServerTool, len(tools))
		for i, t := range tools {
			registered[i] = t.MCPGo()
		}
		options := append(more, mcpgoserver.WithToolCapabilities(true), mcpgoserver.WithInputSchemaValidation())
		return func(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
			server := mcpgoserver.NewMCPServer(serverName, serverVersion, options...)
			server.AddTools(registered...)
			return mcpgoserver.NewStdioServer(server).Listen(ctx, r, w)
		}, nil
	}
}

// replay is the floor: it reads a line and writes the next one of the recorded
// answers, over and over. What it costs is what the harness costs.
func replay(answers [][]byte) serveFunc {
	return func(_ context.Context, r io.ReadCloser, w io.WriteCloser) error {
		lines := bufio.NewReader(r)
		for i := 0; ; i++ {
			if err := skipLine(lines); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if _, err := w.Write(answers[i%len(answers)]); err != nil {
				return err
			}
		}
	}
}

// skipLine reads to the end of a line of any length and keeps none of it.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
