package secret

import (
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// unit returns the first character of the content of a JSON string and the
// length of its spelling. A lone surrogate is U+FFFD.
func unit(content []byte) (rune, int) {
	if content[0] != '\\' {
		return utf8.DecodeRune(content)
	}
	if content[1] != 'u' {
		return rune(escapedMeanings[content[1]]), 2
	}
	c := unicodeEscape(content)
	if !utf16.IsSurrogate(c) {
		return c, 6
	}
	if next := content[6:]; len(next) >= 6 && next[0] == '\\' && next[1] == 'u' {
		if pair := utf16.DecodeRune(c, unicodeEscape(next)); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func unicodeEscape(text []byte) (c rune) {
	for _, d := range text[2:6] {
		c = c<<4 | rune(hexValues[d])
	}
	return c
}

// units yields the characters of the content of a JSON string: where each is
// spelled, and where it stands in what the content means.
func units(content []byte) iter.Seq2[span, span] {
	return func(yield func(spelled, meant span) bool) {
		at, to := 0, 0
		for at < len(content) {
			c, n := unit(content[at:])
			size := n
			if content[at] == '\\' {
				size = utf8.RuneLen(c)
			}
			if !yield(span{at, at + n}, span{to, to + size}) {
				return
			}
			at, to = at+n, to+size
		}
	}
}

// unescape returns what the content of a JSON string means.
func unescape(content []byte) []byte {
	out := make([]byte, 0, len(content))
	for at := 0; at < len(content); {
		c, n := unit(content[at:])
		if content[at] == '\\' {
			out = utf8.AppendRune(out, c)
		} else {
			out = append(out, content[at:at+n]...)
		}
		at += n
	}
	return out
}

// spelled returns the whole characters of the content of a JSON string that
// spans touch, where they are spelled. The spans are sorted and apart, and lie in
// the content, or in what it means.
func spelled(content []byte, spans []span, meaning bool) []span {
	var out []span
	for here, meant := range units(content) {
		at := here
		if meaning {
			at = meant
		}
		for len(spans) > 0 && spans[0].end <= at.start {
			spans = spans[1:]
		}
		if len(spans) == 0 {
			break
		}
		if spans[0].start < at.end {
			out = append(out, here)
		}
	}
	return merge(out)
}
