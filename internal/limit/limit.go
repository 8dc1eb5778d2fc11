// Package limit counts calls by key: so many in a sliding window ([Windows]),
// and so many in a minute and at once ([Limiter]). It stays in this process,
// and its memory is bounded however many keys there are.
package limit

import (
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

// DefaultMaxKeys is how many keys are told apart unless a caller says
// otherwise.
const DefaultMaxKeys = 10_000

// maxKeyLen bounds the memory of one key; longer ones are kept as a digest.
const maxKeyLen = 128

// Windows allows each key so many calls in any window of time, by the weighted
// count of two buckets: that of the current bucket, and that of the previous
// one in proportion to how much of it the window still covers. A key that was
// silent for a whole window is as good as new.
//
// Memory is bounded: at most maxKeys keys are told apart. Beyond, new keys
// share one counter, so that whoever invents keys slows down only the
// newcomers: a key that counts is never dropped for another.
//
// It is safe for concurrent use; a call costs constant time, amortised.
type Windows struct {
	limit   int
	window  time.Duration
	maxKeys int
	base    time.Time // times are kept as durations since then

	mu       sync.Mutex
	keys     map[string]*entry
	ring     entry // after it comes the key that has been silent longest
	overflow counter
}

// An entry is a key in the ring, which is ordered by the last call.
type entry struct {
	counter
	key           string
	before, after *entry
}

// New returns Windows that allow each key perWindow calls a window. Zero or
// less of perWindow allows none, of maxKeys means [DefaultMaxKeys]; the window
// must be positive.
func New(perWindow int, window time.Duration, maxKeys int) *Windows {
	if window <= 0 {
		panic("limit: the window is not positive")
	}
	if maxKeys <= 0 {
		maxKeys = DefaultMaxKeys
	}
	w := &Windows{limit: perWindow, window: window, maxKeys: maxKeys, base: time.Now(), keys: map[string]*entry{}}
	w.ring.before, w.ring.after = &w.ring, &w.ring
	return w
}

// Allow counts a call of key and reports ok if it is within the limit. A
// refused call counts nothing; retryAfter, which is positive, is the time after
// which key is allowed again if it does not call otherwise.
func (w *Windows) Allow(key string) (retryAfter time.Duration, ok bool) {
	return w.allow(key, w.limit)
}

// allow is Allow with a limit of this call's own.
func (w *Windows) allow(key string, limit int) (retryAfter time.Duration, ok bool) {
	if limit <= 0 {
		return w.window, false
	}
	key = short(key)
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Since(w.base)
	w.dropDead(now)
	e := w.keys[key]
	if e == nil {
		if len(w.keys) >= w.maxKeys {
			return w.overflow.allow(now, w.window, limit)
		}
		// The key may be a piece of a large header, which a clone lets go.
		e = &entry{key: strings.Clone(key)}
		w.keys[e.key] = e
	}
	if retryAfter, ok = e.allow(now, w.window, limit); ok {
		e.moveTo(&w.ring)
	}
	return retryAfter, ok
}

// Undo takes back an allowed call of key.
func (w *Windows) Undo(key string) {
	key = short(key)
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.keys[key]; e != nil {
		e.undo()
	} else {
		w.overflow.undo()
	}
}

func short(key string) string {
	if len(key) <= maxKeyLen {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// dropDead forgets the keys that a whole window has passed without, which are
// the first in the ring. Each was added once, so this costs a call constant
// time, amortised.
func (w *Windows) dropDead(now time.Duration) {
	for e := w.ring.after; e != &w.ring && e.dead(now, w.window); e = w.ring.after {
		e.unlink()
		delete(w.keys, e.key)
	}
}

// moveTo puts e at the end of a ring.
func (e *entry) moveTo(ring *entry) {
	if e.after != nil {
		e.unlink()
	}
	e.before, e.after = ring.before, ring
	e.before.after, ring.before = e, e
}

func (e *entry) unlink() {
	e.before.after, e.after.before = e.after, e.before
}
