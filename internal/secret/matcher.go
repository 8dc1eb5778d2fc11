package secret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An index finds patterns of at least eight bytes.
type index struct {
	filter
	trie
}

func newIndex(texts []string) *index {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	patterns := make([][]byte, len(texts))
	for i, text := range texts {
		patterns[i] = []byte(text)
	}
	return &index{newFilter(patterns), newTrie(patterns)}
}

// A matcher knows the patterns, and which bytes can matter to them. It does not
// change once it is made.
type matcher struct {
	*index         // of the patterns
	encoded *index // of what they are in base64

	leads       [256]bool // bytes that begin an escape: % & \, and + for a space where a pattern has one
	plausible   [256]bool // bytes that can be part of a spelled pattern
	spaces      bool      // a pattern has a space, which forms write as +
	backslashes bool      // a pattern has a backslash
	beyondASCII bool      // a pattern has a character beyond ASCII
}

// newMatcher makes a matcher of the texts, each of at least eight bytes.
func newMatcher(patterns []string) *matcher {
	var encoded []string
	for _, p := range patterns {
		encoded = append(encoded, inBase64(p)...)
	}
	m := &matcher{index: newIndex(patterns), encoded: newIndex(encoded)}
	for c := range 256 {
		m.leads[c] = has(byte(c), isLead)
		m.plausible[c] = classes[c] != 0
	}
	for _, p := range patterns {
		for _, c := range []byte(p) {
			m.plausible[c] = true
			m.beyondASCII = m.beyondASCII || c >= utf8.RuneSelf
		}
		m.spaces = m.spaces || strings.Contains(p, " ")
		m.backslashes = m.backslashes || strings.Contains(p, `\`)
	}
	m.leads['+'] = m.spaces
	return m
}
