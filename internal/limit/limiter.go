package limit

import (
	"context"
	"sync"
	"time"
)

// concurrencyRetry is the wait that a caller is told when too many calls run:
// nobody knows when one of them ends.
const concurrencyRetry = time.Second

// A Limiter bounds the calls of each key in a minute and at once, in this
// process. It is safe for concurrent use.
type Limiter struct {
	minute *Windows

	mu      sync.Mutex
	running map[string]int // no larger than the number of calls that run
}

// NewLimiter returns a Limiter that tells maxKeys keys apart as [Windows] does;
// zero or less means [DefaultMaxKeys].
func NewLimiter(maxKeys int) *Limiter {
	return &Limiter{minute: New(0, time.Minute, maxKeys), running: map[string]int{}}
}

// Acquire begins a call of key, if fewer than perMinute began in the last
// minute and fewer than concurrency are running; zero or less means no such
// bound. The call ends with release, which is for any goroutine and may be
// called more than once.
//
// A refused call counts nothing: release is nil and retryAfter positive. The
// error is that of a ctx that has ended.
func (l *Limiter) Acquire(ctx context.Context, key string, perMinute, concurrency int) (release func(), retryAfter time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if concurrency > 0 && l.running[key] >= concurrency {
		return nil, concurrencyRetry, nil
	}
	if perMinute > 0 {
		if retryAfter, ok := l.minute.allow(key, perMinute); !ok {
			return nil, retryAfter, nil
		}
	}
	// Counted even without a bound of its own: the next call may bring one.
	l.running[key]++
	return sync.OnceFunc(func() { l.release(key) }), 0, nil
}

func (l *Limiter) release(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[key]--; l.running[key] == 0 {
		delete(l.running, key)
	}
}
