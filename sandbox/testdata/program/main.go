// Command program evaluates an expression, after it did to its own file what its
// argument says.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/kervan-mcp/kervan/sandbox"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "delete":
		err = os.Remove(self)
	case len(args) == 2 && args[0] == "replace":
		err = os.Rename(args[1], self)
	}
	if err != nil {
		return err
	}
	pool := sandbox.New(sandbox.Options{})
	defer func() { _ = pool.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := pool.Select(ctx, "{b: b, a: a}", []byte(`{"a": 12345678901234567890, "b": null}`))
	fmt.Println(string(out))
	return err
}
