package kervan

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Handler answers a call. It returns a result or an error; both nil is a
// masked error.
type Handler func(ctx context.Context, call *Call) (*Result, error)

// A Middleware wraps a handler. It runs once for each tool and set of app
// middleware, not once a call, so state of a call belongs into the Handler
// that it returns.
//
// The Handler may answer without calling next, change what next returned, or
// turn an error into a result and the reverse. Next returns the handler's
// error unchanged; a panic of the handler, or of a middleware further in,
// comes back from next as an error. For a structured tool the result of next
// carries the Go value in StructuredContent; JSON and text are made from what
// the outermost middleware returned. Next may be called once in a call; a
// second time fails the whole call, since retries belong in the handler.
type Middleware func(next Handler) Handler

// An appChain is the app's middleware at one time.
type appChain struct{ middleware []Middleware }

// A composed chain is cached for one tool and one appChain.
type composed struct {
	app     *appChain
	handler Handler
	length  int
}

// compose builds the chain of a tool under the app's middleware.
func compose(app *appChain, t *RegisteredTool) (*composed, error) {
	n := len(app.middleware) + len(t.middleware)
	c := &composed{app: app, handler: t.handler, length: n}
	for i := n - 1; i >= 0; i-- {
		m := middlewareAt(app, t, i)
		next := step(i, stageName(app, t, i+1), c.handler)
		if c.handler = m(next); c.handler == nil {
			return nil, fmt.Errorf("%s returned a nil handler", stageName(app, t, i))
		}
	}
	return c, nil
}

func middlewareAt(app *appChain, t *RegisteredTool, i int) Middleware {
	if i < len(app.middleware) {
		return app.middleware[i]
	}
	return t.middleware[i-len(app.middleware)]
}

// stageName says for the log which part of the chain stands at i.
func stageName(app *appChain, t *RegisteredTool, i int) string {
	switch {
	case i < len(app.middleware):
		return fmt.Sprintf("app middleware %d of %d", i+1, len(app.middleware))
	case i < len(app.middleware)+len(t.middleware):
		return fmt.Sprintf("middleware %d of %d of the tool", i+1-len(app.middleware), len(t.middleware))
	}
	return "the handler"
}

// step is the next of middleware i: it lets the inner part run once a call,
// and brings a panic, a Goexit or a missing answer of it back as an error.
func step(i int, inner string, h Handler) Handler {
	return func(ctx context.Context, call *Call) (*Result, error) {
		if call == nil || call.state == nil || i >= len(call.state.entered) {
			return nil, fmt.Errorf("next of middleware %d was called without the call it was given", i+1)
		}
		if call.state.entered[i].Swap(true) {
			err := fmt.Errorf("middleware %d called next twice in one call", i+1)
			call.state.fail(err)
			return nil, err
		}
		return isolate(ctx, call, inner, h)
	}
}

// isolate runs h on a goroutine of its own, because a Goexit could not be
// survived on this one.
func isolate(ctx context.Context, call *Call, name string, h Handler) (res *Result, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer catch(&err)
		err = errGoexit
		res, err = h(ctx, call)
	}()
	<-done
	if err != nil {
		return nil, err
	}
	if res == nil {
		return nil, fmt.Errorf("%s returned neither a result nor an error", name)
	}
	return res, nil
}

// errGoexit stands for a handler that ended its goroutine.
var errGoexit = &panicError{value: "runtime.Goexit was called"}

// catch is deferred: it turns a panic into an error in *err, and leaves what
// is there otherwise.
func catch(err *error) {
	if v := recover(); v != nil {
		*err = &panicError{value: v, stack: debug.Stack()}
	}
}

// A panicError is a panic or a Goexit of user code.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("panic with a %T that cannot be printed", e.value)
		}
	}()
	return fmt.Sprintf("panic: %v", e.value)
}

// Unwrap gives the runtime's own errors only: a panic with any other error,
// a ToolError too, stays a masked error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(runtime.Error)
	return err
}

// callState is what one call keeps while its chain runs.
type callState struct {
	input   any // *In of a typed tool
	entered []atomic.Bool

	mu     sync.Mutex
	failed error
}

func (s *callState) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

func (s *callState) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
