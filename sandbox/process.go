package sandbox

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A process is a select process, seen from its parent. One call at a time uses
// it; kill may be called by anyone.
type process struct {
	cmd     *exec.Cmd
	replies *os.File
	request *os.File
	in      *bufio.Reader
	out     *bufio.Writer
	stderr  *tail
	done    chan struct{} // closed when it has ended and was waited for

	measures []measure
	release  func()
	calls    int
	busy     time.Duration // an upper bound of the time it computed, by maxProcs
}

// launch starts a process, which is not ready before greet returned. It must be
// waited for.
func launch(prog program, args []string) (*process, error) {
	if err := prog.check(); err != nil {
		return nil, err
	}
	childIn, request, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer closeFile(childIn)
	replies, childOut, err := os.Pipe()
	if err != nil {
		closeFile(request)
		return nil, err
	}
	defer closeFile(childOut)
	enlarge(request)
	enlarge(replies)

	p := &process{
		replies: replies, request: request,
		in: bufio.NewReader(replies), out: bufio.NewWriterSize(request, frameBuffer),
		stderr: &tail{}, done: make(chan struct{}),
	}
	if err := p.begin(prog, args, childIn, childOut); err != nil {
		closeFile(request)
		closeFile(replies)
		return nil, err
	}
	return p, nil
}

// begin starts the process with its ends of the pipes.
func (p *process) begin(prog program, args []string, in, out *os.File) error {
	cmd, err := command(prog, args, in, out)
	if err != nil {
		return err
	}
	cmd.Env = []string{} // nil would be the parent's
	cmd.Stderr = p.stderr
	cmd.WaitDelay = time.Second // for standard error, if another process has it
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	p.measures, p.release = contain(cmd)
	return nil
}

// wait waits until the process has ended, and frees what it used.
func (p *process) wait() {
	_ = p.cmd.Wait() // the exit code is looked at later
	closeFile(p.request)
	closeFile(p.replies)
	p.release()
	close(p.done)
}

// greet waits until the process is ready, and collects what holds it. The error
// of one that is not comes after its end, or with that of the context.
func (p *process) greet(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.kill)
	measures, err := readHello(p.in)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		p.kill()
		<-p.done // its standard error is complete
		return err
	}
	p.measures = append(measures, p.measures...)
	p.stderr.stop()
	return nil
}

// call has the process answer a request, and tells whether it can answer another
// one. It is killed when ctx ends.
func (p *process) call(ctx context.Context, r request) (answer reply, usable bool, err error) {
	began := time.Now()
	stop := context.AfterFunc(ctx, p.kill)
	if err = writeRequest(p.out, r); err == nil {
		answer, err = readReply(p.in, r.maxOutput)
	}
	usable = stop() && err == nil
	p.calls++
	p.busy += time.Since(began)
	return answer, usable, err
}

// kill ends the process, and whoever reads from it or writes to it.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	past := time.Unix(1, 0)
	_ = p.replies.SetDeadline(past)
	_ = p.request.SetDeadline(past)
}

// running reports whether the process is not known to have ended.
func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// exitCode returns the exit code of a process that is ending, or -1.
func (p *process) exitCode() int {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(time.Second):
		return -1
	}
}

// A tail keeps the last that was written to it, until it is stopped: what a
// process says while it starts is a diagnosis, and later could show data.
type tail struct {
	mu      sync.Mutex
	kept    []byte
	stopped bool
}

const maxTail = 4096

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return len(p), nil
	}
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - maxTail; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.stopped = nil, true
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

func closeFile(f *os.File) { _ = f.Close() }
