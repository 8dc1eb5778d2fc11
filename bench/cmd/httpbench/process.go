package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A process is a running server.
type process struct {
	command *exec.Cmd
	stdin   io.Closer
	url     string
}

// startTime is how long a server may take until it listens.
const startTime = 2 * time.Minute

// start runs a command on a core, or on any if it is negative, and waits until it
// tells its URL.
func start(ctx context.Context, core int, environment []string, command ...string) (*process, error) {
	if core >= 0 {
		command = append([]string{"taskset", "-c", strconv.Itoa(core)}, command...)
	}
	p := &process{command: exec.CommandContext(ctx, command[0], command[1:]...)}
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
	case p.url = <-told:
	case <-time.After(startTime):
	case <-ctx.Done():
	}
	if p.url == "" {
		p.stop()
		return nil, fmt.Errorf("%s did not start", strings.Join(command, " "))
	}
	return p, nil
}

// stop ends the server by ending its standard input, and by force if that does
// not help.
func (p *process) stop() {
	_ = p.stdin.Close()
	killer := time.AfterFunc(5*time.Second, func() { _ = p.command.Process.Kill() })
	defer killer.Stop()
	_ = p.command.Wait()
}

// A clock is the processor time that each thread of a process has used.
type clock struct {
	threads map[string]time.Duration
	ticks   time.Duration // of the whole process, counted in ticks
}

// cpu reads the clock of a process.
func (p *process) cpu() (clock, error) {
	dir := fmt.Sprintf("/proc/%d", p.command.Process.Pid)
	c := clock{threads: map[string]time.Duration{}}
	var err error
	if c.ticks, err = ticks(filepath.Join(dir, "stat")); err != nil {
		return c, err
	}
	threads, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return c, err
	}
	for _, thread := range threads {
		data, err := os.ReadFile(filepath.Join(dir, "task", thread.Name(), "schedstat"))
		if err != nil {
			continue
		}
		used, _, _ := strings.Cut(string(data), " ")
		if ns, err := strconv.ParseInt(used, 10, 64); err == nil {
			c.threads[thread.Name()] = time.Duration(ns)
		}
	}
	return c, nil
}

// ticks reads the time of a whole process, which the kernel counts in hundredths
// of a second.
func ticks(stat string) (time.Duration, error) {
	data, err := os.ReadFile(stat)
	if err != nil {
		return 0, err
	}
	// The name in brackets may hold anything; the fields after it are counted.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New(stat + " is not understood")
	}
	var sum int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}

// since returns the time that was used from an earlier reading on. A thread that
// has ended took its time with it; then the ticks have to do.
func (c clock) since(before clock) time.Duration {
	var sum time.Duration
	for name, used := range c.threads {
		sum += used - before.threads[name]
	}
	for name := range before.threads {
		if _, ok := c.threads[name]; !ok {
			return c.ticks - before.ticks
		}
	}
	if sum <= 0 {
		return c.ticks - before.ticks
	}
	return sum
}

// pin puts this process on a core, with every thread that it has and will have.
func pin(core int) error {
	output, err := exec.Command("taskset", "-a", "-p", "-c", strconv.Itoa(core), strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w %s", err, output)
	}
	return nil
}

// cores returns a core for the servers and one for the clients, or says why there
// are none.
func cores() (server, load int, err error) {
	if runtime.GOOS != "linux" {
		return -1, -1, errors.New("only Linux has taskset")
	}
	allowed, err := allowedCores("/proc/self/status")
	if err != nil {
		return -1, -1, err
	}
	if len(allowed) < 2 {
		return -1, -1, errors.New("there is only one core")
	}
	load, server = allowed[0], allowed[1]
	return server, load, pin(load)
}

// allowedCores reads the cores that this process may use.
func allowedCores(status string) ([]int, error) {
	data, err := os.ReadFile(status)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			return parseCores(strings.TrimSpace(list))
		}
	}
	return nil, errors.New(status + " has no list of cores")
}

// parseCores reads a list such as 0-2,5.
func parseCores(list string) ([]int, error) {
	var cores []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		if err != nil {
			return nil, err
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			return nil, err
		}
		for core := from; core <= to; core++ {
			cores = append(cores, core)
		}
	}
	return cores, nil
}
