package spec

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// A reference must lead to something that the input schema declares (rule
// 5.4): a misspelled one would otherwise fail in every call. Where a schema
// says nothing about its members, anything may be there.

// An inputCheck finds references in an input schema.
type inputCheck struct{ root any }

// fault says why a path of names cannot have a value; empty if it can.
func (c inputCheck) fault(path []string) string {
	if c.root == nil {
		return textNoInput(path[0])
	}
	places := c.samePlace([]any{c.root})
	for i, name := range path {
		next, known, open := c.member(places, name)
		if len(next) == 0 && !open {
			return textNotDeclared(path[:i], name, known)
		}
		if len(next) == 0 {
			return "" // nothing is said about what lies below
		}
		places = c.samePlace(next)
		if types := typesOf(places); i+1 < len(path) && len(types) > 0 && !slices.Contains(types, "object") {
			return textNotObject(path[:i+1], types[0])
		}
	}
	return ""
}

// member returns the schemas of a member, the names that are declared beside
// it, and whether one that nobody declares may be there.
func (c inputCheck) member(places []map[string]any, name string) (next []any, known []string, open bool) {
	closed := false
	for _, p := range places {
		properties, _ := p["properties"].(map[string]any)
		for declared, sub := range properties {
			known = append(known, declared)
			if declared == name && sub != false {
				next = append(next, sub)
			}
		}
		patterns, _ := p["patternProperties"].(map[string]any)
		for expr, sub := range patterns {
			if re, err := regexp.Compile(expr); err == nil && re.MatchString(name) {
				next = append(next, sub)
			}
		}
		closed = closed || p["additionalProperties"] == false || p["unevaluatedProperties"] == false
	}
	slices.Sort(known)
	open = len(known) == 0 && !closed
	if open {
		for _, p := range places {
			if sub, ok := p["additionalProperties"].(map[string]any); ok {
				next = append(next, sub)
			}
		}
	}
	return next, known, open
}

// samePlace returns the schemas that describe the same value as the given
// ones: themselves, what they refer to, and their alternatives.
func (c inputCheck) samePlace(schemas []any) []map[string]any {
	var places []map[string]any
	seen := map[string]bool{} // references that were followed
	for len(schemas) > 0 {
		p, ok := schemas[0].(map[string]any)
		schemas = schemas[1:]
		if !ok {
			continue
		}
		places = append(places, p)
		if ref, ok := p["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			schemas = append(schemas, c.resolve(ref))
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			list, _ := p[keyword].([]any)
			schemas = append(schemas, list...)
		}
		for _, keyword := range []string{"if", "then", "else"} {
			schemas = append(schemas, p[keyword])
		}
		dependent, _ := p["dependentSchemas"].(map[string]any)
		for _, sub := range dependent {
			schemas = append(schemas, sub)
		}
	}
	return places
}

// resolve follows a reference inside the schema, which has been compiled, so
// that it leads somewhere.
func (c inputCheck) resolve(ref string) any {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil {
		return nil
	}
	v := c.root
	for _, token := range tokens(pointer) {
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		}
	}
	return v
}

// typesOf returns the types that the first schema with a type admits.
func typesOf(places []map[string]any) []string {
	for _, p := range places {
		switch t := p["type"].(type) {
		case string:
			return []string{t}
		case []any:
			var types []string
			for _, item := range t {
				if name, ok := item.(string); ok {
					types = append(types, name)
				}
			}
			return types
		}
	}
	return nil
}

// nearest returns the known name that was probably meant, or nothing.
func nearest(name string, known []string) string {
	return strings.Join(schema.Nearest(name, known, 1), "")
}
