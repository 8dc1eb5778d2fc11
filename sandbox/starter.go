package sandbox

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"
)

// start starts a process and stays with it until it has ended. It runs apart from
// the calls that wait for a process, so that one that leaves does not stop the
// start for the others.
func (p *Pool) start() {
	proc, err := launch(p.program, p.args)
	if err != nil {
		p.startFailed(textUnavailable(textNoStart(err), ""), "")
		p.ended(nil)
		return
	}
	p.register(proc)
	p.background.Go(proc.wait)
	if problem := p.greet(proc); problem == "" {
		p.started(proc)
	} else {
		proc.kill()
		p.startFailed(problem, proc.stderr.String())
	}
	<-proc.done
	p.ended(proc)
}

// greet waits until a process is ready, and returns why it must not be used.
func (p *Pool) greet(proc *process) (problem string) {
	ctx, cancel := context.WithTimeout(context.Background(), p.o.StartTimeout)
	defer cancel()
	err := proc.greet(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return textUnavailable(textStartTimeout(p.o.StartTimeout, proc.stderr.String()), p.startCure())
	case errors.Is(err, errFrame):
		return textUnavailable(textStartFailed(err.Error(), ""), "")
	default:
		return textUnavailable(textStartFailed(proc.cmd.ProcessState.String(), proc.stderr.String()), p.startCure())
	}
	if m, weak := weakness(proc.measures); weak && !p.o.ProcessOnly {
		return textUnavailable(textRefusedLayer(m), textCureProcess)
	}
	return ""
}

// startCure returns what may help a process that does not get as far as to say
// what holds it.
func (p *Pool) startCure() string {
	if runtime.GOOS == "darwin" && !p.o.ProcessOnly { // the profile may be the reason
		return textCureImport + "; " + textCureProcess
	}
	return textCureImport
}

// register lets Close end the process.
func (p *Pool) register(proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.launched[proc] = true
	if p.closed {
		proc.kill()
	}
}

// started makes a process that is ready available.
func (p *Pool) started(proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting--
	p.failure = nil
	p.report = newReport(proc.measures)
	if p.closed {
		return
	}
	p.putBack(proc)
}

// startFailed has the calls fail that no other process can serve, at once and for
// a while: most reasons last.
func (p *Pool) startFailed(problem, stderr string) {
	p.o.Logger.Error("a select process did not start", "problem", problem, "stderr", stderr)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting--
	p.failure = fail(KindUnavailable, problem)
	p.retryAt = time.Now().Add(startBackoff)
	p.dispatch()
}

// ended makes room for another process. nil stands for one that was not launched.
func (p *Pool) ended(proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.launched, proc)
	p.idle = slices.DeleteFunc(p.idle, func(other *process) bool { return other == proc })
	p.used--
	p.dispatch()
}
