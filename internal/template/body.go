package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Object is a JSON object whose members keep the order in which they were
// written.
type Object []Member

// A Member is one member of an Object. Its name is as written in the file:
// literal, with \{{ for the characters {{.
type Member struct {
	Name  string
	Value any
}

// A Body is a JSON body whose strings are templates.
type Body struct {
	root node
	refs []BodyRef
}

// A BodyRef is a reference and the place of its string.
type BodyRef struct {
	Ref
	Pointer string // JSON Pointer
}

// A BodyError says where a body is wrong.
type BodyError struct {
	Pointer string // JSON Pointer of the value or, for a fault of a name, of the member
	Err     error  // a *SyntaxError where a template is at fault
}

// Error returns the pointer and the fault.
func (e *BodyError) Error() string { return textBody(e) }

// Unwrap returns the fault.
func (e *BodyError) Unwrap() error { return e.Err }

// ParseBody reads a body: a tree of Object, map[string]any (whose members are
// then sorted), []any, string, json.Number, bool and nil. The names of members
// are literal; every other string is a template. The error is a *BodyError.
func ParseBody(tree any) (*Body, error) {
	b := &Body{}
	root, err := b.parse(tree, "")
	if err != nil {
		return nil, err
	}
	b.root = root
	return b, nil
}

// Refs returns the references in the order in which they stand.
func (b *Body) Refs() []BodyRef { return slices.Clone(b.refs) }

// JSON renders the body as compact JSON, the members in the order in which they
// were written and numbers with the digits they came with. A string that is
// exactly one reference becomes its value, of whatever type; when the argument
// was not given, its member or element is left out, and the whole body is nil
// if it is that string. Other strings stay strings, whatever they hold. An
// error is an *Error.
func (b *Body) JSON(v Values, taint *Taint) ([]byte, error) {
	r := &bodyRenderer{values: v, taint: taint}
	if _, err := b.root.render(r); err != nil {
		return nil, err
	}
	return r.out, nil
}

func (b *Body) parse(v any, pointer string) (node, error) {
	switch v := v.(type) {
	case string:
		return b.parseText(v, pointer)
	case []any:
		return b.parseList(v, pointer)
	case Object:
		return b.parseObject(v, pointer)
	case map[string]any:
		var object Object
		for _, name := range slices.Sorted(maps.Keys(v)) {
			object = append(object, Member{name, v[name]})
		}
		return b.parseObject(object, pointer)
	case json.Number, bool, nil:
		encoded, err := appendJSON(nil, v)
		if err != nil {
			return nil, &BodyError{pointer, errors.New(textNotJSONNumber)}
		}
		return constant(encoded), nil
	}
	return nil, &BodyError{pointer, errors.New(textNotJSONType(v))}
}

func (b *Body) parseText(s, pointer string) (node, error) {
	text, err := Parse(s)
	if err != nil {
		return nil, &BodyError{pointer, err}
	}
	if literal, ok := text.Literal(); ok {
		return constant(encodeString(literal)), nil
	}
	for _, ref := range text.Refs() {
		b.refs = append(b.refs, BodyRef{ref, pointer})
	}
	return &leaf{text: text, place: placeBody(pointer)}, nil
}

func (b *Body) parseList(elements []any, pointer string) (node, error) {
	list := &container{open: '[', shut: ']'}
	for i, element := range elements {
		n, err := b.parse(element, fmt.Sprintf("%s/%d", pointer, i))
		if err != nil {
			return nil, err
		}
		list.entries = append(list.entries, entry{value: n})
	}
	return list, nil
}

func (b *Body) parseObject(members Object, pointer string) (node, error) {
	object := &container{open: '{', shut: '}'}
	seen := map[string]bool{}
	for _, m := range members {
		at := pointer + "/" + pointerEscapes.Replace(m.Name)
		name, err := ParseName(m.Name)
		if err != nil {
			return nil, &BodyError{at, err}
		}
		if seen[name] {
			return nil, &BodyError{at, errors.New(textDuplicateMember)}
		}
		seen[name] = true
		n, err := b.parse(m.Value, at)
		if err != nil {
			return nil, err
		}
		object.entries = append(object.entries, entry{name: append(encodeString(name), ':'), value: n})
	}
	return object, nil
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// A node is a part of a parsed body. render appends it; given is false, and
// nothing appended, when it is an argument that was not given.
type node interface {
	render(r *bodyRenderer) (given bool, err error)
}

type bodyRenderer struct {
	values Values
	taint  *Taint
	out    []byte
}

// A constant is JSON that needs no rendering.
type constant []byte

func (c constant) render(r *bodyRenderer) (bool, error) {
	r.out = append(r.out, c...)
	return true, nil
}

// A leaf is a string with references.
type leaf struct {
	text  *Text
	place string
}

func (l *leaf) render(r *bodyRenderer) (bool, error) {
	value, given, err := l.value(r.values)
	if err != nil || !given {
		return false, err
	}
	if text, ok := value.(string); ok && l.text.hasSecret() {
		r.taint.add(text)
	}
	out, err := appendJSON(r.out, value)
	if err != nil {
		return false, &Error{l.place, textNotEncodable(l.place, l.text.Refs()[0])}
	}
	r.out = out
	return true, nil
}

// value is that of a single reference, whatever its type, else the rendered
// text. A null that the schema of the arguments admits is sent: it is how a
// client clears a field.
func (l *leaf) value(v Values) (value any, given bool, err error) {
	if ref, ok := l.text.Single(); ok {
		if value, given := v.find(ref); given && value == nil {
			return nil, true, nil
		}
		value, given, err = v.optional(l.place, ref)
		if _, ok := value.(string); !ok || err != nil {
			return value, given, err
		}
	}
	value, err = l.text.text(l.place, v)
	return value, true, err
}

// A container is a list or an object.
type container struct {
	open, shut byte
	entries    []entry
}

type entry struct {
	name  []byte // of a member, as JSON with its colon
	value node
}

func (c *container) render(r *bodyRenderer) (bool, error) {
	r.out = append(r.out, c.open)
	empty := true
	for _, e := range c.entries {
		before := len(r.out)
		if !empty {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, e.name...)
		given, err := e.value.render(r)
		if err != nil {
			return false, err
		}
		if !given {
			r.out = r.out[:before]
			continue
		}
		empty = false
	}
	r.out = append(r.out, c.shut)
	return true, nil
}

// appendJSON appends a tree as compact JSON with sorted keys, without HTML
// escapes, and with U+2028 and U+2029 escaped, which some readers take for line
// ends. It fails for a json.Number that is no number of JSON.
func appendJSON(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func encodeString(s string) []byte {
	encoded, _ := appendJSON(nil, s) // every string can be encoded
	return encoded
}
