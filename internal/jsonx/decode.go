package jsonx

import (
	"errors"
	"reflect"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

var decodeOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv1.ReportErrorsWithLegacySemantics(false), // for the JSON Pointer
	jsonv1.CallMethodsWithLegacySemantics(false),  // the same methods as Encode
	jsonv1.UnmarshalArrayFromAnyLength(false),
	jsonv1.ParseTimeWithLooseRFC3339(false),
	json.MatchCaseInsensitiveNames(false),
	json.RejectUnknownMembers(true),
	jsontext.AllowDuplicateNames(false),
	jsontext.AllowInvalidUTF8(false),
	json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalValue)),
)

// looseOptions accept struct types that the strict ones refuse as such whatever the data is, although encoding/json
// takes them: two fields of one name, an embedded type that is not a struct, a trailing comma in a tag.
var looseOptions = json.JoinOptions(decodeOptions, jsonv1.ReportErrorsWithLegacySemantics(true))

// Decode reads a document into the value that out points to, as encoding/json does, but case-sensitively, without
// duplicate or unknown members, with arrays of exactly the Go array's length, and exactly: an integer may be written
// as 1.0 or 1e2, and a number that the Go type cannot hold is an error. A plain integer into a float must be held to
// the last digit; a number written with an exponent must keep the digits it was written with.
//
// time.Duration is read from "1h30m", url.URL from a string, an empty interface becomes the tree that Parse makes,
// and json.Number, json.RawMessage and big.Int keep every digit. Every fault is an *Error of kind Mismatch. What a
// type's own UnmarshalJSON or UnmarshalText says is not repeated; its panics pass through.
func Decode(data []byte, out any) error {
	err := json.Unmarshal(data, out, decodeOptions)
	if err == nil {
		return nil
	}
	if isShapeError(err) {
		resetTarget(out)
		if loose := json.Unmarshal(data, out, looseOptions); loose == nil {
			return nil
		} else if own := new(*Error); errors.As(loose, own) {
			return *own
		}
	}
	return mismatch(err)
}

// isShapeError reports whether the fault may be the Go type's rather than the data's.
func isShapeError(err error) bool {
	var own *Error
	var semantic *json.SemanticError
	return errors.As(err, &semantic) && semantic.Err != nil && !errors.As(err, &own) &&
		!errors.Is(err, json.ErrUnknownName) && (semantic.GoType == nil || !hasOwnDecoder(semantic.GoType))
}

func resetTarget(out any) {
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && !v.IsNil() {
		v.Elem().SetZero()
	}
}

// mismatch turns an error of the decoder into one of this package.
func mismatch(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		e := syntaxError(err)
		e.Kind = Mismatch
		return e
	}
	e := &Error{Kind: Mismatch, Pointer: string(semantic.JSONPointer)}
	e.Detail = semanticDetail(semantic)
	return e
}

func semanticDetail(err *json.SemanticError) string {
	t := err.GoType
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return detailUnknown
	case t == nil:
		return detailNotAccepted
	case t == timeType && err.Err != nil:
		return detailTime
	case t != timeType && hasOwnDecoder(t):
		if err.JSONKind != '"' && err.JSONKind != 0 && !implements(t, unmarshalerType, unmarshalerFromType) {
			return "got " + kindName(err.JSONKind) + ", want string"
		}
		return detailNotAccepted
	case err.Err == nil:
		return detailWant(err.JSONKind, t)
	}
	switch t.Kind() {
	case reflect.Array:
		return detailLength(t.Len())
	case reflect.Slice:
		return detailBase64
	case reflect.Bool:
		return detailNotBool
	case reflect.Interface:
		return detailNotDecodable
	}
	return detailNotAccepted
}
