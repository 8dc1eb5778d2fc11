// Package jsonx reads and writes JSON strictly and exactly.
//
//	tree, err := jsonx.Parse(data, jsonx.Limits{Depth: 64, Elements: 10_000})
//	// … validate the tree …
//	err = jsonx.Decode(data, &args)   // typed, after validation
//	out, err := jsonx.Encode(result)  // typed results
//
// Strict: duplicate and case-folded keys, invalid UTF-8, lone surrogates and trailing data are errors. Exact: a
// number keeps its digits, and a Go field that cannot hold an integer is an error instead of a rounded value.
// Every function is safe for concurrent use.
package jsonx

// MaxNumberLength is the longest number token that is accepted, in characters, sign and exponent included.
const MaxNumberLength = 40

// MaxExponent is the largest exponent of a number token, in both directions.
const MaxExponent = 999

// DefaultDepth is the nesting of arrays and objects that is accepted where a limit is not given.
const DefaultDepth = 1000

// Limits bound what Parse accepts.
type Limits struct {
	Depth    int // nesting of arrays and objects; 0 means DefaultDepth
	Elements int // array elements and object members in all; 0 means no limit
}

// A Kind says what sort of fault an Error is.
type Kind int

// The kinds of faults.
const (
	Syntax    Kind = iota // not JSON
	Encoding              // invalid UTF-8, or a surrogate without its partner
	Duplicate             // an object has a member twice
	TooDeep               // nested deeper than the limit
	TooMany               // more elements than the limit
	Number                // a number token that is too long or has too large an exponent
	Trailing              // data after the value
	Mismatch              // valid JSON that the Go type does not accept
)

// An Error says what is wrong with a document, and where. Its Detail is written for a model: lower case, without Go
// type names, and with at most a short piece of the data.
type Error struct {
	Kind    Kind
	Pointer string // JSON Pointer; "" is the root
	Detail  string
}

// Error returns the pointer and the detail.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Detail
	}
	return e.Pointer + ": " + e.Detail
}
