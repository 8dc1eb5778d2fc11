package limit

import (
	"math/bits"
	"time"
)

// A counter counts the allowed calls of one key in two buckets. Its times are
// durations since a common base; the zero value has seen no call.
type counter struct {
	start         time.Duration // of the current bucket
	last          time.Duration // the last call
	current, prev int           // calls in the current bucket and in the one before
}

// dead reports that no call lies within the window.
func (c *counter) dead(now, window time.Duration) bool {
	return c.current+c.prev == 0 || now-c.last >= window
}

// allow counts a call, or says how long it must wait. The limit is positive.
func (c *counter) allow(now, window time.Duration, limit int) (retryAfter time.Duration, ok bool) {
	c.roll(now, window)
	// Rounded up, so that a burst over the edge of a bucket stays in the limit.
	if ceilShare(c.prev, window-(now-c.start), window)+c.current < limit {
		c.current++
		c.last = now
		return 0, true
	}
	return min(c.free(window, limit), c.last+window) - now, false
}

// undo takes back the latest call that still counts.
func (c *counter) undo() {
	switch {
	case c.current > 0:
		c.current--
	case c.prev > 0:
		c.prev--
	}
}

// roll moves to the bucket of now. The last call lies in the current bucket and
// less than a window ago, or all is forgotten, so now is at most one bucket on.
func (c *counter) roll(now, window time.Duration) {
	switch {
	case c.dead(now, window):
		*c = counter{start: now}
	case now-c.start >= window:
		c.start += window
		c.prev, c.current = c.current, 0
	}
}

// free returns when the buckets have room for a call, if none comes before. It
// is called when they have none.
func (c *counter) free(window time.Duration, limit int) time.Duration {
	if room := limit - 1 - c.current; room >= 0 {
		// In this bucket, once no more than room is left of the previous one.
		return c.start + window - floorShare(window, room, c.prev)
	}
	// In the next bucket, where the current one is the previous one.
	return c.start + 2*window - floorShare(window, limit-1, c.current)
}

// ceilShare returns n * part / whole, rounded up, for 0 <= part <= whole.
func ceilShare(n int, part, whole time.Duration) int {
	hi, lo := bits.Mul64(uint64(n), uint64(part))
	share, rest := bits.Div64(hi, lo, uint64(whole))
	if rest > 0 {
		share++
	}
	return int(share)
}

// floorShare returns d * part / whole, rounded down, for 0 <= part <= whole.
func floorShare(d time.Duration, part, whole int) time.Duration {
	hi, lo := bits.Mul64(uint64(d), uint64(part))
	share, _ := bits.Div64(hi, lo, uint64(whole))
	return time.Duration(share)
}
