package jmes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keptExpressions have literals that functions take, hashes with the same keys in different order, and errors.
var keptExpressions = []string{
	"@", "a.b", "items[*].{id: id, name: name}", "items[?price > `10`].{name: name, id: id}",
	"sort_by(`[{\"n\":3},{\"n\":1},{\"n\":2}]`, &n)", "[sort_by(`[3,1,2]`, &@), `[3,1,2]`]", "[sort(`[\"c\",\"a\"]`), `[\"c\",\"a\"]`, reverse(`[\"c\",\"a\"]`)]",
	"`[[3],[1,2]]`[] | sort(@)", "to_array(`[2,1]`) | sort(@)", "[`[5,4,3]`[::-1], `[5,4,3]`[1:], items[::-1].id]", "map(&merge(`{\"k\":[2,1]}`, @), items)",
	"merge(`{\"k\":[2,1]}`, {id: a.b}).k | sort(@)", "not_null(missing, `[2,1]`) | sort(@)", "max_by(`[{\"n\":1},{\"n\":2}]`, &n).n", "sort_by(items, &price)[*].name",
	"{p: items[*].{id: id, name: name}, q: items[*].{name: name, id: id}, r: items[*].{id: id, name: name} | [0]}", "[{b: a, a: a.b}, {a: a.b, b: a}, abs(a.b)]",
	"join(', ', items[*].name)", "to_string({b: items[0], a: `[1]`})", "sum(items[*].price)", "contains(`[\"x\",\"name 1\"]`, items[1].name)", "keys(a)", "values(@)", "*.b",
	"items[0] == `{\"id\":0}` || items[1:3]", "length(items)",
	// The same literal before and after a function had it.
	"`[3,1,2]` | [@, sort(@), max(@), reverse(@), @[::-1], sort_by(@, &@), map(&@, @), to_array(@), not_null(@), @]",
	"`[{\"n\":2},{\"n\":1}]` | [@, sort_by(@, &n), min_by(@, &n), reverse(@), @[1:], @[].n, [*].{n: n}, @]",
	"`{\"k\":[2,1]}` | [@, merge(@, {z: `1`}), values(@), k[], *[], sort(k), k[0:1], @]", "`[[3],[1,2]]` | [@[], @, @[0], [][]]",
}

func keptDocument(i int) []byte {
	items := make([]string, i%5)
	for k := range items {
		items[k] = fmt.Sprintf(`{"id":%d,"name":"name %d","price":%d.5}`, i*k, (i+k)%7, (i*7+k*13)%23)
	}
	value := []string{fmt.Sprint(-i), `"text"`, `[1]`, `null`, `1e400`}[i%7%5]
	return fmt.Appendf(nil, `{"a":{"b":%s},"items":[%s]}`, value, strings.Join(items, ","))
}

// outcome is a result or an error, as a text.
func outcome(out []byte, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %#v", *err.(*Error))
	}
	return string(out)
}

// TestRule8_7_KeptIsAsNew holds that an expression that is kept gives what a new one gives, whatever came between.
func TestRule8_7_KeptIsAsNew(t *testing.T) {
	const different = 50
	sizes := []int{roomy, 60, 10}
	var e Evaluator
	want := map[string]string{}
	for i := range 1000 {
		document := keptDocument(i % different)
		for k := range keptExpressions {
			expression := keptExpressions[(k*(i%7+1)+i)%len(keptExpressions)]
			size := sizes[(i/3+k)%len(sizes)]
			key := fmt.Sprint(size, expression, i%different)
			if _, known := want[key]; !known {
				want[key] = outcome(Evaluate(expression, document, size))
			}
			require.Equal(t, want[key], outcome(e.Evaluate(expression, document, size)), "%s on %s", expression, document)
		}
	}
	require.Len(t, e.programs, len(keptExpressions), "nothing was compiled twice")
}

// TestRule8_7_KeptIsAsNewForTheSuite does so for the test suite of JMESPath, of which not all is kept at once.
func TestRule8_7_KeptIsAsNewForTheSuite(t *testing.T) {
	var e Evaluator
	for _, s := range complianceSuites(t) {
		for range 2 {
			for _, c := range s.Cases {
				require.Equal(t, outcome(Evaluate(c.Expression, s.Given, roomy)), outcome(e.Evaluate(c.Expression, s.Given, roomy)), c.Expression)
			}
		}
	}
}

// TestRule8_7_NothingOfADocumentIsKept: neither of one that was evaluated nor of one that failed, in whatever way.
func TestRule8_7_NothingOfADocumentIsKept(t *testing.T) {
	const expression = "[{a: a, b: b}, {b: b, a: a}, abs(c)]"
	var e Evaluator
	check := func(document string, size int) string {
		got := outcome(e.Evaluate(expression, []byte(document), size))
		require.Nil(t, e.programs[expression].orders.made, document)
		return got
	}
	const good, want = `{"a":1,"b":2,"c":-3}`, `[{"a":1,"b":2},{"b":2,"a":1},3]`
	require.Equal(t, want, check(good, roomy))
	require.Contains(t, check(`{"a":1,"b":2,"c":"text"}`, roomy), "error")
	require.Contains(t, check(good, 5), "error")
	require.Contains(t, check(`{"a":1`, roomy), "error")
	require.Contains(t, check(`{"a":`+strings.Repeat("[", MaxDepth-1)+strings.Repeat("]", MaxDepth-1)+`,"c":1}`, roomy), "error")

	p := e.programs[expression]
	whole := p.step
	p.step = func(v any) (any, error) {
		_, _ = whole(v)
		panic("tok_marker")
	}
	require.Contains(t, check(good, roomy), textInternal)
	p.step = whole
	require.Equal(t, want, check(good, roomy))
}

func TestRule8_7_WhatIsKeptIsBounded(t *testing.T) {
	large := func(i int) string { // of two pieces for each name and comparison
		return fmt.Sprintf("[x%d,%s]", i, strings.TrimSuffix(strings.Repeat("a==b,", 190), ","))
	}
	small := func(i int) string { return fmt.Sprintf("name%d", i) }
	for what, expression := range map[string]func(int) string{"large": large, "small": small} {
		var e Evaluator
		for i := range 3 * maxPrograms {
			_, err := e.Evaluate(expression(i), []byte(`{}`), roomy)
			require.NoError(t, err)
			_, err = e.Evaluate("refused"+expression(i)+"(", []byte(`{}`), roomy)
			require.Error(t, err)
			require.Contains(t, e.programs, expression(i), what)
			require.LessOrEqual(t, len(e.programs), maxPrograms)
			require.LessOrEqual(t, e.pieces, maxPieces)
			require.Len(t, e.order, len(e.programs))
			pieces := 0
			for _, kept := range e.order {
				pieces += e.programs[kept].pieces
			}
			require.Equal(t, pieces, e.pieces)
		}
	}
	var e Evaluator
	for i := range maxPrograms + 1 {
		_, err := e.Evaluate(small(i), []byte(`{}`), roomy)
		require.NoError(t, err)
	}
	require.NotContains(t, e.programs, small(0), "the oldest goes first")
	require.Contains(t, e.programs, small(1))
}
