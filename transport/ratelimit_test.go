package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limited makes a rate limit by options, and what it logs.
func limited(t *testing.T, opts ...Option) (*rate, *bytes.Buffer) {
	t.Helper()
	o := new(options)
	for _, opt := range opts {
		require.NoError(t, opt.apply(o))
	}
	r := rateOf(o)
	logged := new(bytes.Buffer)
	r.setApp(nil, slog.New(slog.NewTextHandler(logged, nil)))
	return r, logged
}

// statuses sends requests and returns 200 or 429 for each.
func statuses(r *rate, requests ...*http.Request) []int {
	var all []int
	for _, req := range requests {
		status := http.StatusTooManyRequests
		if _, ok := r.allow(req, nil); ok {
			status = http.StatusOK
		}
		all = append(all, status)
	}
	return all
}

func TestRule3_6_ForwardedForDoesNotCount(t *testing.T) { // case 98
	r, logged := limited(t, RateLimit(2))
	got := statuses(r, from("192.0.2.1:1", "203.0.113.1"), from("192.0.2.1:2", "203.0.113.2"), from("192.0.2.1:3", "203.0.113.3"), from("192.0.2.1:4", "203.0.113.4"))
	assert.Equal(t, []int{200, 200, 429, 429}, got)
	assert.Equal(t, 1, strings.Count(logged.String(), "TrustedProxies"), "one warning: %s", logged)
	assert.Equal(t, []int{200}, statuses(r, from("192.0.2.2:1")), "another client")
}

func TestRule3_6_ForwardedForOfAProxy(t *testing.T) {
	r, logged := limited(t, RateLimit(1), TrustedProxies("192.0.2.1"))
	got := statuses(r, from("192.0.2.1:1", "203.0.113.1"), from("192.0.2.1:1", "203.0.113.2"), from("192.0.2.1:1", "203.0.113.1"), from("192.0.2.2:1", "203.0.113.3"), from("192.0.2.2:1", "203.0.113.4"))
	assert.Equal(t, []int{200, 200, 429, 200, 429}, got)
	assert.Empty(t, logged.String())
}

func TestRule3_6_NoWarningWhenTold(t *testing.T) {
	r, logged := limited(t, TrustedProxies())
	assert.Equal(t, []int{200}, statuses(r, from("192.0.2.1:1", "203.0.113.1")))
	assert.Empty(t, logged.String())
}

func TestRule3_6_DefaultLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := defaultRate()
		for range 300 {
			_, ok := r.allow(from("[2001:db8::1]:1"), nil)
			require.True(t, ok)
		}
		wait, ok := r.allow(from("[2001:db8::ffff]:1"), nil)
		assert.False(t, ok, "the same /64")
		assert.Equal(t, time.Minute, wait)
		_, ok = r.allow(from("[2001:db8:0:1::1]:1"), nil)
		assert.True(t, ok, "another /64")
		time.Sleep(wait)
		_, ok = r.allow(from("[2001:db8::1]:1"), nil)
		assert.True(t, ok)
	})
}

func TestRule3_6_NoRateLimit(t *testing.T) { // case 103
	r, _ := limited(t, RateLimit(1), RateLimitKey(func(*http.Request, *auth.TokenInfo) string { return "x" }), NoRateLimit())
	for range 1000 {
		_, ok := r.allow(from("192.0.2.1:1"), nil)
		require.True(t, ok)
		_, ok = r.allowAuthenticated(from("192.0.2.1:1"), nil)
		require.True(t, ok)
	}
	r, _ = limited(t, NoRateLimit(), RateLimit(1))
	assert.Equal(t, []int{200, 429}, statuses(r, from("192.0.2.1:1"), from("192.0.2.1:1")), "the later option counts")
}

func anybody(*http.Request) (*auth.TokenInfo, error) { return nil, nil }

func byUser(_ *http.Request, info *auth.TokenInfo) string {
	if info == nil {
		return ""
	}
	return info.UserID
}

func TestRule3_6_KeyAfterAuthentication(t *testing.T) {
	office := from("192.0.2.1:1")
	var r *rate
	pass := func(user string) bool {
		if _, ok := r.allow(office, nil); !ok {
			return false
		}
		var info *auth.TokenInfo
		if user != "" {
			info = &auth.TokenInfo{UserID: user}
		}
		_, ok := r.allowAuthenticated(office, info)
		return ok
	}
	for name, shared := range map[string]Limiter{"local": nil, "shared": newFakeLimiter()} {
		t.Run(name, func(t *testing.T) {
			opts := []Option{RateLimit(2), RateLimitKey(byUser), Authenticate(anybody)}
			if shared != nil {
				opts = append(opts, SharedLimiter(shared))
			}
			r, _ = limited(t, opts...)
			for i := range 100 {
				user := fmt.Sprint("user ", i)
				assert.True(t, pass(user), "many users share an address")
				assert.True(t, pass(user))
				assert.False(t, pass(user), "each has a limit of its own")
			}
			assert.True(t, pass(""))
			assert.True(t, pass(""))
			assert.False(t, pass(""), "anonymous callers count by address")
		})
	}
}

func TestRule3_6_FailedAuthenticationCountsByAddress(t *testing.T) {
	r, _ := limited(t, RateLimit(2), RateLimitKey(byUser), Authenticate(anybody))
	guess := from("192.0.2.1:1")
	assert.Equal(t, []int{200, 200, 429, 429}, statuses(r, guess, guess, guess, guess))
}

func TestRule3_6_KeyWithoutAuthentication(t *testing.T) {
	r, _ := limited(t, RateLimit(1), RateLimitKey(func(req *http.Request, info *auth.TokenInfo) string {
		assert.Nil(t, info)
		return req.Header.Get("X-Tenant")
	}))
	tenant := func(name string) *http.Request {
		req := from("192.0.2.1:1")
		req.Header.Set("X-Tenant", name)
		return req
	}
	assert.Equal(t, []int{200, 200, 429, 200, 429}, statuses(r, tenant("a"), tenant("b"), tenant("a"), tenant(""), tenant("")))
	_, ok := r.allowAuthenticated(tenant("a"), nil)
	assert.True(t, ok, "a request counts once")
}

func TestRule3_6_KeyThatPanics(t *testing.T) {
	r, logged := limited(t, RateLimit(1), RateLimitKey(func(*http.Request, *auth.TokenInfo) string { panic("boom") }))
	assert.Equal(t, []int{200, 429, 429}, statuses(r, from("192.0.2.1:1"), from("192.0.2.1:1"), from("192.0.2.1:1")))
	assert.Equal(t, 1, strings.Count(logged.String(), "boom"))
}

// A fakeLimiter is a shared limiter that allows each key so many requests.
type fakeLimiter struct {
	mu       sync.Mutex
	count    map[string]int
	released int
	fail     func(ctx context.Context) error
}

func newFakeLimiter() *fakeLimiter { return &fakeLimiter{count: map[string]int{}} }

func (f *fakeLimiter) Acquire(ctx context.Context, key string, perMinute, concurrency int) (func(), time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(ctx); err != nil {
			return nil, 0, err
		}
	}
	if concurrency != 0 {
		return nil, 0, errors.New("HTTP has no bound of its own for a key")
	}
	if f.count[key] >= perMinute {
		return nil, 5 * time.Second, nil
	}
	f.count[key]++
	return func() { f.released++ }, 0, nil
}

func TestRule3_6_SharedLimiter(t *testing.T) {
	shared := newFakeLimiter()
	one, _ := limited(t, RateLimit(2), SharedLimiter(shared))
	two, logged := limited(t, RateLimit(2), SharedLimiter(shared))
	assert.Equal(t, []int{200}, statuses(one, from("192.0.2.1:1")))
	assert.Equal(t, []int{200, 429}, statuses(two, from("192.0.2.1:1"), from("192.0.2.1:1")))
	assert.Equal(t, []int{429}, statuses(one, from("192.0.2.1:1")))
	wait, _ := one.allow(from("192.0.2.1:1"), nil)
	assert.Equal(t, 5*time.Second, wait)
	assert.Equal(t, map[string]int{"http:address:192.0.2.1": 2}, shared.count)
	assert.Equal(t, 2, shared.released)
	assert.Empty(t, logged.String())
}

func TestRule3_6_SharedLimiterFails(t *testing.T) {
	for name, fail := range map[string]func(context.Context) error{
		"error": func(context.Context) error { return errors.New("boom") },
		"panic": func(context.Context) error { panic("boom") },
		"slow": func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("boom: %w", ctx.Err())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared := newFakeLimiter()
				r, logged := limited(t, RateLimit(2), SharedLimiter(shared))
				shared.fail = fail
				req := from("192.0.2.1:1")
				assert.Equal(t, []int{200, 200, 429, 429}, statuses(r, req, req, req, req))
				assert.Equal(t, 1, strings.Count(logged.String(), "the shared limiter failed"), logged)
				assert.Contains(t, logged.String(), "boom")
				time.Sleep(time.Minute)
				statuses(r, req, req)
				assert.Equal(t, 2, strings.Count(logged.String(), "the shared limiter failed"), "once a minute")
				shared.fail = nil
				assert.Equal(t, []int{200, 200, 429}, statuses(r, req, req, req), "it works again")
			})
		})
	}
}

func TestRule3_6_GoneClientIsNoFailure(t *testing.T) {
	shared := newFakeLimiter()
	shared.fail = func(ctx context.Context) error { return ctx.Err() }
	r, logged := limited(t, SharedLimiter(shared))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	statuses(r, from("192.0.2.1:1").WithContext(ctx))
	assert.Empty(t, logged.String())
}

func TestRule3_6_OptionsOfTheRateLimit(t *testing.T) {
	for want, opt := range map[string]Option{
		"cannot serve: RateLimit is 0; it must be positive":                           RateLimit(0),
		"cannot serve: RateLimit is -1; it must be positive":                          RateLimit(-1),
		"cannot serve: RateLimitKey is nil; leave it out or give it a function":       RateLimitKey(nil),
		"cannot serve: SharedLimiter is nil; leave it out or give it a limiter":       SharedLimiter(nil),
		`cannot serve: an entry of TrustedProxies is "x"; ` + hintProxy:               TrustedProxies("x"),
		`cannot serve: an entry of TrustedProxies is "10.0.0.0/0"; ` + hintAllProxies: TrustedProxies("10.0.0.0/0"),
	} {
		assert.EqualError(t, opt.apply(new(options)), want)
	}
}

func BenchmarkRateLimit(b *testing.B) {
	r := defaultRate().(*rate)
	r.setPerMinute(1 << 30)
	req := from("192.0.2.1:4711")
	b.ReportAllocs()
	for b.Loop() {
		r.allow(req, nil)
	}
}
