package jmes

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// An encoder writes values as compact JSON and gives up once it has written too much: a value can hold the same part
// many times, so what it would print has no bound.
type encoder struct {
	out    []byte
	max    int
	depth  int
	orders *orders
}

// encode returns the JSON text of a value, of at most max bytes.
func encode(v any, o *orders, max int) ([]byte, error) {
	e := encoder{max: max, orders: o}
	if err := e.value(v); err != nil {
		return nil, err
	}
	if len(e.out) > e.max {
		return nil, tooLarge(max)
	}
	return e.out, nil
}

func tooLarge(max int) error {
	return &Error{Kind: TooLarge, Offset: -1, Message: textTooLarge(max)}
}

func (e *encoder) value(v any) error {
	if len(e.out) > e.max {
		return tooLarge(e.max)
	}
	switch v := v.(type) {
	case nil:
		e.out = append(e.out, "null"...)
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			e.out = append(e.out, "null"...)
			break
		}
		e.out = appendFloat(e.out, v)
	case json.Number:
		e.out = append(e.out, v...)
	case string:
		return e.text(v)
	case []any:
		return e.array(v)
	case map[string]any:
		return e.object(v)
	default:
		return fail(-1, textInternal)
	}
	return nil
}

func (e *encoder) array(array []any) error {
	if err := e.enter(); err != nil {
		return err
	}
	e.out = append(e.out, '[')
	for i, v := range array {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.value(v); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	e.depth--
	return nil
}

func (e *encoder) object(object map[string]any) error {
	if err := e.enter(); err != nil {
		return err
	}
	e.out = append(e.out, '{')
	for i, name := range e.orders.names(object) {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.text(name); err != nil {
			return err
		}
		e.out = append(e.out, ':')
		if err := e.value(object[name]); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	e.depth--
	return nil
}

func (e *encoder) enter() error {
	if e.depth++; e.depth > MaxDepth {
		return fail(-1, textDeepResult)
	}
	return nil
}

func (e *encoder) text(s string) error {
	if len(s) > e.max-len(e.out) {
		return tooLarge(e.max)
	}
	e.out = slices.Grow(e.out, len(s)+2)
	e.out = append(e.out, '"')
	begin := 0
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			e.out = appendEscape(append(e.out, s[begin:i]...), c)
			begin = i + 1
		}
	}
	e.out = append(append(e.out, s[begin:]...), '"')
	return nil
}

func appendEscape(out []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(out, '\\', c)
	case '\b':
		return append(out, `\b`...)
	case '\f':
		return append(out, `\f`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
}
