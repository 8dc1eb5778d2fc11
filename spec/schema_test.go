package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRule5_11_Schemas(t *testing.T) {
	prop := func(lines string) string { return inInput("properties: {a: {" + lines + "}}") }
	at := func(rest string) string { return "tools[0].input.properties.a" + rest }
	runRefused(t, Options{}, []refused{
		{"foreign $schema", inInput("$schema: «http://json-schema.org/draft-07/schema#"), "tools[0].input.$schema", []string{"2020-12"}},
		{"$id", inInput("$id: «https://example.com/x"), "tools[0].input.$id", nil},
		{"$id inside", prop("$id: «x"), at(".$id"), nil},
		{"remote $ref", prop("$ref: «https://example.com/x.json"), at(".$ref"), nil},
		{"$ref to a file", prop("$ref: «'other.json#/x'"), at(".$ref"), nil},
		{"$ref is a number", prop("$ref: «42"), at(".$ref"), nil},
		{"dangling $ref", prop("$ref: «'#/$defs/nope'"), at(".$ref"), []string{"leads nowhere"}},
		{"$ref to an anchor", prop("$ref: «'#x'"), at(".$ref"), nil},
		{"$dynamicRef", prop("$dynamicRef: «'#x'"), at(".$dynamicRef"), nil},
		{"$recursiveRef", prop("$recursiveRef: «'#'"), at(".$recursiveRef"), nil},
		{"$vocabulary", inInput("$vocabulary: «{}"), "tools[0].input.$vocabulary", nil},
		{"look-ahead", prop("pattern: «'^(?!x)'"), at(".pattern"), []string{"look-around"}},
		{"look-behind", prop("pattern: «'(?<=x)y'"), at(".pattern"), nil},
		{"back-reference", prop(`pattern: «'(a)\1'`), at(".pattern"), []string{"back-reference"}},
		{"pattern of 513", prop("pattern: «" + strings.Repeat("a", 513)), at(".pattern"), []string{"512"}},
		{"pattern of a name", inInput("patternProperties: {«" + strings.Repeat("a", 513) + ": {}}"), "tools[0].input.patternProperties", []string{"512"}},
		{"unknown type", prop("type: «strin"), at(".type"), nil},
		{"root of another type", inTool("input: «{type: string}\n" + plainHTTP), "tools[0].input", []string{"type: object", `"string"`}},
		{"root without type", inTool("input: «{properties: {}}\n" + plainHTTP), "tools[0].input", []string{"type: object", "no type"}},
		{"root of several types", inTool("input: «{type: [object, 'null']}\n" + plainHTTP), "tools[0].input", []string{"a list of types"}},
		{"odd number", prop("minimum: «0x10"), at(".minimum"), []string{"16"}},
		{"odd number in an enum", prop("enum: [1, «01]"), at(".enum[1]"), []string{"1"}},
		{"number as text", prop("minLength: «'5'"), at(".minLength"), nil},
		{"required: true", prop("required: «true"), at(".required"), nil},
		{"schema that is text", inInput("properties: {a: «string}"), at(""), []string{"true or false"}},
		{"schema that is yes", inInput("properties: {a: «yes}"), at(""), nil},
		{"properties as a list", inInput("properties: «[a]"), "tools[0].input.properties", nil},
		{"items as a list", prop("items: «[{}]"), at(".items"), []string{"prefixItems"}},
		{"null schema", inInput("properties: {a: «}"), at(""), nil},
		{"default of another type", prop("type: integer, default: «many"), at(".default"), []string{"does not fit"}},
		{"default yes", prop("type: boolean, default: «yes"), at(".default"), []string{"does not fit"}},
		{"header parameter on an object", inTool("input: «{type: object, properties: {a: {type: object, x-mcp-header: A}}}\n" + plainHTTP), "tools[0].input", []string{"x-mcp-header"}},
	})
}

func TestRule5_11_Bounds(t *testing.T) {
	nest := func(levels int) string { // the root is one more
		return "properties: {a: {" + strings.Repeat("items: {", levels-1) + strings.Repeat("}", levels-1) + "}}"
	}
	noWarnings(t, inInput(nest(maxSchemaLevels-1)), Options{})
	text := inInput(nest(maxSchemaLevels))
	i := strings.LastIndex(text, "{}")
	refused{"levels", text[:i] + mark + text[i:], "tools[0].input.properties.a" + strings.Repeat(".items", 31), []string{"32 levels"}}.check(t, Options{})

	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "p%d: {}, ", i)
		}
		return b.String()
	}
	noWarnings(t, inInput("properties: {"+many(maxSchemaNodes-1)+"}"), Options{})
	refused{"schemas", inInput("properties: {" + many(maxSchemaNodes-1) + "z: «{}, y: {}}"), "tools[0].input.properties.z", []string{"2,000"}}.check(t, Options{})

	choices := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "c%d: {%s: [{}]}, ", i, []string{"anyOf", "oneOf", "allOf"}[i%3])
		}
		return b.String()
	}
	noWarnings(t, inInput("properties: {"+choices(maxAlternatives)+"}"), Options{})
	refused{"alternatives", inInput("properties: {" + choices(maxAlternatives) + "z: {anyOf: «[{}]}}"), "tools[0].input.properties.z.anyOf", []string{"64"}}.check(t, Options{})

	large := func(n int) string {
		return inTool("input: «{type: object, description: " + strings.Repeat("x", n) + "}\n" + plainHTTP)
	}
	around := len(`{"type":"object","description":""}`)
	clean, _, _ := unmark(t, large(maxSchemaBytes-around))
	noWarnings(t, clean, Options{})
	refused{"bytes", large(maxSchemaBytes - around + 1), "tools[0].input", []string{"64 KiB"}}.check(t, Options{})

	noWarnings(t, inInput("properties: {a: {type: string, pattern: "+strings.Repeat("a", maxPatternLength)+"}}"), Options{})
}

// TestRule5_11_ByPosition: a property whose name is that of a keyword is a
// property.
func TestRule5_11_ByPosition(t *testing.T) {
	for _, lines := range []string{
		`properties: {$id: {type: string}, $ref: {type: string}, pattern: {type: string}, required: {type: boolean}, anyOf: {}, description: {}}`,
		`properties: {a: {$ref: "#/$defs/id"}}` + "\n  " + `$defs: {id: {type: string}}`,
		`properties: {a: {enum: [{$id: 7}], default: {$id: 7}}}`,
		`$schema: https://json-schema.org/draft/2020-12/schema`,
		`properties: {a: {const: {$ref: x, pattern: "(?=x)"}}}`,
		`x-note: {$ref: "https://example.com"}`,
		`additionalProperties: false`,
		`properties: {a: true, b: {items: false}}`,
		`properties: {p: {pattern: "(a+)+$"}}`,
	} {
		noWarnings(t, inInput(lines), Options{})
	}
}

// TestRule5_2_Schemas: what is advertised is what was written, in its order,
// with its digits, and with text where a keyword wants text.
func TestRule5_2_Schemas(t *testing.T) {
	s := noWarnings(t, inTool(`input:
  type: object
  description: 2024
  required: [b, 1]
  properties:
    b: {type: string, enum: [1.20, NO, true, 017, "x"], default: 1.20, pattern: 1.2}
    a: {type: number, enum: [1.20, 1e2, 12345678901234567890], minimum: 0.10}
    1: {type: [string, null], title: on}
    any: {enum: [1, "1", true, "true", null, yes], deprecated: true}
    list: {type: array, prefixItems: [{type: string}], uniqueItems: true, maxItems: 3}
`+plainHTTP), Options{})
	assert.Equal(t, `{"type":"object","description":"2024","required":["b","1"],"properties":{`+
		`"b":{"type":"string","enum":["1.20","NO","true","017","x"],"default":"1.20","pattern":"1.2"},`+
		`"a":{"type":"number","enum":[1.20,1e2,12345678901234567890],"minimum":0.10},`+
		`"1":{"type":["string","null"],"title":"on"},`+
		`"any":{"enum":[1,"1",true,"true",null,"yes"],"deprecated":true},`+
		`"list":{"type":"array","prefixItems":[{"type":"string"}],"uniqueItems":true,"maxItems":3}}}`, string(s.tools[0].input))
}

func TestRule5_3_OutputSchemaRoot(t *testing.T) {
	file := func(expression, schema string) string {
		return inTool("http: {url: https://h/}\noutput:\n  select: " + expression + "\n  schema: «" + schema)
	}
	for _, c := range []struct{ expression, schema, says string }{
		{"'a[*].b'", "{type: array, items: {type: string}}", "write select: '{items: a[*].b}'"},
		{`"[?a=='x']"`, "{type: array}", "write select: '{items: [?a==''x'']}'"},
		{"'@'", "{type: array}", "'{items: @}', and this schema under properties.items"},
		{"a", "{type: string}", "write select: '{value: a}'"},
		{"a", "{type: integer}", "properties.value"},
		{"a", "{}", "type: object"},
		{"a", "{type: [object, 'null']}", "a list of types"},
	} {
		refused{c.schema, file(c.expression, c.schema), "tools[0].output.schema", []string{c.says}}.check(t, Options{})
	}
	clean, _, _ := unmark(t, file("'{items: a[*].b}'", "{type: object, properties: {items: {type: array}}}"))
	s := noWarnings(t, clean, Options{})
	assert.True(t, s.tools[0].http.Fits(map[string]any{"items": []any{}}))
	assert.False(t, s.tools[0].http.Fits(map[string]any{"items": "x"}))
	inner := strings.Replace(file("a", "{type: object, properties: {b: {type: nothing}}}"), mark, "", 1)
	_, err := Load(t.Context(), []byte(inner), Options{})
	require.ErrorContains(t, err, "tools[0].output.schema.properties.b.type: ")
}
