// Command cured evaluates an expression, in a program that has a package whose
// initialisation needs the environment.
package main

import (
	"context"
	"fmt"

	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/sandbox/testdata/cured/config"
)

func main() {
	pool := sandbox.New(sandbox.Options{})
	defer func() { _ = pool.Close() }()
	out, err := pool.Select(context.Background(), "a", []byte(`{"a": 1}`))
	fmt.Println(config.URL, string(out), err)
}
