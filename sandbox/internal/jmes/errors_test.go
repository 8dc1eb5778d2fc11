package jmes

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule8_7_ErrorsNameFunctionAndTypes(t *testing.T) {
	const document = `{"n":null,"b":true,"i":1,"s":"text","l":[1,"a"],"e":[],"o":{"k":1},"nums":[1,2],"texts":["a","b"],"objects":[{"k":1},{"k":"a"},{}]}`
	for expression, want := range map[string]string{
		"abs('text')":                      "abs() takes a number, but got a string",
		"abs(n)":                           "abs() takes a number, but got null",
		"abs(b)":                           "abs() takes a number, but got a boolean",
		"abs(o)":                           "abs() takes a number, but got an object",
		"abs(l)":                           "abs() takes a number, but got an array of number and string",
		"abs(e)":                           "abs() takes a number, but got an empty array",
		"ceil(s)":                          "ceil() takes a number, but got a string",
		"floor(s)":                         "floor() takes a number, but got a string",
		"avg(l)":                           "avg() takes an array of numbers, but got an array of number and string",
		"sum(s)":                           "sum() takes an array of numbers, but got a string",
		"sum(texts)":                       "sum() takes an array of numbers, but got an array of string",
		"sum(n)":                           "sum() takes an array of numbers, but got null",
		"contains(i, 'a')":                 "contains() takes a string or an array as argument 1, but got a number",
		"contains(o, 'k')":                 "contains() takes a string or an array as argument 1, but got an object",
		"ends_with(s, i)":                  "ends_with() takes a string as argument 2, but got a number",
		"ends_with(n, s)":                  "ends_with() takes a string as argument 1, but got null",
		"starts_with(l, s)":                "starts_with() takes a string as argument 1, but got an array of number and string",
		"join(i, texts)":                   "join() takes a string as argument 1, but got a number",
		"join(s, nums)":                    "join() takes an array of strings as argument 2, but got an array of number",
		"join(s, s)":                       "join() takes an array of strings as argument 2, but got a string",
		"keys(l)":                          "keys() takes an object, but got an array of number and string",
		"values(n)":                        "values() takes an object, but got null",
		"length(i)":                        "length() takes a string, an array or an object, but got a number",
		"length(n)":                        "length() takes a string, an array or an object, but got null",
		"map(&k, o)":                       "map() takes an array as argument 2, but got an object",
		"map(&k, n)":                       "map() takes an array as argument 2, but got null",
		"max(l)":                           "max() takes an array of numbers or an array of strings, but got an array of number and string",
		"min([n])":                         "min() takes an array of numbers or an array of strings, but got an array of null",
		"sort(objects)":                    "sort() takes an array of numbers or an array of strings, but got an array of object",
		"sort(s)":                          "sort() takes an array of numbers or an array of strings, but got a string",
		"merge(o, n)":                      "merge() takes an object as argument 2, but got null",
		"merge(o, o, l)":                   "merge() takes an object as argument 3, but got an array of number and string",
		"merge(l)":                         "merge() takes an object as argument 1, but got an array of number and string",
		"reverse(o)":                       "reverse() takes a string or an array, but got an object",
		"sort_by(o, &k)":                   "sort_by() takes an array as argument 1, but got an object",
		"sort_by(objects, &k)":             "sort_by() orders by numbers only or by strings only, but its expression gave an array of null, number and string",
		"max_by(objects[:2], &k)":          "max_by() orders by numbers only or by strings only, but its expression gave an array of number and string",
		"min_by(objects[2:], &k)":          "min_by() orders by numbers only or by strings only, but its expression gave an array of null",
		"sort_by(nums, &abs(s))":           "abs() takes a number, but got null",
		"[?k] || l[?abs(@)]":               "abs() takes a number, but got a string",
		"{x: {y: [o.*.[@], abs(s)]}}":      "abs() takes a number, but got a string",
		"!abs(s)":                          "abs() takes a number, but got a string",
		"n || abs(s)":                      "abs() takes a number, but got a string",
		"b && abs(s)":                      "abs() takes a number, but got a string",
		"abs(s) == i":                      "abs() takes a number, but got a string",
		"i == abs(s)":                      "abs() takes a number, but got a string",
		"abs(s) < i":                       "abs() takes a number, but got a string",
		"abs(s)[]":                         "abs() takes a number, but got a string",
		"abs(s).*":                         "abs() takes a number, but got a string",
		"abs(s)[?@]":                       "abs() takes a number, but got a string",
		"abs(s)[*]":                        "abs() takes a number, but got a string",
		"abs(s)[0]":                        "abs() takes a number, but got a string",
		"map(&abs(@), l)":                  "abs() takes a number, but got a string",
		"objects[*].k.abs(@)":              "abs() takes a number, but got a string",
		"to_array(l)[].abs(@)":             "abs() takes a number, but got a string",
		"length(keys(abs(s)))":             "abs() takes a number, but got a string",
		"[`9007199254740993`] | sort(@)":   "sort() got a number beyond 2^53, or with more digits than a float64 holds, and would not be exact",
		"merge(o, {x: `1e400`}) | x < `1`": "< got a number beyond 2^53, or with more digits than a float64 holds, and would not be exact",
	} {
		_, err := Evaluate(expression, []byte(document), roomy)
		require.Error(t, err, expression)
		e := problem(t, err)
		require.Equal(t, Error{Kind: Evaluation, Offset: e.Offset, Message: want}, *e, expression)
		name, _, _ := strings.Cut(want, " ")
		require.True(t, strings.HasPrefix(expression[e.Offset:], strings.TrimSuffix(name, ")")), "%s: %d", expression, e.Offset)
	}
}

// marked has a word at every place where a document can have one.
const marked = `{"tok_marker":"tok_marker","s":"tok_marker","l":["tok_marker",{"tok_marker":1},["tok_marker"]],"o":{"tok_marker":{"tok_marker":"tok_marker"}},"n":null}`

// TestRule8_7_ErrorsShowNoData applies every function to every kind of value at every place.
func TestRule8_7_ErrorsShowNoData(t *testing.T) {
	values := []string{"@", "s", "l", "o", "n", "l[0]", "values(@)", "keys(@)", "[s, `1`]", "{a: s}", "`1`", "[s]", "o.*", "sort(keys(@))[0]"}
	failed := 0
	check := func(expression string) {
		_, err := Evaluate(expression, []byte(marked), 400)
		if err == nil {
			return
		}
		failed++
		require.NotContains(t, err.Error(), "tok_", expression)
		require.NotEqual(t, Expression, problem(t, err).Kind, expression)
	}
	for i := range functions {
		f := &functions[i]
		for _, a := range values {
			for _, b := range values {
				args := make([]string, len(f.params))
				for j := range args {
					args[j] = []string{a, b}[j]
					if f.param(j) == typeRef {
						args[j] = "&" + args[j]
					}
				}
				call := f.name + "(" + strings.Join(args, ", ") + ")"
				check(call)
				check("[" + call + "][?@]." + call)
				check("map(&" + call + ", l)")
				check(a + " < " + call)
			}
		}
	}
	require.Greater(t, failed, 1_000)
	for _, document := range []string{
		"tok_marker", `"tok_marker`, `{"tok_marker":1,"tok_marker":2}`, `"tok_marker\q"`, `["tok_marker",]`, `"tok_marker" "tok_marker"`, "\"tok_marker\xff\"", `"tok_marker\ud800"`, "tok_1", "1tok",
	} {
		_, err := Evaluate("@", []byte(document), roomy)
		require.Error(t, err, document)
		require.NotContains(t, err.Error(), "tok", document)
	}
}

// TestErrorText: the message and the hint, as a caller prints them.
func TestErrorText(t *testing.T) {
	_, err := Check("lenght(@)")
	require.EqualError(t, err, "there is no function lenght(); did you mean length()?")
	require.EqualError(t, fail(3, "a message"), "a message")
}

// TestErrorsAreReadable: nothing of an expression breaks a line of a log.
func TestErrorsAreReadable(t *testing.T) {
	for _, expression := range []string{
		"a\x1b[31m", "\x1b", "\u202e", "\u2028a", "`\x1b]0;x\x07`", "'a'\u0085", "{\"\x7f\u202e\": a, \"\x7f\u202e\": b}", "\"\u202e\"(@)", "\"a\\u001b\"(@)", "{\"a\\n\": a, \"a\\n\": b}",
		`a == "` + strings.Repeat("\u202e", 200) + `"`, "`" + strings.Repeat("\u200b", 300) + "`", strings.Repeat("x", 900) + "(@)", "[?a == \"\\u001b\"]",
	} {
		warnings, err := Check(expression)
		text := strings.Join(warnings, " ")
		if err != nil {
			text = err.Error()
		}
		require.NotEmpty(t, text, "%q", expression)
		require.Less(t, len(text), 700, "%q", expression)
		for _, r := range text {
			require.True(t, r == ' ' || r == '…' || r > ' ' && r < 0x7f, "%q shows %q: %s", expression, r, text)
		}
	}
}

// TestTextsAreFragments: messages and hints begin in lower case and end without a period; warnings are sentences.
func TestTextsAreFragments(t *testing.T) {
	for _, expression := range refusedExpressions() {
		_, err := Check(expression)
		for _, text := range []string{problem(t, err).Message, problem(t, err).Hint} {
			require.False(t, strings.HasSuffix(text, "."), text)
			require.Equal(t, strings.ToLower(text[:min(1, len(text))]), text[:min(1, len(text))], text)
		}
	}
	for _, w := range warned {
		warnings, err := Check(w.expression)
		require.NoError(t, err)
		for _, text := range warnings {
			require.True(t, strings.HasSuffix(text, "."), text)
			_, err := json.Marshal(text)
			require.NoError(t, err)
		}
	}
}
