package httptool

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// canonical returns the JSON of a response in its canonical form, with the
// order of members and the digits of numbers kept.
//
// It is strict about syntax, and lenient where every other reader of the API
// is: of members of one name the last counts, in the place of the first, and
// half of a surrogate pair, as in a text that was cut elsewhere, becomes
// U+FFFD. Deeper than [jsonx.DefaultDepth] is an error; errors are *jsonx.Error.
func canonical(text []byte) ([]byte, error) {
	out, err := jsonx.AppendCanonical(nil, text)
	var fault *jsonx.Error
	repairable := errors.As(err, &fault) && (fault.Kind == jsonx.Duplicate || fault.Kind == jsonx.Encoding)
	if !repairable || !utf8.Valid(text) {
		return out, err
	}
	repaired, repairErr := repair(text)
	if repairErr != nil {
		return nil, err
	}
	return jsonx.AppendCanonical(nil, repaired)
}

// repair rewrites a document without duplicate members and halves of
// surrogate pairs. Its depth is bounded, since AppendCanonical has measured it.
func repair(text []byte) ([]byte, error) {
	r := repairer{jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	out, err := r.value(nil)
	if err != nil {
		return nil, err
	}
	rest := text[r.dec.InputOffset():]
	if len(bytes.TrimLeft(rest, " \t\r\n")) > 0 {
		return nil, errors.New("data after the value")
	}
	return out, nil
}

type repairer struct{ dec *jsontext.Decoder }

func (r repairer) value(dst []byte) ([]byte, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.object(dst)
	case '[':
		return r.array(dst)
	case '"':
		return jsonx.AppendString(dst, token.String()), nil
	default:
		return append(dst, token.String()...), nil
	}
}

func (r repairer) array(dst []byte) ([]byte, error) {
	dst = append(dst, '[')
	for first := true; r.dec.PeekKind() != ']'; first = false {
		if !first {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = r.value(dst); err != nil {
			return nil, err
		}
	}
	_, err := r.dec.ReadToken()
	return append(dst, ']'), err
}

func (r repairer) object(dst []byte) ([]byte, error) {
	var order []string
	values := map[string][]byte{}
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := r.value(nil)
		if err != nil {
			return nil, err
		}
		if _, known := values[name]; !known {
			order = append(order, name)
		}
		values[name] = value
	}
	dst = append(dst, '{')
	for i, name := range order {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, name), ':')
		dst = append(dst, values[name]...)
	}
	_, err := r.dec.ReadToken()
	return append(dst, '}'), err
}
