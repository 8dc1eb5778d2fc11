package jsonx

import (
	stdjson "encoding/json"
	"errors"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

var (
	encodeOptions = newEncodeOptions(nil)

	// namedFloatOptions cost one more call for every value, which only types with named floats need.
	namedFloatOptions = newEncodeOptions(json.MarshalToFunc(marshalNamedFloat))
)

func newEncodeOptions(extra *json.Marshalers) json.Options {
	return json.JoinOptions(
		jsonv1.DefaultOptionsV1(),
		jsonv1.CallMethodsWithLegacySemantics(false), // pointer methods count in maps and interfaces too
		json.FormatNilSliceAsNull(false),
		json.FormatNilMapAsNull(false),
		json.Deterministic(true),
		jsontext.EscapeForHTML(false),
		jsontext.EscapeForJS(true),
		jsontext.PreserveRawStrings(false),
		jsontext.AllowDuplicateNames(false),
		jsontext.AllowInvalidUTF8(true), // written as U+FFFD
		json.WithMarshalers(json.JoinMarshalers(
			json.MarshalToFunc(marshalDuration),
			json.MarshalToFunc(marshalURL),
			json.MarshalToFunc(marshalNumber),
			json.MarshalToFunc(marshalFloat64),
			json.MarshalToFunc(marshalFloat32),
			extra,
		)),
	)
}

// Encode writes a value as encoding/json does, with these differences: a nil slice is [] and a nil map {}; there are
// no HTML escapes, but U+2028 and U+2029 are escaped; invalid UTF-8 becomes U+FFFD; time.Duration is "1h30m0s" and
// url.URL a string; a float that is a whole number below 1e21 has all its digits; methods of pointer receivers are
// called wherever the value lies, and MarshalText also on map keys of string kind.
//
// It returns an error for NaN, infinities, channels, functions, cycles, a json.Number that is not a number, a
// json.RawMessage that is not strict JSON, two map keys with one text, and whatever a type's own method returns.
func Encode(v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	if !value.IsValid() {
		return []byte("null"), nil
	}
	if value.Kind() != reflect.Pointer {
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		v = pointer.Interface()
	}
	if hasNamedFloat(value.Type()) {
		return json.Marshal(v, namedFloatOptions)
	}
	return json.Marshal(v, encodeOptions)
}

func marshalDuration(enc *jsontext.Encoder, d time.Duration) error {
	return enc.WriteToken(jsontext.String(d.String()))
}

func marshalURL(enc *jsontext.Encoder, u *url.URL) error {
	return enc.WriteToken(jsontext.String(u.String()))
}

var errNumber = errors.New("not a number")

func marshalNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	if needsName(enc) {
		return enc.WriteToken(jsontext.String(string(n)))
	}
	if n == "" {
		n = "0" // as encoding/json does
	}
	if !isNumber(string(n)) {
		return errNumber
	}
	return writeNumber(enc, []byte(n))
}

func marshalFloat64(enc *jsontext.Encoder, f float64) error {
	if a := math.Abs(f); a < firstPadded || a >= lastPadded || needsName(enc) {
		return errors.ErrUnsupported
	}
	return writeNumber(enc, strconv.AppendFloat(nil, f, 'f', 0, 64))
}

func marshalFloat32(enc *jsontext.Encoder, f float32) error {
	if a := math.Abs(float64(f)); a < firstPadded32 || a >= lastPadded || needsName(enc) {
		return errors.ErrUnsupported
	}
	return writeNumber(enc, strconv.AppendFloat(nil, float64(f), 'f', 0, 64))
}

func marshalNamedFloat(enc *jsontext.Encoder, pointer any) error {
	switch v := reflect.ValueOf(pointer).Elem(); {
	case v.Kind() == reflect.Float64 && !hasOwnEncoder(v.Type()):
		return marshalFloat64(enc, v.Float())
	case v.Kind() == reflect.Float32 && !hasOwnEncoder(v.Type()):
		return marshalFloat32(enc, float32(v.Float()))
	}
	return errors.ErrUnsupported
}

// writeNumber writes a number token, in a string where the field has the string option.
func writeNumber(enc *jsontext.Encoder, token []byte) error {
	if quoted, _ := json.GetOption(enc.Options(), json.StringifyNumbers); quoted {
		return enc.WriteToken(jsontext.String(string(token)))
	}
	return enc.WriteValue(token)
}

// needsName reports whether the encoder expects the name of an object member.
func needsName(enc *jsontext.Encoder) bool {
	kind, length := enc.StackIndex(enc.StackDepth())
	return kind == '{' && length%2 == 0
}

var encoderTypes = []reflect.Type{
	reflect.TypeFor[json.Marshaler](),
	reflect.TypeFor[json.MarshalerTo](),
	reflect.TypeFor[interface{ MarshalText() ([]byte, error) }](),
	reflect.TypeFor[interface{ AppendText([]byte) ([]byte, error) }](),
}

func hasOwnEncoder(t reflect.Type) bool { return implements(t, encoderTypes...) }

var namedFloats sync.Map // map[reflect.Type]bool

// hasNamedFloat reports whether values of the static type may hold a float of a named type.
func hasNamedFloat(t reflect.Type) bool {
	if known, ok := namedFloats.Load(t); ok {
		return known.(bool)
	}
	found := findNamedFloat(t, map[reflect.Type]bool{})
	namedFloats.Store(t, found)
	return found
}

func findNamedFloat(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		return t.PkgPath() != ""
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findNamedFloat(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if findNamedFloat(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
