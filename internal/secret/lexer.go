package secret

import (
	"errors"
	"fmt"
)

// A kind is what a token of a JSON document is.
type kind uint8

const (
	kindEnd     kind = iota // after the document
	kindOpen                // [ or {
	kindClose               // ] or }
	kindKey                 // a member's name
	kindString              // a string that is not a name
	kindNumber              // a number, with every digit
	kindLiteral             // true, false or null
)

// A token is one token of a JSON document. Commas, colons and blanks are none.
type token struct {
	span
	kind    kind
	escaped bool // a string has a backslash
}

// content is a string without its quotes.
func (t token) content() span { return span{t.start + 1, t.end - 1} }

// A lexer reads the tokens of a JSON document, strictly by RFC 8259, but does not
// look at encodings or at names that repeat. It needs no stack of calls, so that
// nesting is bounded by the document alone.
type lexer struct {
	data  []byte
	at    int
	open  []byte // the brackets that are open
	state state
}

// A state is what a lexer accepts next.
type state uint8

const (
	wantValue        state = iota
	wantValueOrClose       // after [
	wantKey                // after a comma in an object
	wantKeyOrClose         // after {
	wantCommaOrClose       // after a value
	wantEnd                // after the document
)

var errNotJSON = errors.New(textNotJSON)

func (l *lexer) fail() (token, error) {
	return token{}, fmt.Errorf("%w (at byte %d)", errNotJSON, l.at)
}

// next returns the next token; after the last one, one of kindEnd.
func (l *lexer) next() (token, error) {
	c, more := l.peek()
	if l.state == wantEnd {
		if more {
			return l.fail()
		}
		return token{kind: kindEnd}, nil
	}
	if !more {
		return l.fail()
	}
	if l.state == wantCommaOrClose && c == ',' {
		l.at++
		l.state = wantValue
		if l.open[len(l.open)-1] == '{' {
			l.state = wantKey
		}
		if c, more = l.peek(); !more {
			return l.fail()
		}
	}
	switch l.state {
	case wantKey, wantKeyOrClose:
		if c == '"' {
			return l.key()
		}
	case wantValue, wantValueOrClose:
		if c != ']' && c != '}' {
			return l.value(c)
		}
	}
	return l.close(c)
}

// peek skips blanks.
func (l *lexer) peek() (byte, bool) {
	for ; l.at < len(l.data); l.at++ {
		switch c := l.data[l.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c, true
		}
	}
	return 0, false
}

func (l *lexer) close(c byte) (token, error) {
	switch l.state {
	case wantValue, wantKey:
		return l.fail()
	}
	if len(l.open) == 0 || c != l.open[len(l.open)-1]+2 { // ] and } are two after [ and {
		return l.fail()
	}
	l.open = l.open[:len(l.open)-1]
	return l.valueUntil(l.at+1, kindClose)
}

func (l *lexer) key() (token, error) {
	t, err := l.string(kindKey)
	if err != nil {
		return t, err
	}
	if c, more := l.peek(); !more || c != ':' {
		return l.fail()
	}
	l.at++
	l.state = wantValue
	return t, nil
}

func (l *lexer) value(c byte) (token, error) {
	switch c {
	case '"':
		return l.string(kindString)
	case '[', '{':
		l.open = append(l.open, c)
		l.state = wantValueOrClose
		if c == '{' {
			l.state = wantKeyOrClose
		}
		l.at++
		return token{span: span{l.at - 1, l.at}, kind: kindOpen}, nil
	case 't':
		return l.literal("true")
	case 'f':
		return l.literal("false")
	case 'n':
		return l.literal("null")
	}
	return l.number()
}

// valueUntil ends a value, and with it perhaps the document.
func (l *lexer) valueUntil(end int, k kind) (token, error) {
	t := token{span: span{l.at, end}, kind: k}
	l.at = end
	l.state = wantCommaOrClose
	if len(l.open) == 0 {
		l.state = wantEnd
	}
	return t, nil
}

func (l *lexer) literal(word string) (token, error) {
	if end := l.at + len(word); end <= len(l.data) && string(l.data[l.at:end]) == word {
		return l.valueUntil(end, kindLiteral)
	}
	return l.fail()
}

func (l *lexer) number() (token, error) {
	end := l.at
	if end < len(l.data) && l.data[end] == '-' {
		end++
	}
	whole := l.digits(end)
	if whole == end || whole > end+1 && l.data[end] == '0' {
		return l.fail()
	}
	end = whole
	if end < len(l.data) && l.data[end] == '.' {
		fraction := l.digits(end + 1)
		if fraction == end+1 {
			return l.fail()
		}
		end = fraction
	}
	if end < len(l.data) && l.data[end]|0x20 == 'e' {
		from := end + 1
		if from < len(l.data) && (l.data[from] == '+' || l.data[from] == '-') {
			from++
		}
		if end = l.digits(from); end == from {
			return l.fail()
		}
	}
	return l.valueUntil(end, kindNumber)
}

func (l *lexer) digits(at int) int {
	for at < len(l.data) && has(l.data[at], isDigit) {
		at++
	}
	return at
}

// string reads a string of the given kind.
func (l *lexer) string(k kind) (token, error) {
	start, escaped := l.at, false
	for at := start + 1; at < len(l.data); at++ {
		switch c := l.data[at]; {
		case c == '"':
			t, _ := l.valueUntil(at+1, k)
			t.escaped = escaped
			return t, nil
		case c == '\\':
			escaped = true
			n := escapeLength(l.data[at:])
			if n == 0 {
				return l.fail()
			}
			at += n - 1
		case c < ' ':
			return l.fail()
		}
	}
	return l.fail()
}

// escapeLength returns the length of the escape that a text begins with, or 0 if
// JSON has no such escape. A pair of surrogates is two.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < 6 {
			return 0
		}
		for _, c := range text[2:6] {
			if !has(c, isHex) {
				return 0
			}
		}
		return 6
	}
	return 0
}
