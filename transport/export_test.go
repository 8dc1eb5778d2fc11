package transport

import (
	"context"
	"net"
	"time"
)

// Sizes that the tests of this package outside of it need to know.
const (
	MaxStreams       = maxStreams
	MaxStreamsPerKey = maxStreamsPerKey
	StreamQueue      = streamQueue
)

// SetTiming shortens what bounds the parts of a request; zero leaves a bound
// alone. It is called before the first request.
func (h *Handler) SetTiming(body, write, keepAlive, stream time.Duration) {
	for _, t := range []struct {
		to *time.Duration
		d  time.Duration
	}{{&h.times.body, body}, {&h.times.write, write}, {&h.times.keepAlive, keepAlive}, {&h.times.stream, stream}} {
		if t.d != 0 {
			*t.to = t.d
		}
	}
}

// WithoutDirect sends every request the SDK's way.
func WithoutDirect() Option {
	return optionFunc(func(o *options) error {
		o.indirect = true
		return nil
	})
}

// Running returns how many calls and streams there are.
func (h *Handler) Running() int { return h.gate.running() }

// Sessions returns how many sessions there are.
func (h *Handler) Sessions() int {
	h.sessions.mu.Lock()
	defer h.sessions.mu.Unlock()
	return len(h.sessions.byID)
}

// ServeListener serves as ServeHTTP does, over a listener that is there.
func (h *Handler) ServeListener(ctx context.Context, l net.Listener) error {
	return h.serveListener(ctx, l)
}
