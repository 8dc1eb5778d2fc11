package jmes

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// A number is a float64, or a json.Number where printing a float64 would give other digits than were read: 1.0 and 1e3,
// and what a float64 cannot hold at all. go-jmespath passes a json.Number on like any value that it does not know.

// maxExact is 2^53, up to which a float64 holds every integer.
const maxExact = 1 << 53

// decodeNumber returns the value of a number token of JSON.
func decodeNumber(token string) any {
	const safeDigits = 15 // every integer of so many digits is below 2^53
	if len(token) <= safeDigits && isInteger(token) && token[0] != '-' {
		n := 0
		for _, c := range []byte(token) {
			n = 10*n + int(c-'0')
		}
		return float64(n)
	}
	const longestFloat = 25 // -2.2250738585072014e-308 has 24
	if len(token) > longestFloat {
		return json.Number(token)
	}
	f, ok := parseFloat(token)
	var printed [longestFloat]byte
	if !ok || string(appendFloat(printed[:0], f)) != token {
		return json.Number(token)
	}
	return f
}

// parseFloat returns the float64 nearest to a number token. It reports false for an integer beyond 2^53, and for any
// number beyond every float64.
func parseFloat(token string) (float64, bool) {
	f, err := strconv.ParseFloat(token, 64)
	return f, err == nil && (!isInteger(token) || math.Abs(f) <= maxExact)
}

// exactFloat returns the float64 that stands for a number token. It reports false for an integer beyond 2^53, and for
// other numbers that would not print as the same number again.
func exactFloat(token string) (float64, bool) {
	f, ok := parseFloat(token)
	return f, ok && sameNumber(token, string(appendFloat(nil, f)))
}

func isInteger(token string) bool { return !strings.ContainsAny(token, ".eE") }

// numberOf returns the float64 of a value that is a number, and whether it stands for it exactly.
func numberOf(v any) (f float64, exact, isNumber bool) {
	switch v := v.(type) {
	case float64:
		return v, true, true
	case json.Number:
		f, exact = exactFloat(string(v))
		return f, exact, true
	}
	return 0, false, false
}

// appendFloat writes a number as JSON, in the shortest form.
func appendFloat(out []byte, f float64) []byte {
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(out, f, 'f', -1, 64)
	}
	out = strconv.AppendFloat(out, f, 'e', -1, 64)
	if n := len(out); out[n-4] == 'e' && out[n-2] == '0' { // 1e-07
		out = append(out[:n-2], out[n-1])
	}
	return out
}

// sameNumber reports whether two number tokens mean the same number, exactly.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, y := decimalOf(a), decimalOf(b)
	return x.ok && x == y
}

// A decimal is ±0.digits × 10^exponent, without zeros at either end of the digits. Zero has no digits and no sign.
type decimal struct {
	negative bool
	digits   string
	exponent int64
	ok       bool // the exponent has at most 32 bits
}

func decimalOf(token string) decimal {
	d := decimal{ok: true}
	token, d.negative = strings.CutPrefix(token, "-")
	mantissa, exponent := token, ""
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		mantissa, exponent = token[:i], token[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(significant, "0")
	if d.digits == "" {
		return decimal{ok: true}
	}
	d.exponent = int64(len(significant) - len(fraction))
	if exponent != "" {
		n, err := strconv.ParseInt(exponent, 10, 32)
		d.exponent, d.ok = d.exponent+n, err == nil
	}
	return d
}

// equal compares two values as the specification says, numbers by their exact value.
func equal(a, b any) bool {
	var seen map[pair]bool
	return equalValues(a, b, &seen)
}

// equalValues remembers the pairs of arrays and objects that it has compared, for a value can hold the same one very
// often: they are equal, or the comparison has ended.
func equalValues(a, b any, seen *map[pair]bool) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) || len(x) == 0 {
			return ok && len(x) == len(y)
		}
		if compared(x, y, seen) {
			return true
		}
		for i := range x {
			if !equalValues(x[i], y[i], seen) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		if compared(x, y, seen) {
			return true
		}
		for k, v := range x {
			if w, ok := y[k]; !ok || !equalValues(v, w, seen) {
				return false
			}
		}
		return true
	case json.Number, float64:
		return equalNumbers(a, b)
	}
	return a == b
}

// A pair is two arrays, or two objects, of the same length.
type pair struct {
	a, b   uintptr
	length int
}

// compared reports whether a pair of the same length was compared before, and marks it.
func compared(a, b any, seen *map[pair]bool) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	p := pair{x.Pointer(), y.Pointer(), x.Len()}
	if p.a == p.b || (*seen)[p] {
		return true
	}
	if *seen == nil {
		*seen = make(map[pair]bool)
	}
	(*seen)[p] = true
	return false
}

func equalNumbers(a, b any) bool {
	x, exact, _ := numberOf(a)
	y, alsoExact, ok := numberOf(b)
	switch {
	case !ok:
		return false
	case exact && alsoExact:
		return x == y
	}
	return sameNumber(numberText(a), numberText(b))
}

// numberText returns the digits of a number.
func numberText(v any) string {
	if n, ok := v.(json.Number); ok {
		return string(n)
	}
	f, _ := v.(float64)
	return string(appendFloat(nil, f))
}
