package jsonx

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalOptions keep the order of members and the digits of numbers, and write strings anew.
var canonicalOptions = []jsontext.Options{
	jsontext.AllowDuplicateNames(false),
	jsontext.AllowInvalidUTF8(false),
	jsontext.EscapeForHTML(false),
	jsontext.EscapeForJS(true),
	jsontext.PreserveRawStrings(false),
	jsontext.CanonicalizeRawInts(false),
	jsontext.CanonicalizeRawFloats(false),
	jsontext.ReorderRawObjects(false),
	jsontext.SpaceAfterColon(false),
	jsontext.SpaceAfterComma(false),
	jsontext.Multiline(false),
}

// AppendCanonical appends a JSON document without spaces and with its strings in their shortest form, so that a key
// spelled with escapes reads the same to every reader; U+2028 and U+2029 are always escaped. The order of members
// and the digits of numbers stay. It is as strict as Parse with the default limits, but does not check number tokens
// (see CheckNumbers). On an *Error dst is returned as it was given.
func AppendCanonical(dst, data []byte) ([]byte, error) {
	if err := checkDepth(data); err != nil {
		return dst, err
	}
	out, err := jsontext.AppendFormat(dst, data, canonicalOptions...)
	if err != nil {
		return dst, syntaxError(err)
	}
	return out, nil
}

// checkDepth refuses deep documents before they reach the formatter, which allows far more.
func checkDepth(data []byte) error {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i) - 1
		case '[', '{':
			if depth++; depth > DefaultDepth {
				return &Error{Kind: TooDeep, Pointer: pointerAt(data, i), Detail: detailTooDeep(DefaultDepth)}
			}
		case ']', '}':
			depth--
		}
	}
	return nil
}

// AppendValue appends a tree as Parse makes it, with sorted keys and with numbers as they are. It also takes int,
// int64, uint64, float64 and json.RawMessage; a value of another type, NaN and infinities become null.
func AppendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		return appendObject(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, element)
		}
		return append(dst, ']')
	case string:
		return AppendString(dst, v)
	case json.Number:
		if v == "" {
			return append(dst, '0')
		}
		return append(dst, v...)
	case bool:
		return strconv.AppendBool(dst, v)
	case json.RawMessage:
		if len(v) > 0 {
			return append(dst, v...)
		}
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case uint64:
		return strconv.AppendUint(dst, v, 10)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return appendFloat(dst, v)
		}
	}
	return append(dst, "null"...)
}

func appendObject(dst []byte, object map[string]any) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, name), ':')
		dst = AppendValue(dst, object[name])
	}
	return append(dst, '}')
}

// Floats from 2^53 up to 1e21 are whole numbers that would be written as plain digits padded with zeros, which is
// another integer than the one held.
const (
	firstPadded   = 1 << 53
	firstPadded32 = 1 << 24
	lastPadded    = 1e21
)

func appendFloat(dst []byte, f float64) []byte {
	a := math.Abs(f)
	if a >= firstPadded && a < lastPadded {
		return strconv.AppendFloat(dst, f, 'f', 0, 64)
	}
	if a == 0 || a >= 1e-6 && a < lastPadded {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 is e-7 in JSON, as in ECMAScript
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// AppendString appends a JSON string in its shortest form, with U+2028 and U+2029 escaped and without HTML escapes.
// Each byte that is not valid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = appendEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
		case r == '\u2028':
			dst = append(append(dst, s[start:i]...), `\u2028`...)
		case r == '\u2029':
			dst = append(append(dst, s[start:i]...), `\u2029`...)
		default:
			i += size
			continue
		}
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
}
