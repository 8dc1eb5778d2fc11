package kervan

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// A Result is the SDK's result of a call. A handler whose Out is *Result
// decides all of it; it is copied before it is sent, so one value may be
// returned by many calls.
type Result = mcp.CallToolResult

// None is the In of a tool without arguments and the Out of a tool that only
// succeeds or fails.
type None = struct{}

// A ToolDef defines a tool. [Tool] and [RawTool] make one; its methods change
// it and return it. It is not safe for concurrent use, and once it has been
// registered it may not be changed any more: Clone it instead.
type ToolDef struct {
	name, description, title string

	in, out      reflect.Type    // of a typed tool
	inputSchema  json.RawMessage // of a raw tool
	outputSchema json.RawMessage
	raw          bool

	decode  func(args []byte) (any, error) // nil for a raw tool
	handler Handler                        // nil if the definition had none

	timeout    *time.Duration
	middleware []Middleware
	scopes     []string
	hints      hints
	meta       map[string]any
	icons      []mcp.Icon

	inUse  atomic.Bool
	misuse error           // a change tried while in use and not yet reported
	report func(err error) // where an app wants to hear of it
}

// hints are the tool annotations; nil stays unset.
type hints struct {
	readOnly, destructive, idempotent, openWorld *bool
}

// Tool defines a tool with typed arguments and a typed result.
//
// In is a struct, or [None]; its fields become the input schema by their json,
// jsonschema and jsonschema_description tags. A field is required unless it is
// a pointer, has omitempty or omitzero, or a default; unknown members are
// refused. The handler gets exactly what was validated, with every digit.
//
// Out decides the result: a string becomes text, a *[Result] is sent as it
// is, [None] is an empty success, and anything else becomes structured
// content, with its output schema, and the same as compact JSON text. A list
// goes under "items" and a scalar under "value", since structured content is
// always an object.
//
// Mistakes in the definition are reported when it is registered.
func Tool[In, Out any](name, description string, handler func(context.Context, In) (Out, error)) *ToolDef {
	d := &ToolDef{
		name:        name,
		description: description,
		in:          reflect.TypeFor[In](),
		out:         reflect.TypeFor[Out](),
		decode: func(args []byte) (any, error) {
			in := new(In)
			return in, jsonx.Decode(args, in)
		},
	}
	if handler != nil {
		d.handler = func(ctx context.Context, call *Call) (*Result, error) {
			out, err := handler(ctx, *call.state.input.(*In))
			if err != nil {
				return nil, err
			}
			return resultOf(d.out, out)
		}
	}
	return d
}

// RawTool defines a tool by its JSON Schema. The handler gets the validated
// arguments from [Call.Arguments]. A nil schema admits no arguments. A result
// schema may be given with [ToolDef.OutputSchema].
func RawTool(name, description string, input json.RawMessage, handler Handler) *ToolDef {
	d := &ToolDef{name: name, description: description, inputSchema: slices.Clone(input), raw: true}
	if handler != nil {
		d.handler = func(ctx context.Context, call *Call) (*Result, error) {
			res, err := handler(ctx, call)
			if err != nil || res == nil {
				return nil, err
			}
			return copyResult(res), nil
		}
	}
	return d
}

// Schema marks text as a JSON Schema (2020-12) for [RawTool]. It is checked
// when the tool is registered.
func Schema(text string) json.RawMessage { return json.RawMessage(text) }

// change runs f on d unless d is registered.
func (d *ToolDef) change(method string, f func()) *ToolDef {
	if !d.inUse.Load() {
		f()
		return d
	}
	err := &DefinitionError{
		Code: DefinitionInUse, Tool: d.name,
		Message: fmt.Sprintf("%s was called after the tool was registered, and changed nothing", method),
		Hint:    "finish a definition before Add, or change a Clone and use ReplaceTool",
	}
	if d.report != nil {
		d.report(err)
	} else {
		d.misuse = err
	}
	return d
}

// takeMisuse returns a change that was tried while d was in use, once.
func (d *ToolDef) takeMisuse() error {
	err := d.misuse
	d.misuse = nil
	return err
}

// Title sets the name that clients show to people. Default: derived from the
// tool's name.
func (d *ToolDef) Title(title string) *ToolDef {
	return d.change("Title", func() { d.title = title })
}

// Timeout sets the deadline of a call, instead of the app's. It must be
// positive.
func (d *ToolDef) Timeout(timeout time.Duration) *ToolDef {
	return d.change("Timeout", func() { d.timeout = &timeout })
}

// Use adds middleware that runs inside the app's, the first outermost.
func (d *ToolDef) Use(middleware ...Middleware) *ToolDef {
	return d.change("Use", func() { d.middleware = append(d.middleware, middleware...) })
}

// Scopes sets the authorization scopes that a caller must have, all of them.
// A caller without is refused before the call; so is every caller of a
// transport that authenticates nobody, such as stdio.
func (d *ToolDef) Scopes(scopes ...string) *ToolDef {
	return d.change("Scopes", func() { d.scopes = append(d.scopes, scopes...) })
}

// ReadOnly hints that the tool changes nothing.
func (d *ToolDef) ReadOnly() *ToolDef {
	return d.change("ReadOnly", func() { d.hints.readOnly = new(true) })
}

// Destructive hints whether the tool may destroy something. Unset, clients
// assume that a tool that is not read-only may.
func (d *ToolDef) Destructive(yes bool) *ToolDef {
	return d.change("Destructive", func() { d.hints.destructive = new(yes) })
}

// Idempotent hints that calling again with the same arguments changes nothing
// more.
func (d *ToolDef) Idempotent() *ToolDef {
	return d.change("Idempotent", func() { d.hints.idempotent = new(true) })
}

// OpenWorld hints whether the tool reaches things outside the server, such as
// the web. Unset, clients assume that it does.
func (d *ToolDef) OpenWorld(yes bool) *ToolDef {
	return d.change("OpenWorld", func() { d.hints.openWorld = new(yes) })
}

// Meta adds a member to the _meta of the tool in lists. The value must
// marshal to JSON.
func (d *ToolDef) Meta(key string, value any) *ToolDef {
	return d.change("Meta", func() {
		if d.meta == nil {
			d.meta = map[string]any{}
		}
		d.meta[key] = value
	})
}

// Icons adds icons for clients to show.
func (d *ToolDef) Icons(icons ...mcp.Icon) *ToolDef {
	return d.change("Icons", func() { d.icons = append(d.icons, icons...) })
}

// OutputSchema declares the structured content of a raw tool, or replaces the
// schema of a typed one. Every success is validated against it.
func (d *ToolDef) OutputSchema(schema json.RawMessage) *ToolDef {
	return d.change("OutputSchema", func() { d.outputSchema = slices.Clone(schema) })
}

// Clone returns a copy that is not registered, to make a variant of.
func (d *ToolDef) Clone() *ToolDef {
	return &ToolDef{
		name: d.name, description: d.description, title: d.title,
		in: d.in, out: d.out, inputSchema: d.inputSchema, outputSchema: d.outputSchema, raw: d.raw,
		decode: d.decode, handler: d.handler, timeout: d.timeout,
		middleware: slices.Clone(d.middleware), scopes: slices.Clone(d.scopes),
		hints: d.hints, meta: maps.Clone(d.meta), icons: slices.Clone(d.icons),
	}
}

// Rename sets the name; with Clone it makes a second tool of one definition.
func (d *ToolDef) Rename(name string) *ToolDef {
	return d.change("Rename", func() { d.name = name })
}
