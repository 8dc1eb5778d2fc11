// Command startbench measures how long `kervan run` takes, over stdio, from the
// start of its process until the tools are listed, side by side with a server that
// is built with the TypeScript SDK. README.md of this module tells how to read what
// it prints.
//
//	cd bench
//	go run ./cmd/startbench -rounds 15
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/work"
	"github.com/kervan-mcp/kervan/bench/typescript"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "startbench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("startbench", flag.ContinueOnError)
	rounds := set.Int("rounds", 15, "`number` of rounds")
	kervan := set.String("kervan", "", "`program` built of Kervan's cmd/kervan (default: build it)")
	cache := set.String("cache", "", "`folder` for what npm installs (default: kervan-bench in the user's cache folder)")
	if err := set.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || set.NArg() > 0 {
		return errors.New("rounds must be positive, and there are no arguments")
	}
	scratch, err := os.MkdirTemp("", "startbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if *kervan == "" {
		if *kervan, err = build(ctx, scratch); err != nil {
			return err
		}
	}
	programs, err := kervanPrograms(*kervan, scratch)
	if err != nil {
		return err
	}
	folder, err := typescript.Install(ctx, *cache)
	if err == nil {
		script := filepath.Join(folder, typescript.StdioServer)
		programs = append(programs, program{"typescript, 1 tool", 1, []string{"node", script}})
	} else {
		fmt.Fprintln(os.Stderr, "startbench: leaving the TypeScript SDK out:", err)
	}
	for _, e := range work.Eras {
		rows, err := measure(ctx, e, programs, *rounds)
		if err != nil {
			return err
		}
		printTable(os.Stdout, e, rows)
	}
	return nil
}

// build builds Kervan in its own module, whose dependencies this one has not all.
func build(ctx context.Context, scratch string) (string, error) {
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kervan-mcp/kervan").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	file := filepath.Join(scratch, "kervan")
	command := exec.CommandContext(ctx, "go", "build", "-o", file, "./cmd/kervan")
	command.Dir = strings.TrimSpace(string(dir))
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return file, nil
}

// kervanPrograms returns the runner with one tool, which the others are compared
// with, and with as many as a file may have.
func kervanPrograms(kervan, scratch string) ([]program, error) {
	var programs []program
	for _, n := range []int{1, 200} {
		file := filepath.Join(scratch, fmt.Sprintf("kervan-%d.yaml", n))
		if err := os.WriteFile(file, forecast.Many(n), 0o644); err != nil {
			return nil, err
		}
		title := fmt.Sprintf("kervan run, %d tools", n)
		if n == 1 {
			title = "kervan run, 1 tool"
		}
		programs = append(programs, program{title, n, []string{kervan, "run", file}})
	}
	return programs, nil
}
