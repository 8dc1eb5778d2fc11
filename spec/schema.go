package spec

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/schema"
)

// Bounds of one schema of the file (rule 5.11).
const (
	maxSchemaLevels  = 32
	maxSchemaNodes   = 2_000
	maxAlternatives  = 64 // anyOf, oneOf and allOf together
	maxSchemaBytes   = 64 << 10
	maxPatternLength = 512
)

// A keywordForm says what the value of a keyword of a schema is.
type keywordForm int

const (
	formData    keywordForm = iota // any value; so is that of a keyword without a meaning
	formValue                      // a value of the type that the schema gives
	formValues                     // a list of them
	formSchema                     // a schema
	formSchemas                    // a list of schemas
	formNamed                      // an object of schemas
	formText                       // text
	formLines                      // text of several lines
	formPattern                    // a regular expression
	formNames                      // text, a list of it, or an object of such lists
)

var keywordForms = map[string]keywordForm{
	"enum": formValues, "const": formValue, "default": formValue, "examples": formValues,
	"not": formSchema, "if": formSchema, "then": formSchema, "else": formSchema, "additionalProperties": formSchema,
	"propertyNames": formSchema, "unevaluatedProperties": formSchema, "unevaluatedItems": formSchema, "items": formSchema,
	"contains": formSchema, "additionalItems": formSchema, "contentSchema": formSchema,
	"allOf": formSchemas, "anyOf": formSchemas, "oneOf": formSchemas, "prefixItems": formSchemas,
	"properties": formNamed, "patternProperties": formNamed, "$defs": formNamed, "definitions": formNamed, "dependentSchemas": formNamed,
	"description": formLines, "$comment": formLines, "pattern": formPattern,
	"title": formText, "format": formText, "$ref": formText, "$schema": formText, "$anchor": formText,
	"contentEncoding": formText, "contentMediaType": formText, "x-mcp-header": formText,
	"required": formNames, "dependentRequired": formNames, "type": formNames,
}

// A fileSchema is a schema of the file, as JSON and compiled.
type fileSchema struct {
	text      json.RawMessage
	tree      any
	validator *schema.Validator
}

// readSchema turns a schema of the file into JSON and compiles it. It returns
// nil if it reported a problem.
func readSchema(n *node, output bool, s *issues) *fileSchema {
	before := s.errors
	w := &schemaWriter{issues: s}
	w.schema(n, 1)
	if len(w.out) > maxSchemaBytes {
		s.add(n, textSchemaSize)
	}
	if s.errors > before {
		return nil
	}
	validator, err := schema.Compile(w.out, schema.Options{Output: output})
	if err != nil {
		addSchemaError(n, err, s)
		return nil
	}
	for _, pointer := range validator.BadDefaults() {
		s.add(n.deepest(tokens(pointer)), textBadDefault)
	}
	tree, err := jsonx.Parse(w.out, jsonx.Limits{})
	if err != nil {
		s.add(n, visible(err.Error()))
		return nil
	}
	return &fileSchema{text: w.out, tree: tree, validator: validator}
}

// addSchemaError reports at the place in the file that a pointer into the
// schema means.
func addSchemaError(n *node, err error, s *issues) {
	var e *schema.Error
	if !errors.As(err, &e) {
		s.add(n, visible(err.Error()))
		return
	}
	message := visible(e.Message)
	if e.Hint != "" {
		message += "; " + visible(e.Hint)
	}
	s.add(n.deepest(tokens(e.Pointer)), message)
}

// A schemaWriter writes a schema as JSON, in the order of the file. A scalar
// without quotes is text where a keyword or the schema's type asks for text.
type schemaWriter struct {
	*issues
	out          []byte
	nodes        int
	alternatives int
}

func (w *schemaWriter) schema(n *node, level int) {
	if n.kind != objectNode {
		w.value(n, false)
		return
	}
	w.nodes++
	switch {
	case level > maxSchemaLevels:
		w.once(n, level == maxSchemaLevels+1, textSchemaLevels)
		return
	case w.nodes > maxSchemaNodes:
		w.once(n, w.nodes == maxSchemaNodes+1, textSchemaNodes)
		return
	}
	kind := n.get("type")
	isText := kind != nil && kind.kind == scalarNode && kind.text == "string"
	w.object(n, func(m member) {
		form, known := keywordForms[m.name]
		if !known {
			w.checkName(n, m)
		}
		w.keyword(m, form, isText, level)
	})
}

// once reports a bound where it is first passed.
func (w *schemaWriter) once(n *node, first bool, message string) {
	if first {
		w.add(n, message)
	}
	w.out = append(w.out, "{}"...)
}

func (w *schemaWriter) keyword(m member, form keywordForm, isText bool, level int) {
	n := m.value
	switch form {
	case formData:
		w.value(n, false)
	case formValue:
		w.value(n, isText)
	case formValues:
		if n.kind != listNode {
			w.value(n, false)
			return
		}
		w.list(n, func(item *node) { w.value(item, isText) })
	case formSchema:
		w.schema(n, level+1)
	case formSchemas:
		w.schemas(m, level)
	case formNamed:
		w.named(m, level)
	case formText, formLines, formPattern:
		w.text(n, form)
	case formNames:
		w.textual(n)
	}
}

func (w *schemaWriter) schemas(m member, level int) {
	if m.name != "prefixItems" {
		if w.alternatives++; w.alternatives == maxAlternatives+1 {
			w.add(m.value, textAlternatives)
		}
	}
	if m.value.kind != listNode {
		w.value(m.value, false)
		return
	}
	w.list(m.value, func(item *node) { w.schema(item, level+1) })
}

func (w *schemaWriter) named(m member, level int) {
	n := m.value
	if n.kind != objectNode {
		w.value(n, false)
		return
	}
	w.object(n, func(sub member) {
		w.checkName(n, sub)
		if m.name == "patternProperties" && utf8.RuneCountInString(sub.name) > maxPatternLength {
			w.addName(n, sub, textPatternLength)
		}
		w.schema(sub.value, level+1)
	})
}

func (w *schemaWriter) text(n *node, form keywordForm) {
	if n.kind != scalarNode || n.isNull() {
		w.value(n, false)
		return
	}
	if fault := findInvisible(n.text, form == formLines); fault != "" {
		w.add(n, fault)
	}
	if form == formPattern && utf8.RuneCountInString(n.text) > maxPatternLength {
		w.add(n, textPatternLength)
	}
	w.out = jsonx.AppendString(w.out, n.text)
}

// textual writes lists and objects whose scalars are all text, null too: in a
// list of types it is a name.
func (w *schemaWriter) textual(n *node) {
	switch n.kind {
	case listNode:
		w.list(n, w.textual)
	case objectNode:
		w.object(n, func(m member) {
			w.checkName(n, m)
			w.textual(m.value)
		})
	default:
		w.value(&node{text: n.text, plain: n.plain && n.text == "", line: n.line, column: n.column, parent: n.parent, name: n.name, index: n.index}, true)
	}
}

// value writes any value; what it holds is shown to models, so it must be
// visible.
func (w *schemaWriter) value(n *node, isText bool) {
	switch n.kind {
	case listNode:
		w.list(n, func(item *node) { w.value(item, false) })
		return
	case objectNode:
		w.object(n, func(m member) {
			w.checkName(n, m)
			w.value(m.value, false)
		})
		return
	}
	if fault := findInvisible(n.text, false); fault != "" {
		w.add(n, fault)
	}
	if isText && !n.isNull() {
		w.out = jsonx.AppendString(w.out, n.text)
		return
	}
	w.out = jsonx.AppendValue(w.out, scalarValue(n, w.issues))
}

func (w *schemaWriter) checkName(object *node, m member) {
	if fault := findInvisible(m.name, false); fault != "" {
		w.addName(object, m, textInName(m.name, fault))
	}
}

func (w *schemaWriter) list(n *node, item func(*node)) {
	w.out = append(w.out, '[')
	for i, sub := range n.items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		item(sub)
	}
	w.out = append(w.out, ']')
}

func (w *schemaWriter) object(n *node, value func(member)) {
	w.out = append(w.out, '{')
	for i, m := range n.members {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(jsonx.AppendString(w.out, m.name), ':')
		value(m)
	}
	w.out = append(w.out, '}')
}
