package spec

import (
	"bytes"
	"encoding/json"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

type object = map[string]any

// makeEditorSchema makes the schema from the table. It is of draft-07, which
// all editors know.
func makeEditorSchema() ([]byte, error) {
	schema := schemaOf(table)
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "kervan.yaml"
	var out bytes.Buffer
	if err := json.Indent(&out, jsonx.AppendValue(nil, schema), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func schemaOf(f *field) object {
	s := bareSchema(f)
	if f.doc != "" {
		s["description"] = f.doc
	}
	if f.def != nil {
		s["default"] = f.def
	}
	return s
}

func bareSchema(f *field) object {
	// An unquoted scalar keeps its spelling where text is wanted, so numbers and
	// booleans are fine there.
	scalar := object{"type": []any{"string", "number", "boolean"}}
	switch f.kind {
	case kindInteger:
		return object{"type": "integer", "minimum": f.min, "maximum": f.max}
	case kindBool:
		return object{"type": "boolean"}
	case kindTrue:
		return object{"const": true}
	case kindScalar:
		return scalar
	case kindScalars:
		return object{"anyOf": []any{scalar, object{"type": "array", "items": scalar}}}
	case kindAny:
		return object{}
	case kindSchema:
		return object{"type": "object", "properties": object{"type": object{"const": "object"}}, "required": []any{"type"}}
	case kindObject:
		return objectSchema(f)
	case kindOpen:
		return object{"type": "object", "additionalProperties": schemaOf(f.item)}
	case kindList:
		return listSchema(f)
	case kindNameOrObject:
		return object{"anyOf": []any{textSchema(f), objectSchema(f)}}
	}
	return textSchema(f)
}

func textSchema(f *field) object {
	switch {
	case len(f.choices) > 0:
		return object{"enum": anyList(f.choices)}
	case f.pattern != nil:
		return object{"type": []any{"string", "number", "boolean"}, "pattern": f.pattern.String()}
	}
	s := object{"type": []any{"string", "number", "boolean"}}
	if f.min > 0 {
		s["minLength"] = f.min
	}
	if f.max > 0 {
		s["maxLength"] = f.max
	}
	return s
}

func listSchema(f *field) object {
	s := object{"type": "array", "items": schemaOf(f.item)}
	if f.min > 0 {
		s["minItems"] = f.min
	}
	if f.max > 0 {
		s["maxItems"] = f.max
	}
	return s
}

func objectSchema(f *field) object {
	properties, required := object{}, []any{}
	for _, sub := range f.fields {
		properties[sub.name] = schemaOf(sub)
		if sub.required {
			required = append(required, sub.name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if len(f.one) > 0 {
		var choices []any
		for _, name := range f.one {
			choices = append(choices, object{"required": []any{name}})
		}
		s["oneOf"] = choices
	}
	if len(f.apart) > 0 {
		s["not"] = object{"required": anyList(f.apart)}
	}
	if f.needs[0] != "" {
		s["dependencies"] = object{f.needs[0]: []any{f.needs[1]}}
	}
	return s
}

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
