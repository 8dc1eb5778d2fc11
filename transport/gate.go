package transport

import "sync"

// Bounds of the streams of notifications (rule 3.15).
const (
	maxStreams       = 1000
	maxStreamsPerKey = 16
)

// A gate counts what runs, bounds it, and knows when a server that shuts down
// is done. Calls and streams are counted apart: a stream lasts.
type gate struct {
	mu       sync.Mutex
	maxCalls int
	calls    int
	streams  map[string]int // by key
	open     int            // streams in all
	draining bool
	idle     chan struct{} // closed when draining and nothing runs

	ending     chan struct{} // closed when streams have to end
	cancelling chan struct{} // closed when calls have to end too
}

func (g *gate) init(maxCalls int) {
	g.maxCalls = maxCalls
	g.streams = map[string]int{}
	g.idle = make(chan struct{})
	g.ending = make(chan struct{})
	g.cancelling = make(chan struct{})
}

// enter counts a call, or says why it is refused.
func (g *gate) enter() *refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.draining:
		return refuseDraining
	case g.calls >= g.maxCalls:
		return refuseBusy
	}
	g.calls++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls--
	g.checkIdle()
}

// enterStream counts a stream of a client, or says why it is refused.
func (g *gate) enterStream(key string) *refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.draining:
		return refuseDraining
	case g.open >= maxStreams, g.streams[key] >= maxStreamsPerKey:
		return refuseStreams
	}
	g.open++
	g.streams[key]++
	return nil
}

func (g *gate) leaveStream(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if g.streams[key]--; g.streams[key] == 0 {
		delete(g.streams, key)
	}
	g.checkIdle()
}

func (g *gate) isDraining() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining
}

// running returns how many calls and streams there are.
func (g *gate) running() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls + g.open
}

// drain lets nothing in any more. It reports whether it was the first to do so.
func (g *gate) drain() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := !g.draining
	g.draining = true
	if first {
		g.checkIdle()
	}
	return first
}

// checkIdle is called with mu held.
func (g *gate) checkIdle() {
	if !g.draining || g.calls > 0 || g.open > 0 {
		return
	}
	select {
	case <-g.idle:
	default:
		close(g.idle)
	}
}

// cancel tells the running calls to end. It reports whether it was the first.
func (g *gate) cancel() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.cancelling:
		return false
	default:
		close(g.cancelling)
		return true
	}
}
