package secret

import "math"

// maxBlocks is how often hex or base64 may stand in one another.
const maxBlocks = 3

// workPerByte bounds the steps that finding may take, so that time is linear in the
// text whatever it holds. Ordinary texts take one to three steps a byte, the worst
// of escapes in escapes some fifty. A text that takes more was made for it with
// knowledge of a secret; all of it counts as a secret.
const (
	workPerByte = 256
	workAtLeast = 1 << 16
)

// A scanner finds the patterns in one text. It is used by one goroutine at a
// time.
type scanner struct {
	reader
	hits    []span
	floor   int       // hits before it belong to the text around the one at hand
	escapes []reading // of escaped
	pending []place   // of follow, a stack
	seen    map[place]bool
	levels  [maxBlocks]level
}

func newScanner(m *matcher) *scanner {
	return &scanner{reader: reader{matcher: m, only: [1]reading{{weight: 2, size: 1}}}, seen: map[place]bool{}}
}

// A place is where following stands: in the text and in the patterns.
type place struct {
	at int
	cursor
}

// find returns the parts of a text that spell a pattern, sorted and apart. They
// are valid until the scanner's next use.
func (s *scanner) find(text []byte) []span {
	s.hits, s.floor = s.hits[:0], 0
	if len(text) > math.MaxInt32 {
		return append(s.hits, span{0, len(text)})
	}
	s.work = workPerByte*len(text) + workAtLeast
	s.scan(text, maxBlocks)
	s.read(nil)
	if s.work <= 0 {
		return append(s.hits[:0], span{0, len(text)})
	}
	return merge(s.hits)
}

// scan adds the hits of a text, in which hex and base64 are decoded so many times.
func (s *scanner) scan(text []byte, blocks int) {
	if len(text) < headSize {
		return
	}
	s.work -= len(text)
	s.read(text)
	s.plain()
	s.escaped()
	if blocks > 0 {
		s.blocks(blocks - 1)
	}
}

// plain finds the patterns whose first eight bytes stand as they are.
func (s *scanner) plain() {
	for i := s.next(s.text, 0); i >= 0 && s.work > 0; i = s.next(s.text, i+1) {
		s.follow(i, place{at: i})
	}
}

// escaped finds the patterns that have an escape in their first eight bytes: for
// each escape, those whose bytes before it, if any, stand in front of it as they are.
func (s *scanner) escaped() {
	for at := s.nextLead(0); at >= 0 && s.work > 0; at = s.nextLead(at + 1) {
		s.escapes = append(s.escapes[:0], s.readings(at)...)
		if len(s.escapes) == 0 {
			continue
		}
		for start := at; start >= 0 && start > at-headSize; start-- {
			c, ok := s.walk(cursor{}, s.text[start:at])
			if !ok {
				continue
			}
			for _, r := range s.escapes {
				if next, ok := s.walk(c, r.bytes()); ok {
					s.follow(start, place{r.end, next})
				}
			}
		}
	}
}

// nextLead returns the next place from which on an escape may be read, or -1. In
// a row of backslashes only the last few can escape something else.
func (s *scanner) nextLead(from int) int {
	for i := from; i < len(s.text); i++ {
		if !s.leads[s.text[i]] {
			continue
		}
		if s.text[i] == '\\' && !s.backslashes {
			end := i + 1
			for end < len(s.text) && s.text[end] == '\\' {
				end++
			}
			return max(i, end-maxWeight/2)
		}
		return i
	}
	return -1
}

// follow finds the patterns that begin at start and have been followed to a
// place, along every reading of what comes next.
func (s *scanner) follow(start int, from place) {
	s.pending = append(s.pending[:0], from)
	clear(s.seen)
	for len(s.pending) > 0 && s.work > 0 {
		last := len(s.pending) - 1
		p := s.pending[last]
		s.pending = s.pending[:last]
		s.followRaw(start, p)
	}
}

// followRaw goes on byte by byte and leaves the other readings in pending.
func (s *scanner) followRaw(start int, p place) {
	for {
		s.work--
		if s.final(p.cursor) {
			s.hit(span{start, p.at})
		}
		if p.at == len(s.text) {
			return
		}
		c := s.text[p.at]
		if s.leads[c] {
			s.branch(p)
		}
		next, ok := s.step(p.cursor, c)
		if !ok {
			return
		}
		p = place{p.at + 1, next}
	}
}

// branch puts the readings of an escape that go on with a pattern in pending,
// each place once.
func (s *scanner) branch(p place) {
	for _, r := range s.readings(p.at) {
		c, ok := s.walk(p.cursor, r.bytes())
		next := place{r.end, c}
		if !ok || s.seen[next] {
			continue
		}
		s.seen[next] = true
		s.pending = append(s.pending, next)
	}
}

// hit adds a span, joined with the one before where they overlap.
func (s *scanner) hit(h span) {
	if n := len(s.hits); n > s.floor {
		if last := &s.hits[n-1]; h.start >= last.start && h.start <= last.end {
			last.end = max(last.end, h.end)
			return
		}
	}
	s.hits = append(s.hits, h)
}
