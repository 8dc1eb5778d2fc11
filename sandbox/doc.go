// Package sandbox evaluates JMESPath expressions, the `select` of a tool, in
// separate processes that are locked down. An expression that runs away is ended
// with its process, and fails its own call only.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"time"
//
//		"github.com/kervan-mcp/kervan/sandbox"
//	)
//
//	func main() {
//		pool := sandbox.New(sandbox.Options{})
//		defer pool.Close()
//
//		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
//		defer cancel()
//		names, err := pool.Select(ctx, "items[*].name", []byte(`{"items": [{"name": "a"}, {"name": "b"}]}`))
//		fmt.Println(string(names), err) // ["a","b"] <nil>
//	}
//
// # How it works
//
// A select process is the running program started once more, under a program
// name that the init function of this package recognises, so it never reaches
// main. It works for programs made by go run, go test, go build and go install,
// and on Linux also when the file of the program was deleted or replaced. It
// gets no environment, no arguments, no descriptors but its two pipes, and sees
// nothing but expressions and the data they are evaluated on.
//
// On Linux (amd64, arm64) a system call filter leaves it memory, its threads, its
// pipes and its clock: no network, no files, no other processes. On macOS it runs
// under a sandbox-exec profile, and on Windows in a job object, which does not keep
// it from files and the network; neither was tested. Memory and time of a call are
// bounded everywhere. [Pool.Report] says which layers are in force. Where the system
// refuses one of them, and on other systems and processors, no expression is
// evaluated unless [Options.ProcessOnly] accepts that.
//
// # Packages whose initialisation needs the environment
//
// Go initialises the packages of a program in an order of its own, and some come
// before this one in a select process as well. If one of them fails without the
// environment, say by
//
//	var url = mustEnv("DATABASE_URL")
//
// then no select process starts, and the error of the call shows why. The cure is
// a blank import in that package, which makes the sandbox come first:
//
//	import _ "github.com/kervan-mcp/kervan/sandbox"
package sandbox
