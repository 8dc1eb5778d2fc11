package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

func mustCompile(t testing.TB, schema string) *Validator {
	t.Helper()
	v, err := Compile([]byte(schema), Options{})
	require.NoError(t, err)
	return v
}

func tree(t testing.TB, doc string) any {
	t.Helper()
	v, err := jsonx.Parse([]byte(doc), jsonx.Limits{})
	require.NoError(t, err)
	return v
}

func TestRule1_2_SchemaErrors(t *testing.T) {
	prop := func(s string) string { return `{"type":"object","properties":{"a":` + s + `}}` }
	for _, c := range []struct {
		name, schema, pointer, says string
	}{
		{"not JSON", `{"type":`, "", "not valid JSON"},
		{"key twice", `{"type":"object","type":"object"}`, "", "not valid JSON"},
		{"root string", `{"type":"string"}`, "", `"type": "object"`},
		{"root without type", `{"properties":{}}`, "", `"type": "object"`},
		{"root type list", `{"type":["object"]}`, "", `"type": "object"`},
		{"root true", `true`, "", `"type": "object"`},
		{"root array", `[]`, "", `"type": "object"`},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, "/$schema", "2020-12"},
		{"$schema inside", prop(`{"$schema":"https://example.com/own"}`), "/properties/a/$schema", "2020-12"},
		{"$id", `{"$id":"https://example.com/x","type":"object"}`, "/$id", "$id"},
		{"$id inside", prop(`{"$id":"x"}`), "/properties/a/$id", "not supported"},
		{"$id in a definition nobody uses", `{"type":"object","$defs":{"x":{"$id":"x"}}}`, "/$defs/x/$id", "not supported"},
		{"$id in additionalItems", prop(`{"additionalItems":{"$id":"x"}}`), "/properties/a/additionalItems/$id", "not supported"},
		{"$id in contentSchema", prop(`{"contentSchema":{"$id":"x"}}`), "/properties/a/contentSchema/$id", "not supported"},
		{"$anchor", prop(`{"$anchor":"#x"}`), "/properties/a/$anchor", "must be a name"},
		{"$dynamicRef", prop(`{"$dynamicRef":"#x"}`), "/properties/a/$dynamicRef", "not supported"},
		{"$dynamicAnchor", prop(`{"$dynamicAnchor":"x"}`), "/properties/a/$dynamicAnchor", "not supported"},
		{"$recursiveRef", prop(`{"$recursiveRef":"#"}`), "/properties/a/$recursiveRef", "not supported"},
		{"$vocabulary", `{"type":"object","$vocabulary":{}}`, "/$vocabulary", "not supported"},
		{"remote ref", prop(`{"$ref":"https://example.com/x.json"}`), "/properties/a/$ref", "into this schema"},
		{"relative ref", prop(`{"$ref":"other.json#/x"}`), "/properties/a/$ref", "into this schema"},
		{"empty ref", prop(`{"$ref":""}`), "/properties/a/$ref", "into this schema"},
		{"file ref", prop(`{"$ref":"file:///etc/hostname"}`), "/properties/a/$ref", "into this schema"},
		{"own base URL", prop(`{"$ref":"https://kervan.invalid/schema"}`), "/properties/a/$ref", "into this schema"},
		{"ref to anchor", prop(`{"$ref":"#x"}`), "/properties/a/$ref", "JSON Pointer"},
		{"ref is a number", prop(`{"$ref":42}`), "/properties/a/$ref", "a string"},
		{"dangling ref", prop(`{"$ref":"#/$defs/nope"}`), "/properties/a/$ref", "leads nowhere"},
		{"ref with bad escape", prop(`{"$ref":"#/$defs/a~2"}`), "/properties/a/$ref", "leads nowhere"},
		{"ref into a default", `{"type":"object","default":{"x":{}},"properties":{"a":{"$ref":"#/default/x"}}}`, "/properties/a/$ref", "into a value"},
		{"ref to a list", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/required"}}}`, "/properties/a/$ref", "into a value"},
		{"bad schema behind a ref", `{"type":"object","x":{"y":{"type":"strin"}},"properties":{"a":{"$ref":"#/x/y"}}}`, "/x/y/type", "type must be"},
		{"look-ahead", prop(`{"pattern":"^(?!x)"}`), "/properties/a/pattern", "no look-around or back-references"},
		{"look-behind", prop(`{"pattern":"(?<=x)y"}`), "/properties/a/pattern", "no look-around or back-references"},
		{"back-reference", prop(`{"pattern":"(a)\\1"}`), "/properties/a/pattern", "no look-around or back-references"},
		{"pattern as key", `{"type":"object","patternProperties":{"^(?=x)":{}}}`, "/patternProperties/^(?=x)", "RE2"},
		{"unknown type", prop(`{"type":"strin"}`), "/properties/a/type", "type must be"},
		{"type twice", prop(`{"type":["string","string"]}`), "/properties/a/type", "twice"},
		{"required no list", prop(`{"required":true}`), "/properties/a/required", "a list of member names"},
		{"required twice", `{"type":"object","required":["a","a"]}`, "/required/1", "twice"},
		{"enum no list", prop(`{"enum":"x"}`), "/properties/a/enum", "an array"},
		{"negative length", prop(`{"minLength":-1}`), "/properties/a/minLength", "0 or more"},
		{"huge length", prop(`{"maxLength":1e30}`), "/properties/a/maxLength", "too large"},
		{"huge exponent", prop(`{"maximum":1e5000000}`), "/properties/a/maximum", "not valid JSON"},
		{"multipleOf 0", prop(`{"multipleOf":0}`), "/properties/a/multipleOf", "above 0"},
		{"boolean exclusiveMinimum", prop(`{"exclusiveMinimum":true}`), "/properties/a/exclusiveMinimum", "a number"},
		{"items list", prop(`{"items":[{}]}`), "/properties/a/items", "prefixItems"},
		{"schema is a string", prop(`"string"`), "/properties/a", "must be an object, true or false"},
		{"empty anyOf", prop(`{"anyOf":[]}`), "/properties/a/anyOf", "at least one schema"},
		{"pointer is escaped", `{"type":"object","properties":{"a/b~c":{"type":7}}}`, "/properties/a~1b~0c/type", "type must be"},
		{"self ref", prop(`{"$ref":"#/properties/a"}`), "/properties/a", "applies itself"},
		{"root ref to root", `{"type":"object","$ref":"#"}`, "", "applies itself"},
		{"loop through allOf and not", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"allOf":[{"not":{"$ref":"#/$defs/x"}}]}}}`, "/$defs/x/allOf/0/not", "applies itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := Compile([]byte(c.schema), Options{})
			require.Error(t, err)
			assert.Nil(t, v)
			var e *Error
			require.True(t, errors.As(err, &e))
			if !strings.Contains(c.says, "not valid JSON") {
				assert.Equal(t, c.pointer, e.Pointer)
			}
			assert.Contains(t, e.Error(), c.says)
			assert.NotContains(t, e.Error(), "map[")
			assert.NotContains(t, e.Error(), "kervan.invalid/schema#")
		})
	}
}

func TestRule5_11_JudgedByPosition(t *testing.T) {
	for _, schema := range []string{
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		`{"type":"object","properties":{"$id":{"type":"string"},"$ref":{"type":"string"},"pattern":{"type":"string"},"$anchor":true,"required":{"type":"boolean"}}}`,
		`{"type":"object","required":["$id"],"properties":{"$id":{"const":{"$id":"x","$ref":"y","pattern":"(?=z)"}}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"$anchor":"dAnchor","type":"string"}}}`,
		`{"type":"object","properties":{"a":{"enum":[{"$id":7}],"default":{"$ref":1},"examples":[{"$anchor":1}]}}}`,
		`{"type":"object","$defs":{"$id":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/$id"}}}`,
		`{"type":"object","x-note":{"$id":"x","$ref":"https://example.com"},"nullable":true}`,
		`{"type":"object","definitions":{"a b%":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a%20b%25"}}}`,
		`{"type":"object","components":{"schemas":{"X":{"type":"string"}}},"properties":{"a":{"$ref":"#/components/schemas/X"}}}`,
		`{"type":"object","properties":{"a":{"format":"no-such-format"}},"unknownKeyword":[1]}`,
		`{"type":"object","properties":{"n":{"items":{"$ref":"#"}}},"unevaluatedProperties":false}`,
	} {
		_, err := Compile([]byte(schema), Options{})
		assert.NoError(t, err, schema)
	}
}

func TestRule1_6a_SamePlaceTooOften(t *testing.T) {
	chain := func(levels int) string {
		var defs []string
		for i := range levels {
			defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
		}
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"string"}`, levels))
		return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
	}
	_, err := Compile([]byte(chain(10)), Options{})
	require.NoError(t, err)
	for _, levels := range []int{11, 40} {
		_, err = Compile([]byte(chain(levels)), Options{})
		require.ErrorContains(t, err, "more than 1,024 times")
	}
	var long []string
	for i := range 300 {
		long = append(long, fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1))
	}
	_, err = Compile([]byte(`{"type":"object","$defs":{`+strings.Join(long, ",")+`,"d300":{}}}`), Options{})
	require.ErrorContains(t, err, "in a chain")
	wide := `{"type":"object","properties":{"a":{"enum":["x"],"anyOf":[` + strings.Repeat(`{"type":"string"},`, 2_000) + `{"type":"null"}]}}}`
	_, err = Compile([]byte(wide), Options{})
	require.NoError(t, err, "many branches are not many visits of one schema")
}

func TestCompileDefaultsStayBounded(t *testing.T) {
	var defs []string
	for i := range 30 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","default":{},"properties":{"x":{"$ref":"#/$defs/d%d"},"y":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
	}
	defs = append(defs, `"d30":{"type":"object","default":{}}`)
	_, err := Compile([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`+strings.Join(defs, ",")+`}}`), Options{})
	require.ErrorContains(t, err, "10,000 values")
}

func TestProperties(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"b":{},"a":{}},"allOf":[{"properties":{"c":{}}}],"anyOf":[{"properties":{"d":{}}}]}`)
	assert.Equal(t, []string{"a", "b", "c"}, v.Properties())
	assert.Empty(t, mustCompile(t, `{"type":"object"}`).Properties())
}
