package kervan_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kervan-mcp/kervan"
)

type divideIn struct {
	A float64 `json:"a" jsonschema_description:"The dividend"`
	B float64 `json:"b" jsonschema_description:"The divisor, not zero"`
}

type quotient struct {
	Quotient float64 `json:"quotient"`
}

func divide(_ context.Context, in divideIn) (quotient, error) {
	if in.B == 0 {
		return quotient{}, kervan.ToolErrorf("b is zero; give a divisor that is not")
	}
	return quotient{in.A / in.B}, nil
}

// A handler is a plain function, so it can be called as one.
func ExampleTool() {
	app := kervan.NewApp("calculator", "0.1.0")
	app.Add(kervan.Tool("divide", "Divides a by b.", divide).ReadOnly())
	fmt.Println(app.Err())
	fmt.Println(divide(context.Background(), divideIn{A: 6, B: 4}))
	// Output:
	// <nil>
	// {1.5} <nil>
}

// A mistake is collected, and says what to do.
func ExampleApp_Err() {
	app := kervan.NewApp("calculator", "0.1.0")
	app.Add(
		kervan.Tool("divide by", "Divides a by b.", divide),
		kervan.Tool("divide", "", divide),
	)
	fmt.Println(app.Err())
	fmt.Println(errors.Is(app.Err(), &kervan.DefinitionError{Code: kervan.InvalidToolName}))
	// Output:
	// [INVALID_TOOL_NAME] tool "divide by": the name is not allowed; use 1 to 128 of A-Z a-z 0-9 _ - . and nothing else
	// [MISSING_DESCRIPTION] tool "divide": the description is blank; say in a sentence what the tool does; it is what a model chooses by
	// true
}

// Only the message of a ToolError is shown, whatever it was printed with or
// wrapped in.
func ExampleToolErrorf() {
	cause := errors.New("dial tcp 10.0.0.5: password=hunter2")
	err := kervan.ToolErrorf("no weather for %q: %v", "Izmir", cause).WithCause(cause)
	fmt.Println(err)
	fmt.Println(errors.Is(err, cause))
	// Output:
	// no weather for "Izmir": internal error
	// true
}

// Middleware wraps every call of an app, or those of one tool.
func ExampleMiddleware() {
	logged := func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			call.Logger().Info("begins")
			return next(ctx, call)
		}
	}
	app := kervan.NewApp("calculator", "0.1.0")
	app.Use(logged)
	app.Add(kervan.Tool("divide", "Divides a by b.", divide).Use(logged))
	fmt.Println(app.Err())
	// Output: <nil>
}

// Tools may change at run time; a batch is one change.
func ExampleMemoryRegistry_Update() {
	var registry kervan.MemoryRegistry
	err := registry.Update(func(draft *kervan.MemoryRegistry) error {
		if err := draft.Add(kervan.Tool("divide", "Divides a by b.", divide)); err != nil {
			return err
		}
		draft.Remove("multiply")
		return nil
	})
	for _, tool := range registry.Tools() {
		fmt.Println(tool.Info().Name, err)
	}
	// Output: divide <nil>
}
