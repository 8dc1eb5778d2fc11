package template

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const secretValue = "s3cr3t/öz=&token"

// sample has one argument of every type, and values that must stay data.
func sample() Values {
	return Values{
		Input: map[string]any{
			"text": "a b", "empty": "", "null": nil, "yes": true, "no": false,
			"int": json.Number("12345678901234567890"), "exp": json.Number("1e21"), "minus": json.Number("-0"),
			"list": []any{"x", "y&z"}, "none": []any{}, "hole": []any{"a", nil}, "nested": []any{[]any{"a"}},
			"object": map[string]any{"b": json.Number("2.50"), "a": nil, "<k>": "\u2028&"},
			"deep":   map[string]any{"er": map[string]any{"x": "found"}},
			"slash":  "a/b", "dots": "..", "tpl": "{{secrets.TOKEN}}",
			"quote": `x","admin":true,"y":"`, "crlf": "a\r\nX-Evil: 1", "ş": "ş", "latin": "café", "turkish": "ş", "bad": "\xff",
			"__proto__": map[string]any{"polluted": "own"},
		},
		Vars:    map[string]string{"REGION": "eu-1", "EMPTY": "", "BAD": "\xc0\xae"},
		Secrets: map[string]string{"TOKEN": secretValue, "UNSET": ""},
	}
}

func mustParse(t testing.TB, s string) *Text {
	t.Helper()
	text, err := Parse(s)
	require.NoError(t, err, "%q", s)
	return text
}

// requireError asserts that err is an *Error for place, holds every word, and
// none of the sample's values.
func requireError(t *testing.T, err error, place string, words ...string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, place, e.Place)
	for _, word := range append(words, place) {
		require.Contains(t, e.Message, word)
	}
	for _, value := range []string{secretValue, "s3cr3t", "12345678901234567890", "y&z", "admin", "Evil"} {
		require.NotContains(t, e.Message, value)
	}
	require.True(t, strings.HasSuffix(e.Message, ".") && strings.HasPrefix(e.Message, "The "), e.Message)
}

// awkward are values that mean something to one reader or another.
var awkward = []string{
	"", " ", "a", "3", "true", ".", "..", "...", "../x", `..\x`, "a/../b", "a/..", "a/.", "./a", "/", "//", "/a", "a/", "..;", "..;x/y",
	"%2e%2e", "%2e%2e%2f", "%252e%252e", "%25252525252e", "%c0%ae%c0%ae", "%", "%zz", "100%", "e", "E", "2e", "\x00", "a\u0000", "a\nb", "\r\n", "\t",
	"\u0085", "\u007f", "ş", "é", "\u00ad", "\u2028", "\uFF0E\uFF0E", "\u2025", "..\u2215x", "{{input.x}}", `\{{`, "}}", `"`, `\`, "<b>&", "a&b=c", "a+b", "a;b", "#f", "?q",
	"https://example.com/a?b", "group/project", "__proto__", "\ufeff", "\U0001F600", "\xff", "\xc0\xae", ".. ", " a", "a ",
}
