package httptool

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRule8_1_BudgetWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		first, err := b.reserve(t.Context(), 60)
		require.NoError(t, err)
		start := time.Now()
		time.AfterFunc(time.Second, first)
		second, err := b.reserve(t.Context(), 60)
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(start), "the second waits for the first")
		second()
		second()
		require.Equal(t, b.size, b.free, "releasing twice counts once")
	})
}

func TestRule8_1_BudgetEndsWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		release, err := b.reserve(t.Context(), 100)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = b.reserve(ctx, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		release()
		require.Equal(t, b.size, b.free)
		require.Zero(t, b.waiting.Len())
	})
}

// What is free is given even to a context that has ended, and only if nobody
// waits.
func TestRule8_1_BudgetWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		first, err := b.reserve(ended, 60)
		require.NoError(t, err)
		require.Equal(t, int64(40), b.free)
		_, err = b.reserve(ended, 41)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, int64(40), b.free)
		go func() {
			release, err := b.reserve(t.Context(), 50)
			require.NoError(t, err)
			release()
		}()
		synctest.Wait()
		_, err = b.reserve(ended, 1)
		require.ErrorIs(t, err, context.Canceled, "one who came earlier waits")
		first()
		synctest.Wait()
		require.Equal(t, b.size, b.free)
	})
}

// A large body is not starved by small ones that would fit meanwhile.
func TestRule8_1_BudgetIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		held, err := b.reserve(t.Context(), 50)
		require.NoError(t, err)
		var order []int
		var mu sync.Mutex
		var group sync.WaitGroup
		for i, size := range []int64{100, 10, 10} {
			group.Go(func() {
				release, err := b.reserve(t.Context(), size)
				require.NoError(t, err)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
				release()
			})
			synctest.Wait()
		}
		require.Empty(t, order, "nobody passes the first in the queue")
		held()
		group.Wait()
		require.Equal(t, 0, order[0])
	})
}

// Whoever gives up does not hold up those behind.
func TestRule8_1_BudgetLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		held, err := b.reserve(t.Context(), 50)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			_, err := b.reserve(ctx, 100)
			require.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		served := false
		group.Go(func() {
			release, err := b.reserve(t.Context(), 10)
			require.NoError(t, err)
			served = true
			release()
		})
		synctest.Wait()
		require.False(t, served)
		cancel()
		group.Wait()
		require.True(t, served)
		held()
		require.Equal(t, b.size, b.free)
	})
}

func TestRule8_1_BudgetSizes(t *testing.T) {
	require.Equal(t, int64(DefaultBudget), NewBudget(0).size)
	release, err := NewBudget(10).reserve(t.Context(), 1000)
	require.NoError(t, err, "a body larger than the budget takes all of it")
	release()
	var none *Budget
	release, err = none.reserve(t.Context(), 1000)
	require.NoError(t, err)
	release()
}

func TestRule8_1_BudgetNeverExceeded(t *testing.T) {
	const size = 1000
	b := NewBudget(size)
	var inUse atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(300))*time.Microsecond)
				n := rand.Int64N(size) + 1
				release, err := b.reserve(ctx, n)
				if err == nil {
					if inUse.Add(n) > size {
						t.Error("more is reserved than there is")
					}
					inUse.Add(-n)
					release()
				} else if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	group.Wait()
	require.Equal(t, int64(size), b.free)
	require.Zero(t, b.waiting.Len())
}
