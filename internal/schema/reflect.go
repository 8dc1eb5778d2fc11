package schema

import (
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"
)

// A Direction says whether a schema describes what a tool accepts or what it returns.
type Direction int

// The directions.
const (
	Input  Direction = iota // what jsonx.Decode accepts; pointers and slices are plain types
	Output                  // what jsonx.Encode writes; a pointer may be null
)

// A Root says how the value of a Go type becomes the object that a schema's root must be.
type Root int

// The roots.
const (
	RootObject Root = iota // the value is an object itself
	RootItems              // the value is an array, under the member "items"
	RootValue              // the value is a string, number or boolean, under the member "value"
	RootOpen               // what the value will be is not known, so there is no schema
)

// A Reflection is what Reflect finds out about a Go type.
type Reflection struct {
	Schema []byte   // compact JSON, 2020-12 without $schema and $id; nil for RootOpen
	Root   Root     // how values become objects
	Opaque []string // types with JSON methods of their own and no JSONSchema method, advertised as {}; sorted
}

// Reflect makes the JSON Schema of a Go type: exactly what jsonx.Decode accepts (Input) or jsonx.Encode writes
// (Output). *T is T. An input is a struct or a map with string keys; an output may be any type.
//
// Structs are closed objects with the field names of encoding/json. A field is required unless it is a pointer, has
// omitempty, omitzero or a default, or comes from an embedded pointer. Everything stands inline; only recursive types
// have $defs. A type may describe itself with a method JSONSchema() *jsonschema.Schema, or amend its schema with
// JSONSchemaExtend(*jsonschema.Schema); both are of github.com/invopop/jsonschema.
//
// Constraints come from the tag jsonschema:"key=value,flag,…". A comma inside a value is written \\, and a
// description with commas is easier in its own tag, jsonschema_description:"…". The keys:
//
//   - of the field: title, description, default, example (or examples; may be repeated), deprecated, readOnly,
//     writeOnly, required; and minItems, maxItems, uniqueItems of a slice, minProperties, maxProperties of a map
//   - of the field or, where it is a slice, array or map, of its innermost elements: enum (repeated), minimum, maximum,
//     exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern, format
//
// The default and the examples of a string are written as they are, those of other types as JSON; each must satisfy
// the schema. The formats are date-time, date, time, email, uri, uuid, ipv4, ipv6 and hostname.
//
// The error is an *Error whose Pointer is the path of Go fields and whose Hint shows what to write instead. Reflect
// refuses what the codec would refuse or misread: channels, functions, complex numbers, map keys other than strings,
// integers and text marshalers, unknown json tag options, and every tag that is not exactly right.
func Reflect(t reflect.Type, d Direction) (*Reflection, error) {
	if t == nil {
		return openOrError(d)
	}
	path := typeLabel(t)
	for range maxPointers {
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		return nil, &Error{Pointer: path, Message: goMsgPointers}
	}
	w := newTypeWalker(d)
	w.findRecursion(t)
	root, kind, err := w.root(t, goPlace{path: typeLabel(t)})
	if err != nil {
		return nil, err
	}
	r := &Reflection{Root: kind, Opaque: w.opaqueNames()}
	if kind == RootOpen {
		return r, nil
	}
	if err := w.runChecks(); err != nil {
		return nil, err
	}
	r.Schema = w.document(root)
	return r, nil
}

const maxPointers = 8

func openOrError(d Direction) (*Reflection, error) {
	if d == Input {
		return nil, &Error{Message: goMsgInputRoot, Hint: goHintInputRoot}
	}
	return &Reflection{Root: RootOpen}, nil
}

func (w *typeWalker) root(t reflect.Type, at goPlace) (*jsonschema.Schema, Root, error) {
	s, err := w.body(t, at)
	if err != nil {
		return nil, 0, err
	}
	kind := w.rootKind(t, s)
	if w.dir == Input && kind != RootObject {
		return nil, 0, &Error{Pointer: at.path, Message: goMsgInputRoot, Hint: goHintInputRoot}
	}
	switch kind {
	case RootObject:
		if s.Type == "" { // a struct that decodes itself: an object, of which no more is known
			s.Type = "object"
		}
	case RootItems, RootValue:
		// The body was inlined for the root; below a wrapper a recursive type is a reference like any other.
		if w.recursive[t] {
			if s, err = w.schema(t, at); err != nil {
				return nil, 0, err
			}
		}
		s = wrapRoot(kind, s)
	}
	return s, kind, nil
}

// rootKind decides by the schema, which says what is really encoded.
func (w *typeWalker) rootKind(t reflect.Type, s *jsonschema.Schema) Root {
	switch s.Type {
	case "object":
		if w.dir == Input && t.Kind() == reflect.Map && t.Key().Kind() != reflect.String {
			return RootValue
		}
		return RootObject
	case "array":
		return RootItems
	case "string", "number", "integer", "boolean":
		return RootValue
	}
	if w.dir == Input && t.Kind() == reflect.Struct && isOpaque(t, w.dir) && !hasSchemaMethod(t) {
		return RootObject
	}
	return RootOpen
}

func wrapRoot(kind Root, s *jsonschema.Schema) *jsonschema.Schema {
	name := "value"
	if kind == RootItems {
		name = "items"
	}
	properties := jsonschema.NewProperties()
	properties.Set(name, s)
	return &jsonschema.Schema{
		Type:                 "object",
		Properties:           properties,
		Required:             []string{name},
		AdditionalProperties: jsonschema.FalseSchema,
	}
}

func (w *typeWalker) opaqueNames() []string {
	var names []string
	for name := range w.opaque {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func typeLabel(t reflect.Type) string {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	if name := t.Name(); name != "" {
		return shortName(name)
	}
	return t.Kind().String()
}
