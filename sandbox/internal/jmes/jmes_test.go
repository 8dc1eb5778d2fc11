package jmes

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const roomy = 1 << 20

// Evaluate is what a new Evaluator makes of an expression and a document.
func Evaluate(expression string, data []byte, maxOutput int) ([]byte, error) {
	return new(Evaluator).Evaluate(expression, data, maxOutput)
}

// evaluate applies an expression to a document and returns the result, or the error's text after "error: ".
func evaluate(t *testing.T, expression, document string) string {
	t.Helper()
	out, err := Evaluate(expression, []byte(document), roomy)
	if err != nil {
		return "error: " + problem(t, err).Error()
	}
	return string(out)
}

func problem(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	require.True(t, errors.As(err, &e), "%T is no *Error: %v", err, err)
	require.NotEmpty(t, e.Message)
	require.NotContains(t, e.Message, textInternal)
	return e
}

type row struct{ expression, document, want string }

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		require.Equal(t, r.want, evaluate(t, r.expression, r.document), "%s on %s", r.expression, r.document)
	}
}

func TestRule8_7_OrderOfMembers(t *testing.T) {
	const weather = `{"current":{"weather_code":3,"temperature_2m":7.5,"wind":{"speed":12}}}`
	runRows(t, []row{
		{"{temperatureC: current.temperature_2m, windKmh: current.wind.speed, weatherCode: current.weather_code}", weather,
			`{"temperatureC":7.5,"windKmh":12,"weatherCode":3}`},
		{"current", weather, `{"temperature_2m":7.5,"weather_code":3,"wind":{"speed":12}}`},
		{"{z: {y: @.a, x: @.b}, a: `1`}", `{"a":1,"b":2}`, `{"z":{"y":1,"x":2},"a":1}`},
		{"[*].{b: b, a: a}", `[{"a":1,"b":2},{"b":3,"a":4}]`, `[{"b":2,"a":1},{"b":3,"a":4}]`},
		{"[{b: b, a: a}, @]", `{"a":1,"b":2}`, `[{"b":2,"a":1},{"b":2,"a":1}]`},
		{"[{b: b, a: a}, @]", `{"a":1,"b":2,"A":0}`, `[{"b":2,"a":1},{"A":0,"a":1,"b":2}]`},
		{"merge({b: b}, {a: a})", `{"a":1,"b":2}`, `{"a":1,"b":2}`},
		{`{"ş b": a, "Z": b, "a\"": a}`, `{"a":1,"b":2}`, `{"ş b":1,"Z":2,"a\"":1}`},
		{"`{\"b\":1,\"a\":2}`", `null`, `{"a":2,"b":1}`},
		{"to_string({b: b, a: a})", `{"a":1,"b":2}`, `"{\"b\":2,\"a\":1}"`},
		// Two hashes with the same keys: each keeps its own order, and anything else has the first one's.
		{"{p: {a: a, b: b}, q: {b: b, a: a}, r: @}", `{"b":2,"a":1}`, `{"p":{"a":1,"b":2},"q":{"b":2,"a":1},"r":{"a":1,"b":2}}`},
		{"{q: {b: b, a: a}, p: {a: a, b: b}, r: @}", `{"a":1,"b":2}`, `{"q":{"b":2,"a":1},"p":{"a":1,"b":2},"r":{"b":2,"a":1}}`},
		{"[[*].{a: a, b: b}, reverse([*].{b: b, a: a})]", `[{"a":1,"b":2},{"a":3,"b":4}]`,
			`[[{"a":1,"b":2},{"a":3,"b":4}],[{"b":4,"a":3},{"b":2,"a":1}]]`},
	})
}

func TestRule8_7_OrderOfValues(t *testing.T) {
	const data = `{"m":{"c":{"n":3},"a":{"n":1},"b":{"n":2},"10":{"n":0},"é":{"n":5},"d":null}}`
	runRows(t, []row{
		{"keys(m)", data, `["10","a","b","c","d","é"]`},
		{"values(m)", data, `[{"n":0},{"n":1},{"n":2},{"n":3},null,{"n":5}]`},
		{"m.*", data, `[{"n":0},{"n":1},{"n":2},{"n":3},{"n":5}]`},
		{"m.*.n", data, `[0,1,2,3,5]`},
		{"m.*.n | [0]", data, `0`},
		{"m | *.n", data, `[0,1,2,3,5]`},
		{"*.*.n", data, `[[0,1,2,3,5]]`},
		{"[m].*.n", data, `null`},
		{"[m][*].*.n | [0][1]", data, `1`},
		{"{first: values(m)[0].n, all: m.*.[n]}", data, `{"first":0,"all":[[0],[1],[2],[3],[5]]}`},
		{"map(&keys(@), [m, m])[1][0]", data, `"10"`},
		{"sort_by(values(m)[?@], &n)[-1]", data, `{"n":5}`},
		{"merge(m, {a: `9`}).*[]", data, `[{"n":0},9,{"n":2},{"n":3},{"n":5}]`},
		{"m.*[*].x", data, `[]`},
		{"n.*", data, `null`},
	})
}

// TestRule8_7_SameBytes holds the law that the same expression gives the same bytes for the same document.
func TestRule8_7_SameBytes(t *testing.T) {
	document := `{"m":{"k":{"x":1,"y":[2]}`
	for _, name := range strings.Split("abcdefghijlmnopqrstuvwz", "") {
		document += `,"` + name + `":{"x":"` + name + `","y":["` + name + `"]}`
	}
	document += `}}`
	for _, expression := range []string{
		"@", "m.*", "*", "*.*", "values(m)", "keys(m)", "m.*.x", "m.*.y[]", "m.*.{y: y, x: x}", "m.*.[x, y] | [3]", "values(m)[?x > `0`]",
		"map(&values(@), values(m))", "to_string(m)", "to_array(m)[0].*", "join(',', keys(m))", "max(keys(m))", "m.*.y | [0]", "[m.*.x][0]",
		"sort_by(values(m)[1:3], &x)", "max_by(values(m)[1:], &x)", "m | *.y[0]", "!m.k && @", "{v: m.*.x, k: keys(m), m: merge(m, m)}",
		"{p: m.*.{a: x, b: y}, q: m.*.{b: y, a: x}}", "not_null(a, m.*)", "contains(m.*.x, 'a')", "m.* == values(m)", "values(@)[].*.x",
	} {
		want := evaluate(t, expression, document)
		for range 50 {
			require.Equal(t, want, evaluate(t, expression, document), expression)
		}
	}
}

// TestRule8_7_DataIsNotChanged: what is evaluated first does not show in what is evaluated next.
func TestRule8_7_DataIsNotChanged(t *testing.T) {
	runRows(t, []row{
		{"[sort_by(d, &@), d]", `{"d":[3,1,2]}`, `[[1,2,3],[3,1,2]]`},
		{"[sort_by(d, &n)[*].n, d[*].n]", `{"d":[{"n":2},{"n":1}]}`, `[[1,2],[2,1]]`},
		{"[*].[sort_by(`[3,1,2]`, &@), `[3,1,2]`] | [1]", `[1,2]`, `[[1,2,3],[3,1,2]]`},
		{"[sort(d), reverse(d), d]", `{"d":["b","a"]}`, `[["a","b"],["a","b"],["b","a"]]`},
		{"[merge(d, {a: `2`}), d]", `{"d":{"a":1}}`, `[{"a":2},{"a":1}]`},
	})
}

func TestRule8_7_ExpressionLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(", n) + "@" + strings.Repeat(")", n) }
	for _, expression := range []string{
		"a", `"` + strings.Repeat("ş", MaxLength-2) + `"`, strings.Repeat("a|", 499) + "a", nested(maxNesting - 1),
		strings.Repeat("a.", 499) + "a", strings.Repeat("!", maxNesting-1) + "@", "`" + strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting) + "`",
		strings.Repeat("[0]", 333), " \t\r\na\n", "[0:1000000000:-1000000000]",
	} {
		_, err := Check(expression)
		require.NoError(t, err, expression)
	}
	for expression, part := range map[string]string{
		"":                                   "empty",
		" \n ":                               "empty",
		strings.Repeat("a", MaxLength+1):     "1,000 characters",
		strings.Repeat("ş", MaxLength+1):     "1,000 characters",
		"\xff":                               "UTF-8",
		"'\xc3'":                             "UTF-8",
		nested(maxNesting):                   "64 levels",
		nested(490):                          "64 levels",
		strings.Repeat("!", 990):             "64 levels",
		strings.Repeat("[", 990):             "64 levels",
		strings.Repeat("[?", 400):            "64 levels",
		strings.Repeat("{a:", 300):           "64 levels",
		strings.Repeat("*.", 400) + "a":      "64 levels",
		strings.Repeat("abs(", 240):          "64 levels",
		strings.Repeat("[*]", 300):           "64 levels",
		"`" + strings.Repeat("[", 900) + "`": "64 levels",
		"[1000000001]":                       "1,000,000,000",
		"[-99999999999999999999]":            "1,000,000,000",
		"[0:1:9223372036854775807]":          "1,000,000,000",
		"[::0]":                              "step",
		"a[1:2:-0]":                          "step",
	} {
		_, err := Check(expression)
		require.Error(t, err, expression)
		require.Contains(t, problem(t, err).Message, part, expression)
		require.Equal(t, Expression, problem(t, err).Kind)
		_, err = Evaluate(expression, []byte("null"), roomy)
		require.Contains(t, problem(t, err).Message, part, "Evaluate: %s", expression)
	}
}

func TestRule8_7_PanicIsAnError(t *testing.T) {
	var err error
	func() {
		defer recovered(&err)
		panic("tok_marker")
	}()
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, Error{Kind: Evaluation, Offset: -1, Message: textInternal}, *e)
	err = nil
	func() { defer recovered(&err) }()
	require.NoError(t, err)
}

// TestRule8_7_ResultIsBounded: a value that holds itself again and again is never expanded.
func TestRule8_7_ResultIsBounded(t *testing.T) {
	repeat := func(part string) string {
		return strings.TrimSuffix(strings.Repeat(part+"|", MaxLength/(len(part)+1)), "|")
	}
	for expression, document := range map[string]string{
		repeat("[@,@]"):                "1",
		repeat("{a:@,b:@}"):            "1",
		repeat("to_string([@,@])"):     "1",
		repeat("join('',[@,@])"):       `"a text"`,
		repeat("to_string({a:@,b:@})"): `"\"\\"`,
		"@":                            `"` + strings.Repeat("a", roomy) + `"`,
		"[*][*]":                       `[[` + strings.Repeat("1,", roomy/2) + `1]]`,
	} {
		out, err := Evaluate(expression, []byte(document), roomy)
		require.Nil(t, out)
		require.Equal(t, TooLarge, problem(t, err).Kind, expression)
	}
	for limit, ok := range map[int]bool{-1: false, 0: false, 4: false, 5: true, 6: true} {
		_, err := Evaluate("@", []byte(`"abc"`), limit)
		require.Equal(t, ok, err == nil, limit)
	}
	// Comparing such values takes no time either.
	double := repeat("[@,@]")[:6*70-1]
	require.Equal(t, "true", evaluate(t, "[("+double+") , ("+double+")] | [0] == [1]", "1"))
}

func TestRule8_7_Depth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	require.Equal(t, nested(MaxDepth), evaluate(t, "@", nested(MaxDepth)))
	require.Equal(t, "error: the data cannot be read: it nests deeper than 512 levels", evaluate(t, "@", nested(MaxDepth+1)))
	require.Equal(t, "error: the data cannot be read: it nests deeper than 512 levels", evaluate(t, "@", nested(500_000)))
	require.Equal(t, "error: the result nests deeper than 512 levels", evaluate(t, "[@]", nested(MaxDepth)))
	objects := strings.Repeat(`{"a":`, MaxDepth) + "1" + strings.Repeat("}", MaxDepth)
	require.Equal(t, objects, evaluate(t, "@", objects))
	require.Equal(t, "error: the result nests deeper than 512 levels", evaluate(t, "{a: @}", objects))
}
