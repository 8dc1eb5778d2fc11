package jsonx

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	numberType   = reflect.TypeFor[stdjson.Number]()
	bigIntType   = reflect.TypeFor[big.Int]()

	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	unmarshalerFromType = reflect.TypeFor[json.UnmarshalerFrom]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func implements(t reflect.Type, interfaces ...reflect.Type) bool {
	for _, i := range interfaces {
		if t.Implements(i) || reflect.PointerTo(t).Implements(i) {
			return true
		}
	}
	return false
}

func hasOwnDecoder(t reflect.Type) bool {
	return implements(t, unmarshalerType, unmarshalerFromType, textUnmarshalerType)
}

// A decoder reads the next value of dec into target. It returns what is wrong with the value, or "".
type decoder func(dec *jsontext.Decoder, value jsontext.Value, target reflect.Value) string

// decoders caches the decoder of each type; nil means that the library's own is right.
var decoders sync.Map // map[reflect.Type]decoder

func decoderOf(t reflect.Type) decoder {
	if d, ok := decoders.Load(t); ok {
		return d.(decoder)
	}
	d := newDecoder(t)
	decoders.Store(t, d)
	return d
}

func newDecoder(t reflect.Type) decoder {
	switch t {
	case durationType:
		return decodeDuration
	case urlType:
		return decodeURL
	case numberType:
		return decodeNumber
	case bigIntType:
		return decodeBigInt
	}
	if hasOwnDecoder(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return decodeInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return decodeUint
	case reflect.Float32, reflect.Float64:
		return decodeFloat
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return decodeAny
		}
	}
	return nil
}

// unmarshalValue is asked for every value before the library decodes it.
func unmarshalValue(dec *jsontext.Decoder, pointer any) error {
	target := reflect.ValueOf(pointer).Elem()
	decode := decoderOf(target.Type())
	if decode == nil {
		return errors.ErrUnsupported
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == 'n' && target.Kind() != reflect.Interface {
		return nil // encoding/json leaves the value as it is
	}
	if detail := decode(dec, value, target); detail != "" {
		return &Error{Kind: Mismatch, Pointer: string(dec.StackPointer()), Detail: detail}
	}
	return nil
}

// unquote returns the text of a string value.
func unquote(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// isName reports whether the value just read is the name of an object member.
func isName(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

// numberToken returns the number token for a numeric target: the value itself, or its text where the target is a
// map key or a field with the string option.
func numberToken(dec *jsontext.Decoder, value jsontext.Value, t reflect.Type) (token, detail string) {
	quoted, _ := json.GetOption(dec.Options(), json.StringifyNumbers)
	if quoted || isName(dec) {
		text, ok := unquote(value)
		if !ok {
			return "", "got " + kindName(value.Kind()) + ", want string"
		}
		if !isNumber(text) {
			return "", detailNotNumber
		}
		return text, checkNumber(text)
	}
	if value.Kind() != '0' {
		return "", detailWant(value.Kind(), t)
	}
	return string(value), checkNumber([]byte(value))
}

// integerToken returns the plain digits for an integer target.
func integerToken(dec *jsontext.Decoder, value jsontext.Value, t reflect.Type) (digits, detail string) {
	token, detail := numberToken(dec, value, t)
	if detail != "" {
		return "", detail
	}
	return wholeNumber(token)
}

func wholeNumber(token string) (digits, detail string) {
	digits, ok := integerText(token)
	if !ok {
		return "", detailWhole
	}
	return digits, ""
}

func decodeInt(dec *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	digits, detail := integerToken(dec, value, target.Type())
	if detail != "" {
		return detail
	}
	bits := target.Type().Bits()
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		low := int64(-1) << (bits - 1)
		return detailBetween(low, -(low + 1))
	}
	target.SetInt(n)
	return ""
}

func decodeUint(dec *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	digits, detail := integerToken(dec, value, target.Type())
	if detail != "" {
		return detail
	}
	bits := target.Type().Bits()
	n, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return detailBetween(0, ^uint64(0)>>(64-bits))
	}
	target.SetUint(n)
	return ""
}

func decodeFloat(dec *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	token, detail := numberToken(dec, value, target.Type())
	if detail != "" {
		return detail
	}
	bits := target.Type().Bits()
	f, err := strconv.ParseFloat(token, bits)
	if err != nil {
		return detailOutOfRange
	}
	if !holdsExactly(token, f, bits) {
		return detailNotExact
	}
	target.SetFloat(f)
	return ""
}

// holdsExactly reports whether f, the float nearest to the token, is as exact as the token promises. A fraction is
// always approximate. Digits without an exponent are meant one by one; with an exponent, those before it are.
func holdsExactly(token string, f float64, bits int) bool {
	safe := 15 // so many significant digits every float64 keeps
	if bits == 32 {
		safe = 6
	}
	n := splitNumber(token)
	if n.exponent < 0 || len(n.digits)+n.exponent <= safe {
		return true
	}
	want := n.sign + n.digits
	exact := splitNumber(strconv.FormatFloat(f, 'f', 0, 64))
	if exact.sign+exact.digits == want && exact.exponent == n.exponent {
		return true
	}
	if !hasExponent(token) {
		return false
	}
	shortest := splitNumber(strconv.FormatFloat(f, 'e', -1, bits))
	return shortest.sign+shortest.digits == want && shortest.exponent == n.exponent
}

func hasExponent(token string) bool {
	for i := range len(token) {
		if token[i]|0x20 == 'e' {
			return true
		}
	}
	return false
}

func decodeDuration(_ *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	text, ok := unquote(value)
	d, err := time.ParseDuration(text)
	if !ok || err != nil {
		return detailDuration
	}
	target.SetInt(int64(d))
	return ""
}

func decodeURL(_ *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	text, ok := unquote(value)
	u, err := url.Parse(text)
	if !ok || err != nil {
		return detailURL
	}
	target.Set(reflect.ValueOf(*u))
	return ""
}

func decodeNumber(dec *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	if isName(dec) { // a json.Number is a string where it is a map key
		text, _ := unquote(value)
		target.SetString(text)
		return ""
	}
	token, detail := numberToken(dec, value, reflect.TypeFor[float64]())
	if detail != "" {
		return detail
	}
	target.SetString(token)
	return ""
}

// decodeBigInt does not heed the string option, since the type's own MarshalJSON does not.
func decodeBigInt(_ *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	if value.Kind() != '0' {
		return detailWant(value.Kind(), reflect.TypeFor[int]())
	}
	if detail := checkNumber([]byte(value)); detail != "" {
		return detail
	}
	digits, detail := wholeNumber(string(value))
	if detail == "" {
		target.Addr().Interface().(*big.Int).SetString(digits, 10)
	}
	return detail
}

func decodeAny(_ *jsontext.Decoder, value jsontext.Value, target reflect.Value) string {
	tree, err := Parse(value, Limits{Depth: maxAnyDepth})
	if err != nil {
		return err.(*Error).Detail
	}
	if tree == nil {
		target.SetZero()
	} else {
		target.Set(reflect.ValueOf(tree))
	}
	return ""
}

// maxAnyDepth leaves the depth to whoever validated the document; the reader stops at this depth in any case.
const maxAnyDepth = 10_000
