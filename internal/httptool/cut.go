package httptool

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// cutText shortens a text to limit characters and says how many were left out.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	kept := 0
	for i := range s {
		if kept == limit {
			return s[:i] + textTruncated(utf8.RuneCountInString(s[i:]))
		}
		kept++
	}
	return s
}

// An omission tells that of an array only the first elements were kept.
type omission struct {
	pointer     string
	kept, total int
}

// cutStructured shortens the arrays of a compact JSON document from their ends
// until it has at most limit characters and fits its schema. It reports false
// if no way was found.
//
// Whole elements are worth more than parts of many: arrays inside of arrays
// are touched only if shortening those around them is not enough, and the
// longest arrays are shortened first. What room remains is given back in the
// order of the document.
func cutStructured(ctx context.Context, data []byte, limit int, fits func(tree any) bool) ([]byte, []omission, bool) {
	o, ok := newOutline(data)
	if !ok {
		return nil, nil, false
	}
	n := len(o.arrays)
	c := &cutter{outline: o, limit: limit, fits: fits, keep: make([]int, n), gone: make([]bool, n), shrink: make([]int, n)}
	if !c.search(ctx) {
		return nil, nil, false
	}
	return c.cut(), c.omissions(), true
}

// A cutter decides how many elements of each array are kept.
type cutter struct {
	*outline
	limit int
	fits  func(tree any) bool
	floor func(index int) int // the fewest elements that an array may keep

	keep   []int  // by array
	gone   []bool // by array: it lies in an element that is not kept
	shrink []int  // by array: characters that it loses, those inside of kept elements included
}

// search looks for a cut that fits: one that leaves something of each array,
// then any, then one that respects what the schema asks of each array.
func (c *cutter) search(ctx context.Context) bool {
	c.floor = func(int) int { return 1 }
	if c.tryLevels(ctx) {
		return true
	}
	c.floor = func(int) int { return 0 }
	if c.try(c.levels) {
		return true
	}
	const maxLearned = 50_000 // arrays whose places can be told apart in reasonable time
	if len(c.arrays) > maxLearned {
		return false
	}
	c.floor = c.learnFloors(ctx)
	return c.tryLevels(ctx)
}

// tryLevels shortens the outermost arrays only, then also those in them, and
// so on.
func (c *cutter) tryLevels(ctx context.Context) bool {
	const oneByOne = 6 // what is nested deeper is shortened all at once
	for level := 1; level <= min(c.levels, oneByOne) && ctx.Err() == nil; level++ {
		if c.try(level) {
			return true
		}
	}
	return c.levels > oneByOne && ctx.Err() == nil && c.try(c.levels)
}

// try shortens arrays that have less than levels arrays around them, to the
// greatest common length that is short enough.
func (c *cutter) try(levels int) bool {
	longest := 0
	for i := range c.arrays {
		longest = max(longest, len(c.arrays[i].ends))
	}
	if c.assign(levels, 0) > c.limit {
		return false
	}
	length, tooLong := 0, longest+1
	for tooLong-length > 1 {
		middle := length + (tooLong-length)/2
		if c.assign(levels, middle) <= c.limit {
			length = middle
		} else {
			tooLong = middle
		}
	}
	c.extend(c.limit - c.assign(levels, length))
	return c.valid(c.cut())
}

// assign lets arrays keep at most length elements, but never less than their
// floor, and returns how many characters the document then has.
func (c *cutter) assign(levels, length int) int {
	for i := range c.arrays {
		n := len(c.arrays[i].ends)
		c.keep[i] = n
		if c.arrays[i].level < levels {
			c.keep[i] = min(n, max(length, c.floor(i)))
		}
	}
	return c.measure()
}

// measure returns how many characters the document has after the cut.
func (c *cutter) measure() int {
	for i := range c.arrays {
		a := &c.arrays[i]
		c.shrink[i] = a.close.rune - a.end(c.keep[i]).rune
	}
	size := c.runes
	for i := len(c.arrays) - 1; i >= 0; i-- {
		switch a := &c.arrays[i]; {
		case a.parent < 0:
			size -= c.shrink[i]
		case a.within < c.keep[a.parent]:
			c.shrink[a.parent] += c.shrink[i]
		}
	}
	return size
}

// extend gives arrays that were shortened more elements, as long as there is
// room for some characters.
func (c *cutter) extend(room int) {
	for i := range c.arrays {
		a := &c.arrays[i]
		if c.gone[i] = c.isGone(a); c.gone[i] {
			continue
		}
		inner := i + 1
		for c.keep[i] < len(a.ends) {
			n := c.keep[i]
			cost := a.end(n+1).rune - a.end(n).rune
			for ; inner < len(c.arrays) && c.arrays[inner].open.byte < a.end(n+1).byte; inner++ {
				if b := &c.arrays[inner]; b.parent == i && b.within == n {
					cost -= c.shrink[inner]
				}
			}
			if cost > room {
				break
			}
			room -= cost
			c.keep[i]++
		}
	}
}

// isGone reports whether an array lies in an element that is not kept. What is
// around it has been decided.
func (c *cutter) isGone(a *array) bool {
	return a.parent >= 0 && (c.gone[a.parent] || a.within >= c.keep[a.parent])
}

// shortened reports whether an array of the cut document lost elements.
func (c *cutter) shortened(index int) bool {
	return !c.gone[index] && c.keep[index] < len(c.arrays[index].ends)
}

// cut returns the document without the elements that are not kept.
func (c *cutter) cut() []byte {
	type span struct{ from, to int }
	var spans []span
	for i := range c.arrays {
		if a := &c.arrays[i]; c.shortened(i) {
			spans = append(spans, span{a.end(c.keep[i]).byte, a.close.byte})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	from := 0
	for _, s := range spans {
		out.Write(c.data[from:s.from])
		from = s.to
	}
	out.Write(c.data[from:])
	return out.Bytes()
}

func (c *cutter) omissions() []omission {
	var all []omission
	for i, pointer := range c.pointers(c.shortened) {
		if c.shortened(i) {
			all = append(all, omission{pointer, c.keep[i], len(c.arrays[i].ends)})
		}
	}
	return all
}

func (c *cutter) valid(document []byte) bool {
	tree, err := jsonx.Parse(document, jsonx.Limits{})
	return err == nil && c.fits(tree)
}
