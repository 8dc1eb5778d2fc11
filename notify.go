package kervan

import (
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Rule 2.4: within 10 ms of the last change and at most 100 ms after the
// first. The SDK's own delay of 10 ms before it sends comes on top, so these
// leave room for it.
const (
	burstQuiet = 4 * time.Millisecond
	burstLimit = 80 * time.Millisecond
)

// A notifier runs subscribers once for a burst of changes.
type notifier struct {
	mu      sync.Mutex
	subs    []*subscriber // in order of subscription
	pending bool
	due     time.Time // when the burst counts as over
	limit   time.Time // when it is told of anyway
}

type subscriber struct{ changed func() }

func (n *notifier) subscribe(changed func()) (unsubscribe func()) {
	s := &subscriber{changed}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.subs = append(n.subs, s)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.subs = slices.DeleteFunc(slices.Clone(n.subs), func(other *subscriber) bool { return other == s })
	}
}

// changed begins a burst, or prolongs the one that is under way.
func (n *notifier) changed(logger *slog.Logger) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if n.pending {
		n.due = now.Add(burstQuiet)
		if n.due.After(n.limit) {
			n.due = n.limit
		}
		return
	}
	if len(n.subs) == 0 {
		return
	}
	n.pending, n.due, n.limit = true, now.Add(burstQuiet), now.Add(burstLimit)
	time.AfterFunc(burstQuiet, func() { n.fire(logger) })
}

// fire runs the subscribers if the burst is over, and waits on otherwise.
func (n *notifier) fire(logger *slog.Logger) {
	n.mu.Lock()
	if wait := time.Until(n.due); wait > 0 {
		n.mu.Unlock()
		time.AfterFunc(wait, func() { n.fire(logger) })
		return
	}
	n.pending = false
	subs := n.subs
	n.mu.Unlock()
	for _, s := range subs {
		runSubscriber(s, logger)
	}
}

func runSubscriber(s *subscriber, logger *slog.Logger) {
	defer func() {
		if v := recover(); v != nil {
			if logger == nil {
				logger = slog.Default()
			}
			logger.Error("a subscriber of a registry panicked", "error", errorText(&panicError{value: v}))
		}
	}()
	s.changed()
}
