// Calculator is the smallest complete MCP server. Run it with
//
//	go run ./examples/calculator
package main

import (
	"context"
	"log"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

type operands struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func add(_ context.Context, in operands) (float64, error) { return in.A + in.B, nil }

func divide(_ context.Context, in operands) (float64, error) {
	if in.B == 0 {
		return 0, kervan.ToolErrorf("b is zero; divide by another number")
	}
	return in.A / in.B, nil
}

func newApp() *kervan.App {
	app := kervan.NewApp("calculator", "0.1.0")
	app.Add(kervan.Tool("add", "Adds two numbers.", add), kervan.Tool("divide", "Divides a by b.", divide))
	return app
}

func main() {
	if err := transport.Serve(context.Background(), newApp()); err != nil {
		log.Fatal(err)
	}
}
