package secret

// The shortest spellings of a pattern, in characters. In base64, up to four bits
// at either end are shared with others.
const (
	minBase64 = (headSize*8 - 4) / 6
	minHex    = headSize * 2
)

// A level holds the buffers for one depth of decoding.
type level struct {
	run    run
	side   run
	buffer []byte
}

// blocks finds the patterns in what may be base64 or hex; deeper is how often
// these may stand in one another below.
func (s *scanner) blocks(deeper int) {
	l := &s.levels[deeper]
	for from := 0; s.work > 0; {
		near := streak(s.text, from, minBase64, &nearBlock)
		if near.end == 0 {
			return
		}
		for from = near.start; from < near.end; {
			from = max(s.block(l, from, deeper), from+1)
		}
	}
}

// block decodes the run that begins at a place, if any, and returns where the
// text goes on.
func (s *scanner) block(l *level, at, deeper int) int {
	if !has(s.text[at], isBlock|isLead) {
		return at
	}
	if end := s.blockEnd(at); end == len(s.text) || !has(s.text[end], isWrap|isLead) {
		l.run.plain(s.text, span{at, end})
		s.decode(l, deeper)
		return end
	}
	s.join(&l.run, at, len(s.text), choices[0])
	s.decode(l, deeper)
	end := l.run.end
	if l.run.forked {
		for _, c := range choices[1:] {
			for from := at; from < end; from = max(from+1, l.run.end) {
				s.join(&l.run, from, end, c)
				s.decode(l, deeper)
			}
		}
	}
	return end
}

// decode scans what a run means in base64 and in hex, wherever in it the
// encoding began.
func (s *scanner) decode(l *level, deeper int) {
	chars := l.run.chars
	if len(chars) < minBase64 {
		return
	}
	s.work -= len(chars)
	s.sides(l, deeper)
	for i := s.encoded.next(chars, 0); i >= 0 && s.work > 0; i = s.encoded.next(chars, i+1) {
		s.followEncoded(origin{tail: &l.run}, i)
	}
	for missing := range base64Coding.phases {
		l.buffer = appendBase64(l.buffer[:0], chars, missing)
		s.decoded(l.buffer, origin{coding: base64Coding, tail: &l.run, first: -missing}, deeper)
	}
	for from := 0; ; {
		digits := streak(chars, from, minHex, &hexDigits)
		if digits.end == 0 {
			return
		}
		for first := digits.start; first < digits.start+hexCoding.phases; first++ {
			l.buffer = appendHex(l.buffer[:0], chars[first:digits.end])
			s.decoded(l.buffer, origin{coding: hexCoding, tail: &l.run, first: first}, deeper)
		}
		from = digits.end
	}
}

// followEncoded finds what patterns are in base64 from a character on, also where
// the characters that they share with others do not fit.
func (s *scanner) followEncoded(from origin, first int) {
	c := cursor{}
	for i, ok := first, true; ok; i++ {
		s.work--
		if s.encoded.final(c) {
			s.hit(s.padded(from.chars(first, i-1), from.tail.end))
		}
		if i == from.length() || s.work <= 0 {
			return
		}
		c, ok = s.encoded.step(c, from.char(i))
	}
}

// decoded scans what characters mean. Only the bytes that can be part of a spelled
// pattern are looked at, which random bytes seldom are for long.
func (s *scanner) decoded(text []byte, from origin, deeper int) {
	outer, floor := s.text, s.floor
	for at := 0; ; {
		near := streak(text, at, headSize, &s.plausible)
		if near.end == 0 {
			return
		}
		s.floor = len(s.hits)
		s.scan(text[near.start:near.end], deeper)
		s.read(outer)
		for i, h := range s.hits[s.floor:] {
			s.hits[s.floor+i] = s.padded(from.span(span{near.start + h.start, near.start + h.end}), from.tail.end)
		}
		s.floor, at = floor, near.end
	}
}

// padded takes the padding after a run that ends at a place into a hit that
// reaches it.
func (s *scanner) padded(h span, end int) span {
	for h.end >= end {
		p, _ := s.pick(h.end, isPad, choices[0])
		if p.end == 0 {
			break
		}
		h.end = p.end
	}
	return h
}

// sides scans a run again from within each of its escapes. A percent sign or a
// backslash may just have stood in front of a run, and what seemed to be an escape
// in it is how it begins.
func (s *scanner) sides(l *level, deeper int) {
	at := l.run.start
	for i, p := range l.run.parts {
		s.within(l, span{at, int(p.start)}, int(p.index), deeper)
		next := len(l.run.chars)
		if i+1 < len(l.run.parts) {
			next = int(l.run.parts[i+1].index)
		}
		for n := int(p.index); n < next && p.width > 1; n++ {
			s.within(l, span{p.at(n), p.at(n + 1)}, n+1, deeper)
		}
		at = p.at(next)
	}
}

// within scans a run from each place in a span on where it may begin: after a byte
// that is none of its characters. The character after the span has the given index.
func (s *scanner) within(l *level, in span, index, deeper int) {
	for at := in.start; at < in.end && s.work > 0; at++ {
		if has(s.text[at], isBlock) {
			continue
		}
		s.join(&l.side, at+1, in.end, choices[0])
		if s.work -= 1 + len(l.side.chars); l.side.end < in.end {
			continue
		}
		head := l.side.chars
		for i := range head {
			s.followEncoded(origin{head: &l.side, tail: &l.run, skip: index}, i)
		}
		for missing := range base64Coding.phases {
			s.side(l, origin{coding: base64Coding, head: &l.side, tail: &l.run, skip: index, first: -missing}, deeper)
		}
		first := len(head)
		for first > 0 && has(head[first-1], isHex) {
			first--
		}
		for end := min(first+hexCoding.phases, len(head)); first < end; first++ {
			s.side(l, origin{coding: hexCoding, head: &l.side, tail: &l.run, skip: index, first: first}, deeper)
		}
	}
}

// side scans the bytes that begin in the head of an origin, as far as all of them
// can be part of a spelled pattern.
func (s *scanner) side(l *level, from origin, deeper int) {
	l.buffer = l.buffer[:0]
	value, bits := uint32(0), 0
	for i := from.first; i < from.length() && s.work > 0; i++ {
		v := from.value(i)
		if v == notInCoding {
			break
		}
		if value, bits = value<<from.bits|uint32(v), bits+from.bits; bits < 8 {
			continue
		}
		bits -= 8
		s.work--
		if b := byte(value >> bits); s.plausible[b] {
			l.buffer = append(l.buffer, b)
			continue
		}
		s.decoded(l.buffer, from, deeper)
		from.bytes += len(l.buffer) + 1
		l.buffer = l.buffer[:0]
		if from.index(8*from.bytes) >= len(from.head.chars) {
			return
		}
	}
	s.decoded(l.buffer, from, deeper)
}

// streak returns the next stretch of at least n members of a set, as far as it
// reaches; its end is 0 if there is none. It looks at every nth byte only, until
// one is a member.
func streak(text []byte, from, n int, set *[256]bool) span {
	for i := from + n - 1; i < len(text); {
		if !set[text[i]] {
			i += n
			continue
		}
		start, end := i, i+1
		for start > from && set[text[start-1]] {
			start--
		}
		for end < len(text) && set[text[end]] {
			end++
		}
		if end-start >= n {
			return span{start, end}
		}
		i = end + n
	}
	return span{}
}
