// Package proc starts the programs that are measured, on a core of their own, and
// reads how much processor time they and their children have used. Reading it
// needs Linux.
package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A Process is a running server.
type Process struct {
	URL string // what it printed first

	command *exec.Cmd
	stdin   io.Closer
}

// startTime is how long a server may take until it listens.
const startTime = 2 * time.Minute

// Start runs a command on a core, or on any if it is negative, with more
// environment variables than this process has, and waits until it tells its URL.
// It must be stopped.
func Start(ctx context.Context, core int, environment []string, command ...string) (*Process, error) {
	if core >= 0 {
		command = append([]string{"taskset", "-c", strconv.Itoa(core)}, command...)
	}
	p := &Process{command: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.command.Stderr = os.Stderr
	p.command.Env = append(os.Environ(), environment...)
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	told := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		told <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	select {
	case p.URL = <-told:
	case <-time.After(startTime):
	case <-ctx.Done():
	}
	if p.URL == "" {
		p.Stop()
		return nil, fmt.Errorf("%s did not start", strings.Join(command, " "))
	}
	return p, nil
}

// Stop ends the server by ending its standard input, and by force if that does
// not help.
func (p *Process) Stop() {
	_ = p.stdin.Close()
	killer := time.AfterFunc(5*time.Second, func() { _ = p.command.Process.Kill() })
	defer killer.Stop()
	_ = p.command.Wait()
}

// Clock reads the clock of the server.
func (p *Process) Clock() (Clock, error) { return ReadClock(p.ID()) }

// ID is the server's process id.
func (p *Process) ID() int { return p.command.Process.Pid }
