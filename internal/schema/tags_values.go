package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// A valueCheck is a value from a tag that must satisfy a schema and, for inputs, decode into the Go type.
type valueCheck struct {
	path   string
	what   string // default, example or enum value
	schema *jsonschema.Schema
	typ    reflect.Type
	value  json.RawMessage
	quoted bool
}

// annotate puts into the schema of a field what its tags say about the field itself.
func (w *typeWalker) annotate(s *jsonschema.Schema, f structField, tags *fieldTags) error {
	if tags.title != "" {
		s.Title = tags.title
	}
	if tags.description != "" {
		s.Description = tags.description
	}
	s.Deprecated = s.Deprecated || tags.deprecated
	s.ReadOnly = s.ReadOnly || tags.readOnly
	s.WriteOnly = s.WriteOnly || tags.writeOnly
	kind := baseType(s)
	if tags.defaultValue != nil {
		value, err := w.fieldValue(s, f, "default", *tags.defaultValue, kind)
		if err != nil {
			return err
		}
		s.Default = value
	}
	for _, text := range tags.examples {
		value, err := w.fieldValue(s, f, "example", text, kind)
		if err != nil {
			return err
		}
		s.Examples = append(s.Examples, value)
	}
	return nil
}

func (w *typeWalker) fieldValue(s *jsonschema.Schema, f structField, what, text, kind string) (json.RawMessage, error) {
	value, ok := tagJSON(text, kind)
	if !ok {
		want := "JSON"
		if kind != "" {
			want = "JSON of type " + kind
		}
		return nil, &Error{Pointer: f.path, Message: goMsgValue(what, text, want)}
	}
	w.checks = append(w.checks, valueCheck{f.path, what, s, f.typ, value, f.quoted})
	return value, nil
}

// runChecks checks the values from tags once the definitions they may need are complete.
func (w *typeWalker) runChecks() error {
	for _, c := range w.checks {
		if err := w.check(c); err != nil {
			return &Error{Pointer: c.path, Message: goMsgInvalid(c.what, string(c.value), err)}
		}
	}
	return nil
}

func (w *typeWalker) check(c valueCheck) (err error) {
	defer func() { // the type's own decoding may panic
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if err := w.validate(c); err != nil {
		return err
	}
	if w.dir == Output || c.quoted {
		return nil
	}
	return jsonx.Decode(c.value, reflect.New(c.typ).Interface())
}

const checkURL = "https://kervan.invalid/value"

func (w *typeWalker) validate(c valueCheck) error {
	compiled := w.compiled[c.schema]
	if compiled == nil {
		var err error
		if compiled, err = w.compile(c.schema); err != nil {
			return err
		}
		w.compiled[c.schema] = compiled
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(c.value))
	if err != nil {
		return err
	}
	return firstCause(compiled.Validate(value))
}

// compile makes a validator for a part of the schema, with the definitions that it may refer to.
func (w *typeWalker) compile(s *jsonschema.Schema) (*validator.Schema, error) {
	top := &jsonschema.Schema{AllOf: []*jsonschema.Schema{s}}
	if len(w.defs) > 0 {
		top.Definitions = w.defs
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(w.appendSchema(nil, top, nil)))
	if err != nil {
		return nil, err
	}
	compiler := validator.NewCompiler()
	compiler.DefaultDraft(validator.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.AssertFormat()
	if err := compiler.AddResource(checkURL, doc); err != nil {
		return nil, err
	}
	return compiler.Compile(checkURL)
}

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// firstCause returns the innermost fault of a validation error, without its preamble.
func firstCause(err error) error {
	var e *validator.ValidationError
	if !errors.As(err, &e) {
		return err
	}
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	text := e.Error()
	if i := strings.LastIndex(text, "\n- at "); i >= 0 {
		text = text[i+len("\n- at "):]
		if _, after, ok := strings.Cut(text, ": "); ok {
			text = after
		}
	}
	return errors.New(text)
}
