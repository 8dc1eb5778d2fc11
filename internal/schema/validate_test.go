package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func told(violations []Violation) string {
	lines := make([]string, len(violations))
	for i, v := range violations {
		lines[i] = v.Pointer + ": " + v.Message
	}
	return strings.Join(lines, "\n")
}

func TestRule1_7_Texts(t *testing.T) {
	of := func(s string) string { return `{"type":"object","properties":{"v":` + s + `}}` }
	val := func(s string) string { return `{"v":` + s + `}` }
	for _, c := range []struct{ schema, value, want string }{
		{of(`{"type":"integer"}`), val(`"ten"`), `/v: must be an integer, found the string "ten"`},
		{of(`{"type":"integer"}`), val(`1.5`), `/v: must be an integer, found the number 1.5`},
		{of(`{"type":["integer","null"]}`), val(`[1,2]`), `/v: must be null or an integer, found an array of 2 items`},
		{of(`{"type":["integer","number","string"]}`), val(`{}`), `/v: must be a number or a string, found an empty object`},
		{of(`{"type":"string"}`), val(`{"a":1}`), `/v: must be a string, found an object with 1 member`},
		{of(`{"type":"boolean"}`), val(`null`), `/v: must be true or false, found null`},
		{of(`{"enum":["asc","desc"]}`), val(`"up"`), `/v: must be one of "asc", "desc", found "up"`},
		{of(`{"enum":["asc","desc"]}`), val(`"decs"`), `/v: must be one of "asc", "desc", found "decs"; did you mean "desc"?`},
		{of(`{"enum":[1,null,true,{"a":[1]}]}`), val(`7`), `/v: must be one of 1, null, true, {"a":[1]}, found 7`},
		{of(`{"const":"on"}`), val(`"On"`), `/v: must be "on", found "On"; did you mean "on"?`},
		{of(`{"enum":[]}`), val(`1`), `/v: must be one of no values at all, found 1`},
		{of(`{"maximum":100}`), val(`250`), `/v: must be at most 100, found 250`},
		{of(`{"minimum":0.10}`), val(`-9007199254740993`), `/v: must be at least 0.10, found -9007199254740993`},
		{of(`{"exclusiveMaximum":1e2}`), val(`100`), `/v: must be below 1e2, found 100`},
		{of(`{"exclusiveMinimum":0}`), val(`0`), `/v: must be above 0, found 0`},
		{of(`{"multipleOf":0.01}`), val(`19.999`), `/v: must be a multiple of 0.01, found 19.999`},
		{of(`{"minLength":2}`), val(`"é"`), `/v: must have at least 2 characters, found 1: "é"`},
		{of(`{"maxLength":1}`), val(`"日本"`), `/v: must have at most 1 character, found 2: "日本"`},
		{of(`{"pattern":"^[a-z]+\\d$"}`), val(`"ABC"`), `/v: must match the pattern ^[a-z]+\d$, found "ABC"`},
		{of(`{"format":"date-time"}`), val(`"tomorrow"`), `/v: must be a date-time such as 2026-01-31T12:00:00Z, found "tomorrow"`},
		{of(`{"minItems":1}`), val(`[]`), `/v: must have at least 1 item, found 0`},
		{of(`{"maxItems":1}`), val(`[1,2]`), `/v: must have at most 1 item, found 2`},
		{of(`{"uniqueItems":true}`), val(`[1,2,1.0]`), `/v: items must differ from each other, but items 0 and 2 are equal (counted from 0)`},
		{of(`{"contains":{"type":"string"}}`), val(`[1]`), `/v: must contain at least 1 item that is a string, found an array of 1 item`},
		{of(`{"contains":{"const":1},"minContains":2}`), val(`[1]`), `/v: must contain at least 2 items, each one that is 1, found an array of 1 item`},
		{of(`{"contains":{"const":1},"maxContains":1}`), val(`[1,1]`), `/v: must contain at most 1 item, each one that is 1, found 2`},
		{of(`{"minProperties":1}`), val(`{}`), `/v: must have at least 1 member, found 0`},
		{of(`{"maxProperties":0}`), val(`{"a":1}`), `/v: must have at most 0 members, found 1`},
		{of(`false`), val(`1`), `/v: must not be given`},
		{of(`{"prefixItems":[{}],"items":false}`), val(`[1,2]`), `/v/1: nothing is allowed at this position`},
		{of(`{"not":{"type":"string"}}`), val(`"x"`), `/v: must not be a string, found "x"`},
		{of(`{"not":{"minimum":3}}`), val(`4`), `/v: has a form that the schema excludes, found 4`},
		{`{"type":"object","required":["v","w"],"properties":{"v":{"type":"string"}}}`, `{}`,
			"/v: required member is missing; it must be a string\n/w: required member is missing"},
		{`{"type":"object","required":["v"],"properties":{"v":{"$ref":"#/$defs/o"}},"$defs":{"o":{"enum":["a","b"]}}}`, `{}`,
			`/v: required member is missing; it must be one of "a", "b"`},
		{`{"type":"object","additionalProperties":false,"properties":{"zone":{},"city":{}}}`, `{"zon":1,"colour":2}`,
			"/colour: unknown member; allowed are \"city\", \"zone\"\n/zon: unknown member; did you mean \"zone\"?"},
		{`{"type":"object","additionalProperties":false}`, `{"a":1}`, `/a: unknown member; no members are allowed here`},
		{`{"type":"object","additionalProperties":false,"patternProperties":{"^x-":{}}}`, `{"a":1}`, `/a: unknown member; allowed are names that match ^x-`},
		{`{"type":"object","dependentRequired":{"a":["b"]},"properties":{"b":{"type":"integer"}}}`, `{"a":1}`,
			`/b: required member is missing, because "a" is given; it must be an integer`},
		{`{"type":"object","dependencies":{"a":["b"]}}`, `{"a":1}`, `/b: required member is missing, because "a" is given`},
		{`{"type":"object","propertyNames":{"maxLength":2}}`, `{"abc":1}`,
			`/abc: this member name is not allowed: it must have at most 2 characters, found 3: "abc"`},
		{`{"type":"object","properties":{"a/b":{"items":{"properties":{"~":{"type":"string"}}}}}}`, `{"a/b":[{},{"~":1}]}`,
			`/a~1b/1/~0: must be a string, found the number 1`},
		{of(`{"type":"integer"}`), val(`"` + strings.Repeat("ü", 80) + `"`), `/v: must be an integer, found the string "` + strings.Repeat("ü", 60) + `…"`},
		{of(`{"type":"integer"}`), val(`"a\u001b[31m\"\\\n\u200b\u202e\u3164\ud83d\ude00\udb40\udc41"`),
			`/v: must be an integer, found the string "a\u001b[31m\"\\\n\u200b\u202e\u3164😀\u{e0041}"`},
	} {
		v := mustCompile(t, c.schema)
		assert.Equal(t, c.want, told(v.Validate(tree(t, c.value))), "%s with %s", c.schema, c.value)
	}
}

func TestRule1_7_Forms(t *testing.T) {
	of := func(s string) string { return `{"type":"object","properties":{"v":` + s + `}}` }
	const shapes = `{"oneOf":[
		{"type":"object","required":["kind","radius"],"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"additionalProperties":false},
		{"type":"object","required":["kind","side"],"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"additionalProperties":false},
		{"type":"string"}]}`
	for _, c := range []struct{ schema, value, want string }{
		{of(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), `{"v":true}`, `/v: must be a string or an integer, found true`},
		{of(`{"anyOf":[{"const":"a"},{"enum":["b","c"]}]}`), `{"v":"d"}`, `/v: must be one of "a", "b", "c", found "d"`},
		{of(`{"anyOf":[{"enum":["asc","desc"]},{"type":"null"}]}`), `{"v":"asd"}`, `/v: must be null, or one of "asc", "desc", found "asd"; did you mean "asc"?`},
		{of(shapes), `{"v":{"kind":"circle","radius":"1"}}`, `/v/radius: closest of 3 forms: must be a number, found the string "1"`},
		{of(shapes), `{"v":{"kind":"circel","radius":1}}`, `/v/kind: must be one of "circle", "square", found "circel"; did you mean "circle"?`},
		{of(shapes), `{"v":{"kind":"square","radius":1}}`,
			"/v/radius: closest of 3 forms: unknown member; allowed are \"kind\", \"side\"\n/v/side: closest of 3 forms: required member is missing; it must be a number"},
		{of(shapes), `{"v":7}`, `/v: must be an object or a string, found the number 7`},
		{of(`{"anyOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},{"type":"null"}]}`), `{"v":{"a":1}}`, `/v/a: must be a string, found the number 1`},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{}`, `: required members are missing: "a" or "b" and "c"`},
		{of(`{"oneOf":[{"minimum":1},{"type":"integer"}]}`), `{"v":2}`, `/v: matches more than one of the allowed forms (numbers 1 and 2); it must match exactly one`},
		{of(`{"anyOf":[{"minimum":5},{"maximum":1,"multipleOf":2}]}`), `{"v":3}`, `/v: closest of 2 forms: must be at least 5, found 3`},
		{of(`{"anyOf":[{"anyOf":[{"minimum":5},{"minimum":6,"multipleOf":2}]},{"minimum":7,"multipleOf":2}]}`), `{"v":3}`, `/v: closest of 2 forms: must be at least 5, found 3`},
	} {
		v := mustCompile(t, c.schema)
		for range 5 {
			assert.Equal(t, c.want, told(v.Validate(tree(t, c.value))), "%s with %s", c.schema, c.value)
		}
	}
}

func TestRule1_7_OrderAndNumber(t *testing.T) {
	v := mustCompile(t, `{"type":"object","maxProperties":1,"required":["m"],"properties":{"l":{"items":{"type":"string","minLength":2,"pattern":"^b"}}}}`)
	assert.Equal(t, `: must have at most 1 member, found 2
/l/2: must be a string, found the number 1
/l/10: must have at least 2 characters, found 1: "a"
/l/10: must match the pattern ^b, found "a"
/m: required member is missing`, told(v.Validate(tree(t, `{"x":1,"l":["bb","bb",1,"bb","bb","bb","bb","bb","bb","bb","a"]}`))))

	many := v.Validate(tree(t, `{"m":1,"l":[`+strings.Repeat(`1,`, 5_000)+`1]}`))
	require.Len(t, many, 1_000)
	assert.Equal(t, "", many[0].Pointer)
	assert.Equal(t, "/l/0", many[1].Pointer)
	assert.Equal(t, "/l/998", many[999].Pointer)

	long := make([]string, 50)
	for i := range long {
		long[i] = fmt.Sprintf(`"%03d-%s"`, i, strings.Repeat("z", 500))
	}
	v = mustCompile(t, `{"type":"object","properties":{"v":{"enum":[`+strings.Join(long, ",")+`]}}}`)
	text := told(v.Validate(tree(t, `{"v":"a"}`)))
	assert.Contains(t, text, "and 30 more")
	assert.Less(t, len(text), 2_000)

	v = mustCompile(t, `{"type":"object","allOf":[{"required":["a"]},{"required":["a"]}]}`)
	assert.Len(t, v.Validate(tree(t, `{}`)), 1, "the same text at the same place is told once")
}

func TestRule1_6_CaseFold(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object","properties":{"role":{"enum":["user"]}}}`, `{"role":"user","Role":"root"}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"kind":{}}}`, `{"\u212Aind":1}`, `/` + "\u212A" + `ind: unknown member; did you mean "kind"?`},
		{`{"type":"object","properties":{"role":{}},"additionalProperties":false}`, `{"ROLE":1}`, `/ROLE: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"role":{}},"patternProperties":{"^R":{}}}`, `{"Role":1}`, ``},
		{`{"type":"object","properties":{"role":{},"Role":{}}}`, `{"Role":1,"role":2}`, ``},
		{`{"type":"object","properties":{"role":{}}}`, `{"roles":1}`, ``},
		{`{"type":"object","properties":{"in":{"properties":{"role":{}}}}}`, `{"in":{"Role":1}}`, `/in/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"l":{"items":{"properties":{"role":{}}}}}}`, `{"l":[{},{"Role":1}]}`, `/l/1/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"l":{"prefixItems":[{"properties":{"role":{}}}]}}}`, `{"l":[{"Role":1},{"Role":1}]}`, `/l/0/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","additionalProperties":{"properties":{"role":{}}}}`, `{"x":{"Role":1}}`, `/x/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","patternProperties":{"^x":{"properties":{"role":{}}}}}`, `{"x":{"Role":1}}`, `/x/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"n":{"$ref":"#"},"role":{}}}`, `{"n":{"n":{"Role":1}}}`, `/n/n/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","allOf":[{"properties":{"role":{}}}]}`, `{"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","anyOf":[{"properties":{"role":{}}},{"properties":{"x":{}}}]}`, `{"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","oneOf":[{"properties":{"role":{}}}]}`, `{"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","if":{"required":["x"]},"then":{"properties":{"role":{}}}}`, `{"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","if":{"required":["x"]},"else":{"properties":{"role":{}}}}`, `{"x":1,"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","dependentSchemas":{"x":{"properties":{"role":{}}}}}`, `{"Role":1}`, `/Role: unknown member; did you mean "role"?`},
		{`{"type":"object","properties":{"a":{"properties":{"x":{}}}},"allOf":[{"properties":{"a":{"properties":{"role":{}}}}}]}`, `{"a":{"Role":1,"X":1}}`,
			"/a/Role: unknown member; did you mean \"role\"?\n/a/X: unknown member; did you mean \"x\"?"},
		{`{"type":"object","properties":{"a":{"properties":{"Role":{}}}},"allOf":[{"properties":{"a":{"properties":{"role":{}}}}}]}`, `{"a":{"Role":1}}`, ``},
	} {
		v := mustCompile(t, c.schema)
		assert.Equal(t, c.want, told(v.Validate(tree(t, c.value))), "%s with %s", c.schema, c.value)
	}
}

func TestRule1_6_CaseFoldNotInResults(t *testing.T) {
	v, err := Compile([]byte(`{"type":"object","properties":{"id":{}}}`), Options{Output: true})
	require.NoError(t, err)
	assert.Empty(t, v.Validate(tree(t, `{"id":1,"ID":2}`)))
}

func TestComparePaths(t *testing.T) {
	order := [][]string{{}, {"2"}, {"2", "x"}, {"10"}, {"1a"}, {"b"}}
	for i := range order {
		for j := range order {
			assert.Equal(t, i < j, comparePaths(order[i], order[j]) < 0, "%v %v", order[i], order[j])
		}
	}
}

func TestRule1_4_Formats(t *testing.T) {
	for _, c := range []struct {
		format, good, bad string
	}{
		{"date-time", "2026-01-31T12:00:00Z", "2026-01-31"}, {"date", "2026-01-31", "2026-02-31"}, {"time", "12:00:00Z", "25:00:00Z"},
		{"email", "a@example.com", "a@"}, {"uri", "https://example.com/x", "/x"}, {"uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"},
		{"ipv4", "192.0.2.1", "192.0.2.256"}, {"ipv6", "2001:db8::1", "2001:db8::1::"}, {"hostname", "example.com", "-x"},
		{"duration", "not a duration", ""}, {"regex", "(", ""}, {"semver", "x", ""}, {"no-such-format", "x", ""},
	} {
		schema := `{"type":"object","properties":{"v":{"format":"` + c.format + `"}}}`
		in := mustCompile(t, schema)
		out, err := Compile([]byte(schema), Options{Output: true})
		require.NoError(t, err)
		assert.Empty(t, in.Validate(map[string]any{"v": c.good}), c.format)
		assert.Empty(t, out.Validate(map[string]any{"v": c.good}), c.format)
		if c.bad != "" {
			assert.Len(t, in.Validate(map[string]any{"v": c.bad}), 1, c.format)
			assert.Empty(t, out.Validate(map[string]any{"v": c.bad}), "formats of results are not asserted")
		}
	}
}

func TestRule1_6_ExactNumbers(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"i":{"type":"integer"},"m":{"multipleOf":0.1},"max":{"maximum":9007199254740992},"e":{"enum":[9007199254740993]},"u":{"uniqueItems":true}}}`)
	for value, want := range map[string]int{
		`{"i":9007199254740993.0}`: 0, `{"i":1.0}`: 0, `{"i":1e2}`: 0, `{"i":1e999}`: 0, `{"i":-0.0}`: 0, `{"i":1e-999}`: 1, `{"i":1.5}`: 1,
		`{"m":0.3}`: 0, `{"m":0.35}`: 1, `{"m":1e999}`: 0, `{"max":9007199254740993}`: 1, `{"max":9007199254740992}`: 0, `{"max":1e999}`: 1,
		`{"e":9007199254740993.0}`: 0, `{"e":9007199254740992}`: 1, `{"u":[9007199254740992,9007199254740993]}`: 0, `{"u":[1,1.0]}`: 1,
	} {
		assert.Len(t, v.Validate(tree(t, value)), want, value)
	}
}

func TestValidatePanicIsAViolation(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"n":{"maximum":1}}}`)
	type foreign struct{ X int }
	assert.NotEmpty(t, v.Validate(map[string]any{"n": foreign{1}}))
	huge := map[string]any{"n": json.Number("1e5000000")} // the decoder refuses it; the library would crash on it
	assert.Equal(t, []Violation{{Message: textUnchecked}}, v.Validate(huge))
}

func TestUnevaluatedProperties(t *testing.T) {
	v := mustCompile(t, `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":{}},"unevaluatedProperties":false}`)
	assert.Empty(t, v.Validate(tree(t, `{"a":"x","b":1}`)))
	assert.Equal(t, `/c: unknown member; allowed are "a", "b"`, told(v.Validate(tree(t, `{"a":"x","c":1}`))))
	assert.Equal(t, `/a: must be a string, found the number 1`, told(v.Validate(tree(t, `{"a":1}`))), "not also: unknown member")
}

func TestPropertyNamesPlace(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"l":{"items":{"type":"object","propertyNames":{"maxLength":2}}}}}`)
	assert.Equal(t, "/l/0/abc: this member name is not allowed: it must have at most 2 characters, found 3: \"abc\"\n"+
		"/l/2/xyz: this member name is not allowed: it must have at most 2 characters, found 3: \"xyz\"",
		told(v.Validate(tree(t, `{"l":[{"abc":1},{"a":1},{"xyz":1},{"b":2}]}`))))
}

func TestValidatorIsSafeForConcurrentUse(t *testing.T) {
	v := mustCompile(t, filterSchema)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				out, _ := v.Prepare(tree(t, `{"where":{"and":[{"eq":{"field":"a"}}]}}`), true)
				assert.Empty(t, v.Validate(out))
			}
		})
	}
	wg.Wait()
}

const eightProperties = `{"type":"object","additionalProperties":false,"required":["query","limit"],"properties":{
	"query":{"type":"string","minLength":1,"maxLength":200},"limit":{"type":"integer","minimum":1,"maximum":100,"default":10},
	"sort":{"type":"string","enum":["asc","desc"]},"since":{"type":"string","format":"date-time"},
	"tags":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"maxItems":10},"exact":{"type":"boolean","default":false},
	"ratio":{"type":"number","minimum":0,"maximum":1},
	"place":{"type":"object","required":["lat","lon"],"properties":{"lat":{"type":"number"},"lon":{"type":"number"}}}}}`

func BenchmarkValidate(b *testing.B) {
	v := mustCompile(b, eightProperties)
	value := tree(b, `{"query":"weather in Ankara","limit":10,"sort":"asc","since":"2026-01-31T12:00:00Z","tags":["a","bc"],"exact":true,"ratio":0.5,"place":{"lat":39.9,"lon":32.8}}`)
	b.Run("Prepare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.Prepare(value, false)
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v.Validate(value) != nil {
				b.Fatal("invalid")
			}
		}
	})
	b.Run("Names", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v.foldedNames(value)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustCompile(b, eightProperties)
	}
}
