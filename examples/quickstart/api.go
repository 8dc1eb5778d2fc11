package main

import (
	"bytes"
	"context"
	_ "embed"
	"net"
	"net/http"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/spec"
)

// sunFile describes the API of sun.go.
//
//go:embed kervan.yaml
var sunFile []byte

// addSun serves the sun API on a free port of the loopback interface, and adds
// the tools of kervan.yaml to app, until stop is called.
func addSun(ctx context.Context, app *kervan.App) (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	api := &http.Server{Handler: sunAPI(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = api.Serve(listener) }() // until Close
	address := listener.Addr().String()
	tools, err := spec.Load(ctx, bytes.ReplaceAll(sunFile, []byte("127.0.0.1:8099"), []byte(address)), spec.Options{
		Name: "kervan.yaml",
		// Tools reach public addresses only, unless the program says otherwise.
		Network: guard.Policy{Allow: []string{"127.0.0.1"}},
	})
	if err != nil {
		api.Close()
		return nil, err
	}
	app.Add(tools.Tools()...)
	return func() { tools.Close(); api.Close() }, nil
}
