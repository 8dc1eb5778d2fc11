package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nest writes a value of that many levels around a core.
func nest(open, end, core string, levels int) string {
	return strings.Repeat(open, levels) + core + strings.Repeat(end, levels)
}

func TestRule1_6a_Turns(t *testing.T) {
	const (
		twice    = `{"type":"object","anyOf":[{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}}]}`
		thrice   = `{"type":"object","oneOf":[{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}},{"properties":{"c":{"$ref":"#"}}}]}`
		throughN = `{"type":"object","not":{"properties":{"c":{"$ref":"#"}}},"allOf":[{"properties":{"c":{"$ref":"#"}}}]}`
		items    = `{"type":"object","properties":{"l":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","contains":{"$ref":"#/$defs/l"},"items":{"$ref":"#/$defs/l"}}}}`
		pattern  = `{"type":"object","properties":{"c":{"$ref":"#"}},"patternProperties":{"^c":{"$ref":"#"}}}`
		// two turns of the definitions for one of the value's levels
		twoLevels = `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{
			"a":{"anyOf":[{"properties":{"c":{"$ref":"#/$defs/b"}}},{"properties":{"c":{"$ref":"#/$defs/b"}}}]},
			"b":{"anyOf":[{"properties":{"c":{"$ref":"#/$defs/a"}}},{"properties":{"c":{"$ref":"#/$defs/a"}}}]}}}`
		dependent = `{"type":"object","dependentSchemas":{"c":{"properties":{"c":{"$ref":"#"}}}},"properties":{"c":{"$ref":"#"}}}`
		condition = `{"type":"object","if":{"properties":{"c":{"$ref":"#"}}},"then":{"properties":{"c":{"$ref":"#"}}}}`
	)
	for _, c := range []struct {
		name, schema, head, open, end, core, tail string
		allowed                                   int
	}{
		{"b=2 anyOf", twice, "", `{"c":`, `}`, `{}`, "", 10},
		{"b=2 through not and allOf", throughN, "", `{"c":`, `}`, `{}`, "", 10},
		{"b=2 contains and items", items, `{"l":`, `[`, `]`, `[]`, `}`, 10},
		{"b=2 a pattern beside a property", pattern, "", `{"c":`, `}`, `{}`, "", 10},
		{"b=2 dependentSchemas", dependent, "", `{"c":`, `}`, `{}`, "", 10},
		{"b=2 if and then", condition, "", `{"c":`, `}`, `{}`, "", 10},
		{"b=2 two definitions in turn", twoLevels, `{"a":`, `{"c":`, `}`, `{}`, `}`, 10},
		{"b=3 oneOf", thrice, "", `{"c":`, `}`, `{}`, "", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := mustCompile(t, c.schema)
			deep := func(levels int) []Violation {
				return v.Validate(tree(t, c.head+nest(c.open, c.end, c.core, levels)+c.tail))
			}
			for _, violation := range deep(c.allowed) {
				assert.NotContains(t, violation.Message, "nested too deeply")
			}
			over := deep(c.allowed + 1)
			require.Len(t, over, 1)
			assert.Contains(t, over[0].Message, "nested too deeply")
			assert.Equal(t, c.allowed+1, strings.Count(over[0].Pointer, "/")-strings.Count(c.head, ":"))
			began := time.Now()
			assert.Len(t, deep(60), 1)
			assert.Less(t, time.Since(began), time.Second)
		})
	}
}

const filterSchema = `{"type":"object","properties":{"where":{"$ref":"#/$defs/filter"}},"$defs":{"filter":{"anyOf":[
	{"type":"object","required":["and"],"additionalProperties":false,"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/filter"}}}},
	{"type":"object","required":["or"],"additionalProperties":false,"properties":{"or":{"type":"array","items":{"$ref":"#/$defs/filter"}}}},
	{"type":"object","required":["eq"],"additionalProperties":false,"properties":{"eq":{"type":"object","properties":{"field":{"type":"string"},"value":{}}}}}]}}}`

func TestRule1_6a_FilterOf64Levels(t *testing.T) {
	v := mustCompile(t, filterSchema)
	good := tree(t, `{"where":`+nest(`{"and":[`, `]}`, `{"eq":{"field":"a","value":1}}`, 30)+`}`)
	bad := tree(t, `{"where":`+nest(`{"or":[`, `]}`, `{"eq":7}`, 30)+`}`)
	began := time.Now()
	assert.Empty(t, v.Validate(good))
	violations := v.Validate(bad)
	assert.Less(t, time.Since(began), 100*time.Millisecond)
	require.NotEmpty(t, violations)
	assert.Contains(t, violations[len(violations)-1].Pointer, "/eq")

	shared := mustCompile(t, `{"type":"object","properties":{"where":{"$ref":"#/$defs/f"}},"$defs":{"f":{"oneOf":[
		{"properties":{"op":{"const":"and"},"args":{"type":"array","items":{"$ref":"#/$defs/f"}}},"required":["op"]},
		{"properties":{"op":{"const":"or"},"args":{"type":"array","items":{"$ref":"#/$defs/f"}}},"required":["op"]},
		{"properties":{"op":{"const":"not"},"args":{"type":"array","items":{"$ref":"#/$defs/f"}}},"required":["op"]}]}}}`)
	at := func(levels int) []Violation {
		return shared.Validate(tree(t, `{"where":`+nest(`{"op":"and","args":[`, `]}`, `{"op":"or"}`, levels)+`}`))
	}
	assert.Empty(t, at(6))
	require.Len(t, at(7), 1)
	assert.Contains(t, at(7)[0].Message, "nested too deeply")
}

func TestRule1_6a_WideValuesStayBounded(t *testing.T) {
	v := mustCompile(t, `{"type":"object","properties":{"l":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":["array","integer"],"anyOf":[
		{"items":{"$ref":"#/$defs/l"}},{"items":{"$ref":"#/$defs/l"}}]}}}`)
	wide := `{"l":` + nest(`[`, `]`, `[`+strings.Repeat(`"x",`, 9_900)+`1]`, 8) + `}`
	began := time.Now()
	assert.NotEmpty(t, v.Validate(tree(t, wide)))
	assert.Less(t, time.Since(began), 5*time.Second)

	list := mustCompile(t, `{"type":"object","properties":{"v":{"type":["integer","array"],"items":{"$ref":"#/properties/v"}}}}`)
	assert.Empty(t, list.Validate(tree(t, `{"v":[`+strings.Repeat(`1,`, 9_990)+`[1]]}`)))
}

func TestRule1_6a_ChainThatDescends(t *testing.T) {
	chain := func(levels int) *Validator {
		var defs []string
		for i := range levels {
			ref := fmt.Sprintf(`{"properties":{"c":{"$ref":"#/$defs/d%d"}}}`, i+1)
			defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[%s,%s]}`, i, ref, ref))
		}
		return mustCompile(t, `{"type":"object","properties":{"c":{"$ref":"#/$defs/d0"}},"$defs":{`+strings.Join(defs, ",")+fmt.Sprintf(`,"d%d":{"type":"string"}}}`, levels))
	}
	assert.Nil(t, chain(12).turns, "small documents are not counted")
	began := time.Now()
	violations := chain(40).Validate(tree(t, nest(`{"c":`, `}`, `1`, 41)))
	assert.Less(t, time.Since(began), time.Second)
	require.Len(t, violations, 1)
	assert.Contains(t, violations[0].Message, "nested too deeply")
}

func TestRule1_6a_DeepestPointerIsStable(t *testing.T) {
	v := mustCompile(t, `{"type":"object","anyOf":[{"additionalProperties":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}]}`)
	deep := nest(`{"c":`, `}`, `{}`, 12)
	value := tree(t, `{"b":`+deep+`,"a":`+deep+`}`)
	for range 20 {
		violations := v.Validate(value)
		require.Len(t, violations, 1)
		assert.True(t, strings.HasPrefix(violations[0].Pointer, "/a/"))
	}
}
