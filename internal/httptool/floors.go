package httptool

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// learnFloors finds out how short the schema lets arrays become: those in the
// same place, whatever elements they are in, are shortened together, each
// place by itself. The work is bounded; a place that was not reached may not
// be shortened at all.
func (c *cutter) learnFloors(ctx context.Context) func(index int) int {
	const maxTries = 64
	places := c.places()
	sizes, order := map[string]int{}, []string(nil)
	for i, place := range places {
		if sizes[place] == 0 {
			order = append(order, place)
		}
		sizes[place] += c.arrays[i].close.rune - c.arrays[i].open.rune + 1
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
	floors, tries := map[string]int{}, 0
	for _, place := range order {
		floors[place] = c.leastLength(places, place, func() bool {
			tries++
			return tries <= maxTries && ctx.Err() == nil
		})
	}
	return func(index int) int { return floors[places[index]] }
}

// leastLength returns the fewest elements that the arrays of a place may keep
// if no other array is touched. While more reports false nothing is tried.
func (c *cutter) leastLength(places []string, place string, more func() bool) int {
	longest := 0
	for i := range places {
		if places[i] == place {
			longest = max(longest, len(c.arrays[i].ends))
		}
	}
	return least(longest, func(length int) bool {
		if !more() {
			return false
		}
		for i := range c.arrays {
			n := len(c.arrays[i].ends)
			c.keep[i] = n
			if places[i] == place {
				c.keep[i] = min(n, length)
			}
			c.gone[i] = c.isGone(&c.arrays[i])
		}
		return c.valid(c.cut())
	})
}

// least returns the smallest n of 0 to limit for which ok is true; ok(limit) is
// taken for granted. It begins with 0, which is what is hoped for.
func least(limit int, ok func(n int) bool) int {
	wrong := -1
	for step := 1; wrong+step < limit; step *= 2 {
		if ok(wrong + step) {
			return wrong + bisect(step, func(n int) bool { return ok(wrong + n) })
		}
		wrong += step
	}
	return wrong + bisect(limit-wrong, func(n int) bool { return ok(wrong + n) })
}

// bisect returns the smallest n of 1 to limit for which ok is true; ok(limit)
// is taken for granted.
func bisect(limit int, ok func(n int) bool) int {
	wrong := 0
	for limit-wrong > 1 {
		if middle := wrong + (limit-wrong)/2; ok(middle) {
			limit = middle
		} else {
			wrong = middle
		}
	}
	return limit
}

// places returns, for each array, its pointer with every index replaced.
func (c *cutter) places() []string {
	places := c.pointers(func(int) bool { return true })
	for i, pointer := range places {
		segments := strings.Split(pointer, "/")
		for j, s := range segments {
			if s != "" && strings.Trim(s, "0123456789") == "" {
				segments[j] = "*"
			}
		}
		places[i] = strings.Join(segments, "/")
	}
	return places
}
