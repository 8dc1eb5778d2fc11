package spec

import (
	"math"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// maxShown is how much of a value a message shows without quotes, in characters.
const maxShown = 60

// quote shows a text of the file: cut, in quotes, and with everything escaped
// that a reader could not see or that could pose as something else.
func quote(s string) string { return schema.Quote(s) }

// visible shows a text in the same way, without quotes and in full.
func visible(s string) string { return schema.Visible(s, math.MaxInt) }

// clip shows a text without quotes, cut after limit characters.
func clip(s string, limit int) string { return schema.Visible(s, limit) }

// joinQuoted lists names: "a", "b" and "c".
func joinQuoted(names []string, last string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = quote(name)
	}
	if len(shown) < 2 {
		return strings.Join(shown, "")
	}
	return strings.Join(shown[:len(shown)-1], ", ") + " " + last + " " + shown[len(shown)-1]
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i]
	}
	return s
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
