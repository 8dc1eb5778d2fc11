package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule6_2_RefusedValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"empty", "", "`vars`"},
		{"seven characters", "hunter2", "`vars`"},
		{"seven characters of more bytes", "şifrem😀", "`vars`"},
		{"eight with a line end", "hunter2\n", "`vars`"},
		{"blanks", "          ", "`vars`"},
		{"one invalid byte", "hunter2-\xff-hunter2", "UTF-8"},
		{"half a character", "hunter2-hunter2\xc5", "UTF-8"},
		{"a surrogate", "hunter2-\xed\xa0\x80-2", "UTF-8"},
		{"the mark", "[redacted]", "mark"},
		{"a part of the mark", "redacted", "mark"},
		{"holds the mark", "token-[redacted]", "mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.value)
			require.ErrorContains(t, err, c.want)
			requireSafe(t, err, c.value)
		})
	}
}

func TestRule6_1_PlaceholdersAreRefused(t *testing.T) {
	for _, value := range []string{
		"${API_TOKEN}", "Bearer ${API_TOKEN}", "${API_TOKEN:-default}", "{{secrets.API_TOKEN}}", "{{ .Values.token }}", "x${A}y${B}z",
	} {
		err := Check(value)
		require.ErrorContains(t, err, "placeholder", value)
		requireSafe(t, err, value)
	}
}

// requireSafe holds an error to the style of errors, and to showing nothing of a
// value.
func requireSafe(t *testing.T, err error, value string) {
	t.Helper()
	text := err.Error()
	require.Equal(t, strings.ToLower(text[:1]), text[:1])
	require.NotContains(t, text[len(text)-1:], ".")
	for _, part := range strings.Fields(value) {
		if len(part) >= 4 && part != Mark && !strings.Contains(textPlaceholder, part) && !strings.Contains(Mark, part) {
			require.NotContains(t, text, part)
		}
	}
}

func TestRule6_2_AcceptedValues(t *testing.T) {
	for _, value := range []string{
		"hunter22", "şifremiz", "12345678", "a b c d e f", "$HOME-of-a-secret", "a{b}c}}d{e", "}}x{{yzzz", "line one\nline two", "${not closed",
	} {
		require.NoError(t, Check(value), value)
	}
}
