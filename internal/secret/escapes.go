package secret

import (
	"unicode/utf16"
	"unicode/utf8"
)

// pushRune adds a character. One up to U+00FF may also stand for a single byte of
// a secret that was escaped as if it were Latin-1.
func (r *reader) pushRune(c rune, end int, weight, limit uint8) {
	var buf [utf8.UTFMax]byte
	r.push(utf8.AppendRune(buf[:0], c), end, weight, limit)
	if c >= utf8.RuneSelf && c <= 0xFF {
		r.push([]byte{byte(c)}, end, weight, limit)
	}
}

// percent reads %41.
func (r *reader) percent(lead reading, limit uint8) {
	r.digits(lead.end, 2, 0, lead.weight, limit, func(value rune, end int, weight uint8) {
		r.push([]byte{byte(value)}, end, escape(weight), limit)
	})
}

// backslash reads the escapes of JSON, and those that Go and JavaScript add. The
// backslashes of a row are paired with each other: the first two of it are one,
// whatever the second could begin.
func (r *reader) backslash(lead reading, row int, limit uint8) {
	inRow := lead.end < row
	if inRow && lead.weight == 1 {
		return
	}
	r.parts(lead.end, limit, isBackslash, func(p part) {
		if !inRow || p.end > row {
			r.push([]byte{'\\'}, p.end, escape(max(lead.weight, p.weight)), limit)
		}
	})
	r.parts(lead.end, limit, isEscaped, func(p part) {
		r.afterBackslash(p, max(lead.weight, p.weight), limit)
	})
}

// afterBackslash reads an escape on from the letter after its backslash.
func (r *reader) afterBackslash(letter part, weight, limit uint8) {
	character := func(value rune, end int, weight uint8) {
		r.pushRune(value, end, escape(weight), limit)
	}
	switch letter.byte {
	case 'u':
		r.digits(letter.end, 4, 0, weight, limit, func(value rune, end int, weight uint8) {
			r.utf16(value, end, weight, limit)
		})
	case 'x':
		r.digits(letter.end, 2, 0, weight, limit, character)
	case 'U':
		r.digits(letter.end, 8, 0, weight, limit, character)
	default:
		r.push([]byte{escapedMeanings[letter.byte]}, letter.end, escape(weight), limit)
	}
}

// escapedMeanings are what letters mean after a backslash.
var escapedMeanings = func() (t [256]byte) {
	t['\\'] = '\\'
	for i, c := range []byte(escapedLetters) {
		t[c] = escapedMeaning[i]
	}
	return t
}()

// digits yields each way to read exactly n hexadecimal digits.
func (r *reader) digits(at, n int, value rune, weight, limit uint8, yield func(value rune, end int, weight uint8)) {
	for ; n > 0 && at < len(r.text) && has(r.text[at], isHex); n-- {
		value = value<<4 | rune(hexValues[r.text[at]])
		at++
	}
	if n == 0 {
		yield(value, at, weight)
		return
	}
	r.parts(at, limit, isHex, func(p part) {
		r.digits(p.end, n-1, value<<4|rune(hexValues[p.byte]), max(weight, p.weight), limit, yield)
	})
}

// utf16 adds the character of \u and four digits. A high surrogate needs the low
// one, whose backslash may be spelled in another way.
func (r *reader) utf16(c rune, at int, weight, limit uint8) {
	if !utf16.IsSurrogate(c) {
		r.pushRune(c, at, escape(weight), limit)
		return
	}
	if at >= len(r.text) || !has(r.text[at], isLead) {
		return
	}
	slashes := []reading{{end: at + 1, weight: 1, size: 1, value: [8]byte{r.text[at]}}}
	for _, slash := range append(slashes, r.inner(at, limit/2)...) {
		if slash.size != 1 || slash.value[0] != '\\' {
			continue
		}
		r.parts(slash.end, limit, isUnicode, func(u part) {
			r.digits(u.end, 4, 0, max(weight, slash.weight, u.weight), limit, func(low rune, end int, weight uint8) {
				if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
					r.pushRune(pair, end, escape(weight), limit)
				}
			})
		})
	}
}
