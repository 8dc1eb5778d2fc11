package sandbox

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// maxBusy is after how much computing a process is replaced, long before the
// system's limit of its processor time ends it in the middle of a call.
const maxBusy = 30 * time.Second

// startBackoff is how long after a failed start no other is tried.
const startBackoff = time.Second

// deadlineSlack is how much later than the parent a process ends a call itself.
const deadlineSlack = 50 * time.Millisecond

// A Pool evaluates expressions in a number of select processes. It is safe for
// concurrent use.
type Pool struct {
	o       Options
	program program
	args    []string

	maxBusy, maxCall time.Duration // the constants, unless a test sets others

	background sync.WaitGroup // the goroutines that start processes and wait for them

	mu       sync.Mutex
	closed   bool
	waiting  list.List // of chan grant, first come, first served
	idle     []*process
	launched map[*process]bool // those that have not ended
	starting int               // processes that are being started
	used     int               // of the pool's size: launched, or about to be
	failure  *Error            // of the last start; nil if it succeeded
	retryAt  time.Time         // when another start is tried after a failure
	report   Report
}

// A grant is what a waiting call gets: a process of its own, or an error.
type grant struct {
	process *process
	err     *Error
}

func newPool(o Options, prog program) *Pool {
	mode := modeFailClosed
	if o.ProcessOnly {
		mode = modeProcessOnly
	}
	return &Pool{
		o:        o.withDefaults(),
		program:  prog,
		args:     []string{mode},
		maxBusy:  maxBusy,
		maxCall:  maxCall,
		launched: map[*process]bool{},
	}
}

// acquire waits for a process, in the order of the calls.
func (p *Pool) acquire(ctx context.Context) (*process, error) {
	ready := make(chan grant, 1)
	p.mu.Lock()
	if ctx.Err() != nil { // no place in the queue, and no process for it
		p.mu.Unlock()
		return nil, contextError(ctx, doingWaiting)
	}
	place := p.waiting.PushBack(ready)
	p.dispatch()
	p.mu.Unlock()

	select {
	case g := <-ready:
		if g.err != nil {
			return nil, g.err
		}
		if ctx.Err() != nil { // at the same moment
			p.release(g.process, true)
			return nil, contextError(ctx, doingWaiting)
		}
		return g.process, nil
	case <-ctx.Done():
		p.leave(place, ready)
		return nil, contextError(ctx, doingWaiting)
	}
}

// leave gives up a place in the queue, or the process that was granted already.
func (p *Pool) leave(place *list.Element, ready chan grant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.Remove(place)
	select {
	case g := <-ready:
		if g.process != nil {
			p.putBack(g.process)
		}
	default:
	}
}

// dispatch gives the first of the waiting calls what they wait for. It is called,
// with the lock held, after every change that could let one proceed.
func (p *Pool) dispatch() {
	if p.closed {
		p.refuseAll(fail(KindClosed, textClosed))
		return
	}
	for p.waiting.Len() > 0 && len(p.idle) > 0 {
		last := len(p.idle) - 1 // the one used last is warmest
		proc := p.idle[last]
		p.idle = p.idle[:last]
		if proc.running() {
			p.grant(grant{process: proc})
		}
	}
	if p.failure != nil && time.Now().Before(p.retryAt) {
		if p.used == 0 { // or else the calls wait for the processes that there are
			p.refuseAll(p.failure)
		}
		return
	}
	for p.starting < p.waiting.Len() && p.used < p.o.Children {
		p.starting++
		p.used++
		p.background.Go(p.start)
	}
}

func (p *Pool) grant(g grant) {
	p.waiting.Remove(p.waiting.Front()).(chan grant) <- g
}

func (p *Pool) refuseAll(err *Error) {
	for p.waiting.Len() > 0 {
		p.grant(grant{err: err})
	}
}

// putBack makes a process available to the next call. The lock is held.
func (p *Pool) putBack(proc *process) {
	p.idle = append(p.idle, proc)
	p.dispatch()
}

// evaluate has a process answer a call, and gives the process back.
func (p *Pool) evaluate(ctx context.Context, proc *process, expression string, data []byte) (reply, error) {
	deadline, _ := ctx.Deadline()
	answer, usable, err := proc.call(ctx, request{
		expression: expression,
		data:       data,
		maxOutput:  p.o.MaxOutput,
		timeLeft:   max(time.Until(deadline), 0) + deadlineSlack,
	})
	p.release(proc, usable)
	if err != nil {
		return reply{}, p.explain(ctx, proc)
	}
	return answer, nil
}

// release makes a process available to the next call, or ends it when it has
// served its time.
func (p *Pool) release(proc *process, usable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !usable || p.closed || proc.calls >= p.o.CallsPerChild || proc.busy >= p.maxBusy {
		proc.kill()
		return
	}
	p.putBack(proc)
}

// explain returns the error of a call whose process ended, or broke the protocol.
func (p *Pool) explain(ctx context.Context, proc *process) error {
	if p.isClosed() {
		return fail(KindClosed, textClosed)
	}
	if ctx.Err() != nil {
		return contextError(ctx, doingEvaluating)
	}
	code := proc.exitCode()
	p.o.Logger.Warn("a select process ended during a call", "exit_code", code)
	switch code {
	case exitMemory:
		return fail(KindTooLarge, textMemory)
	case exitDeadline:
		return timedOut(doingEvaluating)
	}
	return fail(KindCrashed, textCrashed)
}

func (p *Pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Close ends all processes and waits for their end. Running and waiting calls fail
// with [KindClosed], and so do later ones. It returns nil, and may be called more
// than once.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.dispatch()
	for proc := range p.launched {
		proc.kill()
	}
	p.mu.Unlock()
	p.background.Wait()
	return nil
}
