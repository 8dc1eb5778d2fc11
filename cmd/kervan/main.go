// Kervan serves the tools of a kervan.yaml to MCP clients.
//
//	kervan run kervan.yaml          # over stdio, to the client that starts it
//	kervan run kervan.yaml --http   # over HTTP, at http://127.0.0.1:3000/mcp
//
// kervan --help lists the commands, and kervan COMMAND --help their flags. It
// exits with 0 when all went well and with 1 after an error. Messages go to
// standard error; over stdio, standard output belongs to the protocol.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:])) }

// run is main with an exit code. The first SIGINT or SIGTERM ends ctx, and a
// second has its usual effect. That nobody reads standard error ends nothing.
func run(args []string) int {
	// net/http logs the beginning of what a server sends past the end of its
	// response, which nothing has redacted.
	log.SetOutput(io.Discard)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	return command(ctx, newProcess(os.Stdout, os.Stderr), args)
}
