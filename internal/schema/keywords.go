package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strings"
)

// A form says what the value of a keyword has to look like and whether it holds schemas.
type form int

const (
	formSchema form = iota + 1
	formSchemaList
	formSchemaMap
	formText
	formBool
	formNumber
	formAbove0
	formCount
	formNames
	formNamesMap
	formList
	formTypes
	formData
	formPattern
	formRef
	formDialect
	formDependencies
	formAnchor
	formRefused
)

var anchorName = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9._]*$`)

// keywordForms lists every keyword with a meaning. What is not here is an annotation, and its value is data.
var keywordForms = map[string]form{
	"$schema": formDialect, "$ref": formRef, "$defs": formSchemaMap, "definitions": formSchemaMap, "$comment": formText,
	"$id": formRefused, "$anchor": formAnchor, "$dynamicRef": formRefused, "$dynamicAnchor": formRefused,
	"$recursiveRef": formRefused, "$recursiveAnchor": formRefused, "$vocabulary": formRefused,

	"allOf": formSchemaList, "anyOf": formSchemaList, "oneOf": formSchemaList, "not": formSchema,
	"if": formSchema, "then": formSchema, "else": formSchema,
	"properties": formSchemaMap, "patternProperties": formSchemaMap, "additionalProperties": formSchema,
	"propertyNames": formSchema, "dependentSchemas": formSchemaMap, "dependencies": formDependencies,
	"unevaluatedProperties": formSchema, "unevaluatedItems": formSchema,
	"prefixItems": formSchemaList, "items": formSchema, "contains": formSchema,
	"additionalItems": formSchema, "contentSchema": formSchema,

	"type": formTypes, "enum": formList, "const": formData, "default": formData, "examples": formList,
	"multipleOf": formAbove0, "maximum": formNumber, "exclusiveMaximum": formNumber, "minimum": formNumber,
	"exclusiveMinimum": formNumber, "maxLength": formCount, "minLength": formCount, "pattern": formPattern,
	"maxItems": formCount, "minItems": formCount, "uniqueItems": formBool, "maxContains": formCount, "minContains": formCount,
	"maxProperties": formCount, "minProperties": formCount, "required": formNames, "dependentRequired": formNamesMap,

	"format": formText, "title": formText, "description": formText, "deprecated": formBool, "readOnly": formBool,
	"writeOnly": formBool, "contentEncoding": formText, "contentMediaType": formText,
}

// dataKeywords hold values, not schemas, so a reference may not lead into them.
var dataKeywords = map[string]bool{"enum": true, "const": true, "default": true, "examples": true}

// assertedFormats are the formats that are checked in inputs. The library knows more; those stay annotations, so that an
// update of it cannot begin to refuse calls.
var assertedFormats = map[string]bool{
	"date-time": true, "date": true, "time": true, "email": true, "uri": true, "uuid": true, "ipv4": true, "ipv6": true,
	"hostname": true,
}

const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// checkPlain judges the keywords that hold no schema.
func (b *schemaBuilder) checkPlain(f form, keyword string, v any, at string) error {
	switch f {
	case formText:
		if _, ok := v.(string); !ok {
			return wrongForm(at, keyword, "a string", v)
		}
	case formBool:
		if _, ok := v.(bool); !ok {
			return wrongForm(at, keyword, "true or false", v)
		}
	case formNumber, formAbove0, formCount:
		return checkNumber(f, keyword, v, at)
	case formNames:
		return checkNames(keyword, v, at)
	case formNamesMap:
		m, ok := v.(map[string]any)
		if !ok {
			return wrongForm(at, keyword, "an object whose values are lists of member names", v)
		}
		for _, name := range sortedKeys(m) {
			if err := checkNames(keyword, m[name], at+"/"+escapeToken(name)); err != nil {
				return err
			}
		}
	case formList:
		if _, ok := v.([]any); !ok {
			return wrongForm(at, keyword, "an array", v)
		}
	case formTypes:
		return checkTypes(v, at)
	case formPattern:
		expr, ok := v.(string)
		if !ok {
			return wrongForm(at, keyword, "a string", v)
		}
		_, err := b.pattern(expr, at)
		return err
	case formDialect:
		if s, ok := v.(string); !ok || strings.TrimSuffix(s, "#") != dialect2020 {
			return &Error{Pointer: at, Message: errDialect, Hint: hintDialect}
		}
	case formAnchor: // a name that no reference may use is an annotation
		if s, ok := v.(string); !ok || !anchorName.MatchString(s) {
			return &Error{Pointer: at, Message: "$anchor must be a name", Hint: "use letters, digits, dashes and underscores, a letter first"}
		}
	case formRefused:
		return &Error{Pointer: at, Message: "the keyword " + keyword + " is not supported", Hint: hintRef}
	}
	return nil
}

func checkNumber(f form, keyword string, v any, at string) error {
	n, ok := v.(json.Number)
	if !ok {
		return wrongForm(at, keyword, "a number", v)
	}
	r, ok := new(big.Rat).SetString(string(n))
	switch {
	case !ok:
		return wrongForm(at, keyword, "a number", v)
	case f == formAbove0 && r.Sign() <= 0:
		return &Error{Pointer: at, Message: keyword + " must be above 0"}
	case f == formCount && (!r.IsInt() || r.Sign() < 0):
		return &Error{Pointer: at, Message: keyword + " must be a whole number of 0 or more"}
	case f == formCount && (!r.Num().IsInt64() || r.Num().Int64() > math.MaxInt):
		return &Error{Pointer: at, Message: errNumberSize}
	}
	return nil
}

func checkNames(keyword string, v any, at string) error {
	list, ok := v.([]any)
	if !ok {
		return wrongForm(at, keyword, "a list of member names", v)
	}
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		name, ok := item.(string)
		if !ok {
			return wrongForm(indexed(at, i), keyword, "a list of member names", item)
		}
		if seen[name] {
			return &Error{Pointer: indexed(at, i), Message: keyword + " lists " + Quote(name) + " twice"}
		}
		seen[name] = true
	}
	return nil
}

func checkTypes(v any, at string) error {
	if s, ok := v.(string); ok {
		v = []any{s}
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return &Error{Pointer: at, Message: errTypes, Hint: hintTypes}
	}
	seen := map[string]bool{}
	for _, item := range list {
		name, _ := item.(string)
		if typeBits[name] == 0 {
			return &Error{Pointer: at, Message: errTypes, Hint: hintTypes}
		}
		if seen[name] {
			return &Error{Pointer: at, Message: "type lists " + Quote(name) + " twice"}
		}
		seen[name] = true
	}
	return nil
}

// pattern compiles a regular expression once for the whole schema.
func (b *schemaBuilder) pattern(expr, at string) (*regexp.Regexp, error) {
	if re := b.regexps[expr]; re != nil {
		return re, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, badPattern(expr, err, at)
	}
	b.regexps[expr] = re
	return re, nil
}
