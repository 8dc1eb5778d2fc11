package spec

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// What a scalar without quotes means where any value may stand (rule 5.2):
// true, false and null are what they say, JSON's numbers are numbers, and
// everything else is text. What YAML 1.1 or 1.2 would take for a number, and
// JSON not, is refused: readers disagree about it.

// isNull reports whether an unquoted scalar is no value at all.
func isNull(text string) bool { return text == "" || text == "~" || text == "null" }

// isBool reports whether an unquoted scalar is true or false.
func isBool(text string) bool { return text == "true" || text == "false" }

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	// oddNumber is what YAML readers take for a number.
	oddNumber = regexp.MustCompile(`^[-+]?(0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+|0[bB][01_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9][0-9_]*([eE][-+]?[0-9]+)?|\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// isNumber reports whether text is a number of JSON that every reader of this
// module accepts.
func isNumber(text string) bool {
	return jsonNumber.MatchString(text) && jsonx.CheckNumbers([]byte(text)) == nil
}

// looksNumeric reports whether text could be taken for a number.
func looksNumeric(text string) bool {
	return jsonNumber.MatchString(text) || oddNumber.MatchString(text)
}

// jsonSpelling writes an odd number as JSON does; empty if it has no such
// spelling.
func jsonSpelling(text string) string {
	if !looksNumeric(text) {
		return ""
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	sign := ""
	if rest, negative := strings.CutPrefix(plain, "-"); negative {
		sign, plain = "-", rest
	}
	if len(plain) > 2 && plain[0] == '0' && strings.ContainsRune("xXbBoO", rune(plain[1])) && len(plain) <= 2+jsonx.MaxNumberLength {
		if n, ok := new(big.Int).SetString(plain, 0); ok {
			return sign + n.String()
		}
	}
	if plain = strings.TrimLeft(plain, "0"); plain == "" || plain[0] < '0' || plain[0] > '9' {
		plain = "0" + plain
	}
	whole, exponent := plain, ""
	if i := strings.IndexAny(plain, "eE"); i >= 0 {
		whole, exponent = plain[:i], plain[i:]
	}
	if plain = sign + strings.TrimSuffix(whole, ".") + exponent; isNumber(plain) {
		return plain
	}
	return ""
}

// scalarValue is a scalar as a value of JSON. A number that is not spelled as
// JSON does is reported, and so is one that no reader of this module takes.
func scalarValue(n *node, s *issues) any {
	switch {
	case !n.plain:
		return n.text
	case isNull(n.text):
		return nil
	case isBool(n.text):
		return n.text == "true"
	case isNumber(n.text):
		return json.Number(n.text)
	case looksNumeric(n.text):
		s.add(n, textOddNumber(n.text))
	}
	return n.text
}
