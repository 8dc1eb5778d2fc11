package template

import (
	"strings"
	"unicode/utf8"
)

const (
	open = "{{"
	shut = "}}"

	maxName = 128 // characters of the name of a variable or a secret
)

// A SyntaxError says what is wrong with a template, and what to write instead.
type SyntaxError struct {
	Offset  int    // in bytes: of the braces of the faulty reference, or of the first byte that is not UTF-8
	Message string // lower case, no final period
	Hint    string // what to write instead
}

// Error returns the message, the offset and the hint on one line.
func (e *SyntaxError) Error() string { return textSyntax(e) }

// Parse reads a template. \{{ stands for the characters {{, and a lone }} for
// itself; a backslash elsewhere is text. The error is a *SyntaxError.
func Parse(s string) (*Text, error) {
	if i := invalidUTF8(s); i >= 0 {
		return nil, &SyntaxError{Offset: i, Message: textNotUTF8, Hint: hintUTF8}
	}
	t := &Text{}
	var literal strings.Builder
	for rest := s; rest != ""; {
		before, after, found := strings.Cut(rest, open)
		if !found {
			literal.WriteString(rest)
			break
		}
		if text, escaped := strings.CutSuffix(before, `\`); escaped {
			literal.WriteString(text + open)
			rest = after
			continue
		}
		literal.WriteString(before)
		offset := len(s) - len(after) - len(open)
		ref, remainder, err := parseRef(after)
		if err != nil {
			err.Offset = offset
			return nil, err
		}
		t.addLiteral(literal.String())
		literal.Reset()
		t.parts = append(t.parts, part{ref: &ref, offset: offset})
		rest = remainder
	}
	t.addLiteral(literal.String())
	return t, nil
}

// ParseName reads what must be literal: the name of a header, a query
// parameter, a form field or a body member. It returns the name with its
// escapes resolved; a reference in it is a *SyntaxError.
func ParseName(s string) (string, error) {
	t, err := Parse(s)
	if err != nil {
		return "", err
	}
	for _, p := range t.parts {
		if p.ref != nil {
			return "", &SyntaxError{Offset: p.offset, Message: textNameNotLiteral(*p.ref), Hint: hintNameNotLiteral}
		}
	}
	name, _ := t.Literal()
	return name, nil
}

// IsName reports whether s can be the name of a variable or a secret:
// ^[A-Z][A-Z0-9_]{0,127}$.
func IsName(s string) bool {
	if s == "" || len(s) > maxName || !isUpper(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isUpper(s[i]) && !isDigit(s[i]) && s[i] != '_' {
			return false
		}
	}
	return true
}

// parseRef reads a reference and its closing braces from what follows the
// opening ones, and returns the rest.
func parseRef(s string) (Ref, string, *SyntaxError) {
	inner, rest, closed := strings.Cut(s, shut)
	if !closed {
		return Ref{}, "", &SyntaxError{Message: textUnclosed, Hint: hintUnclosed}
	}
	if strings.Contains(inner, "{") {
		return Ref{}, "", &SyntaxError{Message: textNested, Hint: hintNested}
	}
	ref, err := parseReference(strings.Trim(inner, " "))
	return ref, rest, err
}

func parseReference(s string) (Ref, *SyntaxError) {
	if s == "" {
		return Ref{}, &SyntaxError{Message: textEmptyBraces, Hint: hintRoots}
	}
	if r := strayRune(s); r >= 0 {
		return Ref{}, &SyntaxError{Message: textNoReference(s), Hint: hintCharacter(r)}
	}
	names := strings.Split(s, ".")
	for _, name := range names {
		switch {
		case name == "":
			return Ref{}, &SyntaxError{Message: textNoReference(s), Hint: hintDots}
		case isDigit(name[0]):
			return Ref{}, &SyntaxError{Message: textNoReference(s), Hint: hintDigit}
		}
	}
	ref := Ref{Root: Root(names[0]), Path: names[1:]}
	if hint := refFault(ref); hint != "" {
		return Ref{}, &SyntaxError{Message: textNoReference(s), Hint: hint}
	}
	return ref, nil
}

// strayRune returns the first character that no reference holds, or -1. Others
// say more about what was meant than a blank does.
func strayRune(s string) rune {
	stray := rune(-1)
	for _, r := range s {
		switch {
		case isIdentifierRune(r), r == '.':
		case r == ' ':
			stray = r
		default:
			return r
		}
	}
	return stray
}

// refFault returns what to write instead of a reference whose identifiers are
// sound, or nothing.
func refFault(r Ref) string {
	switch r.Root {
	case Input:
		if len(r.Path) == 0 {
			return hintWholeInput
		}
	case Vars, Secrets:
		if len(r.Path) != 1 || !IsName(r.Path[0]) {
			return hintName(r.Root, strings.Join(r.Path, "_"))
		}
	default:
		return hintRoot(r)
	}
	return ""
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

func isIdentifierRune(r rune) bool {
	return r < utf8.RuneSelf && (isAlphanumeric(byte(r)) || r == '_')
}

func isAlphanumeric(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' || isDigit(c) }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
