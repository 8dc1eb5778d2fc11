package secret

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Check says why a value cannot be a secret: it has fewer than 8 characters
// without surrounding blanks, is not valid UTF-8, still holds a ${…} or {{…}}
// that nothing has filled in, or cannot be told from Mark. It returns nil for a
// good value. The error never shows the value or a part of it.
func Check(value string) error {
	switch {
	case !utf8.ValidString(value):
		return errors.New(textNotUTF8)
	case holdsPair(value, "${", "}"), holdsPair(value, "{{", "}}"):
		return errors.New(textPlaceholder)
	case tooShort(value):
		return errors.New(textTooShort())
	case strings.Contains(value, Mark), strings.Contains(Mark, strings.TrimSpace(value)):
		return errors.New(textIsMark)
	}
	return nil
}

func holdsPair(s, open, end string) bool {
	_, after, found := strings.Cut(s, open)
	return found && strings.Contains(after, end)
}

func tooShort(value string) bool {
	return utf8.RuneCountInString(strings.TrimSpace(value)) < minLength
}
