package schema

import (
	"encoding"
	"encoding/json"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"time"

	v2 "github.com/go-json-experiment/json"
	"github.com/invopop/jsonschema"
)

const (
	integerPattern  = `^-?(0|[1-9][0-9]*)$`
	unsignedPattern = `^(0|[1-9][0-9]*)$`
	numberPattern   = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
	durationPattern = `^[+-]?(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`
)

var (
	timeType       = reflect.TypeFor[time.Time]()
	durationType   = reflect.TypeFor[time.Duration]()
	urlType        = reflect.TypeFor[url.URL]()
	jsonNumberType = reflect.TypeFor[json.Number]()
	rawType        = reflect.TypeFor[json.RawMessage]()
	bigIntType     = reflect.TypeFor[big.Int]()
)

// knownType returns the schema of a type that the codec treats specially, or nil.
func knownType(t reflect.Type) *jsonschema.Schema {
	switch t {
	case timeType:
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case durationType:
		return &jsonschema.Schema{Type: "string", Pattern: durationPattern, Description: durationText}
	case urlType: // format uri would refuse relative references
		return &jsonschema.Schema{Type: "string"}
	case jsonNumberType:
		return &jsonschema.Schema{Type: "number"}
	case bigIntType:
		return &jsonschema.Schema{Type: "integer"}
	case rawType:
		return &jsonschema.Schema{}
	}
	return nil
}

var (
	jsonEncoders = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[v2.MarshalerTo]()}
	jsonDecoders = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[v2.UnmarshalerFrom]()}
	textEncoders = []reflect.Type{reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender]()}
	textDecoders = []reflect.Type{reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// isOpaque reports whether a type has JSON methods of its own for the direction.
func isOpaque(t reflect.Type, d Direction) bool {
	if d == Input {
		return hasMethods(t, jsonDecoders)
	}
	return hasMethods(t, jsonEncoders)
}

// isText reports whether a type is a string by its own methods.
func isText(t reflect.Type, d Direction) bool {
	if d == Input {
		return hasMethods(t, textDecoders)
	}
	return hasMethods(t, textEncoders)
}

// hasMethods looks at the pointer's methods too, which the codec calls wherever a value lies. The methods of an
// interface are those of the value in it, which is not known.
func hasMethods(t reflect.Type, interfaces []reflect.Type) bool {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return false
	}
	for _, i := range interfaces {
		if t.Implements(i) || reflect.PointerTo(t).Implements(i) {
			return true
		}
	}
	return false
}

// isBytes reports whether a slice is written as base64: its elements are bytes without an encoding of their own.
func isBytes(t reflect.Type) bool {
	return t.Elem().Kind() == reflect.Uint8 && !hasMethods(t.Elem(), jsonEncoders) && !hasMethods(t.Elem(), textEncoders)
}

// integerRange returns what an integer type can hold.
func integerRange(t reflect.Type) (low, high json.Number, ok bool) {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		least := int64(-1) << (t.Bits() - 1)
		return json.Number(strconv.FormatInt(least, 10)), json.Number(strconv.FormatInt(-(least + 1), 10)), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "0", json.Number(itoa(^uint64(0) >> (64 - t.Bits()))), true
	}
	return "", "", false
}

// quotedType returns the schema of a scalar with the json option string.
func quotedType(t reflect.Type, path string) (*jsonschema.Schema, error) {
	s := scalar(t)
	if s == nil {
		return nil, &Error{Pointer: path, Message: goMsgStringOption}
	}
	q := &jsonschema.Schema{Type: "string"}
	switch s.Type {
	case "integer":
		q.Pattern = integerPattern
		if s.Minimum == "0" {
			q.Pattern = unsignedPattern
		}
	case "number":
		q.Pattern = numberPattern
	case "boolean":
		q.Enum = []any{"true", "false"}
	case "string": // the text is a JSON string inside a string
		q.Pattern = `^".*"$`
	}
	return q, nil
}

// keyPattern returns the pattern of the names of a map's members, "" for any, and whether the codec takes the keys.
func keyPattern(t reflect.Type, d Direction) (string, bool) {
	switch {
	case t == durationType:
		return durationPattern, true
	case t == jsonNumberType:
		return "", true
	case t.Kind() == reflect.Interface, t.Kind() == reflect.Pointer, isOpaque(t, Input), isOpaque(t, Output):
		return "", t == timeType // which is text as a key, and known to the codec
	case isText(t, d):
		return "", true
	case t.Kind() == reflect.String:
		return "", true
	}
	low, _, ok := integerRange(t)
	if low == "0" {
		return unsignedPattern, ok
	}
	return integerPattern, ok
}
