package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Tree redacts a value of map[string]any, []any, string, json.Number, bool and
// nil, as JSON does the document that it would be encoded to, with sorted names
// and without HTML escapes. It does not change v, and returns v itself if nothing
// was found. A value that no document has, like a json.Number that is no number,
// is replaced whole.
func (r *Redactor) Tree(v any) (any, int) {
	document, ok := appendTree(nil, v)
	if !ok {
		return Mark, 1
	}
	redacted, n, err := r.JSON(document)
	if err != nil {
		return Mark, 1
	}
	if n == 0 {
		return v, 0
	}
	d := json.NewDecoder(bytes.NewReader(redacted))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		return Mark, n
	}
	return out, n
}

// appendTree appends the document of a tree, and reports whether it has one.
func appendTree(dst []byte, v any) (_ []byte, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, name), ':')
			if dst, ok = appendTree(dst, v[name]); !ok {
				return nil, false
			}
		}
		return append(dst, '}'), true
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, ok = appendTree(dst, element); !ok {
				return nil, false
			}
		}
		return append(dst, ']'), true
	case string:
		return appendQuoted(dst, v), true
	case json.Number:
		t, err := (&lexer{data: []byte(v)}).next()
		return append(dst, v...), err == nil && t.kind == kindNumber && t.end == len(v)
	case bool:
		return strconv.AppendBool(dst, v), true
	case nil:
		return append(dst, "null"...), true
	}
	return nil, false
}

// appendQuoted appends a JSON string with as few escapes as the results of the
// program have: U+2028 and U+2029 are escaped, and what is not UTF-8 is U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c >= ' ' && c != '\u2028' && c != '\u2029':
			dst = utf8.AppendRune(dst, c)
		default:
			dst = appendEscape(dst, c)
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, c rune) []byte {
	for _, letter := range []byte("bfnrt") {
		if rune(escapedMeanings[letter]) == c {
			return append(dst, '\\', letter)
		}
	}
	return fmt.Appendf(dst, `\u%04x`, c)
}
