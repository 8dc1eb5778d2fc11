package httptool_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/limit"
)

type limiterFunc func(ctx context.Context, key string, perMinute, concurrency int) (func(), time.Duration, error)

func (f limiterFunc) Acquire(ctx context.Context, key string, perMinute, concurrency int) (func(), time.Duration, error) {
	return f(ctx, key, perMinute, concurrency)
}

func waitForEnd(ctx context.Context, _ string, _, _ int) (func(), time.Duration, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

func TestRule8_5_PerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		f := offline(t, func(*http.Request) (*http.Response, error) {
			sent++
			return jsonAnswer(strings.NewReader(`{}`)), nil
		})
		f.uses("KEY", apiKey)
		f.rt.Limiter = limit.NewLimiter(0)
		f.tool.PerMinute, f.tool.Concurrency = 2, 1
		f.ok(`{}`)
		f.ok(`{}`)
		start := time.Now()
		for range 5 {
			message := f.fails(httptool.OutcomeRefused, `{}`)
			require.Regexp(t, `^Tool "test" is called too often, or too many calls of it are running. Try again in [1-9]\d* seconds?\.$`, message)
		}
		require.Equal(t, 2, sent)
		require.Len(t, f.asked, 2, "nothing is asked for a refused call")
		time.Sleep(2 * time.Minute)
		f.ok(`{}`)
		require.Equal(t, 2*time.Minute, time.Since(start))
	})
}

func TestRule8_5_Keys(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.rt.LimitKey = "spec/"
	f.tool.PerMinute, f.tool.Concurrency = 7, 3
	released := 0
	f.rt.Limiter = limiterFunc(func(_ context.Context, key string, perMinute, concurrency int) (func(), time.Duration, error) {
		require.Equal(t, "spec/test", key)
		require.Equal(t, 7, perMinute)
		require.Equal(t, 3, concurrency)
		return func() { released++ }, 0, nil
	})
	f.ok(`{}`)
	require.Equal(t, 1, released)
}

func TestRule8_5_RefusalSaysHowLong(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Nanosecond: "1 second.", time.Second: "1 second.", 1001 * time.Millisecond: "2 seconds.", time.Minute: "60 seconds.",
	} {
		f := newFixture(t, respondJSON(`{}`))
		f.rt.Limiter = limiterFunc(func(context.Context, string, int, int) (func(), time.Duration, error) { return nil, wait, nil })
		require.True(t, strings.HasSuffix(f.fails(httptool.OutcomeRefused, `{}`), "Try again in "+want), wait)
		require.Empty(t, f.requests())
	}
}

// A shared limiter that fails refuses, and its own text is for logs.
func TestRule8_5_LimiterFails(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	down := errors.New("redis at 10.0.0.5 is down")
	f.rt.Limiter = limiterFunc(func(context.Context, string, int, int) (func(), time.Duration, error) { return nil, 0, down })
	message := f.fails(httptool.OutcomeLimiter, `{}`)
	require.NotContains(t, message, "redis")
	_, err := f.call(`{}`)
	require.ErrorIs(t, err, down)
	require.Empty(t, f.requests())
}

func TestRule8_5_ForeignLimiters(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.rt.Limiter = limiterFunc(func(context.Context, string, int, int) (func(), time.Duration, error) { return nil, 0, nil })
	f.ok(`{}`)
	released := 0
	f.rt.Limiter = limiterFunc(func(context.Context, string, int, int) (func(), time.Duration, error) {
		return func() { released++ }, time.Second, nil
	})
	f.fails(httptool.OutcomeRefused, `{}`)
	require.Equal(t, 1, released)
}

// A slot is freed however a call ends.
func TestRule8_5_SlotIsFreed(t *testing.T) {
	answer := func(*http.Request) (*http.Response, error) { return jsonAnswer(strings.NewReader(`{}`)), nil }
	for name, c := range map[string]struct {
		args   string
		change func(f *fixture, cancel func())
		want   httptool.Outcome
	}{
		"success":           {`{}`, func(*fixture, func()) {}, httptool.OutcomeOK},
		"invalid arguments": {`[`, func(*fixture, func()) {}, httptool.OutcomeInvalid},
		"missing secret":    {`{}`, func(f *fixture, _ func()) { f.uses("KEY", "") }, httptool.OutcomeSecret},
		"network":           {`{}`, func(f *fixture, _ func()) { f.respond(nil, errors.New("x")) }, httptool.OutcomeFailed},
		"status":            {`{}`, func(f *fixture, _ func()) { f.respond(&http.Response{StatusCode: 500, Body: http.NoBody}, nil) }, httptool.OutcomeStatus},
		"timeout":           {`{}`, func(f *fixture, _ func()) { f.rt.Transport = transportFunc(hang) }, httptool.OutcomeTimeout},
		"cancelled": {`{}`, func(f *fixture, cancel func()) {
			f.rt.Transport = transportFunc(func(r *http.Request) (*http.Response, error) { cancel(); return hang(r) })
		}, httptool.OutcomeCancelled},
		"select fails": {`{}`, func(f *fixture, _ func()) { f.tool.Select = "abs('x')" }, httptool.OutcomeSelect},
		"panic of the transport": {`{}`, func(f *fixture, _ func()) {
			f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { panic("boom") })
		}, httptool.OutcomeFault},
		"panic of select": {`{}`, func(f *fixture, _ func()) {
			f.rt.Select = func(context.Context, string, []byte) ([]byte, error) { panic("boom") }
		}, httptool.OutcomeFault},
		"panic of the source": {`{}`, func(f *fixture, _ func()) {
			f.uses("KEY", apiKey)
			f.rt.Secret = func(context.Context, string, string, string) (string, error) { panic("boom") }
		}, httptool.OutcomeFault},
		"nil panic": {`{}`, func(f *fixture, _ func()) {
			f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { panic(http.ErrAbortHandler) })
		}, httptool.OutcomeFault},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := offline(t, answer)
			l := limit.NewLimiter(0)
			f.rt.Limiter, f.tool.Concurrency = l, 1
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.change(f, cancel)
			_, err := f.tool.Call(ctx, f.rt, []byte(c.args))
			require.Equal(t, c.want == httptool.OutcomeOK, err == nil, name)
			require.Equal(t, c.want, f.event().Outcome, "%s: %v", name, err)
			release, _, err := l.Acquire(t.Context(), "test", 0, 1)
			require.NoError(t, err, name)
			require.NotNil(t, release, "%s: the slot is still taken", name)
		})
	}
}

func TestRule8_5_SlotIsFreedByGoexit(t *testing.T) {
	f := offline(t, nil)
	l := limit.NewLimiter(0)
	f.rt.Limiter, f.tool.Concurrency = l, 1
	f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { runtime.Goexit(); return nil, nil })
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = f.call(`{}`)
	}()
	<-done
	release, _, err := l.Acquire(t.Context(), "test", 0, 1)
	require.NoError(t, err)
	require.NotNil(t, release)
}

// respond sets what the transport returns.
func (f *fixture) respond(resp *http.Response, err error) {
	f.rt.Transport = transportFunc(func(*http.Request) (*http.Response, error) { return resp, err })
}
