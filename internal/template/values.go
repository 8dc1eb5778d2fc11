package template

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values is what references are looked up in. It is only read.
type Values struct {
	// Input is the tree of the arguments: map[string]any, []any, string,
	// json.Number, bool or nil. An argument inside of something that is no
	// object counts as not given, and so, but for a body that is sent as
	// JSON, does one that is null.
	Input any
	Vars  map[string]string
	// Secrets holds the values of secrets by name. An empty one counts as
	// missing.
	Secrets map[string]string
}

// Taint collects every rendered value that holds a secret, whole and before it
// was encoded for its place: a header's value, a segment of the path, a query
// or form value, a string of the body. A nil *Taint collects nothing. It is
// not safe for concurrent use.
type Taint struct {
	Values []string
}

func (t *Taint) add(value string) {
	if t != nil {
		t.Values = append(t.Values, value)
	}
}

// An Error says why a request cannot be built.
type Error struct {
	Place string // "path", `header "X-Id"`, `query parameter "q"`, `form field "q"`, `body at "/a/b"`
	// Message is a sentence for the model. It names the place and, where one is
	// at fault, the reference; it never holds a value.
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// lookup finds the value of a reference; given is false where there is none,
// and where it is null.
func (v Values) lookup(r Ref) (value any, given bool) {
	value, given = v.find(r)
	return value, given && value != nil
}

// find is lookup in which a null is given.
func (v Values) find(r Ref) (value any, given bool) {
	switch r.Root {
	case Vars:
		value, given := v.Vars[r.Path[0]]
		return value, given
	case Secrets:
		value := v.Secrets[r.Path[0]]
		return value, value != ""
	}
	value = v.Input
	for _, name := range r.Path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = object[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// optional is lookup where an argument may be missing. A variable and a secret
// may not.
func (v Values) optional(place string, r Ref) (value any, given bool, err error) {
	value, given = v.lookup(r)
	if !given && r.Root != Input {
		return nil, false, &Error{place, textMissing(place, r)}
	}
	return value, given, nil
}

// scalar returns the text of a reference that must be present and scalar.
func (v Values) scalar(place string, r Ref) (string, error) {
	value, given := v.lookup(r)
	if !given {
		return "", &Error{place, textMissing(place, r)}
	}
	return scalarText(place, r.String(), value)
}

// scalarText returns the text of a string, a number (with the digits it came
// with) or a boolean. Subject is how an error names the value.
func scalarText(place, subject string, value any) (string, error) {
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case json.Number:
		text = string(value)
	case bool:
		text = strconv.FormatBool(value)
	default:
		return "", &Error{place, textNotScalar(place, subject, value)}
	}
	if !utf8.ValidString(text) {
		return "", &Error{place, textValueNotUTF8(place, subject)}
	}
	return text, nil
}

// text renders a template all of whose references must be present and scalar.
func (t *Text) text(place string, v Values) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.ref == nil {
			b.WriteString(p.literal)
			continue
		}
		s, err := v.scalar(place, *p.ref)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

// optionalText is text for a place that is left out when the template is
// exactly one argument, and that was not given.
func (t *Text) optionalText(place string, v Values) (text string, given bool, err error) {
	if ref, ok := t.Single(); ok {
		if _, given, err := v.optional(place, ref); err != nil || !given {
			return "", false, err
		}
	}
	text, err = t.text(place, v)
	return text, err == nil, err
}
