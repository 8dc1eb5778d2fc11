package schema

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// A subschema is one schema of the document, with its keywords that hold schemas resolved. It is the map on which the walks
// of this package go: they need to know where a value leads without running a validation.
type subschema struct {
	id      int
	pointer string
	raw     map[string]any // nil for true and false
	never   bool           // the schema false

	// the same place of the value
	ref, not, cond, then, otherwise *subschema
	allOf, anyOf, oneOf, dependent  []*subschema

	// a place further down
	properties                 map[string]*subschema
	patterns                   []patternSchema
	additional, restProps      *subschema
	prefix                     []*subschema
	items, restItems, contains *subschema

	types    typeSet // 0 without the keyword
	required map[string]bool
	outlines [outlineKinds]*placeOutline
}

type patternSchema struct {
	re     *regexp.Regexp
	schema *subschema
}

// A typeSet holds JSON types. A number that is not an integer has a bit of its own, so that sets intersect properly.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction
	typeString
	typeArray
	typeObject
)

var typeBits = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeInteger | typeFraction,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// A schemaBuilder turns a document into subschemas, judging every keyword by its position.
type schemaBuilder struct {
	doc     any
	output  bool
	nodes   map[string]*subschema
	all     []*subschema
	pending []*subschema // have a $ref that is not resolved yet
	regexps map[string]*regexp.Regexp
}

func (b *schemaBuilder) build() (*subschema, error) {
	raw, ok := b.doc.(map[string]any)
	if !ok || raw["type"] != "object" {
		return nil, &Error{Message: errRoot, Hint: hintRoot}
	}
	root, err := b.schema(b.doc, "")
	if err != nil {
		return nil, err
	}
	for len(b.pending) > 0 { // a target may hold further references
		n := b.pending[0]
		b.pending = b.pending[1:]
		if n.ref, err = b.resolve(n); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func (b *schemaBuilder) schema(v any, pointer string) (*subschema, error) {
	if n := b.nodes[pointer]; n != nil {
		return n, nil
	}
	if len(b.all) == maxSubschemas {
		return nil, &Error{Pointer: pointer, Message: errSchemaSize}
	}
	n := &subschema{id: len(b.all), pointer: pointer}
	switch v := v.(type) {
	case bool:
		n.never = !v
	case map[string]any:
		n.raw = v
	default:
		return nil, &Error{Pointer: pointer, Message: "a schema must be an object, true or false, not " + typed(v)}
	}
	b.nodes[pointer] = n
	b.all = append(b.all, n)
	for _, keyword := range sortedKeys(n.raw) {
		if f, known := keywordForms[keyword]; known {
			if err := b.keyword(n, f, keyword); err != nil {
				return nil, err
			}
		}
	}
	if format, ok := n.raw["format"].(string); ok && !assertedFormats[format] {
		delete(n.raw, "format")
	}
	return n, nil
}

func (b *schemaBuilder) keyword(n *subschema, f form, keyword string) error {
	v, at := n.raw[keyword], n.pointer+"/"+keyword
	switch f {
	case formSchema:
		if _, list := v.([]any); list && keyword == "items" {
			return &Error{Pointer: at, Message: "items must be one schema, not a list", Hint: hintPrefixItems}
		}
		return b.attach(n, keyword, "", v, at)
	case formSchemaList:
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return wrongForm(at, keyword, "a list of at least one schema", v)
		}
		for i, item := range list {
			if err := b.attach(n, keyword, "", item, indexed(at, i)); err != nil {
				return err
			}
		}
	case formSchemaMap, formDependencies:
		m, ok := v.(map[string]any)
		if !ok {
			return wrongForm(at, keyword, "an object whose values are schemas", v)
		}
		for _, name := range sortedKeys(m) {
			if _, list := m[name].([]any); list && f == formDependencies {
				if err := checkNames(keyword, m[name], at+"/"+escapeToken(name)); err != nil {
					return err
				}
				continue
			}
			if err := b.attach(n, keyword, name, m[name], at+"/"+escapeToken(name)); err != nil {
				return err
			}
		}
	case formRef:
		if _, ok := v.(string); !ok {
			return wrongForm(at, keyword, "a string", v)
		}
		b.pending = append(b.pending, n)
	default:
		if err := b.checkPlain(f, keyword, v, at); err != nil {
			return err
		}
		n.note(keyword, v)
	}
	return nil
}

// note keeps what the walks need of the plain keywords.
func (n *subschema) note(keyword string, v any) {
	switch keyword {
	case "type":
		if s, ok := v.(string); ok {
			n.types = typeBits[s]
			return
		}
		for _, item := range v.([]any) {
			n.types |= typeBits[item.(string)]
		}
	case "required":
		n.required = map[string]bool{}
		for _, item := range v.([]any) {
			n.required[item.(string)] = true
		}
	}
}

// attach builds a schema that a keyword of n holds, and links it.
func (b *schemaBuilder) attach(n *subschema, keyword, name string, v any, at string) error {
	var re *regexp.Regexp
	if keyword == "patternProperties" {
		var err error
		if re, err = b.pattern(name, at); err != nil {
			return err
		}
	}
	sub, err := b.schema(v, at)
	if err != nil {
		return err
	}
	switch keyword {
	case "allOf":
		n.allOf = append(n.allOf, sub)
	case "anyOf":
		n.anyOf = append(n.anyOf, sub)
	case "oneOf":
		n.oneOf = append(n.oneOf, sub)
	case "dependentSchemas", "dependencies":
		n.dependent = append(n.dependent, sub)
	case "prefixItems":
		n.prefix = append(n.prefix, sub)
	case "patternProperties":
		n.patterns = append(n.patterns, patternSchema{re, sub})
	case "properties":
		if n.properties == nil {
			n.properties = map[string]*subschema{}
		}
		n.properties[name] = sub
	default:
		if link := n.link(keyword); link != nil {
			*link = sub
		}
	}
	return nil
}

// link returns where the schema of a keyword with one schema belongs; nil for those that no walk follows.
func (n *subschema) link(keyword string) **subschema {
	switch keyword {
	case "not":
		return &n.not
	case "if":
		return &n.cond
	case "then":
		return &n.then
	case "else":
		return &n.otherwise
	case "additionalProperties":
		return &n.additional
	case "unevaluatedProperties":
		return &n.restProps
	case "items":
		return &n.items
	case "unevaluatedItems":
		return &n.restItems
	case "contains":
		return &n.contains
	}
	return nil
}

// resolve finds the target of n's $ref inside the document.
func (b *schemaBuilder) resolve(n *subschema) (*subschema, error) {
	ref, at := n.raw["$ref"].(string), n.pointer+"/$ref"
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, &Error{Pointer: at, Message: errRefOutside + ", not " + Quote(ref), Hint: hintRef}
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, &Error{Pointer: at, Message: errRefAnchor + ", not " + Quote(ref), Hint: hintRef}
	}
	v, path := b.doc, ""
	for _, token := range strings.Split(pointer, "/")[1:] {
		name, ok := unescapeToken(token)
		if ok && b.nodes[path] != nil && dataKeywords[name] {
			return nil, &Error{Pointer: at, Message: "$ref " + Quote(ref) + " leads into a value, not to a schema"}
		}
		if ok {
			v, ok = lookup(v, []string{name})
		}
		if !ok {
			return nil, &Error{Pointer: at, Message: "$ref " + Quote(ref) + " leads nowhere"}
		}
		path += "/" + escapeToken(name)
	}
	switch v.(type) {
	case bool, map[string]any:
		return b.schema(v, path)
	}
	return nil, &Error{Pointer: at, Message: "$ref " + Quote(ref) + " leads into a value, not to a schema"}
}

// samePlace calls visit with every schema that is applied to the value that n is applied to.
func (n *subschema) samePlace(visit func(*subschema)) {
	for _, one := range [...]*subschema{n.ref, n.not, n.cond, n.then, n.otherwise} {
		if one != nil {
			visit(one)
		}
	}
	for _, list := range [...][]*subschema{n.allOf, n.anyOf, n.oneOf, n.dependent} {
		for _, one := range list {
			visit(one)
		}
	}
}

// below calls visit with every schema that n applies to a member or an element of the value.
func (n *subschema) below(visit func(*subschema)) {
	for _, name := range sortedKeys(n.properties) {
		visit(n.properties[name])
	}
	for _, p := range n.patterns {
		visit(p.schema)
	}
	for _, one := range n.prefix {
		visit(one)
	}
	for _, one := range [...]*subschema{n.additional, n.restProps, n.items, n.restItems, n.contains} {
		if one != nil {
			visit(one)
		}
	}
}

// forMember appends the schemas that n applies to the member of that name.
func (n *subschema) forMember(dst []*subschema, name string) []*subschema {
	before := len(dst)
	if sub := n.properties[name]; sub != nil {
		dst = append(dst, sub)
	}
	for _, p := range n.patterns {
		if p.re.MatchString(name) {
			dst = append(dst, p.schema)
		}
	}
	switch {
	case len(dst) > before:
	case n.additional != nil:
		dst = append(dst, n.additional)
	case n.restProps != nil: // an approximation: other schemas may have evaluated the member
		dst = append(dst, n.restProps)
	}
	return dst
}

// forItem appends the schemas that n applies to the element of that index; contains is left to the caller.
func (n *subschema) forItem(dst []*subschema, index int) []*subschema {
	switch {
	case index < len(n.prefix):
		return append(dst, n.prefix[index])
	case n.items != nil:
		return append(dst, n.items)
	case n.restItems != nil:
		return append(dst, n.restItems)
	}
	return dst
}

// number returns the token of a numeric keyword as it was written.
func (n *subschema) number(keyword string) (string, bool) {
	if n == nil {
		return "", false
	}
	token, ok := n.raw[keyword].(json.Number)
	return string(token), ok
}
