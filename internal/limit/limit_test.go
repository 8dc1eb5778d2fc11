package limit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRule3_6_SlidingWindow(t *testing.T) {
	const ms = time.Millisecond
	type call struct {
		at    time.Duration
		retry time.Duration // zero: allowed
	}
	for _, tt := range []struct {
		name  string
		limit int
		calls []call
	}{
		{"case 98: two, then no more", 2, []call{{0, 0}, {0, 0}, {0, 1000 * ms}, {1 * ms, 999 * ms}}},
		{"case 100: a window later", 2, []call{{0, 0}, {0, 0}, {999 * ms, 1 * ms}, {1000 * ms, 0}, {1000 * ms, 0}, {1000 * ms, 1000 * ms}}},
		{"limit of one", 1, []call{{0, 0}, {500 * ms, 500 * ms}, {1000 * ms, 0}, {1999 * ms, 1 * ms}, {2000 * ms, 0}}},
		{"the previous bucket is weighted", 4, []call{
			{0, 0}, {900 * ms, 0}, {900 * ms, 0}, {900 * ms, 0},
			{1000 * ms, 250 * ms}, // 4 × 1 + 0
			{1250 * ms, 0},        // 4 × 0.75 + 0
			{1250 * ms, 250 * ms}, // 4 × 0.75 + 1
			{1499 * ms, 1 * ms},
			{1500 * ms, 0}, // 4 × 0.5 + 1
			{2000 * ms, 0}, // 2 × 1 + 0
		}},
		{"the next bucket may be too full as well", 2, []call{{0, 0}, {900 * ms, 0}, {950 * ms, 550 * ms}, {1500 * ms, 0}}},
		{"a refused call counts nothing", 1, []call{{0, 0}, {300 * ms, 700 * ms}, {600 * ms, 400 * ms}, {999 * ms, 1 * ms}, {1000 * ms, 0}}},
		{"none are allowed", 0, []call{{0, 1000 * ms}, {5000 * ms, 1000 * ms}}},
		{"long silence", 1, []call{{0, 0}, {time.Hour, 0}, {time.Hour + 1, 1000*ms - 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := New(tt.limit, time.Second, 0)
				begin := time.Now()
				for i, c := range tt.calls {
					time.Sleep(c.at - time.Since(begin))
					retry, ok := w.Allow("key")
					assert.Equal(t, c.retry, retry, "call %d at %v", i, c.at)
					assert.Equal(t, c.retry == 0, ok, "call %d at %v", i, c.at)
				}
			})
		})
	}
}

// TestRule3_6_RetryAfterIsExact: after the wait a call is allowed, and just
// before it is not.
func TestRule3_6_RetryAfterIsExact(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 36))
		window := time.Duration(1 + random.Int64N(int64(time.Minute)))
		limit := 1 + random.IntN(20)
		var c counter
		now := time.Duration(0)
		for range 200 {
			now += time.Duration(random.Int64N(int64(window)/int64(limit) + 2))
			retry, ok := c.allow(now, window, limit)
			if ok {
				continue
			}
			require.Positive(t, retry, "seed %d", seed)
			require.LessOrEqual(t, retry, window, "seed %d", seed)
			before, after := c, c
			_, early := before.allow(now+retry-1, window, limit)
			require.False(t, early, "seed %d: %v after %v", seed, retry-1, now)
			_, inTime := after.allow(now+retry, window, limit)
			require.True(t, inTime, "seed %d: %v after %v", seed, retry, now)
		}
	}
}

// TestRule3_6_Bounds: any traffic stays within the limit in a burst, within
// less than twice the limit in any window, and within the limit in the long run.
func TestRule3_6_Bounds(t *testing.T) {
	const window = 1000 * time.Millisecond
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 6))
		limit := 1 + random.IntN(12)
		var c counter
		var allowed []time.Duration
		now := time.Duration(0)
		for range 500 {
			switch random.IntN(4) {
			case 0: // a burst
			case 1:
				now += time.Duration(random.Int64N(int64(window)))
			case 2:
				now += window / time.Duration(4*limit)
			case 3: // just around the edge of a bucket
				now = c.start + window + time.Duration(random.IntN(3)-1)
				if len(allowed) > 0 {
					now = max(now, allowed[len(allowed)-1])
				}
			}
			if _, ok := c.allow(now, window, limit); ok {
				allowed = append(allowed, now)
			}
		}
		within := func(d time.Duration) (most int) {
			first := 0
			for i, at := range allowed {
				for at-allowed[first] >= d {
					first++
				}
				most = max(most, i-first+1)
			}
			return most
		}
		require.LessOrEqual(t, within(window/time.Duration(10*limit)), limit, "seed %d: burst", seed)
		require.LessOrEqual(t, within(window), 2*limit-1, "seed %d: window", seed)
		for _, n := range []int{5, 50} {
			require.LessOrEqual(t, within(time.Duration(n)*window), (n+1)*limit, "seed %d: %d windows", seed, n)
		}
	}
}

func TestRule3_6_OnlyLiveKeysRemain(t *testing.T) { // case 101
	synctest.Test(t, func(t *testing.T) {
		w := New(2, time.Second, 0)
		for i := range 100 {
			w.Allow(fmt.Sprint("early ", i))
		}
		time.Sleep(600 * time.Millisecond)
		for i := range 10 {
			w.Allow(fmt.Sprint("late ", i))
		}
		w.Allow("early 7") // lives on
		assert.Len(t, w.keys, 110)
		time.Sleep(400 * time.Millisecond)
		w.Allow("new")
		assert.Len(t, w.keys, 12)
		time.Sleep(time.Second)
		w.Allow("new")
		assert.Len(t, w.keys, 1)
	})
}

func TestRule3_6_KeysAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(2, time.Second, 3)
		allow := func(key string) bool {
			_, ok := w.Allow(key)
			return ok
		}
		for _, key := range []string{"a", "b", "c"} {
			assert.True(t, allow(key))
		}
		assert.True(t, allow("d"), "the first of the shared bucket")
		assert.True(t, allow("e"), "the second")
		for i := range 1000 {
			assert.False(t, allow(fmt.Sprint("invented ", i)))
		}
		assert.Len(t, w.keys, 3)
		assert.True(t, allow("a"), "a live key is never evicted, so it has its own count")
		assert.False(t, allow("a"))
		assert.True(t, allow("b"))
		assert.False(t, allow("b"), "nor does eviction give it a new count")

		time.Sleep(time.Second)
		for _, key := range []string{"d", "d", "e", "e"} {
			assert.True(t, allow(key), "room for %s", key)
		}
		assert.False(t, allow("d"))
	})
}

func TestRule3_6_Undo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(2, time.Second, 2)
		for range 100 {
			for _, key := range []string{"a", "b", "overflow"} {
				_, ok := w.Allow(key)
				assert.True(t, ok, key)
				w.Undo(key)
			}
		}
		for _, key := range []string{"a", "a", "b", "b", "overflow", "more overflow"} {
			_, ok := w.Allow(key)
			assert.True(t, ok, key)
		}
		for _, key := range []string{"a", "b", "overflow"} {
			_, ok := w.Allow(key)
			assert.False(t, ok, key)
		}
		w.Undo("a")
		_, ok := w.Allow("a")
		assert.True(t, ok)
		time.Sleep(time.Hour)
		w.Undo("unknown")
		w.Undo("a")
		_, ok = w.Allow("a")
		assert.True(t, ok)
		time.Sleep(999 * time.Millisecond)
		_, ok = w.Allow("a")
		assert.True(t, ok)
		time.Sleep(time.Millisecond)
		_, ok = w.Allow("a")
		assert.False(t, ok)
		w.Undo("a") // of the previous bucket
		_, ok = w.Allow("a")
		assert.True(t, ok)
	})
}

func TestRule3_6_LongKeys(t *testing.T) {
	w := New(1, time.Minute, 0)
	long := strings.Repeat("x", 1<<20)
	_, ok := w.Allow(long + "a")
	assert.True(t, ok)
	_, ok = w.Allow(long + "b")
	assert.True(t, ok)
	_, ok = w.Allow(long + "a")
	assert.False(t, ok)
	for key := range w.keys {
		assert.LessOrEqual(t, len(key), maxKeyLen)
	}
}

func TestRule3_6_LargeLimits(t *testing.T) {
	c := counter{current: math.MaxInt32}
	limit, window := math.MaxInt32, 365*24*time.Hour
	retry, ok := c.allow(window/2, window, limit)
	assert.False(t, ok)
	assert.Equal(t, window/2, retry)
	c.last = window / 2
	_, ok = c.allow(window+window/4, window, limit)
	assert.True(t, ok)
}

func TestWindowsAreSafeForConcurrentUse(t *testing.T) {
	const limit, keys = 50, 7
	w := New(limit, time.Hour, 0)
	var wg sync.WaitGroup
	var mu sync.Mutex
	allowed := map[string]int{}
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				key := fmt.Sprint(i % keys)
				if _, ok := w.Allow(key); ok {
					mu.Lock()
					allowed[key]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for key, n := range allowed {
		assert.Equal(t, limit, n, key)
	}
	assert.Len(t, allowed, keys)
}

func TestNewRefusesNoWindow(t *testing.T) {
	assert.Panics(t, func() { New(1, 0, 0) })
}

func BenchmarkAllow(b *testing.B) {
	for _, keys := range []int{1, DefaultMaxKeys, 10 * DefaultMaxKeys} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			names := make([]string, keys)
			for i := range names {
				names[i] = fmt.Sprintf("192.0.2.%d", i)
			}
			w := New(300, time.Minute, 0)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				w.Allow(names[i%keys])
				i++
			}
		})
	}
	b.Run("every key is new and soon dead", func(b *testing.B) {
		w := New(300, time.Millisecond, 0)
		names := make([]string, 1<<16)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			w.Allow(names[i%len(names)])
			i++
		}
	})
}
