package secret

import (
	"bytes"
	"strconv"
)

// maxExponent bounds the zeros that a number is written out with.
const maxExponent = 400

// otherDigits returns the digits of a JSON number that has a point or an
// exponent, first without the point and then written out. Both are nil for a
// plain integer, which shows its digits as it is.
func otherDigits(number []byte) (digits, plain []byte) {
	mantissa, power := number, 0
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		n, err := strconv.Atoi(string(number[i+1:]))
		if err != nil || n > maxExponent || n < -maxExponent {
			n = 0
		}
		power = n
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."))
	if len(mantissa) == len(number) && len(fraction) == 0 {
		return nil, nil
	}
	digits = append(bytes.Clone(whole), fraction...)
	return digits, written(digits, len(whole)+power)
}

// written writes digits out with the decimal point after so many of them.
func written(digits []byte, point int) []byte {
	if point <= 0 {
		return append(append([]byte("0."), bytes.Repeat([]byte("0"), -point)...), digits...)
	}
	if point >= len(digits) {
		return append(bytes.Clone(digits), bytes.Repeat([]byte("0"), point-len(digits))...)
	}
	return append(append(append([]byte(nil), digits[:point]...), '.'), digits[point:]...)
}
