package jmes

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode reads one JSON document strictly: a member given twice, invalid UTF-8, half a surrogate pair and data after
// the value are errors. Values are map[string]any, []any, string, bool, nil, and for numbers what decodeNumber returns.
func decode(data []byte) (any, error) {
	value, fault := decodeText(string(data), MaxDepth)
	if fault != nil {
		fault.Message = textBadData(fault.Message)
		return nil, fault
	}
	return value, nil
}

// decodeText is decode for a text. Strings without escapes are parts of it.
func decodeText(text string, maxDepth int) (any, *Error) {
	d := decoder{src: text, maxDepth: maxDepth}
	if !utf8.ValidString(text) {
		return nil, d.fault(textNotUTF8)
	}
	value, err := d.value()
	if err != nil {
		return nil, err
	}
	if d.peek(); d.pos < len(d.src) {
		return nil, d.fault(textTrailing)
	}
	return value, nil
}

type decoder struct {
	src      string
	pos      int
	depth    int
	maxDepth int
}

func (d *decoder) fault(message string) *Error {
	return &Error{Kind: Document, Offset: d.pos, Message: message}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (d *decoder) peek() byte {
	for ; d.pos < len(d.src); d.pos++ {
		switch c := d.src[d.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (d *decoder) value() (any, *Error) {
	switch c := d.peek(); {
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c == '"':
		text, err := d.text()
		return text, err
	case c == '-' || isDigit(c):
		return d.number()
	case d.word("null"):
		return nil, nil
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	case d.pos == len(d.src):
		return nil, d.fault(textEnds)
	}
	return nil, d.fault(textNotJSON)
}

func (d *decoder) word(word string) bool {
	if !strings.HasPrefix(d.src[d.pos:], word) {
		return false
	}
	d.pos += len(word)
	return true
}

func (d *decoder) object() (any, *Error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	object := make(map[string]any)
	for first := true; ; first = false {
		if done, err := d.element('}', first); done || err != nil {
			return object, err
		}
		if d.peek() != '"' {
			return nil, d.fault(textNotJSON)
		}
		name, err := d.text()
		if err != nil {
			return nil, err
		}
		if _, ok := object[name]; ok {
			return nil, d.fault(textTwice)
		}
		if d.peek() != ':' {
			return nil, d.fault(textNotJSON)
		}
		d.pos++
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		object[name] = value
	}
}

func (d *decoder) array() (any, *Error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	array := []any{}
	for first := true; ; first = false {
		if done, err := d.element(']', first); done || err != nil {
			return array, err
		}
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
}

// enter steps into an array or an object.
func (d *decoder) enter() *Error {
	if d.depth++; d.depth > d.maxDepth {
		return d.fault(textDeep(d.maxDepth))
	}
	d.pos++
	return nil
}

// element reads what stands before an element: a comma, unless it is the first. It reports the end of the array or
// object, which it steps out of.
func (d *decoder) element(end byte, first bool) (done bool, err *Error) {
	c := d.peek()
	switch {
	case c == end:
		d.pos++
		d.depth--
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, d.fault(textNotJSON)
	}
	d.pos++
	if d.peek() == end {
		return false, d.fault(textNotJSON)
	}
	return false, nil
}

func (d *decoder) text() (string, *Error) {
	d.pos++
	begin := d.pos
	for ; d.pos < len(d.src); d.pos++ {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.pos++
			return d.src[begin : d.pos-1], nil
		case c == '\\':
			return d.escaped(begin)
		case c < ' ':
			return "", d.fault(textControl)
		}
	}
	return "", d.fault(textEnds)
}

// escaped goes on with a string that began at begin and has an escape at the current position.
func (d *decoder) escaped(begin int) (string, *Error) {
	out := append(make([]byte, 0, 2*(d.pos-begin)+16), d.src[begin:d.pos]...)
	for d.pos < len(d.src) {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.pos++
			return string(out), nil
		case c < ' ':
			return "", d.fault(textControl)
		case c != '\\':
			out = append(out, c)
			d.pos++
		default:
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", d.fault(textEnds)
}

// escape reads one escape sequence, and two where they are the halves of a surrogate pair.
func (d *decoder) escape() (rune, *Error) {
	if d.pos+1 == len(d.src) {
		return 0, d.fault(textEnds)
	}
	c := d.src[d.pos+1]
	if c == 'u' {
		return d.unicode()
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return 0, d.fault(textEscape)
	}
	d.pos += 2
	return rune("\"\\/\b\f\n\r\t"[i]), nil
}

func (d *decoder) unicode() (rune, *Error) {
	const length = len(`\u0000`)
	r, ok := d.hex(d.pos)
	if !ok {
		return 0, d.fault(textEscape)
	}
	if !utf16.IsSurrogate(r) {
		d.pos += length
		return r, nil
	}
	low, ok := d.hex(d.pos + length)
	pair := utf16.DecodeRune(r, low)
	if !ok || pair == utf8.RuneError {
		return 0, d.fault(textSurrogate)
	}
	d.pos += 2 * length
	return pair, nil
}

// hex returns the value of the \u escape that begins at i.
func (d *decoder) hex(i int) (rune, bool) {
	digits, ok := strings.CutPrefix(d.src[i:], `\u`)
	if !ok || len(digits) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range []byte(digits[:4]) {
		switch {
		case isDigit(c):
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func (d *decoder) number() (any, *Error) {
	end := numberEnd(d.src, d.pos)
	if end < 0 {
		return nil, d.fault(textNotJSON)
	}
	token := d.src[d.pos:end]
	d.pos = end
	return decodeNumber(token), nil
}

// numberEnd returns where the number that begins at i ends, or -1 if it is not one of JSON.
func numberEnd(s string, i int) int {
	digits := func() bool {
		begin := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		return i > begin
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}
