package spec

import (
	"strings"
	"unicode"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// findInvisible finds a character that a reader of the file, or of a list of
// tools, could not see (rule 5.10), and says which; empty if there is none.
// Lines admits line feeds and tabs.
//
// The joiners that Persian and emoji need are admitted behind a character that
// can be seen, and once: a row of them would be a hidden text.
func findInvisible(s string, lines bool) string {
	hidden := 1 // joiners and selectors behind the last visible character; none may come first
	for _, r := range s {
		switch {
		case lines && (r == '\n' || r == '\t'):
			hidden = 1
		case r == zeroWidthJoiner, r == zeroWidthNonJoiner:
			if hidden&1 != 0 {
				return textInvisible(r)
			}
			hidden |= 1
		case r == textStyle, r == emojiStyle:
			if hidden != 0 {
				return textInvisible(r)
			}
			hidden |= 2
		case isInvisible(r):
			return textInvisible(r)
		default:
			hidden = 0
		}
	}
	return ""
}

const (
	zeroWidthNonJoiner = 0x200C
	zeroWidthJoiner    = 0x200D
	textStyle          = 0xFE0E // a variation selector: the symbol as text
	emojiStyle         = 0xFE0F // or as an emoji
)

func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || schema.LooksBlank(r)
}

// isBlank reports whether a text has nothing to see.
func isBlank(s string) bool {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isInvisible(r) }) == ""
}
