// Package kervan gives AI clients tools written in Go, over MCP (the Model
// Context Protocol).
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
//	type AddIn struct {
//		A float64 `json:"a" jsonschema_description:"First number"`
//		B float64 `json:"b" jsonschema:"default=1"`
//	}
//
//	type Sum struct {
//		Sum float64 `json:"sum"`
//	}
//
//	func add(ctx context.Context, in AddIn) (Sum, error) {
//		return Sum{in.A + in.B}, nil
//	}
//
//	func main() {
//		app := kervan.NewApp("calculator", "0.1.0")
//		app.Add(kervan.Tool("add", "Adds two numbers.", add).ReadOnly())
//		if err := transport.Serve(context.Background(), app); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # What happens in a call
//
// The arguments are read once, strictly and exactly: duplicate keys are
// refused, numbers keep their digits. Defaults are filled in, and the JSON
// Schema that was made from the handler's argument type is checked; every
// violation is reported at once, in words that a model can act on. Then the
// app's middleware, the tool's middleware and the handler run, under one
// deadline. The result is encoded once and checked against the output schema.
//
// # Errors
//
// Only the text of a [ToolError] reaches a client. Any other error, and a
// panic, is logged with a reference of eight hex digits, and the client sees
// only the reference. A mistake in a definition is a [DefinitionError], found
// when the tool is registered and returned when the app is served.
//
// # Changing tools
//
// Tools may be added, replaced and removed while clients are connected, by
// the methods of [App] or of a [MemoryRegistry]. Clients of both protocol
// eras are told, once for a burst of changes, and only if their list differs.
//
// # Testing
//
// Package kerventest connects the official client to an App in a test, in
// either era.
package kervan
