package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

type prepared struct{ schema, in, out, nulls, defaults, repaired string }

func checkPrepare(t *testing.T, c prepared, repair bool) {
	t.Helper()
	v := mustCompile(t, c.schema)
	in := tree(t, c.in)
	out, changes := v.Prepare(in, repair)
	assert.Equal(t, string(jsonx.AppendValue(nil, tree(t, c.out))), string(jsonx.AppendValue(nil, out)))
	assert.Equal(t, c.nulls, strings.Join(changes.Nulls, " "))
	assert.Equal(t, c.defaults, strings.Join(changes.Defaults, " "))
	assert.Equal(t, c.repaired, strings.Join(changes.Repaired, " "))
	assert.Equal(t, c.nulls+c.defaults+c.repaired != "", changes.Changed)
	assert.Equal(t, tree(t, c.in), in, "the argument must stay as it was")
}

func TestRule1_6_NullCountsAsNotGiven(t *testing.T) {
	const s = `{"type":"object","required":["must"],"properties":{"must":{"type":"string"},"may":{"type":"string"},"null":{"type":["string","null"]},
		"any":{},"enum":{"enum":["a",null]},"union":{"anyOf":[{"type":"string"},{"type":"null"}]},"only":{"enum":["a"]},"ref":{"$ref":"#/$defs/s"},
		"def":{"type":"integer","default":3},"in":{"type":"object","properties":{"x":{"type":"integer"}}}},"$defs":{"s":{"allOf":[{"type":"string"}]}}}`
	for _, c := range []prepared{
		{schema: s, in: `{"must":"m","may":null}`, out: `{"def":3,"must":"m"}`, nulls: "/may", defaults: "/def"},
		{schema: s, in: `{"must":null,"def":1}`, out: `{"must":null,"def":1}`},
		{schema: s, in: `{"def":1,"null":null,"any":null,"enum":null,"union":null}`, out: `{"def":1,"null":null,"any":null,"enum":null,"union":null}`},
		{schema: s, in: `{"def":1,"only":null,"ref":null}`, out: `{"def":1}`, nulls: "/only /ref"},
		{schema: s, in: `{"def":null}`, out: `{"def":3}`, nulls: "/def", defaults: "/def"},
		{schema: s, in: `{"def":1,"in":{"x":null}}`, out: `{"def":1,"in":{}}`, nulls: "/in/x"},
		{schema: s, in: `{"def":1,"undeclared":null}`, out: `{"def":1,"undeclared":null}`},
		{schema: `{"type":"object","properties":{"a":{"properties":{"b":{"type":"string"}}}},"allOf":[{"properties":{"a":{"required":["b"]}}}]}`,
			in: `{"a":{"b":null}}`, out: `{"a":{"b":null}}`},
	} {
		checkPrepare(t, c, false)
	}
}

func TestRule1_6_Defaults(t *testing.T) {
	for _, c := range []prepared{
		{schema: `{"type":"object","properties":{"b":{"type":"number","default":1},"l":{"default":[{"x":1.50}]}}}`,
			in: `{}`, out: `{"b":1,"l":[{"x":1.50}]}`, defaults: "/b /l"},
		{schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"d":{"default":"x"}}}}}`, in: `{}`, out: `{}`},
		{schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"d":{"default":"x"}}}}}`,
			in: `{"o":{}}`, out: `{"o":{"d":"x"}}`, defaults: "/o/d"},
		{schema: `{"type":"object","properties":{"o":{"type":"object","default":{},"required":["d"],"properties":{"d":{"default":"x"}}}}}`,
			in: `{}`, out: `{"o":{"d":"x"}}`, defaults: "/o"},
		{schema: `{"type":"object","properties":{"l":{"items":{"$ref":"#/$defs/i"}},"p":{"prefixItems":[{"$ref":"#/$defs/i"}]}},"additionalProperties":{"$ref":"#/$defs/i"},"$defs":{"i":{"properties":{"a/b":{"default":0}}}}}`,
			in: `{"l":[{},5,{"a/b":1}],"p":[{},{}],"z":{}}`, out: `{"l":[{"a/b":0},5,{"a/b":1}],"p":[{"a/b":0},{}],"z":{"a/b":0}}`,
			defaults: "/l/0/a~1b /p/0/a~1b /z/a~1b"},
		{schema: `{"type":"object","properties":{"r":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string","default":"via ref"}}}`,
			in: `{}`, out: `{"r":"via ref"}`, defaults: "/r"},
		{schema: `{"type":"object","allOf":[{"properties":{"a":{"default":1}}}],"anyOf":[{"properties":{"b":{"default":1}}}],"if":{"properties":{"c":{"default":1}}}}`,
			in: `{}`, out: `{"a":1}`, defaults: "/a"},
		// a default inside its own default is not filled in again
		{schema: `{"type":"object","properties":{"next":{"$ref":"#","default":{}},"v":{"default":1}}}`,
			in: `{"v":2}`, out: `{"v":2,"next":{"v":1}}`, defaults: "/next"},
		// what does not fit its own schema is no default
		{schema: `{"type":"object","properties":{"s":{"type":"string","default":null},"n":{"maximum":5,"default":9}}}`, in: `{}`, out: `{}`},
	} {
		checkPrepare(t, c, false)
	}
	v := mustCompile(t, `{"type":"object","properties":{"s":{"type":"string","default":null},"ok":{"default":1}}}`)
	assert.Equal(t, []string{"/properties/s/default"}, v.BadDefaults())
}

func TestRule1_6_DefaultsAreCopies(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"o":{"default":{"l":[1]}}}}`)
	first, _ := v.Prepare(map[string]any{}, false)
	first.(map[string]any)["o"].(map[string]any)["l"].([]any)[0] = "changed"
	second, _ := v.Prepare(map[string]any{}, false)
	assert.Equal(t, json.Number("1"), second.(map[string]any)["o"].(map[string]any)["l"].([]any)[0])
}

func TestRule1_8_Repair(t *testing.T) {
	member := func(schema string) string { return `{"type":"object","properties":{"v":` + schema + `}}` }
	for _, c := range []struct{ schema, in, out string }{
		{`{"type":"integer"}`, `"10"`, `10`},
		{`{"type":"integer"}`, `" 10\n"`, `10`},
		{`{"type":"integer"}`, `"9007199254740993"`, `9007199254740993`},
		{`{"type":"integer"}`, `"1.0"`, `1.0`},
		{`{"type":"integer"}`, `"1.5"`, ``},
		{`{"type":"integer"}`, `"10 apples"`, ``},
		{`{"type":"integer"}`, `"1 2"`, ``},
		{`{"type":"integer"}`, `"0x10"`, ``},
		{`{"type":"integer"}`, `"010"`, ``},
		{`{"type":"integer"}`, `""`, ``},
		{`{"type":"integer"}`, `"1e5000000"`, ``},
		{`{"type":"integer"}`, `"true"`, ``},
		{`{"type":"number"}`, `"1.50"`, `1.50`},
		{`{"type":"number"}`, `"NaN"`, ``},
		{`{"type":"boolean"}`, `"true"`, `true`},
		{`{"type":"boolean"}`, `"True"`, ``},
		{`{"type":"array"}`, `"[1,\"a\"]"`, `[1,"a"]`},
		{`{"type":"array"}`, `"[1,"`, ``},
		{`{"type":"array"}`, `"{}"`, ``},
		{`{"type":"object"}`, `"{\"a\":1}"`, `{"a":1}`},
		{`{"type":"object"}`, `"{\"a\":1,\"a\":2}"`, ``},
		{`{"type":["integer","null"]}`, `"3"`, `3`},
		{`{"type":["integer","null"]}`, `"null"`, ``},
		{`{"type":["integer","string"]}`, `"3"`, ``},
		{`{"type":"string"}`, `"3"`, ``},
		{`{}`, `"3"`, ``},
		{`{"enum":[3]}`, `"3"`, ``},
		{`{"type":"integer","anyOf":[{"minimum":1}]}`, `"3"`, ``},
		{`{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"3"`, ``},
		{`{"allOf":[{"type":"integer"}]}`, `"3"`, `3`},
		{`{"allOf":[{"type":["integer","string"]},{"type":["number","array"]}]}`, `"3"`, `3`},
		{`{"allOf":[{"type":["integer","string"]},{"type":["number","array"]}]}`, `"3.5"`, ``},
		{`{"type":"array","items":{"type":"integer"}}`, `["1","x",2]`, `[1,"x",2]`},
	} {
		want := c.out
		if want == "" {
			want = c.in
		}
		v := mustCompile(t, member(c.schema))
		out, changes := v.Prepare(tree(t, `{"v":`+c.in+`}`), true)
		assert.Equal(t, `{"v":`+want+`}`, string(jsonx.AppendValue(nil, out)), "%s with %s", c.schema, c.in)
		assert.Equal(t, c.out != "", changes.Changed, "%s with %s", c.schema, c.in)
		same, unchanged := v.Prepare(tree(t, `{"v":`+c.in+`}`), false)
		assert.Equal(t, tree(t, `{"v":`+c.in+`}`), same)
		assert.False(t, unchanged.Changed)
	}
}

func TestRule1_8_RepairInside(t *testing.T) {
	checkPrepare(t, prepared{
		schema: `{"type":"object","properties":{"o":{"type":"object","properties":{"n":{"type":"integer"},"d":{"default":1},"x":{"type":"string"}}}}}`,
		in:     `{"o":"{\"n\":\"5\",\"x\":null}"}`, out: `{"o":{"n":5,"d":1}}`, nulls: "/o/x", defaults: "/o/d", repaired: "/o /o/n",
	}, true)
}

func TestRule1_8_RepairStaysBounded(t *testing.T) {
	v, err := Compile([]byte(`{"type":"object","properties":{"v":{"type":"array","items":{"type":"array"}}}}`), Options{RepairElements: 10})
	require.NoError(t, err)
	fits := tree(t, `{"v":"[`+strings.Repeat("1,", 9)+`1]"}`)
	_, changes := v.Prepare(fits, true)
	assert.True(t, changes.Changed)
	for _, s := range []string{`{"v":"[` + strings.Repeat("1,", 10) + `1]"}`, `{"v":"` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `"}`} {
		_, changes = v.Prepare(tree(t, s), true)
		assert.False(t, changes.Changed)
	}
	_, changes = v.Prepare(tree(t, `{"v":["[1,1,1,1,1,1]","[1,1,1,1,1,1]"]}`), true)
	assert.Equal(t, []string{"/v/0"}, changes.Repaired, "the bound is for all strings of a value together")
}

func TestPrepareLeavesEqualValuesAlone(t *testing.T) {
	v := mustCompile(t, `{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`)
	in := map[string]any{"a": json.Number("1")}
	out, changes := v.Prepare(in, false)
	assert.False(t, changes.Changed)
	out.(map[string]any)["mark"] = true
	assert.Contains(t, in, "mark", "nothing is copied")
	assert.Zero(t, testing.AllocsPerRun(100, func() { v.Prepare(in, false) }))
}
