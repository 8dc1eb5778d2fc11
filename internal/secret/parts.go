package secret

// A part is one byte of an escape, which may itself be spelled with escapes.
type part struct {
	byte
	end    int
	weight uint8
}

// maxParts bounds the ways to read one part. Common are two, of an entity of which
// one cannot tell whether it took the semicolon that follows, and one for each
// depth of backslashes.
const maxParts = 8

// parts yields each way to read a byte of the wanted classes as part of an escape
// that may weigh up to limit.
func (r *reader) parts(at int, limit uint8, want class, yield func(part)) {
	if at >= len(r.text) {
		return
	}
	c := r.text[at]
	if has(c, want) {
		yield(part{c, at + 1, 1})
	}
	if !has(c, isLead) || limit < 4 {
		return
	}
	var found [maxParts]part
	n := 0
	for _, p := range r.inner(at, limit/2) {
		if p.size != 1 || p.weight > limit/2 || !has(p.value[0], want) {
			continue
		}
		if n == maxParts {
			r.work = 0
			break
		}
		found[n] = part{p.value[0], p.end, p.weight}
		n++
	}
	for _, p := range found[:n] {
		yield(p)
	}
}

// A choice says which of several readings is meant. A text that was encoded in one
// way is read in one way throughout.
type choice struct {
	long  bool // an entity goes on with an escape after it
	heavy bool // of those that end at one place, the one that was escaped more often
}

var choices = []choice{{true, true}, {true, false}, {false, true}, {false, false}}

// prefers reports whether a part is to be taken instead of another.
func (c choice) prefers(p, other part) bool {
	if p.end != other.end {
		return (p.end > other.end) == c.long
	}
	return (p.weight > other.weight) == c.heavy
}

// pick reads one byte of the wanted classes, as it is or spelled as an escape, and
// reports whether it could have been another. An end of 0 means that there is none.
func (r *reader) pick(at int, want class, by choice) (picked part, others bool) {
	if at >= len(r.text) {
		return part{}, false
	}
	c := r.text[at]
	if has(c, want) {
		return part{c, at + 1, 1}, false
	}
	if !has(c, isLead) {
		return part{}, false
	}
	for _, n := range r.readings(at) {
		if n.size != 1 || !has(n.value[0], want) {
			continue
		}
		p := part{n.value[0], n.end, n.weight}
		if others = picked.end > 0; !others || by.prefers(p, picked) {
			picked = p
		}
	}
	return picked, others
}
