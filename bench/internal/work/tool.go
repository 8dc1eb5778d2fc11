// Package work is what the servers of the benchmarks are given to do: tools as
// Go functions, requests in both eras of the protocol, and checks of the answers.
// All peers get the same of each.
package work

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// A Tool is one Go function with one name and one description, ready to be
// registered with each peer the way the peer's users do it.
type Tool struct {
	Name, Description string

	Kervan   func() *kervan.ToolDef
	GoSDK    func(*mcp.Server) // the SDK's typed tool
	GoSDKLow func(*mcp.Server) // its low-level tool, which validates nothing
	MCPGo    func() mcpgoserver.ServerTool

	// Direct calls the function without any server.
	Direct func(arguments []byte) (any, error)
	// Answer decodes a whole tools/call and returns its id and the result of the
	// function, and checks nothing.
	Answer func(request []byte) (id json.RawMessage, out any, err error)
}

// typed makes a tool. In and Out carry json tags only: the peers read different
// tags for constraints, so what all of them can check alike is types, required
// members and unknown members.
func typed[In, Out any](name, description string, f func(context.Context, In) (Out, error)) Tool {
	return Tool{
		Name:        name,
		Description: description,
		Kervan:      func() *kervan.ToolDef { return kervan.Tool(name, description, f) },
		GoSDK: func(s *mcp.Server) {
			handler := func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
				out, err := f(ctx, in)
				return nil, out, err
			}
			mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, handler)
		},
		GoSDKLow: func(s *mcp.Server) {
			tool := &mcp.Tool{Name: name, Description: description, InputSchema: schemaOf[In](), OutputSchema: schemaOf[Out]()}
			s.AddTool(tool, lowLevel(f))
		},
		MCPGo: func() mcpgoserver.ServerTool {
			handler := func(ctx context.Context, _ mcpgo.CallToolRequest, in In) (Out, error) {
				return f(ctx, in)
			}
			return mcpgoserver.ServerTool{
				Tool: mcpgo.NewTool(name, mcpgo.WithDescription(description),
					mcpgo.WithInputSchema[In](), mcpgo.WithOutputSchema[Out]()),
				Handler: mcpgo.NewStructuredToolHandler(handler),
			}
		},
		Direct: func(arguments []byte) (any, error) {
			var in In
			if err := json.Unmarshal(arguments, &in); err != nil {
				return nil, err
			}
			return f(context.Background(), in)
		},
		Answer: func(request []byte) (json.RawMessage, any, error) {
			var call struct {
				ID     json.RawMessage `json:"id"`
				Params struct {
					Arguments In `json:"arguments"`
				} `json:"params"`
			}
			if err := json.Unmarshal(request, &call); err != nil {
				return call.ID, nil, err
			}
			out, err := f(context.Background(), call.Params.Arguments)
			return call.ID, out, err
		},
	}
}

// lowLevel is a handler for the SDK's low-level tools, as one writes it by hand.
func lowLevel[In, Out any](f func(context.Context, In) (Out, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in In
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
			StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// schemaOf returns the schema that the SDK makes of a type, encoded once.
func schemaOf[T any]() json.RawMessage {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // the types are those of this package
	}
	encoded, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return encoded
}

// Named returns n tools with the types of add.
func Named(n int) []Tool {
	tools := make([]Tool, n)
	for i := range tools {
		tools[i] = typed(fmt.Sprintf("add_%04d", i), fmt.Sprintf("Adds two numbers for account %d.", i), add)
	}
	return tools
}
