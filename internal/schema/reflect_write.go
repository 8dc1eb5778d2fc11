package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// A schemaWord is a field of jsonschema.Schema and the name it is written under.
type schemaWord struct {
	name  string
	index int
}

// schemaWords are in the order in which they are written: what a reader looks for first comes first.
var schemaWords = listSchemaWords()

func listSchemaWords() []schemaWord {
	first := []string{"$ref", "type", "title", "description", "format", "enum", "const", "default", "properties", "required"}
	t := reflect.TypeFor[jsonschema.Schema]()
	var list []schemaWord
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" || name == "$schema" || name == "$id" {
			continue
		}
		list = append(list, schemaWord{name, i})
	}
	rank := func(k schemaWord) int {
		if i := slices.Index(first, k.name); i >= 0 {
			return i
		}
		if k.name == "$defs" {
			return len(first) + 1
		}
		return len(first)
	}
	slices.SortStableFunc(list, func(a, b schemaWord) int { return rank(a) - rank(b) })
	return list
}

// document writes the root schema with the definitions of recursive types.
func (w *typeWalker) document(root *jsonschema.Schema) []byte {
	if len(w.defs) > 0 {
		root.Definitions = w.defs
	}
	return w.appendSchema(nil, root, nil)
}

// appendSchema writes a schema without the exceptions that its own MarshalJSON makes: an empty schema is {} rather
// than true, nothing is escaped for HTML, and numbers keep their digits. The references of a type's own schema are
// renamed to the definitions that were taken from it.
func (w *typeWalker) appendSchema(dst []byte, s *jsonschema.Schema, rename map[string]string) []byte {
	if own, ok := w.renames[s]; ok {
		rename = own
	}
	start := len(dst)
	dst = append(dst, '{')
	value := reflect.ValueOf(s).Elem()
	for _, k := range schemaWords {
		if k.name == "properties" {
			dst = w.appendProperties(dst, s, rename)
			continue
		}
		v := value.Field(k.index).Interface()
		if k.name == "type" && s.Extras["type"] != nil {
			v = s.Extras["type"]
		}
		if k.name == "$ref" && rename[s.Ref] != "" {
			v = rename[s.Ref]
		}
		dst = w.appendKeyword(dst, k.name, v, rename)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Extras)) {
		if name != "type" {
			dst = w.appendKeyword(dst, name, s.Extras[name], rename)
		}
	}
	if len(dst) == start+1 && writesFalse(s) {
		return append(dst[:start], "false"...)
	}
	return append(dst, '}')
}

func writesFalse(s *jsonschema.Schema) bool {
	text, err := s.MarshalJSON()
	return err == nil && string(text) == "false"
}

// appendKeyword writes one member, or nothing for a zero value.
func (w *typeWalker) appendKeyword(dst []byte, name string, v any, rename map[string]string) []byte {
	if v == nil || reflect.ValueOf(v).IsZero() {
		return dst
	}
	mark := len(dst)
	dst = append(jsonx.AppendString(withComma(dst), name), ':')
	switch v := v.(type) {
	case *jsonschema.Schema:
		return w.appendSchema(dst, v, rename)
	case []*jsonschema.Schema:
		dst = append(dst, '[')
		for i, s := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.appendSchema(dst, s, rename)
		}
		return append(dst, ']')
	case jsonschema.Definitions:
		return w.appendSchemas(dst, v, rename)
	case map[string]*jsonschema.Schema:
		return w.appendSchemas(dst, v, rename)
	case json.Number:
		return append(dst, v...)
	case *uint64:
		return strconv.AppendUint(dst, *v, 10)
	}
	text, err := jsonx.Encode(v)
	if err != nil { // only a JSONSchema method can put such a value here
		return dst[:mark]
	}
	return append(dst, text...)
}

func (w *typeWalker) appendSchemas(dst []byte, schemas map[string]*jsonschema.Schema, rename map[string]string) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(schemas)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonx.AppendString(dst, name), ':')
		dst = w.appendSchema(dst, schemas[name], rename)
	}
	return append(dst, '}')
}

// appendProperties writes the properties in the order of the fields. A nil map is left out; an empty one is not.
func (w *typeWalker) appendProperties(dst []byte, s *jsonschema.Schema, rename map[string]string) []byte {
	if s.Properties == nil {
		return dst
	}
	dst = append(withComma(dst), `"properties":{`...)
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		dst = append(jsonx.AppendString(withComma(dst), pair.Key), ':')
		dst = w.appendSchema(dst, pair.Value, rename)
	}
	return append(dst, '}')
}

// withComma appends a comma unless a member is the first of its object.
func withComma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return dst
}
