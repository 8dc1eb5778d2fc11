package template

import "strings"

const upperHex = "0123456789ABCDEF"

// escape percent-encodes everything but RFC 3986's unreserved characters. space
// is what a blank becomes: %20, or + in a form.
func escape(s, space string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case isAlphanumeric(c), strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteString(space)
		default:
			writeEscape(&b, c)
		}
	}
	return b.String()
}

// escapeLiteral makes literal text of a URL fit to be sent: escapes that it
// has stay, and bytes that are neither alphanumeric nor in keep are encoded.
// fault says what cannot be sent in any form, and is empty otherwise.
func escapeLiteral(s, keep, forbidden string) (escaped, fault string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if !isEscape(s[i:]) {
				return "", textBadEscape
			}
			b.WriteByte(c) // its digits follow as plain characters
		case c < ' ' || c == 0x7F:
			return "", textControl
		case strings.IndexByte(forbidden, c) >= 0:
			return "", textForbidden(c)
		case isAlphanumeric(c), strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		default:
			writeEscape(&b, c)
		}
	}
	return b.String(), ""
}

// unescape decodes one layer of percent-encoding; a percent sign that begins
// no escape stays.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !isEscape(s[i:]) {
			b.WriteByte(s[i])
			continue
		}
		b.WriteByte(hexValue(s[i+1])<<4 | hexValue(s[i+2]))
		i += 2
	}
	return b.String()
}

func writeEscape(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&0xF])
}

// isEscape reports whether s begins with % and two hexadecimal digits.
func isEscape(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
