package schema

import (
	"reflect"
	"strconv"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

// maxTypeNodes bounds what one type may grow to inline: types that use each other twice at every level double.
const maxTypeNodes = 20_000

// A typeWalker makes the schema of one root type.
type typeWalker struct {
	dir       Direction
	nodes     int
	recursive map[reflect.Type]bool
	defs      jsonschema.Definitions
	defNames  map[reflect.Type]string
	opaque    map[string]bool
	renames   map[*jsonschema.Schema]map[string]string // references of types' own schemas
	checks    []valueCheck
	compiled  map[*jsonschema.Schema]*validator.Schema
}

// A goPlace is where a type stands: the path of fields, and what the tags of the field ask of it.
type goPlace struct {
	path   string
	quoted bool // the json option string
	limits tagLimits
}

func newTypeWalker(d Direction) *typeWalker {
	return &typeWalker{
		dir:       d,
		recursive: map[reflect.Type]bool{},
		defs:      jsonschema.Definitions{},
		defNames:  map[reflect.Type]string{},
		opaque:    map[string]bool{},
		renames:   map[*jsonschema.Schema]map[string]string{},
		compiled:  map[*jsonschema.Schema]*validator.Schema{},
	}
}

// schema returns the schema of a type below the root. It is always a new one, so that a field may add to it.
func (w *typeWalker) schema(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	if w.nodes++; w.nodes > maxTypeNodes {
		return nil, &Error{Pointer: at.path, Message: goMsgTooLarge, Hint: goHintTooLarge}
	}
	switch {
	case t.Kind() == reflect.Pointer:
		s, err := w.schema(t.Elem(), at)
		if err == nil && w.dir == Output {
			s = nullable(s)
		}
		return s, err
	case w.recursive[t]:
		return w.reference(t, at)
	default:
		return w.body(t, at)
	}
}

// body returns the schema of a type in full.
func (w *typeWalker) body(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	s, err := w.plain(t, at)
	if err != nil {
		return nil, err
	}
	return s, extend(t, s, at.path)
}

func (w *typeWalker) plain(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	if hasSchemaMethod(t) {
		s, err := w.own(t, at.path)
		if err != nil {
			return nil, err
		}
		return s, w.limit(s, t, at)
	}
	if s := knownType(t); s != nil {
		if at.quoted && t == jsonNumberType {
			s = &jsonschema.Schema{Type: "string", Pattern: numberPattern}
		}
		return s, w.limit(s, t, at)
	}
	if isOpaque(t, w.dir) {
		w.opaque[t.String()] = true
		return openSchema(at)
	}
	if isText(t, w.dir) {
		s := &jsonschema.Schema{Type: "string"}
		return s, w.limit(s, t, at)
	}
	if at.quoted {
		s, err := quotedType(t, at.path)
		if err != nil {
			return nil, err
		}
		return s, w.limit(s, t, at)
	}
	return w.byKind(t, at)
}

func (w *typeWalker) byKind(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	switch t.Kind() {
	case reflect.Struct:
		return w.object(t, at)
	case reflect.Map:
		return w.mapping(t, at)
	case reflect.Slice:
		if isBytes(t) {
			s := &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
			return s, w.limit(s, t, at)
		}
		return w.list(t, at)
	case reflect.Array:
		return w.list(t, at)
	case reflect.Interface:
		if w.dir == Input && t.NumMethod() > 0 {
			return nil, &Error{Pointer: at.path, Message: goMsgInterface, Hint: goHintInterface}
		}
		return openSchema(at)
	}
	s := scalar(t)
	if s == nil {
		return nil, &Error{Pointer: at.path, Message: goMsgUnsupported(t.Kind().String()), Hint: goHintSkipField}
	}
	return s, w.limit(s, t, at)
}

// openSchema is the schema of what cannot be known, which no tag can constrain.
func openSchema(at goPlace) (*jsonschema.Schema, error) {
	if e, ok := at.limits.first(); ok {
		return nil, &Error{Pointer: at.path, Message: e.key + ": " + goMsgOwnSchema, Hint: goHintOwnSchema}
	}
	return &jsonschema.Schema{}, nil
}

// object returns the schema of a struct.
func (w *typeWalker) object(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	if e, ok := at.limits.first(); ok {
		return nil, unfit(at.path, e, "object")
	}
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	fields, err := structFields(t, w.dir, at.path)
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		property, required, err := w.field(f)
		if err != nil {
			return nil, err
		}
		s.Properties.Set(f.name, property)
		if required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s, nil
}

func (w *typeWalker) field(f structField) (s *jsonschema.Schema, required bool, err error) {
	tags, err := parseTags(f.tag, f.path)
	if err != nil {
		return nil, false, err
	}
	s, err = w.schema(f.typ, goPlace{path: f.path, quoted: f.quoted, limits: tags.limits})
	if err != nil {
		return nil, false, err
	}
	if err := w.annotate(s, f, tags); err != nil {
		return nil, false, err
	}
	mayBeMissing := f.omitted || f.viaPointer
	optional := mayBeMissing || f.typ.Kind() == reflect.Pointer || tags.defaultValue != nil
	if tags.required { // what Encode leaves out cannot be required of a result
		return s, !mayBeMissing || w.dir == Input, nil
	}
	return s, !optional, nil
}

// list returns the schema of a slice or array.
func (w *typeWalker) list(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "array"}
	if t.Kind() == reflect.Array {
		n := uint64(t.Len())
		s.MinItems, s.MaxItems = &n, &n
	}
	elements, err := w.limitContainer(s, at)
	if err != nil {
		return nil, err
	}
	s.Items, err = w.schema(t.Elem(), goPlace{path: at.path + "[]", limits: elements})
	return s, err
}

// mapping returns the schema of a map.
func (w *typeWalker) mapping(t reflect.Type, at goPlace) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Type: "object"}
	elements, err := w.limitContainer(s, at)
	if err != nil {
		return nil, err
	}
	pattern, ok := keyPattern(t.Key(), w.dir)
	if !ok {
		return nil, &Error{Pointer: at.path, Message: goMsgMapKey, Hint: goHintMapKey}
	}
	if pattern != "" {
		s.PropertyNames = &jsonschema.Schema{Pattern: pattern}
	}
	s.AdditionalProperties, err = w.schema(t.Elem(), goPlace{path: at.path + "{}", limits: elements})
	return s, err
}

// scalar returns the schema of a boolean, number or string, or nil for another kind.
func scalar(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	}
	low, high, ok := integerRange(t)
	if !ok {
		return nil
	}
	switch t.Kind() {
	case reflect.Int: // what the platform has: bounds would be noise to a model, and decoding checks them
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Uint, reflect.Uintptr:
		return &jsonschema.Schema{Type: "integer", Minimum: low}
	}
	return &jsonschema.Schema{Type: "integer", Minimum: low, Maximum: high}
}

// nullable admits null beside what a schema admits.
func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case isOpen(s), s.Extras["type"] != nil:
		return s
	case len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" && s.Type == "":
		return s
	}
	if !isPlainScalar(s) {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	}
	s.Extras = map[string]any{"type": []string{s.Type, "null"}}
	s.Type = ""
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

func isOpen(s *jsonschema.Schema) bool {
	return reflect.DeepEqual(s, &jsonschema.Schema{}) || reflect.DeepEqual(s, jsonschema.TrueSchema)
}

// isPlainScalar reports whether null can join the type without meeting a keyword that would still refuse it.
func isPlainScalar(s *jsonschema.Schema) bool {
	switch s.Type {
	case "string", "number", "integer", "boolean":
		return len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.Extras) == 0 &&
			s.Not == nil && s.If == nil && s.Const == nil && s.Ref == ""
	}
	return false
}

// baseType is the type that a schema is of, null aside.
func baseType(s *jsonschema.Schema) string {
	if types, ok := s.Extras["type"].([]string); ok && len(types) > 0 {
		return types[0]
	}
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" {
		return baseType(s.AnyOf[0])
	}
	return s.Type
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }
