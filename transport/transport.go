// Package transport serves a [kervan.App] to MCP clients.
//
//	package main
//
//	import (
//		"context"
//		"log"
//
//		"github.com/kervan-mcp/kervan"
//		"github.com/kervan-mcp/kervan/transport"
//	)
//
//	func main() {
//		app := kervan.NewApp("calculator", "0.1.0")
//		// app.Add(…)
//		if err := transport.Serve(context.Background(), app); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// Over HTTP, [Serve] and [ServeHTTP] run a server of their own, and [NewHandler]
// makes an [http.Handler] to mount in one that there is. Both are safe without
// options: they serve the loopback interface to programs on this machine, and
// refuse web pages.
//
// While the process's own standard input and output are served, whatever else
// the process or its children print goes to standard error, so nothing can get
// into the protocol's stream.
package transport

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/kervan-mcp/kervan"
)

// Names of the transports, as KERVAN_TRANSPORT has them.
const (
	nameStdio = "stdio"
	nameHTTP  = "http"

	envTransport = "KERVAN_TRANSPORT"
)

// Serve serves app until the client is gone, ctx ends, or the process gets
// SIGINT or SIGTERM. The transport is the one of the options, else of the
// environment variable KERVAN_TRANSPORT (stdio or http), else stdio.
//
// At the end the running calls are answered first, see [WithDrain]; Serve then
// returns nil. A second signal has its usual effect, which ends the process.
// Errors are those of [ServeStdio] and [ServeHTTP]. Serve never exits the process, prints
// nothing to standard output, and reads no flags.
func Serve(ctx context.Context, app *kervan.App, opts ...Option) error {
	o, err := newOptions(opts)
	if err != nil {
		return err
	}
	transport, err := o.choose(os.Getenv(envTransport))
	if err != nil {
		return err
	}
	if !o.noSignals {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
	}
	if transport == nameHTTP {
		return serveHTTP(ctx, app, o)
	}
	return serveStdio(ctx, app, o)
}

// choose returns the transport to serve over.
func (o *options) choose(environment string) (string, error) {
	if o.flags != nil {
		if err := o.flags.apply(o); err != nil {
			return "", err
		}
	}
	switch {
	case o.transport != "":
		return o.transport, nil
	case environment == "":
		return nameStdio, nil
	case environment == nameStdio || environment == nameHTTP:
		return environment, nil
	}
	return "", badTransport(environment)
}
