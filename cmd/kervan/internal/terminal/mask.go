package terminal

import (
	"strings"
	"unicode"
)

// Mask stands where something was left out that is nobody's business.
const Mask = "[redacted]"

// MaskURLs returns s with the credentials of every URL in it masked, so that
// https://user:password@host reads https://[redacted]@host. Where credentials
// end is decided in favour of the mask.
func MaskURLs(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "://")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("://")
		if n := credentials(after); n > 0 {
			b.WriteString(Mask)
			after = after[n:]
		}
		s = after
	}
}

// credentials returns how many bytes of what follows :// stand before the @ of
// the host; 0 means that there are none.
func credentials(s string) int {
	word := s // to the next blank: even a quote may belong to a password
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		word = s[:i]
	}
	authority := word
	if i := strings.IndexAny(word, "/?#"); i >= 0 {
		authority = word[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		return i
	}
	// A slash, question mark or hash of a password that should have been encoded.
	if _, port, found := strings.Cut(authority, ":"); found && !isPort(port) {
		return max(strings.LastIndexByte(word, '@'), 0)
	}
	return 0
}

func isPort(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
