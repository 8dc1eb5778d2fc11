package spec

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/limit"
	"github.com/kervan-mcp/kervan/internal/secret"
	"github.com/kervan-mcp/kervan/sandbox"
)

// A runtime is what the calls of a Spec's tools share. What it holds is
// released when it is closed and no call uses it any more.
type runtime struct {
	http      *httptool.Runtime
	transport *guard.Transport
	pool      *sandbox.Pool // its own, or nil
	counters  *counters     // its own, or nil

	mu       sync.Mutex
	calls    int
	isClosed bool
}

func newRuntime(source string, o Options) (*runtime, error) {
	transport, err := guard.NewTransport(o.Network)
	if err != nil {
		return nil, err
	}
	r := &runtime{transport: transport}
	pool := o.Sandbox
	if pool == nil {
		pool = sandbox.New(sandbox.Options{Logger: o.Logger})
		r.pool = pool
	}
	limiter := o.Limiter
	if limiter == nil {
		r.counters = newCounters()
		limiter = r.counters
	}
	r.http = &httptool.Runtime{
		Transport: transport,
		Select:    pool.Select,
		Secret:    o.Secrets.Get,
		Vars:      map[string]string{},
		Vault:     secret.NewVault(time.Now),
		Limiter:   limiter,
		LimitKey:  source + "/",
		Budget:    httptool.Bodies,
	}
	if o.Events != nil {
		r.http.Events = func(e httptool.Event) { sendEvents(o.Events, e) }
	}
	return r, nil
}

// enter begins a call; false if the runtime is closed.
func (r *runtime) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosed {
		return false
	}
	r.calls++
	return true
}

// leave ends a call.
func (r *runtime) leave() {
	r.mu.Lock()
	r.calls--
	last := r.isClosed && r.calls == 0
	r.mu.Unlock()
	if last {
		r.release()
	}
}

func (r *runtime) closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isClosed
}

func (r *runtime) close() {
	r.mu.Lock()
	first := !r.isClosed
	r.isClosed = true
	idle := r.calls == 0
	r.mu.Unlock()
	if first && idle {
		r.release()
	}
}

func (r *runtime) release() {
	r.transport.CloseIdleConnections()
	if r.pool != nil {
		_ = r.pool.Close()
	}
}

// succeed takes over what the runtime before knew: how often tools were
// called, and which values are secret.
func (r *runtime) succeed(before *runtime) {
	if before == nil || before == r {
		return
	}
	r.http.Vault.Absorb(before.http.Vault)
	if r.counters != nil && before.counters != nil {
		r.counters.succeed(before.counters)
	}
}

// counters are a limiter of this process, which may be that of an earlier
// runtime.
type counters struct {
	current atomic.Pointer[limit.Limiter]
	taken   atomic.Bool
}

func newCounters() *counters {
	c := &counters{}
	c.current.Store(limit.NewLimiter(0))
	return c
}

// Acquire asks the limiter that counts.
func (c *counters) Acquire(ctx context.Context, key string, perMinute, concurrency int) (release func(), retryAfter time.Duration, err error) {
	return c.current.Load().Acquire(ctx, key, perMinute, concurrency)
}

// succeed counts on from where others are. A Spec that is applied to several
// registries counts on from the first.
func (c *counters) succeed(before *counters) {
	if !c.taken.Swap(true) {
		c.current.Store(before.current.Load())
	}
}
