package jsonx

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// checkNumber returns what is wrong with the size of a number token, or "". It looks at the text only, so that no
// token can make arithmetic expensive.
func checkNumber[T string | []byte](token T) string {
	if len(token) > MaxNumberLength {
		return detailLongNumber
	}
	for i := range len(token) {
		if token[i]|0x20 != 'e' {
			continue
		}
		i++
		for i < len(token) && (token[i] == '+' || token[i] == '-' || token[i] == '0') {
			i++
		}
		if len(token)-i > len("999") {
			return detailBigExponent
		}
		return ""
	}
	return ""
}

// CheckNumbers applies the rule for number tokens (MaxNumberLength, MaxExponent) to a document that is already known
// to be valid JSON. It allocates only when it finds a fault, which is an *Error of kind Number.
func CheckNumbers(data []byte) error {
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			i = skipString(data, i)
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(data) && isNumberByte(data[end]) {
				end++
			}
			if detail := checkNumber(data[i:end]); detail != "" {
				return &Error{Kind: Number, Pointer: pointerAt(data, i), Detail: detail}
			}
			i = end
		default:
			i++
		}
	}
	return nil
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'
}

// skipString returns the offset after the string that begins at i.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(data)
}

// pointerAt finds the JSON Pointer of the value that begins at an offset of a valid document.
func pointerAt(data []byte, offset int) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return ""
		}
		if dec.InputOffset() > int64(offset) {
			return string(dec.StackPointer())
		}
	}
}

// integerText returns the plain digits of a number token of integral value: "1.0" is "1", "1e2" is "100", "-0" is
// "0". The token has passed checkNumber. It reports false for a value that is not whole.
func integerText(token string) (string, bool) {
	if !strings.ContainsAny(token, ".eE") {
		if token == "-0" {
			return "0", true
		}
		return token, true
	}
	n := splitNumber(token)
	if n.digits == "" {
		return "0", true
	}
	// The digits are trimmed, so that the last one is not zero and a negative exponent leaves a fraction.
	if n.exponent < 0 {
		return "", false
	}
	return n.sign + n.digits + strings.Repeat("0", n.exponent), true
}

// A decimal is sign · digits · 10^exponent, without zeros at either end of its digits; zero has none.
type decimal struct {
	sign     string
	digits   string
	exponent int
}

func splitNumber(token string) decimal {
	var n decimal
	if strings.HasPrefix(token, "-") {
		n.sign, token = "-", token[1:]
	}
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		n.exponent = smallInt(token[i+1:])
		token = token[:i]
	}
	whole, fraction, _ := strings.Cut(token, ".")
	n.exponent -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	n.digits = strings.TrimRight(digits, "0")
	n.exponent += len(digits) - len(n.digits)
	return n
}

// smallInt reads an exponent, of which checkNumber has made sure that it is small.
func smallInt(s string) int {
	negative := strings.HasPrefix(s, "-")
	n := 0
	for _, c := range []byte(strings.TrimLeft(s, "+-")) {
		n = n*10 + int(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// isNumber reports whether s is exactly one JSON number token.
func isNumber(s string) bool {
	if s == "" || !(s[0] == '-' || s[0] >= '0' && s[0] <= '9') {
		return false
	}
	last := s[len(s)-1]
	return last >= '0' && last <= '9' && jsontext.Value(s).IsValid()
}
