// Command httpserver serves the tools of the benchmarks over HTTP on loopback,
// with the library that -kind names, or the API that some of the tools call. It
// prints the URL that it serves on one line and ends with its standard input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/servers"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/transport"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "httpserver:", err)
		os.Exit(1)
	}
}

func run() error {
	kind := flag.String("kind", servers.Kervan, "library: kervan, yaml, gosdk, gosdk-typed, mcp-go, mcp-go-both or echo")
	set := flag.String("tools", "call", "`set` of tools: call (add and order), add, add-of-N, a number of tools that are only listed, or forecast (kervan and yaml)")
	profile := flag.String("cpuprofile", "", "write a CPU profile to `file`")
	api := flag.String("api", "", "serve no tools but the API of the set forecast, and write the certificate of its authority to `file`")
	flag.Parse()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // the benchmark holds the other end of the pipe
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if *api != "" {
		return forecast.Serve(ctx, *api, func(url string) { fmt.Println(url) })
	}
	return serveSet(ctx, *kind, *set)
}

func serveSet(ctx context.Context, kind, set string) error {
	if set == forecast.Set {
		return serveForecast(ctx, kind)
	}
	tools, err := work.Set(set)
	if err != nil {
		return err
	}
	if kind != servers.Kervan {
		return serve(ctx, kind, tools)
	}
	app, err := servers.App(tools)
	if err != nil {
		return err
	}
	return serveKervan(ctx, app)
}

// serveKervan serves with Kervan's own HTTP server.
func serveKervan(ctx context.Context, app *kervan.App) error {
	options := append(servers.Options(), transport.Addr("127.0.0.1:0"), transport.Path("/mcp"), transport.OnListen(announce))
	return transport.ServeHTTP(ctx, app, options...)
}

// serve serves with a net/http server that is set up like Kervan's.
func serve(ctx context.Context, kind string, tools []work.Tool) error {
	handler, err := servers.New(kind, tools)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	announce(listener.Addr())
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func announce(addr net.Addr) { fmt.Printf("http://%s/mcp\n", addr) }
