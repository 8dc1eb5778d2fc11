// Command conformance serves what the public MCP conformance suite asks of a
// server: its tools, prompts and resources, built with Kervan's public API.
//
//	go run ./internal/conformance --addr 127.0.0.1:0 [--sessions]
//
// It prints one line to stdout, such as "listening http://127.0.0.1:40123/mcp",
// and serves until SIGINT or SIGTERM. The scripts .ci/conformance and
// .ci/clients run the suite and clients of others against it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/kervan-mcp/kervan/transport"
)

// endpoint is the path that the server is reached at.
const endpoint = "/mcp"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "`host:port` to listen on; port 0 takes a free one")
	sessions := flags.Bool("sessions", false, "keep sessions for clients older than 2026-07-28")
	if err := flags.Parse(args); err != nil {
		return err
	}
	opts := []transport.Option{
		transport.HTTP(), transport.Addr(*addr), transport.Path(endpoint),
		transport.NoRateLimit(), // the suite sends hundreds of requests in seconds
		transport.OnListen(func(a net.Addr) { fmt.Fprintf(out, "listening http://%s%s\n", a, endpoint) }),
	}
	if *sessions {
		opts = append(opts, transport.WithSessions(transport.SessionOptions{}))
	}
	return transport.Serve(ctx, newApp(), opts...)
}
