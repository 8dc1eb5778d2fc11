package jmes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type refusal struct {
	expression string
	offset     int
	message    string // a part of it
	hint       string // a part of it
}

var refused = []refusal{
	// Characters.
	{"$.a", 0, "unexpected character '$'", "begins at the document"},
	{"a = b", 2, "unexpected character '='", "write =="},
	{"a - b", 2, "unexpected character '-'", `"a-b"`},
	{"a + b", 2, "unexpected character '+'", "no arithmetic"},
	{"a % b", 2, "unexpected character '%'", "no arithmetic"},
	{"a ? b", 2, "unexpected character '?'", "[?condition]"},
	{"[ ?a]", 2, "unexpected character '?'", "[?condition]"},
	{"şehir", 0, "unexpected character 'ş'", "in double quotes"},
	{"a\u0080", 1, `unexpected character '\u0080'`, ""},
	{"a.b#c", 3, "unexpected character '#'", ""},
	{"a ; b", 2, "unexpected character ';'", ""},
	{"a\u00a0", 1, `unexpected character '\u00a0'`, ""},
	{"a\fb", 1, `unexpected character '\f'`, ""},
	// Strings.
	{`"a`, 0, "no closing \"", ""},
	{`a."b\"`, 2, "no closing \"", ""},
	{"'a", 0, "no closing '", ""},
	{`'a\'`, 0, "no closing '", ""},
	{"`1", 0, "no closing `", ""},
	{`"a\qb"`, 2, "escape", ""},
	{`"\ud800"`, 1, "surrogate", ""},
	{"\"a\nb\"", 2, "control character", ""},
	{`'\\'`, 0, "backslashes", "`\"a\\\\\"`"},
	{`a == 'b\\'`, 5, "backslashes", "JSON string"},
	{`'a\\'b'`, 0, "backslashes", ""},
	{`'\\\\'`, 0, "backslashes", ""},
	{"`foo`", 0, "as JSON: it is not JSON", "'foo'"},
	{"a == `NY City`", 5, "as JSON: it is not JSON", "'NY City'"},
	{"``", 0, "as JSON: it ends too early", "'text'"},
	{"`01`", 0, "as JSON: there is more", "'01'"},
	{"`[1,]`", 0, "not JSON", "'text'"},
	{"`{\"a\":1,\"a\":2}`", 0, "twice", ""},
	{"`'a'`", 0, "not JSON", "'text'"},
	// Grammar.
	{"a..b", 2, `unexpected "."`, ""},
	{".a", 0, `unexpected "."`, ""},
	{"a.", 2, "too early", ""},
	{"a |", 3, "too early", ""},
	{"(a", 2, "too early", ""},
	{"a)", 1, `unexpected ")"`, "nothing that it could"},
	{"()", 1, `unexpected ")"`, "missing before it"},
	{"a b", 2, `unexpected "b"`, "comma or an operator"},
	{"a and b", 2, `unexpected "and"`, "&&"},
	{"a or b", 2, `unexpected "or"`, "||"},
	{"[?not a]", 6, `unexpected "a"`, ""},
	{"1", 0, `unexpected "1"`, "backticks"},
	{"a > 1", 4, `unexpected "1"`, "`1`"},
	{"a.1", 2, `unexpected "1"`, "[1]"},
	{"a-1", 1, `unexpected "-1"`, "backticks"},
	{"1a", 0, `unexpected "1"`, ""},
	{"a,b", 1, `unexpected ","`, ""},
	{"a:b", 1, `unexpected ":"`, ""},
	{"a ! b", 2, `unexpected "!"`, ""},
	{"a & b", 2, `unexpected "&"`, ""},
	{"a <> b", 3, `unexpected ">"`, ""},
	{"a*b", 1, `unexpected "*"`, ""},
	{"**", 1, `unexpected "*"`, ""},
	{"a.*b", 3, `unexpected "b"`, ""},
	{"a.(b)", 2, `unexpected "("`, ""},
	{"a.[]", 2, `unexpected "[]"`, ""},
	{"a.[?b]", 2, `unexpected "[?"`, ""},
	{"a.[0]", 3, `unexpected "0"`, ""},
	{"a.'b'", 2, `unexpected "'b'"`, ""},
	{"a.@", 2, `unexpected "@"`, ""},
	{"a[b]", 2, "in [ ] after an expression", ".name"},
	{"a['b']", 2, "in [ ] after an expression", `."a name"`},
	{`a["b"]`, 2, "in [ ] after an expression", `."a name"`},
	{"a[`0`]", 2, "in [ ] after an expression", ""},
	{"a[ ]", 3, "in [ ] after an expression", ""},
	{"a[0", 3, "too early", ""},
	{"a[1.5]", 3, `unexpected "."`, ""},
	{"a[1 2]", 4, `unexpected "2"`, ""},
	{"a[1:2 3]", 6, `unexpected "3"`, ""},
	{"a[::1:]", 5, `unexpected ":"`, ""},
	{"[:::]", 3, `unexpected ":"`, ""},
	{"a[1:2:3:4]", 7, `unexpected ":"`, ""},
	{"a[*", 3, "too early", ""},
	{"a[*b]", 3, `unexpected "b"`, ""},
	{"a[?]", 3, `unexpected "]"`, ""},
	{"a[?b", 4, "too early", ""},
	{"[a,]", 3, `unexpected "]"`, ""},
	{"[,a]", 1, `unexpected ","`, ""},
	{"[a b]", 3, `unexpected "b"`, "comma"},
	{"{}", 1, `unexpected "}"`, ""},
	{"{a}", 2, `unexpected "}"`, ""},
	{"{a: b,}", 6, `unexpected "}"`, ""},
	{"{a:b c:d}", 5, `unexpected "c"`, "comma"},
	{"{a:b,,c:d}", 5, `unexpected ","`, ""},
	{"{'a': b}", 1, `unexpected "'a'"`, ""},
	{"{a: b, a: c}", 7, `"a" stands twice`, ""},
	{`{a: b, "\u0061": c}`, 7, `"a" stands twice`, ""},
	// Calls.
	{"@(foo)", 1, "only the name of a function", "without quotes"},
	{"'abs'(`1`)", 5, "only the name of a function", ""},
	{"(abs)(`1`)", 5, "only the name of a function", ""},
	{"a[0](b)", 4, "only the name of a function", ""},
	{"{a: b}(c)", 6, "only the name of a function", ""},
	{"`1`(@)", 3, "only the name of a function", ""},
	{"a.*(@)", 3, `unexpected "("`, ""},
	{"a[*](@)", 4, `unexpected "("`, ""},
	{"abs(`1`)(@)", 8, "only the name of a function", ""},
	{`"abs"(@)`, 0, "not quoted", "abs("},
	{"abs(`1`,)", 8, `unexpected ")"`, ""},
	{"join('a' b)", 9, `unexpected "b"`, "comma"},
	{"abs(,`1`)", 4, `unexpected ","`, ""},
	{"abs(`1`", 7, "too early", ""},
	{"lenght(@)", 0, "no function lenght()", "length()"},
	{"a[*].Keys(@)", 5, "no function Keys()", "keys()"},
	{"sortby(a, &b)", 0, "no function sortby()", "sort_by()"},
	{"items(@)", 0, "no function items()", "abs, avg"},
	{"abs(nosuch(@))", 4, "no function nosuch()", "values"},
	{"nosuch(@) < 'a'", 0, "no function nosuch()", ""},
	{"a.b(c)", 2, "no function b()", ""},
	{"abs()", 0, "abs() takes 1 argument, but has 0", ""},
	{"abs(a, b)", 0, "abs() takes 1 argument, but has 2", ""},
	{"join(',')", 0, "join() takes 2 arguments, but has 1", ""},
	{"merge()", 0, "merge() takes 1 argument or more, but has 0", ""},
	{"not_null()", 0, "not_null() takes 1 argument or more, but has 0", ""},
	{"sort_by(a)", 0, "sort_by() takes 2 arguments, but has 1", ""},
	{"sort_by(a, b)", 11, "sort_by() takes an expression with & as argument 2", "&price"},
	{"map(a, b)", 4, "map() takes an expression with & as argument 1", ""},
	{"sort_by(&a, a)", 8, "& is only for", "without &"},
	{"&a", 0, "& is only for", "without &"},
	{"[&a]", 1, "& is only for", ""},
	{"{a: &b}", 4, "& is only for", ""},
	{"a | &b", 4, "& is only for", ""},
	{"(&a)", 1, "& is only for", ""},
	{"&a == &a", 0, "& is only for", ""},
	{"length(&a)", 7, "& is only for", ""},
	{"type(&a)", 5, "& is only for", ""},
	{"map(&&a, b)", 4, `unexpected "&&"`, ""},
	{"map(&(&a), b)", 6, "& is only for", ""},
	{"map(&a || &b, c)", 10, "& is only for", ""},
	{"a && &b", 5, "& is only for", ""},
	// What implementations get wrong.
	{"*.type(@)", 0, "function after .*", "values(x)[*]"},
	{"h.*.type(@)", 2, "function after .*", "values(x)[*].name(@)"},
	{"h.*.not_null(@, 'x')", 2, "function after .*", ""},
	{"h.*.to_array(@)", 2, "function after .*", ""},
	{"h.*.length(@)", 2, "function after .*", ""},
	{"*.a.type(@)", 0, "function after .*", ""},
	{"*[0].type(@)", 0, "function after .*", ""},
	{"*.a.b[0].type(@)", 0, "function after .*", ""},
	{"*.values(@)[*].a", 0, "function after .*", ""},
	{"*.values(@)[?a]", 0, "function after .*", ""},
	{"*.values(@)[]", 0, "function after .*", ""},
	{"*.keys(@).a", 0, "function after .*", ""},
	{"h.*.*.type(@)", 4, "function after .*", ""},
	{"[*.type(@)]", 1, "function after .*", ""},
	{"h.[*.type(@)]", 3, "function after .*", ""},
	{"map(&*.type(@), h)", 5, "function after .*", ""},
	{"m.*.a.b", 5, "applied to the list", "values(x)[*].a.b"},
	{"m.*.a[0].b", 8, "applied to the list", ""},
	{"m.*[0].b", 6, "applied to the list", ""},
	{"m.*.a.{x: b}", 5, "applied to the list", ""},
	{"m.*.a.[b]", 5, "applied to the list", ""},
	{"m.*.a.*", 6, "applied to the list", ""},
	{"m.*.a.type(@)", 5, "applied to the list", ""},
	{"m.*.{x: a}.x", 10, "applied to the list", ""},
	{"l[*].{x: a}.x", 11, "applied to the list", "| [*].a"},
	{"l[?a].[a, b].c", 12, "applied to the list", ""},
	{"l[].{x: a}.*", 11, "applied to the list", ""},
	{"l[1:].{x: a}.x", 12, "applied to the list", ""},
	{"!a.b", 0, "!a.b means (!a).b", "!(a.b)"},
	{"[?!a.b]", 2, "!a.b means (!a).b", "!(a.b)"},
	{"!(a).b", 0, "!a.b means (!a).b", ""},
	{"!!a.b", 0, "!a.b means (!a).b", ""},
	{"!a[?b]", 0, "!a.b means (!a).b", ""},
	{"!a[]", 0, "!a.b means (!a).b", ""},
	{"!a.*", 0, "!a.b means (!a).b", ""},
	{"!a.{b: c}", 0, "!a.b means (!a).b", ""},
	{"!a.type(@)", 0, "!a.b means (!a).b", ""},
}

func refusedExpressions() []string {
	var list []string
	for _, r := range refused {
		list = append(list, r.expression)
	}
	return list
}

func TestRule8_7_Refused(t *testing.T) {
	for _, r := range refused {
		warnings, err := Check(r.expression)
		require.Error(t, err, r.expression)
		require.Nil(t, warnings)
		e := problem(t, err)
		require.Equal(t, Expression, e.Kind)
		require.Contains(t, e.Message, r.message, r.expression)
		require.Contains(t, e.Hint, r.hint, r.expression)
		require.Equal(t, r.offset, e.Offset, r.expression)
		out, err := Evaluate(r.expression, []byte("{}"), roomy)
		require.Nil(t, out)
		require.Equal(t, e, problem(t, err), r.expression)
	}
}

// TestRule8_7_NothingRightIsRefused: the neighbours of what is refused, and what the hints say to write.
func TestRule8_7_NothingRightIsRefused(t *testing.T) {
	const document = `{"h":{"p":1,"q":null,"r":[1]},"m":{"p":{"a":{"b":1},"l":[{"b":4}]},"q":{"a":{"b":2},"l":[{"b":5}]}},"l":[{"a":{"b":1}},{"a":{"b":2}}],"b":false,"a-b":7,"t":"a\\"}`
	runRows(t, []row{
		{"values(h)[*].type(@)", document, `["number","null","array"]`},
		{"map(&type(@), values(h))", document, `["number","null","array"]`},
		{"h.* | type(@)", document, `"array"`},
		{"(h.*).type(@)", document, `"array"`},
		{"(h.*)[*].type(@)", document, `["number","array"]`},
		{"h.*.[type(@)]", document, `[["number"],["array"]]`},
		{"h.*.{t: type(@)}", document, `[{"t":"number"},{"t":"array"}]`},
		{"h.*[*].type(@)", document, `[["number"]]`},
		{"h.*[?@].type(@)", document, `[["number"]]`},
		{"h.*[1:].type(@)", document, `[[]]`},
		{"h.*[].type(@)", document, `["number","number"]`},
		{"[h][*].type(@)", document, `["object"]`},
		{"length(h.*)", document, `2`},
		{"map(&type(@), h.*)", document, `["number","array"]`},
		{"values(m)[*].a.b", document, `[1,2]`},
		{"m | *.a.b", document, `[1,2]`},
		{"m.*.a | [*].b", document, `[1,2]`},
		{"m.*.a", document, `[{"b":1},{"b":2}]`},
		{"m.*.*.b", document, `[[1],[2]]`},
		{"m.*.[a.b]", document, `[[1],[2]]`},
		{"m.*.{b: a.b}", document, `[{"b":1},{"b":2}]`},
		{"m.*.l[*].b", document, `[[4],[5]]`},
		{"m.*.l[0]", document, `[{"b":4},{"b":5}]`},
		{"m.*.l[].b", document, `[4,5]`},
		{"m.*.l[0] | [*].b", document, `[4,5]`},
		{"(m.*.a)[1].b", document, `2`},
		{"l[*].{x: a} | [*].x.b", document, `[1,2]`},
		{"l[*].{x: a.b} | [?x > `1`]", document, `[{"x":2}]`},
		{"l[*].{x: a.b}[?x > `1`]", document, `[{"x":2}]`},
		{"l[*].[a.b][]", document, `[1,2]`},
		{"!(b.c)", document, `true`},
		{"!l[0]", document, `false`},
		{"!b && !c || d", document, `true`},
		{"(!b).c", document, `null`},
		{"!(l)[0]", document, `false`},
		{"!length(l)", document, `false`},
		{"!b == `true`", document, `true`},
		{`"a-b"`, document, `7`},
		{`t == 'a\'`, document, "error: a text has no closing '"},
		{"t == `\"a\\\\\"`", document, `true`},
		{`'a\b\\c\'d'`, document, `"a\\b\\\\c'd"`},
		{`'\\\''`, document, `"\\\\'"`},
		{"'`\"'", document, "\"`\\\"\""},
		{"`\"a\\`b\\\"\"`", document, "\"a`b\\\"\""},
		{"` 1 `", document, `1`},
		{"length (l)", document, `2`},
		{"l [ 0 ] . a", document, `{"b":1}`},
		{"l[-1:]", document, `[{"a":{"b":2}}]`},
		{"l[::-1].a.b", document, `[2,1]`},
		{"l[00]", document, `{"a":{"b":1}}`},
		{"l[0::]", document, `[{"a":{"b":1}},{"a":{"b":2}}]`},
		{"l[-0]", document, `{"a":{"b":1}}`},
		{`{"": b}`, document, `{"":false}`},
		{"sort_by(l, &(a.b))[-1].a.b", document, `2`},
		{"map(&a || b, l)[0].b", document, `1`},
		{"'a' < 'b'", document, `null`},
		{"h == h == `true`", document, `true`},
	})
}

// TestRule8_7_Mended: what go-jmespath computes in another way than the specification says.
func TestRule8_7_Mended(t *testing.T) {
	runRows(t, []row{
		{"contains(@, [1])", `[[1],[2]]`, "true"},
		{"contains(@, @[0])", `[[1],[2]]`, "true"},
		{"contains(@, `[3]`)", `[[1],[2]]`, "false"},
		{"contains(@, {a: `1`})", `[{"a":1.0}]`, "true"},
		{"contains(@, `null`)", `[null]`, "true"},
		{"contains(@, `1`)", `"text 1"`, "false"},
		{"contains(@, '')", `"text"`, "true"},
		{"contains(@, 'ex')", `"text"`, "true"},
		{"merge(@)", `{"a":1}`, `{"a":1}`},
		{"avg(@)", `[]`, "null"},
		{"*.[@]", `{"a":1,"b":null}`, `[[1]]`},
		{"[*.x, values(@)] | [1]", `{"b":1,"a":2}`, "[2,1]"},
		{"length(values(@))", `{"b":1,"a":null}`, "2"},
		{"to_string(@)", `{"b":"<","a":[1.50,null]}`, `"{\"a\":[1.50,null],\"b\":\"<\"}"`},
		{"to_string(@)", `"<"`, `"<"`},
		{"[to_string(`null`), to_string(`true`), to_string(`1.0`)]", "1", `["null","true","1.0"]`},
		{"sort_by(@, &k)", `[]`, "[]"},
		{"[max_by(@, &k), min_by(@, &k)]", `[]`, "[null,null]"},
		{"map(&k, @)", `[{"k":1},{}]`, "[1,null]"},
		{"sort_by(@, &`1`)", `[null,3,"a"]`, `[null,3,"a"]`},
		{"max_by(@, &k).i", `[{"k":"b","i":1},{"k":"c","i":2},{"k":"c","i":3}]`, "2"},
		{"min_by(@, &k).i", `[{"k":"b","i":1},{"k":"a","i":2},{"k":"a","i":3}]`, "2"},
		{"reverse(@)", `"aé😀"`, `"😀éa"`},
		{"length(@)", `"aé😀"`, "3"},
		{"sort(@)", `["b","é","a","Z","😀","\uffff"]`, "[\"Z\",\"a\",\"b\",\"é\",\"\uffff\",\"😀\"]"},
		{"not_null(@, `null`)", "null", "null"},
		{"[*].type(@)", `[1,null]`, `["number","null"]`},
		{"[].type(@)", `[1,[null,[]]]`, `["number","null","array"]`},
		{"[::-1].type(@)", `[1,null]`, `["null","number"]`},
		{"[:1].type(@)", `[null,1]`, `["null"]`},
		{"a[1:].type(@)", `{"a":[1,null,null]}`, `["null","null"]`},
		{"reverse(@)[1:].type(@)", `[1,null,"a"]`, `["null","number"]`},
		{"reverse(@)[].type(@)", `[1,[null]]`, `["null","number"]`},
		{"reverse(@)[1:]", `[1,null,"a"]`, `[1]`},
		{"reverse(@)[:]", `"abc"`, `null`},
		{"*[:1].[type(@)]", `{"a":[null,1],"b":[2]}`, `[[],[["number"]]]`},
		{"*[::2].a", `{"a":[null,1,{"a":3}],"b":"x"}`, `[[3]]`},
		{"*[:1].values(@)", `{"a":[{"x":null}]}`, `[[[null]]]`},
	})
}

var warned = []struct {
	expression string
	part       string // of the only warning; "" where there is none
}{
	{"'name'", "reads nothing"},
	{"`[1]`[0]", "reads nothing"},
	{"{a: 'x'}", "reads nothing"},
	{"abs(`1`)", "reads nothing"},
	{"@", ""},
	{"*", ""},
	{"[*]", ""},
	{"[0]", ""},
	{"{a: 'x', b: b}", ""},
	{"l[?a][0]", "each element"},
	{"l[?a][0].b", "each element"},
	{"l[?a][:2]", "each element"},
	{"l[?a] | [0]", ""},
	{"l[?a][*].b", "each element"},
	{"l[::-1][0]", "each element"},
	{"l[1:][*].b", "each element"},
	{"l[1:] | [0]", ""},
	{"l[1:].b[0]", ""},
	{"l[?a][].b", ""},
	{"l[?a][?b]", ""},
	{"l[][0]", ""},
	{"(l[?a])[0]", ""},
	{"l[?a].b[0]", ""},
	{"l[*][0]", ""},
	{"l[?a].b[?c]", "list of all results"},
	{"l[?a].b | [?c]", ""},
	{"l[*].b[?c]", ""},
	{"m.*.a[?c]", "list of all results"},
	{"m.*[?c]", ""},
	{"l[*].[a, b][0]", "list of all results"},
	{"l[*].{a: a}[?a]", ""},
	{"l[*].{a: a}[0]", ""},
	{`[?state == "NY"]`, `"NY" in double quotes is the name of a member. Write 'NY'`},
	{`[?"state" == 'NY']`, ""},
	{`[?a == b]`, ""},
	{`starts_with(name, "a b")`, `Write 'a b'`},
	{`ends_with(name, "a")`, `Write 'a'`},
	{`contains(tags, "a")`, `Write 'a'`},
	{`contains("my tags", 'a')`, ""},
	{`join(", ", tags)`, `Write ', '`},
	{`join(', ', "my tags")`, ""},
	{"[?date > '2024-01-01']", "> compares numbers only: with a string"},
	{"[?a < b]", ""},
	{"[?length(a) < `5`]", ""},
	{"[?a < b < c]", "< compares numbers only: with a boolean"},
	{"[?a >= [b]]", ">= compares numbers only: with an array"},
	{"[?`null` <= a]", "<= compares numbers only: with null"},
	{"[?type(a) < b]", "< compares numbers only: with a string"},
	{"abs('text') || a", "abs() always fails here: it takes a number, and argument 1 is a string."},
	{"sum(keys(@))", ""},
	{"sum(length(@))", "sum() always fails here"},
	{"length(length(@))", "length() always fails here"},
	{"keys(l[*])", "keys() always fails here: it takes an object, and argument 1 is null or an array."},
	{"sort(l[*].a)", ""},
	{"join(',', {a: a})", "join() always fails here"},
	{"abs(not_null(a, 'x'))", ""},
	{"abs(a || 'x')", ""},
}

func TestRule8_7_Warnings(t *testing.T) {
	for _, w := range warned {
		warnings, err := Check(w.expression)
		require.NoError(t, err, w.expression)
		if w.part == "" {
			require.Empty(t, warnings, w.expression)
			continue
		}
		require.NotEmpty(t, warnings, w.expression)
		require.Contains(t, warnings[0], w.part, w.expression)
	}
	warnings, err := Check(`[?a == "b" || c == "b" || d == "e"]`)
	require.NoError(t, err)
	require.Len(t, warnings, 2, "each text once")
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"lenght": "length", "len": "", "LENGTH": "length", "sum_by": "", "sorted": "sort", "keyz": "keys", "maxby": "max_by", "tostring": "to_string", "to_int": "",
		"startswith": "starts_with", "x": "", "": "", "ab": "abs", "mx": "max", "notnull": "not_null", "contain": "contains", "value": "values", "average": "",
	} {
		require.Equal(t, want, nearest(name), name)
	}
	require.Less(t, len(hintFunctions(strings.Repeat("x", 900))), 400)
}
