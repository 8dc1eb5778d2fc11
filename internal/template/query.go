package template

import (
	"fmt"
	"strings"
)

// queryKept are the characters that a literal query may hold unencoded, besides
// letters and digits: those of RFC 3986, and the brackets and bars that
// browsers leave as they are.
const queryKept = "-._~!$&'()*+,;=:@/?[]{}|^`\\"

// A Field is one entry of a query or a form.
type Field struct {
	Name string // literal, not encoded
	// Items are the values: one, or those of a list. A value that is exactly one
	// argument is left out when that was not given.
	Items []*Text
	// IsList tells a list of the file, each of whose elements is one scalar, from
	// a single value, which repeats the name for each element of an array.
	IsList bool
}

// Query renders a query, without its question mark: the literal one first, as
// it is written (a character that no URL may hold is encoded), then the fields
// in their order, everything but unreserved characters percent-encoded. It is
// empty when there is nothing to send. An error is an *Error.
func Query(literal string, fields []Field, v Values, taint *Taint) (string, error) {
	rawQuery, fault := escapeLiteral(literal, queryKept, "#")
	if fault != "" {
		return "", &Error{placeQuery, textQuery(fault)}
	}
	pairs, err := renderFields(fields, placeQueryParameter, "%20", v, taint)
	if err != nil {
		return "", err
	}
	if rawQuery != "" && pairs != "" {
		rawQuery += "&"
	}
	return rawQuery + pairs, nil
}

// CheckQuery reports what is wrong with a literal query: a percent sign that
// begins no escape, a control character, or a number sign. The error is an
// *Error.
func CheckQuery(literal string) error {
	_, err := Query(literal, nil, Values{}, nil)
	return err
}

// Form renders a body of type application/x-www-form-urlencoded. An error is
// an *Error.
func Form(fields []Field, v Values, taint *Taint) (string, error) {
	return renderFields(fields, placeFormField, "+", v, taint)
}

func renderFields(fields []Field, place func(name string) string, space string, v Values, taint *Taint) (string, error) {
	var pairs []string
	for _, f := range fields {
		name := escape(f.Name, space) + "="
		for _, item := range f.Items {
			values, err := item.fieldValues(place(f.Name), f.IsList, v)
			if err != nil {
				return "", err
			}
			for _, value := range values {
				if item.hasSecret() {
					taint.add(value)
				}
				pairs = append(pairs, name+escape(value, space))
			}
		}
	}
	return strings.Join(pairs, "&"), nil
}

// fieldValues returns the values that one item of a field stands for: none,
// one, or, outside of a list, each element of an array.
func (t *Text) fieldValues(place string, inList bool, v Values) ([]string, error) {
	if ref, ok := t.Single(); ok && !inList {
		value, _ := v.lookup(ref)
		if elements, ok := value.([]any); ok {
			return elementTexts(place, ref, elements)
		}
	}
	text, given, err := t.optionalText(place, v)
	if err != nil || !given {
		return nil, err
	}
	return []string{text}, nil
}

func elementTexts(place string, ref Ref, elements []any) ([]string, error) {
	texts := make([]string, len(elements))
	for i, element := range elements {
		text, err := scalarText(place, fmt.Sprintf("element %d of %s", i+1, ref), element)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return texts, nil
}
