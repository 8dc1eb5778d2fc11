package schema

import (
	"errors"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

func FuzzValidate(f *testing.F) {
	for _, s := range []string{
		filterSchema,
		`{"type":"object","anyOf":[{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}}]}`,
		`{"type":"object","properties":{"a":{"type":"integer","minimum":1,"multipleOf":0.1,"default":3}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","allOf":[{"properties":{"a":{"format":"date","pattern":"^a"}}}],"unevaluatedProperties":false,"propertyNames":{"maxLength":2}}`,
		`{"type":"object","properties":{"l":{"type":"array","prefixItems":[{}],"items":{"oneOf":[{"const":1},{"enum":["a"]}]},"contains":{"type":"string"},"uniqueItems":true}}}`,
		`{"type":"object","if":{"required":["a"]},"then":{"properties":{"b":false}},"else":{"not":{"required":["b"]}},"dependentRequired":{"a":["b"]}}`,
	} {
		for _, v := range []string{
			`{"a":1,"A":2,"b":null,"l":[1,"1","1",{}]}`,
			`{"c":{"c":{"c":[]}},"where":{"and":[{"eq":{}}]}}`,
			`{"a":"[1,2]","l":"[]"}`,
			`{"a":1e999,"b":-0.0}`,
		} {
			f.Add([]byte(s), []byte(v))
		}
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		if len(schema) > 4_096 || len(value) > 4_096 {
			return
		}
		began := time.Now()
		v, err := Compile(schema, Options{})
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.Message == "" || e.Message == errSchemaUnreadable {
				t.Fatalf("Compile: %v", err)
			}
			return
		}
		in, err := jsonx.Parse(value, jsonx.Limits{Depth: maxValueDepth, Elements: 10_000})
		if err != nil {
			return
		}
		before := string(jsonx.AppendValue(nil, in))
		out, changes := v.Prepare(in, true)
		if string(jsonx.AppendValue(nil, in)) != before {
			t.Fatal("Prepare changed its argument")
		}
		if !changes.Changed && string(jsonx.AppendValue(nil, out)) != before {
			t.Fatal("a change that is not told")
		}
		for _, violation := range v.Validate(out) {
			if len(violation.Message) > 8_192 || violation.Message == textUnchecked {
				t.Fatalf("%q", violation)
			}
		}
		if d := time.Since(began); d > 10*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}
