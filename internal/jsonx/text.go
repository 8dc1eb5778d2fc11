package jsonx

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	detailLongNumber   = "number has more than 40 characters"
	detailBigExponent  = "number has an exponent beyond 999"
	detailDuplicate    = "member is given twice"
	detailEncoding     = "text is not valid UTF-8"
	detailTrailing     = "unexpected data after the JSON value"
	detailEnd          = "JSON ends too early"
	detailUnknown      = "unknown member"
	detailNotAccepted  = "not accepted by its type"
	detailDuration     = `must be a duration such as "1h30m" or "1.5s"`
	detailURL          = "must be a URL"
	detailNotNumber    = "must be a number written in a string"
	detailNotBool      = `must be "true" or "false"`
	detailBase64       = "must be base64 text"
	detailTime         = `must be a date and time such as "2006-01-02T15:04:05Z"`
	detailOutOfRange   = "number is out of range"
	detailWhole        = "must be a whole number"
	detailNotExact     = "cannot be held exactly"
	detailNotDecodable = "no value can be given here"
)

func detailTooDeep(limit int) string {
	return fmt.Sprintf("nested deeper than %d levels", limit)
}

func detailTooMany(limit int) string {
	return fmt.Sprintf("more than %d elements and members in all", limit)
}

func detailBetween(low, high any) string {
	return fmt.Sprintf("must be between %d and %d", low, high)
}

func detailWant(got jsontext.Kind, t reflect.Type) string {
	return fmt.Sprintf("got %s, want %s", kindName(got), typeName(t))
}

func detailLength(n int) string {
	return fmt.Sprintf("must have exactly %d elements", n)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "something else"
}

// typeName names the JSON type that a Go type is decoded from.
func typeName(t reflect.Type) string {
	if t == nil {
		return "another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string"
		}
		return "array"
	case reflect.Array:
		return "array"
	}
	return "another type"
}

// syntaxError turns an error of the JSON reader into one of this package.
func syntaxError(err error) *Error {
	e := &Error{Kind: Syntax, Detail: "not valid JSON"}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			e.Detail = detailEnd
		}
		return e
	}
	e.Pointer = string(syntactic.JSONPointer)
	cause := ""
	if syntactic.Err != nil {
		cause = syntactic.Err.Error()
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind, e.Detail = Duplicate, detailDuplicate
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Detail = detailEnd
	case cause == "invalid UTF-8", strings.Contains(cause, "surrogate"):
		e.Kind, e.Detail = Encoding, detailEncoding
	case strings.Contains(cause, "max depth"):
		e.Kind, e.Detail = TooDeep, "nested too deep"
	case strings.Contains(cause, "after top-level value"):
		e.Kind, e.Detail = Trailing, detailTrailing
	default:
		e.Detail = fmt.Sprintf("not valid JSON at byte %d: %s", syntactic.ByteOffset, cut(cause))
	}
	return e
}

// cut bounds a message of the JSON reader, which names the character it stumbled over and little else.
func cut(s string) string {
	const limit = 80
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}
