package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/forecast"
	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A program serves tools over stdio.
type program struct {
	name    string
	tools   int
	command []string
}

// A sample is one start.
type sample struct {
	wall time.Duration // until the tools are listed
	cpu  time.Duration // of the process until its end, a moment later
}

// startTime bounds a start.
const startTime = time.Minute

// start starts the program, lists its tools as a client of an era does, and ends
// it. A list that is not whole is an error.
func (p program) start(ctx context.Context, e work.Era) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	command := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	command.Env = append(os.Environ(), forecast.Environment("https://forecast.example", "")...)
	command.Env = append(command.Env, "NODE_ENV=production")
	var messages bytes.Buffer
	command.Stderr = &messages
	stdin, err := command.StdinPipe()
	if err != nil {
		return sample{}, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return sample{}, err
	}
	answer, err := list(e, stdin, bufio.NewReader(stdout))
	wall := time.Since(began)
	_ = stdin.Close()
	if waitErr := command.Wait(); err == nil {
		err = waitErr
	}
	if err == nil {
		err = p.check(answer)
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", p.name, err, messages.Bytes())
	}
	return sample{wall, command.ProcessState.UserTime() + command.ProcessState.SystemTime()}, nil
}

// list returns the answer to tools/list.
func list(e work.Era, w io.Writer, r *bufio.Reader) ([]byte, error) {
	if e == work.Legacy {
		if _, err := exchange(w, r, work.InitializeRequest()); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, work.Initialized+"\n"); err != nil {
			return nil, err
		}
	}
	return exchange(w, r, work.ListRequest(e, ""))
}

// exchange sends a request and returns the line of its answer.
func exchange(w io.Writer, r *bufio.Reader, request []byte) ([]byte, error) {
	if _, err := w.Write(append(request, '\n')); err != nil {
		return nil, err
	}
	id := fmt.Appendf(nil, `"id":%d`, work.FirstID)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil || bytes.Contains(line, id) {
			return line, err
		}
	}
}

// check sees that a list is whole.
func (p program) check(answer []byte) error {
	raw, err := work.ResultOf(answer)
	if err != nil {
		return err
	}
	var result struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	if len(result.Tools) != p.tools {
		return fmt.Errorf("%d tools are listed, not %d", len(result.Tools), p.tools)
	}
	for i, tool := range result.Tools {
		if tool.Name != forecast.NameOf(i) || len(tool.InputSchema.Properties) != 2 {
			return fmt.Errorf("tool %d is not whole: %+v", i, tool)
		}
	}
	return nil
}
