package limit

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRule8_5_PerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(0)
		for range 2 {
			release, _, err := l.Acquire(t.Context(), "tool", 2, 0)
			require.NoError(t, err)
			release()
		}
		release, retry, err := l.Acquire(t.Context(), "tool", 2, 0)
		assert.NoError(t, err)
		assert.Nil(t, release)
		assert.Equal(t, time.Minute, retry)
		time.Sleep(retry)
		release, _, _ = l.Acquire(t.Context(), "tool", 2, 0)
		assert.NotNil(t, release)
	})
}

func TestRule8_5_Concurrency(t *testing.T) {
	l := NewLimiter(0)
	first, _, err := l.Acquire(t.Context(), "tool", 3, 2)
	require.NoError(t, err)
	second, _, err := l.Acquire(t.Context(), "tool", 3, 2)
	require.NoError(t, err)
	other, _, _ := l.Acquire(t.Context(), "another tool", 3, 2)
	assert.NotNil(t, other)
	for range 10 {
		refused, retry, err := l.Acquire(t.Context(), "tool", 3, 2)
		assert.NoError(t, err)
		assert.Nil(t, refused)
		assert.Positive(t, retry)
	}
	first()
	first() // frees one slot, not two
	third, _, _ := l.Acquire(t.Context(), "tool", 3, 2)
	assert.NotNil(t, third, "the refused calls did not count")
	refused, _, _ := l.Acquire(t.Context(), "tool", 0, 2)
	assert.Nil(t, refused)
	second()
	third()
	other()
	assert.Empty(t, l.running)
}

func TestRule8_5_NoBounds(t *testing.T) {
	l := NewLimiter(0)
	for range 1000 {
		release, retry, err := l.Acquire(t.Context(), "tool", 0, 0)
		assert.NoError(t, err)
		assert.Zero(t, retry)
		assert.NotNil(t, release)
	}
	refused, _, _ := l.Acquire(t.Context(), "tool", 0, 1000)
	assert.Nil(t, refused, "a call without bounds runs all the same")
}

func TestRule8_5_EndedContext(t *testing.T) {
	l := NewLimiter(0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release, _, err := l.Acquire(ctx, "tool", 1, 1)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, release)
	release, _, err = l.Acquire(t.Context(), "tool", 1, 1)
	assert.NoError(t, err)
	assert.NotNil(t, release, "it counted nothing")
}

func TestRule8_5_SlotsAreNeverExceeded(t *testing.T) {
	l := NewLimiter(0)
	const most = 3
	var running, granted atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 500 {
				release, _, _ := l.Acquire(t.Context(), "tool", 0, most)
				if release == nil {
					continue
				}
				granted.Add(1)
				assert.LessOrEqual(t, running.Add(1), int32(most))
				running.Add(-1)
				release()
			}
		})
	}
	wg.Wait()
	assert.Positive(t, granted.Load())
	assert.Empty(t, l.running)
}

func BenchmarkAcquire(b *testing.B) {
	l := NewLimiter(0)
	b.ReportAllocs()
	for b.Loop() {
		release, _, _ := l.Acquire(b.Context(), "tool", math.MaxInt32, 10)
		release()
	}
}
