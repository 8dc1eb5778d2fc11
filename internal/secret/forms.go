package secret

import (
	"slices"
	"strings"
)

// newline parts the lines of a value, whatever system it was written on.
var newline = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// pointer spells a key as a JSON Pointer does (RFC 6901), as errors of readers of
// JSON show it.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// forms returns the texts that give a secret away: the value, with and without
// surrounding blanks, and for one of several lines also its lines joined by LF,
// by CRLF and by nothing, and each line by itself. Texts of fewer than 8
// characters are left out. Some come twice.
func forms(value string) []string {
	var all []string
	for _, text := range []string{value, strings.TrimSpace(value)} {
		all = append(all, text, pointer.Replace(text))
		lines := strings.Split(newline.Replace(text), "\n")
		if len(lines) == 1 {
			continue
		}
		all = append(all, strings.Join(lines, "\n"), strings.Join(lines, "\r\n"), strings.Join(lines, ""))
		for _, line := range lines {
			all = append(all, line, strings.TrimSpace(line))
		}
	}
	return slices.DeleteFunc(all, unfit)
}

// unfit reports whether a text cannot be a pattern: it is too short, or it is a
// part of Mark, which every redacted text holds.
func unfit(form string) bool {
	return tooShort(form) || strings.Contains(Mark, form)
}
