package template

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func mustBody(t testing.TB, tree any) *Body {
	t.Helper()
	b, err := ParseBody(tree)
	require.NoError(t, err)
	return b
}

func TestRule5_5_Body(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree any
		want string
	}{
		{"order as written", Object{{"z", "1"}, {"a", json.Number("2")}, {"m", nil}}, `{"z":"1","a":2,"m":null}`},
		{"a map is sorted", map[string]any{"b": true, "a": false}, `{"a":false,"b":true}`},
		{"types stay", []any{"{{input.text}}", "{{input.int}}", "{{input.yes}}", "{{input.none}}", "{{input.empty}}"}, `["a b",12345678901234567890,true,[],""]`},
		{"numbers keep their digits", []any{"{{input.exp}}", "{{input.minus}}", json.Number("1.0"), json.Number("0.10")}, `[1e21,-0,1.0,0.10]`},
		{"objects and arrays", Object{{"o", "{{input.object}}"}, {"l", "{{input.hole}}"}}, `{"o":{"<k>":"\u2028&","a":null,"b":2.50},"l":["a",null]}`},
		{"text around makes a string", []any{" {{input.int}}", "{{input.yes}}{{input.no}}", "n {{input.exp}}"}, `[" 12345678901234567890","truefalse","n 1e21"]`},
		{"blanks inside do not", []any{"{{  input.int }}"}, `[12345678901234567890]`},
		{"members are left out, null is sent", Object{{"a", "{{input.missing}}"}, {"b", "x"}, {"c", "{{input.null}}"}, {"d", "{{input.text.x}}"}}, `{"b":"x","c":null}`},
		{"all of them", Object{{"a", "{{input.missing}}"}, {"n", Object{{"b", "{{input.missing}}"}}}}, `{"n":{}}`},
		{"the last", Object{{"a", "x"}, {"b", "{{input.missing}}"}}, `{"a":"x"}`},
		{"elements are left out, null is sent", []any{"{{input.missing}}", "a", "{{input.null}}", "b", "{{input.missing}}"}, `["a",null,"b"]`},
		{"an array in a list stays one", []any{"{{input.list}}", []any{"{{input.list}}"}}, `[["x","y&z"],[["x","y&z"]]]`},
		{"no HTML escapes, line separators escaped", []any{"<b>&'\u2028\u2029", "x{{input.turkish}}\x00\x7f\""}, `["<b>&'\u2028\u2029","xş\u0000` + "\x7f" + `\""]`},
		{"vars and secrets are strings", []any{"{{vars.REGION}}", "{{secrets.TOKEN}}", "{{vars.EMPTY}}"}, `["eu-1","s3cr3t/öz=&token",""]`},
		{"literals", []any{`\{{ x }}`, "}}", ""}, `["{{ x }}","}}",""]`},
		{"a literal name", Object{{`\{{x}}`, "1"}, {"", "2"}, {"a/b~\"\u2028", "3"}}, `{"{{x}}":"1","":"2","a/b~\"\u2028":"3"}`},
		{"empty ones", []any{Object{}, []any{}, map[string]any{}, Object(nil), []any(nil)}, `[{},[],{},{},[]]`},
		{"a scalar as the root", "{{input.int}}", `12345678901234567890`},
		{"a string as the root", "x {{input.text}}", `"x a b"`},
		{"null as the root", nil, `null`},
		{"deep", Object{{"a", []any{Object{{"b", []any{"{{input.deep.er.x}}"}}}}}}, `{"a":[{"b":["found"]}]}`},
		{"__proto__ is a plain key", Object{{"__proto__", "{{input.__proto__}}"}, {"constructor", "x"}}, `{"__proto__":{"polluted":"own"},"constructor":"x"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mustBody(t, tt.tree).JSON(sample(), nil)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			require.True(t, json.Valid(got))
		})
	}
}

func TestRule5_5_BodyLeftOut(t *testing.T) {
	got, err := mustBody(t, "{{input.missing}}").JSON(sample(), nil)
	require.NoError(t, err)
	require.Nil(t, got)
}

func TestRule5_5_OneString(t *testing.T) {
	tree := Object{{"text", "note is {{input.note}}"}, {"other", "{{input.note}}"}}
	for _, note := range append(awkward, `x","admin":true,"y":"`, `"}`, `\"`, `\u0022`, "a,b:c") {
		got, err := mustBody(t, tree).JSON(Values{Input: map[string]any{"note": note}}, nil)
		if strings.Contains(note, "\xff") || strings.Contains(note, "\xc0") {
			requireError(t, err, `body at "/text"`, "input.note", "UTF-8")
			continue
		}
		require.NoError(t, err)
		var back map[string]any
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, map[string]any{"text": "note is " + note, "other": note}, back)
	}
}

func TestRule5_5_BodyRefused(t *testing.T) {
	for in, words := range map[string][]string{
		"x{{input.missing}}":  {"input.missing", "not given"},
		"{{input.null}}x":     {"input.null", "not given"},
		"x{{input.list}}":     {"input.list", "an array"},
		"x{{input.object}}":   {"input.object", "an object"},
		"{{vars.MISSING}}":    {"vars.MISSING", "no value"},
		"{{secrets.MISSING}}": {"secrets.MISSING", "no value"},
		"{{secrets.UNSET}}":   {"secrets.UNSET", "no value"},
		"{{input.bad}}":       {"input.bad", "UTF-8"},
		"x{{vars.BAD}}":       {"vars.BAD", "UTF-8"},
		"{{vars.BAD}}":        {"vars.BAD", "UTF-8"},
	} {
		got, err := mustBody(t, Object{{"a/b", []any{"x", in}}}).JSON(sample(), nil)
		requireError(t, err, `body at "/a~1b/1"`, words...)
		require.Nil(t, got)
		_, err = mustBody(t, in).JSON(sample(), nil)
		requireError(t, err, "body", words...)
	}
	for _, number := range []json.Number{`1,"admin":true`, "NaN", "01", " 1"} {
		_, err := mustBody(t, Object{{"a", "{{input.n}}"}}).JSON(Values{Input: map[string]any{"n": number}}, nil)
		requireError(t, err, `body at "/a"`, "input.n")
	}
}

func TestRule5_4_BodyNames(t *testing.T) {
	for _, tt := range []struct {
		tree    any
		pointer string
		say     string
	}{
		{Object{{"{{input.q}}", "x"}}, "/{{input.q}}", "cannot hold a template"},
		{Object{{"a", []any{Object{{"b", Object{{"x{{input.q}}", nil}}}}}}}, "/a/0/b/x{{input.q}}", "{{input.q}}"},
		{map[string]any{"{{secrets.Q}}": "x"}, "/{{secrets.Q}}", "cannot hold a template"},
		{Object{{"{{", "x"}}, "/{{", "not closed"},
		{Object{{"a", "x"}, {"a", "y"}}, "/a", "twice"},
		{Object{{`\{{`, "x"}, {`b~/`, Object{{"c", "{{ input }}"}}}}, "/b~0~1/c", "{{input.name}}"},
		{[]any{"x", "{{ input.a | upper }}"}, "/1", "no filters"},
		{"{{}}", "", "empty"},
		{[]any{json.Number("0x1")}, "/0", "number"},
		{[]any{json.Number("1 ")}, "/0", "number"},
		{Object{{"a", 3.5}}, "/a", "float64"},
		{Object{{"a\n", "{{"}}, "/a\n", `/a\n`},
	} {
		_, err := ParseBody(tt.tree)
		var e *BodyError
		require.ErrorAs(t, err, &e, "%v", tt.tree)
		require.Equal(t, tt.pointer, e.Pointer)
		require.Contains(t, e.Error(), tt.say)
		require.NotContains(t, e.Error(), "\n")
	}
	_, err := ParseBody(Object{{"a", "x{{"}})
	var syntax *SyntaxError
	require.True(t, errors.As(err, &syntax) && syntax.Offset == 1)
}

func TestRule5_4_BodyRefs(t *testing.T) {
	b := mustBody(t, Object{{"z/", []any{"{{input.a.b}} {{secrets.C}}"}}, {"a", "{{vars.D}}"}, {"n", "x"}})
	var got []string
	for _, r := range b.Refs() {
		got = append(got, r.Pointer+" "+r.String())
	}
	require.Equal(t, []string{"/z~1/0 input.a.b", "/z~1/0 secrets.C", "/a vars.D"}, got)
	b.Refs()[0].Pointer = "changed"
	require.Equal(t, "/z~1/0", b.Refs()[0].Pointer)
}

func TestRule6_3_BodyTaint(t *testing.T) {
	var taint Taint
	_, err := mustBody(t, Object{
		{"a", "{{secrets.TOKEN}}"},
		{"b", []any{Object{{"c", "key={{secrets.TOKEN}};{{input.int}}"}}}},
		{"d", "{{input.text}}"}, {"e", "{{vars.REGION}}"}, {"f", "x"},
	}).JSON(sample(), &taint)
	require.NoError(t, err)
	require.Equal(t, []string{secretValue, "key=" + secretValue + ";12345678901234567890"}, taint.Values)
}

// TestConcurrent renders one body in many goroutines: what was parsed is only read.
func TestConcurrent(t *testing.T) {
	b := mustBody(t, Object{{"a", "{{input.n}}"}, {"b", []any{"{{input.missing}}", "x{{input.n}}"}}})
	done := make(chan string)
	for range 8 {
		go func() {
			got, _ := b.JSON(Values{Input: map[string]any{"n": json.Number("7")}}, nil)
			done <- string(got)
		}()
	}
	for range 8 {
		require.Equal(t, `{"a":7,"b":["x7"]}`, <-done)
	}
}

func FuzzBody(f *testing.F) {
	for _, s := range awkward {
		f.Add("note is ", s, "key")
		f.Add(s, "x", s)
	}
	f.Fuzz(func(t *testing.T, before, x, key string) {
		name, err := ParseName(key)
		if err != nil || name == "z" {
			return
		}
		in := before + "{{input.x}}"
		text, err := Parse(in)
		if err != nil || len(text.Refs()) != 1 {
			return
		}
		v := Values{Input: map[string]any{"x": x, "o": map[string]any{x: []any{x}}}}
		got, err := mustBody(t, Object{{key, in}, {"z", []any{in, "{{input.o}}", "{{input.no}}"}}}).JSON(v, nil)
		if err != nil {
			return
		}
		var back map[string]any
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		want, _ := text.text("", v)
		if names := slices.Sorted(maps.Keys(back)); !slices.Equal(names, slices.Sorted(slices.Values([]string{name, "z"}))) {
			t.Fatalf("%s has the members %q", got, names)
		}
		require.Equal(t, want, back[name])
		require.Equal(t, []any{want, map[string]any{x: []any{x}}}, back["z"])
		if strings.ContainsAny(string(got), "\n\r\u2028\u2029") {
			t.Fatalf("%s has line ends", got)
		}
	})
}
