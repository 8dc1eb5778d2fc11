package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kervan-mcp/kervan/sandbox/internal/jmes"
)

// Defaults and bounds of Options.
const (
	defaultChildren      = 2
	maxChildren          = 16
	maxInputCeiling      = 8 << 20
	maxOutputCeiling     = 8 << 20
	defaultCallsPerChild = 10_000
	defaultStartTimeout  = 5 * time.Second
)

// maxCall bounds a call whose context has no deadline, or a later one.
const maxCall = 2 * time.Minute

// Options of a pool. The zero value means the defaults; a number beyond a bound
// counts as the bound.
type Options struct {
	// Children is how many processes evaluate at once, 1 to 16. 0 means 2. Each is
	// started when it is needed first, and kept.
	Children int
	// MaxInput is the largest size of the data in bytes, at most 8 MiB, which is also
	// what 0 means. A process may use 160 MiB of memory for a call, and for more than
	// 1 MiB of data another 80 bytes for each byte of it.
	MaxInput int
	// MaxOutput is the largest size of a result in bytes, at most 8 MiB, which is also
	// what 0 means.
	MaxOutput int
	// CallsPerChild is after how many calls a process is replaced by a new one. 0 or
	// less means 10,000.
	CallsPerChild int
	// StartTimeout is how long a process may take to start. 0 or less means 5 seconds.
	StartTimeout time.Duration
	// ProcessOnly evaluates also where the system refuses, or lacks, what locks a
	// process down (see [Report]); on macOS it does without the sandbox-exec profile.
	// By default nothing is evaluated there.
	ProcessOnly bool
	// Logger gets one line for each process that does not start or ends
	// unexpectedly. Nil means none.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Children = bounded(o.Children, defaultChildren, maxChildren)
	o.MaxInput = bounded(o.MaxInput, maxInputCeiling, maxInputCeiling)
	o.MaxOutput = bounded(o.MaxOutput, maxOutputCeiling, maxOutputCeiling)
	if o.CallsPerChild <= 0 {
		o.CallsPerChild = defaultCallsPerChild
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = defaultStartTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// bounded returns n within 1 and limit, or standard for 0.
func bounded(n, standard, limit int) int {
	if n == 0 {
		return standard
	}
	return min(max(n, 1), limit)
}

// New returns a pool. It starts no process; [Pool.Select] does. A pool that is not
// needed any more must be closed.
func New(o Options) *Pool {
	return newPool(o, runningProgram(marker))
}

// Select evaluates an expression on data, a JSON text, and returns the result as
// compact JSON. Integers keep all their digits. The members of an object that the
// expression itself wrote are in the order of the expression, all others sorted.
//
// The call waits for a free process, first come, first served, until ctx ends, or
// for two minutes; both the wait and the evaluation count. It returns when ctx
// ends, and the process is replaced. Every error is an [*Error]. Empty data is not
// JSON; null is.
//
// Select is safe for concurrent use. It keeps neither data nor the result.
func (p *Pool) Select(ctx context.Context, expression string, data []byte) ([]byte, error) {
	if len(expression) > maxExpression {
		return nil, fail(KindInvalidExpression, textLongExpression)
	}
	if len(data) > p.o.MaxInput {
		return nil, fail(KindTooLarge, textInputTooLarge(len(data), p.o.MaxInput))
	}
	ctx, cancel := context.WithTimeout(ctx, p.maxCall)
	defer cancel()
	proc, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := p.evaluate(ctx, proc, expression, data)
	if err != nil {
		return nil, err
	}
	return result(answer)
}

// result returns what a process answered. Its messages are read by people and
// models, so they are made harmless even if the process is not.
func result(answer reply) ([]byte, error) {
	kind := KindEvaluation
	switch answer.status {
	case statusOK:
		return answer.body, nil
	case statusInvalidExpression:
		kind = KindInvalidExpression
	case statusTooLarge:
		kind = KindTooLarge
	}
	message := oneLine(string(answer.body), maxMessage)
	if message == "" {
		message = textNoMessage
	}
	return nil, fail(kind, message)
}

// Report tells what holds the pool's processes, as the system granted it to the
// one that was started last. It is safe for concurrent use.
func (p *Pool) Report() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.report.clone()
}

// Compile reports whether an expression can be evaluated: its syntax, its
// functions, its length (at most 1,000 characters), and what is refused because
// its result would be wrong. The error is an [*ExpressionError]. It evaluates
// nothing, starts no process, and is safe for concurrent use.
func Compile(expression string) error {
	_, err := Check(expression)
	return err
}

// Check is [Compile] that also tells what may surprise in an expression that it
// accepts, one sentence each.
func Check(expression string) (warnings []string, err error) {
	warnings, err = jmes.Check(expression)
	if err == nil {
		return warnings, nil
	}
	var e *jmes.Error
	if errors.As(err, &e) {
		return nil, &ExpressionError{Message: e.Message, Hint: e.Hint, Offset: e.Offset}
	}
	return nil, &ExpressionError{Message: err.Error(), Offset: -1}
}
