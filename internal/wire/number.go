package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// IntegerDigits returns the plain digits of a JSON number of integral value:
// "1.0" is "1", "1e2" is "100", "-0" is "0". It reports false for anything else,
// and for a number of more than 40 characters or with an exponent beyond 999.
func IntegerDigits(token string) (string, bool) {
	raw := []byte(token)
	if !isNumber(raw) || !isDigit(raw[len(raw)-1]) || !json.Valid(raw) || jsonx.CheckNumbers(raw) != nil {
		return "", false
	}
	mantissa, exponent := strings.ToLower(token), 0
	if i := strings.IndexByte(mantissa, 'e'); i >= 0 {
		exponent, _ = strconv.Atoi(mantissa[i+1:]) // checked to be small
		mantissa = mantissa[:i]
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	switch {
	case trimmed == "":
		return "0", true
	case exponent < 0:
		return "", false
	}
	digits = trimmed + strings.Repeat("0", exponent)
	if negative {
		return "-" + digits, true
	}
	return digits, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
