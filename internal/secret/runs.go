package secret

// A run is a row of characters of base64 or hex, taken together around line ends
// and out of escapes.
type run struct {
	chars  []byte
	parts  []runPart
	span          // in the text, with line ends before and after the characters
	forked bool   // some escape can be read in two ways
	joined []byte // the buffer for the characters of several parts
}

// A runPart says where the characters from one index on stand: side by side, each
// of the same width. An escape is wider than one. There can be as many as
// characters, so they are kept small.
type runPart struct {
	index, start, width int32
}

// plain makes a run of characters that stand side by side.
func (r *run) plain(text []byte, at span) {
	r.parts = append(r.parts[:0], runPart{0, int32(at.start), 1})
	r.chars, r.span, r.forked = text[at.start:at.end], at, false
}

// add adds characters of the same width to a run that is being joined.
func (r *run) add(chars []byte, start, width int) {
	p := runPart{int32(len(r.joined)), int32(start), int32(width)}
	if n := len(r.parts); n == 0 || r.parts[n-1].width != p.width || r.parts[n-1].at(len(r.joined)) != start {
		r.parts = append(r.parts, p)
	}
	r.joined = append(r.joined, chars...)
}

// join makes a run of the characters from a place on that stand side by side, on
// lines of their own, or in escapes. It stops before until.
func (s *scanner) join(r *run, at, until int, by choice) {
	r.parts, r.joined, r.forked, r.start = r.parts[:0], r.joined[:0], false, at
	for at < until {
		if has(s.text[at], isBlock) {
			end := min(s.blockEnd(at), until)
			r.add(s.text[at:end], at, 1)
			at = end
			continue
		}
		p, others := s.pick(at, isBlock|isWrap, by)
		if p.end == 0 || p.end > until {
			break
		}
		r.forked = r.forked || others
		if has(p.byte, isBlock) {
			r.add([]byte{p.byte}, at, p.end-at)
		}
		for at = p.end; has(p.byte, isWrap) && at < until && has(s.text[at], isIndent); {
			at++
		}
	}
	r.chars, r.end = r.joined, at
}

// blockEnd returns the end of the characters that stand side by side.
func (s *scanner) blockEnd(at int) int {
	for at < len(s.text) && has(s.text[at], isBlock) {
		at++
	}
	return at
}

// at returns where the character of an index stands.
func (p runPart) at(index int) int { return int(p.start) + (index-int(p.index))*int(p.width) }

// at returns where a character stands.
func (r *run) at(index int) span {
	lo, hi := 0, len(r.parts)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; int(r.parts[mid].index) <= index {
			lo = mid
		} else {
			hi = mid
		}
	}
	p := r.parts[lo]
	return span{p.at(index), p.at(index + 1)}
}
