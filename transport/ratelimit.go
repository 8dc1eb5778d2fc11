package transport

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/limit"
)

const (
	defaultPerMinute = 300

	// sharedTimeout bounds how long a request waits for a SharedLimiter.
	sharedTimeout = time.Second
	// warnEvery bounds how often a failing SharedLimiter is logged.
	warnEvery = time.Minute
)

// A Limiter bounds calls for several processes together, for example in a
// database that they share. It is safe for concurrent use. Its types are
// built-in ones only, so an implementation needs no import of this module.
type Limiter interface {
	// Acquire begins a call of key, if fewer than perMinute began in the last
	// minute and fewer than concurrency are running; zero means no such
	// bound. A positive retryAfter refuses the call, which then counts
	// nothing, and tells when to try again. Otherwise release, unless it is
	// nil, is called when the call has ended. An error says that the limiter
	// does not work. It must return soon after ctx has ended.
	Acquire(ctx context.Context, key string, perMinute, concurrency int) (release func(), retryAfter time.Duration, err error)
}

// RateLimit sets how many requests a minute a client may make over HTTP, as a
// sliding window; more are refused with 429 and Retry-After. A client is an
// address, or a /64 of IPv6 addresses, unless [RateLimitKey] says otherwise.
// The default is 300; it must be positive, and [NoRateLimit] means none.
//
// In one process, 10,000 clients are told apart; while so many are active, all
// further ones together count as one.
func RateLimit(perMinute int) Option {
	return optionFunc(func(o *options) error {
		if perMinute <= 0 {
			return badOption("RateLimit", perMinute)
		}
		r := rateOf(o)
		r.off = false
		r.setPerMinute(perMinute)
		return nil
	})
}

// NoRateLimit switches the rate limit off, for servers behind something that
// has one. Other options of the rate limit then have no effect.
func NoRateLimit() Option {
	return optionFunc(func(o *options) error {
		rateOf(o).off = true
		return nil
	})
}

// RateLimitKey makes requests count for what key returns, instead of their
// address: a user, a tenant, an API key. It is called after authentication,
// with nil for an anonymous caller, and must be quick and safe for concurrent
// use. Where it returns "", the address counts.
//
// Requests that fail authentication still count by address, against the same
// limit, so that credentials cannot be tried out without bound.
func RateLimitKey(key func(r *http.Request, info *auth.TokenInfo) string) Option {
	return optionFunc(func(o *options) error {
		if key == nil {
			return errNilRateKey
		}
		rateOf(o).key = key
		return nil
	})
}

// SharedLimiter makes several processes enforce one rate limit. Its keys begin
// with "http:"; concurrency is always zero. While l returns errors, panics, or
// takes longer than a second, the process falls back to a limit of its own and
// logs a warning, at most once a minute. Default: each process counts for
// itself.
func SharedLimiter(l Limiter) Option {
	return optionFunc(func(o *options) error {
		if l == nil {
			return errNilLimiter
		}
		rateOf(o).shared = l
		return nil
	})
}

// A rate is the rate limit of a handler.
type rate struct {
	o         *options // which may get a hook for authentication yet
	off       bool
	perMinute int
	key       func(*http.Request, *auth.TokenInfo) string
	shared    Limiter
	proxies   proxies
	app       *kervan.App  // nil in tests of the limit alone
	logger    *slog.Logger // nil: slog's default

	byAddress, byKey *limit.Windows

	forwarded sync.Once    // warned of X-Forwarded-For
	failing   warnedLately // of the shared limiter
	panicking warnedLately // of key
}

// defaultRate returns the rate limit of a handler without options for it.
func defaultRate() rateLimiter { return newRate(nil) }

func newRate(o *options) *rate {
	r := &rate{o: o}
	r.setPerMinute(defaultPerMinute)
	return r
}

func (r *rate) setPerMinute(n int) {
	r.perMinute = n
	r.byAddress = limit.New(n, time.Minute, 0)
	r.byKey = limit.New(n, time.Minute, 0)
}

// rateOf returns the rate limit that o builds.
func rateOf(o *options) *rate {
	r, ok := o.rate.(*rate)
	if !ok {
		r = newRate(o)
		o.rate = r
	}
	r.o = o
	return r
}

// setApp is called once, before the first request.
func (r *rate) setApp(app *kervan.App, l *slog.Logger) { r.app, r.logger = app, l }

// allow counts a request by its address, before authentication.
func (r *rate) allow(req *http.Request, _ *auth.TokenInfo) (retryAfter time.Duration, ok bool) {
	switch {
	case r.off:
		return 0, true
	case r.key == nil:
		return r.acquireAddress(req)
	case r.o.authenticate == nil:
		return r.acquireKey(req, nil)
	}
	// Until the caller is known; what is taken back then must not have gone to
	// the shared limiter.
	return r.byAddress.Allow(r.clientKey(req))
}

// allowAuthenticated counts a request by its custom key, after authentication,
// and takes back what allow counted.
func (r *rate) allowAuthenticated(req *http.Request, info *auth.TokenInfo) (retryAfter time.Duration, ok bool) {
	if r.off || r.key == nil || r.o.authenticate == nil {
		return 0, true
	}
	r.byAddress.Undo(r.clientKey(req))
	return r.acquireKey(req, info)
}

func (r *rate) acquireKey(req *http.Request, info *auth.TokenInfo) (time.Duration, bool) {
	key := r.customKey(req, info)
	if key == "" {
		return r.acquireAddress(req)
	}
	return r.acquire(req.Context(), "http:key:", key, r.byKey)
}

func (r *rate) acquireAddress(req *http.Request) (time.Duration, bool) {
	return r.acquire(req.Context(), "http:address:", r.clientKey(req), r.byAddress)
}

// customKey asks the function of RateLimitKey, which is user code. A request
// for which it panics counts by its address.
func (r *rate) customKey(req *http.Request, info *auth.TokenInfo) (key string) {
	var err error
	defer func() {
		if err != nil && r.panicking.warn() {
			r.log().Warn(logRateKey, "error", errorText(err))
		}
	}()
	defer catch(&err)
	return r.key(req, info)
}

// clientKey names the client by its address.
func (r *rate) clientKey(req *http.Request) string {
	if r.proxies == nil && req.Header[headerForwardedFor] != nil {
		r.forwarded.Do(func() { r.log().Warn(logForwardedFor) })
	}
	return addressKey(r.proxies.client(req))
}

// acquire asks the shared limiter, where keys of all kinds are in one space, and
// the local one if there is none or it fails.
func (r *rate) acquire(ctx context.Context, space, key string, local *limit.Windows) (time.Duration, bool) {
	if r.shared == nil {
		return local.Allow(key)
	}
	retryAfter, err := r.ask(ctx, space+key)
	if err == nil {
		return retryAfter, retryAfter <= 0
	}
	// A client that went away is no failure.
	if ctx.Err() == nil && r.failing.warn() {
		r.log().Warn(logSharedLimiter, "error", errorText(err))
		if r.app != nil {
			bridge.Kervan().Emit(r.app, kervan.TransportEvent{Limiter: err})
		}
	}
	return local.Allow(key)
}

// ask asks the shared limiter, which is user code.
func (r *rate) ask(ctx context.Context, key string) (retryAfter time.Duration, err error) {
	defer catch(&err)
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	release, retryAfter, err := r.shared.Acquire(ctx, key, r.perMinute, 0)
	if err == nil && retryAfter <= 0 && release != nil {
		release() // nothing runs that is counted
	}
	return retryAfter, err
}

func (r *rate) log() *slog.Logger {
	if r.logger != nil {
		return r.logger
	}
	return slog.Default()
}

// warnedLately keeps a warning from being repeated all the time.
type warnedLately struct{ until atomic.Int64 } // in Unix nanoseconds

// warn reports whether it is time for the warning, and counts it as given.
func (w *warnedLately) warn() bool {
	now, until := time.Now(), w.until.Load()
	return now.UnixNano() >= until && w.until.CompareAndSwap(until, now.Add(warnEvery).UnixNano())
}
