package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// maxShown is how much of a string is shown, in characters.
const maxShown = 60

// Quote shows a string: cut, in quotes, and with everything escaped that a reader could not see or that could pose as
// something else.
func Quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	writeVisible(&out, s, maxShown, true)
	out.WriteByte('"')
	return out.String()
}

// Visible shows a text without quotes, cut after limit characters, and with the same escapes.
func Visible(s string, limit int) string {
	var out strings.Builder
	writeVisible(&out, s, limit, false)
	return out.String()
}

func writeVisible(out *strings.Builder, s string, limit int, quoted bool) {
	n := 0
	for _, r := range s {
		if n++; n > limit {
			out.WriteString("…")
			return
		}
		switch {
		case quoted && (r == '"' || r == '\\'):
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\r':
			out.WriteString(`\r`)
		case unicode.IsPrint(r) && !LooksBlank(r):
			out.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			fmt.Fprintf(out, `\u{%x}`, r)
		}
	}
}

// LooksBlank reports whether a letter, mark or symbol has no shape: those that Unicode calls ignorable, variation
// selectors, and a few that count as printable.
func LooksBlank(r rune) bool {
	switch r {
	case 0x2800, 0x16FE4, 0x1D159: // Braille blank, Khitan filler, null notehead
		return true
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// short shows what was found: scalars by value, the rest by size.
func short(v any) string {
	switch v := v.(type) {
	case string:
		return Quote(v)
	case json.Number:
		return Visible(string(v), maxShown)
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return "null"
	case []any:
		if len(v) == 0 {
			return "an empty array"
		}
		return "an array of " + counted(len(v), "item")
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object with " + counted(len(v), "member")
	}
	return "a value that is not JSON"
}

// typed is short, with the type of a string and a number said.
func typed(v any) string {
	switch v.(type) {
	case string:
		return "the string " + short(v)
	case json.Number:
		return "the number " + short(v)
	}
	return short(v)
}

// literal shows an allowed value, objects and arrays as JSON.
func literal(v any) string {
	switch v.(type) {
	case []any, map[string]any:
		return Visible(string(jsonx.AppendValue(nil, v)), 2*maxShown)
	}
	return short(v)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// orList joins phrases: "a", "a or b", "a, b or c".
func orList(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " or " + items[len(items)-1]
}

func indexed(pointer string, i int) string {
	return pointer + "/" + strconv.Itoa(i)
}
