package httptool

import (
	"container/list"
	"context"
	"sync"
)

// DefaultBudget is the number of bytes that the bodies in flight of a process
// may have together.
const DefaultBudget = 256 << 20

// A Budget bounds the bytes of response bodies that are in memory at once. A
// body reserves all it may become before it is read, and a call holds one
// reservation at most, so that calls that wait never wait for each other.
// Whoever came first is served first. It is safe for concurrent use.
type Budget struct {
	size int64

	mu      sync.Mutex
	free    int64
	waiting list.List // of *waiter, oldest first
}

type waiter struct {
	bytes int64
	ready chan struct{} // closed when the bytes are reserved
}

// Bodies is the budget that all tools of a process share (rule 8.1).
var Bodies = NewBudget(DefaultBudget)

// NewBudget returns a Budget of so many bytes; zero or less means
// [DefaultBudget].
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = DefaultBudget
	}
	return &Budget{size: bytes, free: bytes}
}

// reserve waits until bytes are free or ctx ends, whose error it then returns.
// A body larger than the whole budget takes all of it. A nil Budget has no
// bound. The release function may be called more than once.
func (b *Budget) reserve(ctx context.Context, bytes int64) (release func(), err error) {
	if b == nil || bytes <= 0 {
		return func() {}, nil
	}
	bytes = min(bytes, b.size)
	release = sync.OnceFunc(func() { b.release(bytes) })
	b.mu.Lock()
	if b.waiting.Len() == 0 && bytes <= b.free {
		b.free -= bytes
		b.mu.Unlock()
		return release, nil
	}
	w := &waiter{bytes: bytes, ready: make(chan struct{})}
	place := b.waiting.PushBack(w)
	b.mu.Unlock()
	select {
	case <-w.ready:
		return release, nil
	case <-ctx.Done():
		b.leave(place)
		return nil, context.Cause(ctx)
	}
}

// grant serves those who wait, in order, as far as the free bytes go.
func (b *Budget) grant() {
	for first := b.waiting.Front(); first != nil; first = b.waiting.Front() {
		w := first.Value.(*waiter)
		if w.bytes > b.free {
			return
		}
		b.free -= w.bytes
		b.waiting.Remove(first)
		close(w.ready)
	}
}

func (b *Budget) release(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += bytes
	b.grant()
}

// leave gives up a place in the queue, or what was granted at the same moment.
func (b *Budget) leave(place *list.Element) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := place.Value.(*waiter)
	select {
	case <-w.ready:
		b.free += w.bytes
	default:
		b.waiting.Remove(place)
	}
	// The next may need less than the one that left.
	b.grant()
}
