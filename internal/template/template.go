// Package template holds the templates of a kervan.yaml and writes their
// values into the places of an HTTP request, each encoded as its place asks.
//
//	path, err := template.Parse("/users/{{input.id}}/notes")
//	values := template.Values{Input: tree, Secrets: map[string]string{"TOKEN": token}}
//	var taint template.Taint
//	escaped, err := path.Path(values, &taint) // "/users/a%2Fb/notes" for the id "a/b"
//
// A template knows references and literal text, and nothing else: no index, no
// filter, no expression. Rendering is one pass: a value is data, whatever it
// looks like, and cannot leave the place it was written for.
//
// What Parse and ParseBody return is immutable and safe for concurrent use.
package template

import (
	"slices"
	"strings"
)

// A Root is where a reference looks its value up.
type Root string

// The roots of references.
const (
	Input   Root = "input"   // the arguments of the call
	Vars    Root = "vars"    // plain configuration
	Secrets Root = "secrets" // what is redacted
)

// A Ref is one reference, such as input.address.city or secrets.API_KEY.
type Ref struct {
	Root Root
	Path []string // at least one name; exactly one for Vars and Secrets; not to be changed
}

// String returns the reference as it stands between the braces.
func (r Ref) String() string {
	return string(r.Root) + "." + strings.Join(r.Path, ".")
}

// A Text is one parsed template. The zero value is the empty text.
type Text struct {
	parts []part
}

// A part is a piece of literal text, or a reference.
type part struct {
	literal string
	ref     *Ref // nil: literal
	offset  int  // of a reference's braces in what was parsed, in bytes
}

// Refs returns the references in the order in which they stand, repeated ones
// too.
func (t *Text) Refs() []Ref {
	var refs []Ref
	for _, p := range t.parts {
		if p.ref != nil {
			refs = append(refs, *p.ref)
		}
	}
	return refs
}

// Literal returns the text of a template without references, its escapes
// resolved. ok is false when there is a reference.
func (t *Text) Literal() (text string, ok bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].ref == nil:
		return t.parts[0].literal, true
	}
	return "", false
}

// Single returns the reference of a template that is exactly one and nothing
// else, not even blanks around it. Only then may the value be absent or other
// than a scalar.
func (t *Text) Single() (ref Ref, ok bool) {
	if len(t.parts) == 1 && t.parts[0].ref != nil {
		return *t.parts[0].ref, true
	}
	return Ref{}, false
}

// String returns a spelling of the template: Parse makes the same text and the
// same references of it.
func (t *Text) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.ref != nil {
			b.WriteString(open + p.ref.String() + shut)
			continue
		}
		b.WriteString(strings.ReplaceAll(p.literal, open, `\`+open))
	}
	return b.String()
}

func (t *Text) hasSecret() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.ref != nil && p.ref.Root == Secrets })
}

func (t *Text) addLiteral(s string) {
	if s != "" {
		t.parts = append(t.parts, part{literal: s})
	}
}
