package secret

import (
	"bytes"
	"cmp"
	"slices"
)

// A span is a part of a text, from start up to but not including end.
type span struct {
	start, end int
}

// merge sorts spans and joins those that overlap or touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// besideMarks leaves out the spans that lie in a Mark, and widens those that
// begin or end in one to all of it. So redaction comes to an end whatever the
// secrets are: each round leaves less that is not a Mark.
func besideMarks(text []byte, spans []span) []span {
	kept := spans[:0]
	for _, s := range spans {
		first, last := markAround(text, s.start), markAround(text, s.end-1)
		if first == last && first.end > 0 {
			continue
		}
		if first.end > 0 {
			s.start = first.start
		}
		if last.end > 0 {
			s.end = last.end
		}
		kept = append(kept, s)
	}
	return merge(kept)
}

// markAround returns the Mark that the byte at a place belongs to; its end is 0
// if there is none.
func markAround(text []byte, at int) span {
	from := max(0, at-len(Mark)+1)
	i := bytes.Index(text[from:min(len(text), at+len(Mark))], []byte(Mark))
	if i < 0 || from+i > at {
		return span{}
	}
	return span{from + i, from + i + len(Mark)}
}

// replace writes Mark in place of each span.
func replace(text []byte, spans []span) []byte {
	out := make([]byte, 0, len(text)+len(Mark)*len(spans))
	at := 0
	for _, s := range spans {
		out = append(append(out, text[at:s.start]...), Mark...)
		at = s.end
	}
	return append(out, text[at:]...)
}
