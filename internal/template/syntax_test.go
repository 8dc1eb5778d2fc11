package template

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule5_4_Syntax(t *testing.T) {
	long := "N" + strings.Repeat("1", 127)
	for _, tt := range []struct {
		in   string
		refs string // joined by blanks
		out  string // what String makes of it; "" the input itself
	}{
		{"", "", ""},
		{"plain", "", ""},
		{"{{input.a}}", "input.a", ""},
		{"{{ input.a }}", "input.a", "{{input.a}}"},
		{"{{   input.a.b_2._c  }}", "input.a.b_2._c", "{{input.a.b_2._c}}"},
		{"{{input.a}}{{vars.B}}{{ secrets.C }}", "input.a vars.B secrets.C", "{{input.a}}{{vars.B}}{{secrets.C}}"},
		{"x {{input.a}} y {{input.a}} z", "input.a input.a", ""},
		{"{{input.__proto__}}", "input.__proto__", ""},
		{"{{input.input}}{{input.vars}}", "input.input input.vars", ""},
		{"{{vars." + long + "}}", "vars." + long, ""},
		{`{"a":{{input.a}}}`, "input.a", ""},
		{"{{input.a}}}", "input.a", ""},
		{`{{input.a}}\`, "input.a", ""},
		{"ş{{input.a}}ş", "input.a", ""},
		{"a\x00{{input.a}}\n", "input.a", ""},
	} {
		text, err := Parse(tt.in)
		require.NoError(t, err, "%q", tt.in)
		var refs []string
		for _, r := range text.Refs() {
			refs = append(refs, r.String())
		}
		require.Equal(t, tt.refs, strings.Join(refs, " "), "%q", tt.in)
		if tt.out == "" {
			tt.out = tt.in
		}
		require.Equal(t, tt.out, text.String())
		_, literal := text.Literal()
		require.Equal(t, tt.refs == "", literal, "%q", tt.in)
	}
}

func TestRule5_4_Literals(t *testing.T) {
	for in, want := range map[string]string{
		`\{{ not }}`:     "{{ not }}",
		`\{{`:            "{{",
		`\{{\{{`:         "{{{{",
		`{\{{`:           "{{{",
		`\\{{ not }}`:    `\{{ not }}`,
		"a }} b":         "a }} b",
		"}}":             "}}",
		"{ {":            "{ {",
		`\{`:             `\{`,
		`\`:              `\`,
		`C:\dir`:         `C:\dir`,
		"{input.a}":      "{input.a}",
		"$ {a} ${B} %7B": "$ {a} ${B} %7B",
	} {
		text, ok := mustParse(t, in).Literal()
		require.True(t, ok, in)
		require.Equal(t, want, text)
	}
}

func TestRule5_4_Refused(t *testing.T) {
	for _, tt := range []struct {
		in     string
		offset int
		say    string // what the error must hold
	}{
		{"{{ input }}", 0, "{{input.name}}"},
		{"{{ input.a | upper }}", 0, "no filters"},
		{"{{input.a|upper}}", 0, "no filters"},
		{"{{ input['a'] }}", 0, "no index"},
		{"{{ input.a[0] }}", 0, "no index"},
		{"{{ input.0 }}", 0, "element of a list"},
		{"{{ input.a.1.b }}", 0, "element of a list"},
		{"{{ input.2fa }}", 0, "begins with a letter"},
		{"{{ input.a-b }}", 0, "rename"},
		{"{{ input.ş }}", 0, "ASCII"},
		{"{{ input.a() }}", 0, "no functions"},
		{"{{ input.a + 1 }}", 0, "no expressions"},
		{"{{ input.a input.b }}", 0, "one reference and nothing else"},
		{"{{ input . a }}", 0, "one reference"},
		{"{{input.a ?? 'x'}}", 0, "no expressions"},
		{"{{input.a\x00}}", 0, `input.a\x00`},
		{"{{\tinput.a}}", 0, "is not a reference"},
		{"{{input.a\n}}", 0, `input.a\n`},
		{"{{\u00a0input.a}}", 0, "is not a reference"},
		{"{{input.a\u200b}}", 0, `\u200b`},
		{"{{ env.HOME }}", 0, "{{vars.NAME}}"},
		{"{{ name }}", 0, "{{input.name}}"},
		{"{{ Input.a }}", 0, "did you mean input?"},
		{"{{ SECRETS.A }}", 0, "did you mean secrets?"},
		{"{{ args.a }}", 0, "{{input.name}}"},
		{"{{ this }}", 0, "{{input.this}}"},
		{"{{ secrets.lower }}", 0, "{{secrets.LOWER}}"},
		{"{{ vars.a.b }}", 0, "{{vars.A_B}}"},
		{"{{ vars }}", 0, "{{vars.NAME}}"},
		{"{{ vars.A.B }}", 0, "{{vars.A_B}}"},
		{"{{ secrets._A }}", 0, "{{secrets.NAME}}"},
		{"{{ secrets.N" + strings.Repeat("1", 128) + "}}", 0, "128 characters"},
		{"{{}}", 0, "empty"},
		{"{{  }}", 0, "empty"},
		{"ab{{}}", 2, "empty"},
		{"{{ input.a", 0, "not closed"},
		{"{{ input.a }", 0, "not closed"},
		{"x{{", 1, "not closed"},
		{"{{input.a}}{{", 11, "not closed"},
		{`\{{ x }} {{ y`, 9, "not closed"},
		{"{{ {{input.a}} }}", 0, "another brace"},
		{"{{{input.a}}}", 0, "another brace"},
		{"{{ input.a {{input.b}}", 0, "another brace"},
		{`{{ \{{ }}`, 0, "another brace"},
		{`{{input.a\}}`, 0, "is not a reference"},
		{"{{.}}", 0, "one dot"},
		{"{{input.}}", 0, "one dot"},
		{"{{input..a}}", 0, "one dot"},
		{"{{.input.a}}", 0, "one dot"},
		{"a\xff{{input.a}}", 1, "UTF-8"},
		{"{{input.\xc3}}", 8, "UTF-8"},
	} {
		_, err := Parse(tt.in)
		var e *SyntaxError
		require.ErrorAs(t, err, &e, "%q", tt.in)
		require.Equal(t, tt.offset, e.Offset, "%q", tt.in)
		require.Contains(t, e.Error(), tt.say)
		require.NotEmpty(t, e.Hint)
		require.Less(t, len(e.Error()), 700)
		for _, r := range e.Error() {
			require.GreaterOrEqual(t, r, ' ', "%q", e.Error())
		}
	}
}

func TestRule5_4_Names(t *testing.T) {
	name, err := ParseName("X-Id")
	require.NoError(t, err)
	require.Equal(t, "X-Id", name)
	name, err = ParseName(`a\{{b}}`)
	require.NoError(t, err)
	require.Equal(t, "a{{b}}", name)
	name, err = ParseName("")
	require.NoError(t, err)
	require.Empty(t, name)

	var e *SyntaxError
	_, err = ParseName(`\{{{ {{input.q}}`)
	require.ErrorAs(t, err, &e)
	require.Equal(t, 5, e.Offset)
	require.Contains(t, e.Error(), "{{input.q}}")
	_, err = ParseName("{{input.q")
	require.ErrorAs(t, err, &e)

	for s, want := range map[string]bool{
		"A": true, "A_1": true, "API_KEY": true, "A" + strings.Repeat("_", 127): true,
		"": false, "a": false, "Ab": false, "1A": false, "_A": false, "A-B": false, "Ş": false, "A ": false, "A\n": false,
		"A" + strings.Repeat("_", 128): false,
	} {
		require.Equal(t, want, IsName(s), "%q", s)
	}
}

func TestRule5_4_OnePass(t *testing.T) {
	v := sample()
	v.Vars["TPL"] = "{{secrets.TOKEN}}"
	v.Secrets["TPL"] = "{{vars.REGION}}"
	const want = `{{secrets.TOKEN}} {{secrets.TOKEN}} {{vars.REGION}}`
	in := mustParse(t, "{{input.tpl}} {{vars.TPL}} {{secrets.TPL}}")

	value, ok, err := in.Header("X", v, nil)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, value)

	path, err := mustParse(t, "/{{input.tpl}}").Path(v, nil)
	require.NoError(t, err)
	require.Equal(t, "/%7B%7Bsecrets.TOKEN%7D%7D", path)

	query, err := Query("", []Field{{Name: "q", Items: []*Text{mustParse(t, "{{input.tpl}}")}}}, v, nil)
	require.NoError(t, err)
	require.Equal(t, "q=%7B%7Bsecrets.TOKEN%7D%7D", query)

	body, err := ParseBody([]any{"{{input.tpl}}", "x {{input.tpl}}", "{{vars.TPL}}"})
	require.NoError(t, err)
	encoded, err := body.JSON(v, nil)
	require.NoError(t, err)
	require.Equal(t, `["{{secrets.TOKEN}}","x {{secrets.TOKEN}}","{{secrets.TOKEN}}"]`, string(encoded))

	// The parts of one value do not meet those of the next, either.
	v.Input = map[string]any{"a": "{{secrets", "b": ".TOKEN}}", "c": "{", "d": "{vars.REGION}}"}
	value, _, err = mustParse(t, "{{input.a}}{{input.b}}{{input.c}}{{input.d}}").Header("X", v, nil)
	require.NoError(t, err)
	require.Equal(t, "{{secrets.TOKEN}}{{vars.REGION}}", value)
}

func FuzzParse(f *testing.F) {
	for _, s := range append(awkward, "{{input.a}}", `\{{x}} {{ vars.A }}{`, `{\{{{`, "{{{input.a}}}", `\{{{{input.a}}`, "{{input.a.b}} }} {{secrets.B}}", "{{input.a") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := Parse(s)
		if err != nil {
			e, ok := err.(*SyntaxError)
			if !ok || e.Message == "" || e.Hint == "" || e.Offset < 0 || e.Offset > len(s) {
				t.Fatalf("%q: %#v", s, err)
			}
			return
		}
		again, err := Parse(text.String())
		if err != nil || again.String() != text.String() {
			t.Fatalf("%q is written %q and read as %v, %v", s, text, again, err)
		}
		literal, ok := text.Literal()
		if ok != (len(text.Refs()) == 0) {
			t.Fatalf("%q: literal %v with %d references", s, ok, len(text.Refs()))
		}
		if ok && literal != strings.ReplaceAll(s, `\{{`, "{{") {
			t.Fatalf("%q has the literal text %q", s, literal)
		}
		if _, single := text.Single(); single && strings.Count(s, "{{") != 1 {
			t.Fatalf("%q counts as one reference", s)
		}
	})
}
