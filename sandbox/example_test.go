package sandbox_test

import (
	"context"
	"fmt"
	"time"

	"github.com/kervan-mcp/kervan/sandbox"
)

func Example() {
	pool := sandbox.New(sandbox.Options{})
	defer func() { _ = pool.Close() }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	names, err := pool.Select(ctx, "items[*].name", []byte(`{"items": [{"name": "a"}, {"name": "b"}]}`))
	fmt.Println(string(names), err)
	// Output: ["a","b"] <nil>
}

func ExampleCompile() {
	fmt.Println(sandbox.Compile("items[*].name"))
	fmt.Println(sandbox.Compile("items[*].nam("))
	// Output:
	// <nil>
	// the expression ends too early
}
