// Worldclock is an MCP server on the IANA time zone database that Go embeds:
// it searches zones, converts times between them, and knows when clocks are
// moved next. A tool without code, from kervan.yaml, asks an HTTP API for
// sunrise and sunset; the program serves that API itself, on a free port of the
// loopback interface. It needs no other network.
//
// Without arguments it connects the official client to itself, in both eras of
// the protocol, and prints what each side sees:
//
//	go run ./examples/quickstart
//
// With --stdio it serves the client that starts it:
//
//	go run ./examples/quickstart --stdio
//
// With --http it serves any number of clients, at http://127.0.0.1:3000/mcp
// unless --host, --port and --path say otherwise.
//
// The server itself is newApp, in tools.go, and addSun, in api.go. The demo is
// no part of it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/kervan-mcp/kervan/transport"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "worldclock: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return demo(ctx, newPrinter(out))
	}
	flags := flag.NewFlagSet("worldclock", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error, in one line
	how := transport.BindFlags(flags)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return usage(flags, out)
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (no arguments run the demo, --stdio and --http serve)", flags.Arg(0))
	}
	app := newApp(time.Now)
	stop, err := addSun(ctx, app)
	if err != nil {
		return err
	}
	defer stop()
	return transport.Serve(ctx, app, how, transport.OnListen(announce))
}

// announce tells the person who started an HTTP server where it is.
func announce(addr net.Addr) {
	fmt.Fprintf(os.Stderr, "worldclock: serving on %v; Ctrl-C stops\n", addr)
}

func usage(flags *flag.FlagSet, out io.Writer) error {
	_, err := fmt.Fprintln(out, "Usage: worldclock [flags]. Without flags it shows a demo.")
	flags.SetOutput(out)
	flags.PrintDefaults()
	return err
}
