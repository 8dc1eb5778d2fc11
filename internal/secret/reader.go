package secret

import "math/bits"

// maxWeight bounds how deep escapes may stand in one another: five deep, each of
// any kind. That is JSON in JSON three deep in a JSON document, plus one other
// encoding.
const maxWeight = 1 << 5

// maxReadings bounds the readings of one place. Only a text made for it has more.
const maxReadings = 128

// Readings are remembered for two windows of the text, the one at hand and the
// one before.
const (
	windowSize = 256 // bytes
	memoSize   = 2 * windowSize
)

// A reading is one way to read an escape: the bytes meant, and the place where
// their spelling ends.
//
// Its weight tells how deep escapes stand in one another: 1 for a byte as it is,
// and for an escape twice its heaviest part.
type reading struct {
	end    int
	weight uint8
	size   uint8
	value  [8]byte
}

func (r *reading) bytes() []byte { return r.value[:r.size] }

// A reader reads escapes. Every place is read for itself, without regard to what
// stands before it, so no text in front can put a reader off.
type reader struct {
	*matcher
	text  []byte
	found []reading  // of the places at hand, a stack
	base  int        // where those of the innermost place begin
	only  [1]reading // of a simple escape
	memos [memoSize]memo
	epoch int // counts texts, for the memos
	work  int // steps that are left
}

// A memo has the readings of a place that weigh up to limit.
type memo struct {
	epoch, at int
	limit     uint8
	readings  []reading
}

// read turns to a text.
func (r *reader) read(text []byte) {
	r.text = text
	r.epoch++
}

// readings returns the ways to read an escape that begins at a place. They are
// valid until the next call.
//
// A whole window is read at once, from its end on: what an escape is made of
// stands after its beginning, so that it is at hand when it is asked for.
func (r *reader) readings(at int) []reading {
	if !r.mayEscape(at) {
		return nil
	}
	if r.simple(at) {
		return r.only[:]
	}
	if m := r.memo(at); m.epoch == r.epoch && m.at == at && m.limit == maxWeight {
		return m.readings
	}
	first := at - at%windowSize
	for i := min(first+windowSize, len(r.text)) - 1; i >= first; i-- {
		if r.leads[r.text[i]] && r.mayEscape(i) && !r.simple(i) {
			r.compute(i, maxWeight)
		}
	}
	return r.inner(at, maxWeight)
}

// inner returns the readings of a place as part of an escape: those that weigh up
// to limit, and perhaps heavier ones. They are valid until the next call.
func (r *reader) inner(at int, limit uint8) []reading {
	if !r.mayEscape(at) {
		return nil
	}
	if r.simple(at) {
		return r.only[:]
	}
	m := r.memo(at)
	if m.epoch != r.epoch || m.at != at || m.limit < limit {
		r.compute(at, limit)
	}
	return m.readings
}

func (r *reader) memo(at int) *memo { return &r.memos[at%memoSize] }

// compute finds the readings of a place that weigh up to limit.
func (r *reader) compute(at int, limit uint8) {
	base, outer := len(r.found), r.base
	r.base = base
	r.push(r.text[at:at+1], at+1, 1, limit)
	row := r.row(at)
	for n := 2; n <= row; n *= 2 {
		r.push([]byte{'\\'}, at+n, uint8(n), limit)
	}
	for i := base; i < len(r.found) && row < maxWeight && r.work > 0; i++ {
		r.extend(r.found[i], at+row, limit)
		if r.work--; len(r.found)-base > maxReadings {
			r.work = 0
		}
	}
	m := r.memo(at)
	*m = memo{r.epoch, at, limit, append(m.readings[:0], r.found[base+1:]...)}
	r.found, r.base = r.found[:base], outer
}

// simple reads an escape into only, if it can be read in one way: one that has no
// escapes in it and does not begin another. Most are.
func (r *reader) simple(at int) bool {
	r.work--
	n := &r.only[0]
	rest := r.text[at+1:]
	switch {
	case r.text[at] == '%' && len(rest) >= 2 && has(rest[0], isHex) && has(rest[1], isHex):
		n.value[0], n.end = hexValues[rest[0]]<<4|hexValues[rest[1]], at+3
	case r.text[at] == '\\' && len(rest) >= 1 && has(rest[0], isEscaped) && !has(rest[0], isCoded):
		n.value[0], n.end = escapedMeanings[rest[0]], at+2
	default:
		return false
	}
	return !r.leads[n.value[0]]
}

// mayEscape reports whether an escape may begin at a place, by the bytes after it.
func (r *reader) mayEscape(at int) bool {
	if r.text[at] == '+' {
		return r.spaces
	}
	if at+1 == len(r.text) {
		return false
	}
	next := classes[r.text[at+1]]
	switch r.text[at] {
	case '%':
		return next&isHex != 0 || next&isLead != 0 && !r.hopeless(at)
	case '&':
		return next&(isName|isSharp) != 0 || next&isLead != 0 && !r.hopeless(at)
	case '\\':
		return next&(isEscaped|isBackslash) != 0 || next&isLead != 0 && !r.hopeless(at)
	}
	return false
}

// hopeless reports whether so many escapes would have to stand in one another from
// a place on that they weigh too much.
func (r *reader) hopeless(at int) bool {
	for i := at; i <= at+bits.Len8(maxWeight); i++ {
		if i+1 >= len(r.text) || !has(r.text[i], isLead) || r.text[i] == '\\' && r.text[i+1] == '\\' {
			return false
		}
	}
	return true
}

// row returns how many backslashes stand in a row from a place on, up to
// maxWeight, from where on nothing after the row can be escaped. Two, four, eight
// and so on are one, escaped so often; any other number means several characters.
func (r *reader) row(at int) int {
	n := 0
	for n < maxWeight && at+n < len(r.text) && r.text[at+n] == '\\' {
		n++
	}
	return n
}

// extend adds the escapes that a reading is the beginning of. Up to row there are
// but backslashes.
func (r *reader) extend(lead reading, row int, limit uint8) {
	if lead.size != 1 || lead.weight >= limit {
		return
	}
	switch lead.value[0] {
	case '%':
		r.percent(lead, limit)
	case '\\':
		r.backslash(lead, row, limit)
	case '&':
		r.entity(lead, limit)
	case '+':
		if r.spaces {
			r.push([]byte{' '}, lead.end, escape(lead.weight), limit)
		}
	}
}

// push adds a reading to those of the place at hand, unless one like it is there.
func (r *reader) push(value []byte, end int, weight, limit uint8) {
	if weight > limit {
		return
	}
	n := reading{end: end, weight: weight, size: uint8(len(value))}
	copy(n.value[:], value)
	for _, other := range r.found[r.base:] {
		if other.end == end && other.value == n.value && other.weight <= weight {
			return
		}
	}
	r.found = append(r.found, n)
}

// escape is the weight of an escape whose heaviest part has the given weight.
func escape(heaviest uint8) uint8 {
	return 2 << bits.Len8(heaviest-1)
}
