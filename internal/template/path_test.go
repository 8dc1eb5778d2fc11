package template

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestRule5_6_Path(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "/",
		"/":                              "/",
		"/a/b/":                          "/a/b/",
		"/a/{{input.int}}":               "/a/12345678901234567890",
		"/{{input.exp}}/{{input.minus}}": "/1e21/-0",
		"/{{input.yes}}/{{input.no}}":    "/true/false",
		"/{{input.text}}":                "/a%20b",
		"/{{input.slash}}/x":             "/a%2Fb/x",
		"/v{{input.exp}}.json":           "/v1e21.json",
		"/{{input.deep.er.x}}":           "/found",
		"/{{input.__proto__.polluted}}":  "/own",
		"/{{input.latin}}/şehir":         "/caf%C3%A9/%C5%9Fehir",
		"/{{vars.REGION}}/~a;b=c,d@e:f":  "/eu-1/~a;b=c,d@e:f",
		"/bot{{secrets.TOKEN}}/send":     "/bots3cr3t%2F%C3%B6z%3D%26token/send",
		"/a%2Fb/a b/{{input.int}}":       "/a%2Fb/a%20b/12345678901234567890",
		"/[a]|{b}":                       "/%5Ba%5D%7C%7Bb%7D",
		"/.well-known/..x/x../...":       "/.well-known/..x/x../...",
		`/\{{x}}`:                        "/%7B%7Bx%7D%7D",
	} {
		text := mustParse(t, in)
		require.NoError(t, text.CheckPath(), in)
		got, err := text.Path(sample(), nil)
		require.NoError(t, err, in)
		require.Equal(t, want, got)
	}
}

// Characters that end, part or hide a segment for one reader or another stay
// data, or the request is not sent.
func TestRule5_6_Values(t *testing.T) {
	for value, want := range map[string]string{
		"a/b":                  "/a%2Fb/e",
		`a\b`:                  "/a%5Cb/e",
		"a;b":                  "/a%3Bb/e",
		"?q#f":                 "/%3Fq%23f/e",
		"100%":                 "/100%25/e",
		"%41":                  "/%2541/e",
		"a+b&c=d":              "/a%2Bb%26c%3Dd/e",
		"@:!$'()*,":            "/%40%3A%21%24%27%28%29%2A%2C/e",
		"-._~":                 "/-._~/e",
		"...":                  "/.../e",
		"..a":                  "/..a/e",
		"a..":                  "/a../e",
		"v1.0":                 "/v1.0/e",
		"/a":                   "/%2Fa/e",
		"https://example.com/": "/https%3A%2F%2Fexample.com%2F/e",
		"\u00ad\u2028":         "/%C2%AD%E2%80%A8/e",

		"": "", ".": "", "..": "",
		"../admin": "", `..\admin`: "", "a../b": "", `a..\b`: "", "x/../y": "", `x\..\y`: "",
		"a\x00": "", "\x00": "", "a\nb": "", "\r": "", "\t": "", "\x7f": "", "\u0085": "", "\u009f": "",
		"a/..": "", `a\..`: "", "a/.": "", "./a": "", `.\a`: "", "a/./b": "", "/.": "", "/..": "",
		"..;": "", "..;x": "", ".;": "", "a/..;b/c": "", ".. ": "", " ..": "", "a/.. /b": "",
		"..?": "", "..#": "",
		"%2e%2e": "", "%2E.": "", ".%2e": "", "%2e": "", "a%2f..": "", "%2e%2e%2fadmin": "", "%2e%2e%5cadmin": "",
		"%252e%252e": "", "%25252e%25252e": "", "%2525252525252e": "", "%c0%ae%c0%ae": "", "..%00": "", "..%3b": "",
		"\uFF0E\uFF0E": "", "\u2025": "", "..\uFF0Fa": "", "..\u2215a": "", "\uFF0E": "", "..\uFF3Ca": "",
		"\xff": "", "\xc0\xae": "",
		"/": "", "//": "", `\`: "", " / ": "", " ": "", "%2f": "", "%252F%5c": "", "\u2215": "",
	} {
		v := Values{Input: map[string]any{"x": value}}
		got, err := mustParse(t, "/{{input.x}}/e").Path(v, nil)
		if want != "" {
			require.NoError(t, err, "%q", value)
			require.Equal(t, want, got)
			continue
		}
		require.Empty(t, got, "%q", value)
		requireError(t, err, "path", "input.x")
		if strings.ContainsFunc(value, unicode.IsControl) {
			require.Contains(t, err.Error(), "input.x, which holds a control character")
		}
	}
}

func TestRule5_6_NotScalar(t *testing.T) {
	for ref, words := range map[string][]string{
		"input.missing":   {"input.missing", "not given", "a string, a number or a boolean"},
		"input.null":      {"input.null", "not given"},
		"input.text.a":    {"input.text.a", "not given"},
		"input.deep.no.x": {"input.deep.no.x", "not given"},
		"input.null.x":    {"input.null.x", "not given"},
		"input.list":      {"input.list", "an array"},
		"input.object":    {"input.object", "an object"},
		"input.bad":       {"input.bad", "UTF-8"},
		"input.empty":     {"input.empty", "empty"},
		"input.dots":      {"input.dots", `".."`},
		"vars.MISSING":    {"vars.MISSING", "has no value"},
		"vars.EMPTY":      {"vars.EMPTY", "empty"},
		"vars.BAD":        {"vars.BAD", "UTF-8"},
		"secrets.MISSING": {"secrets.MISSING", "has no value"},
		"secrets.UNSET":   {"secrets.UNSET", "has no value"},
	} {
		var taint Taint
		got, err := mustParse(t, "/a/{{"+ref+"}}").Path(sample(), &taint)
		requireError(t, err, "path", words...)
		require.Empty(t, got)
		_, err = mustParse(t, "/{{secrets.TOKEN}}/x{{"+ref+"}}").Path(sample(), &taint)
		requireError(t, err, "path", words...)
	}
}

// What neither the literal text nor a value says alone, the whole must not say
// either.
func TestRule5_6_Assembled(t *testing.T) {
	for _, tt := range []struct{ path, x string }{
		{"/.{{input.x}}./s", ""},
		{"/%2{{input.x}}/s", "e"},
		{"/.%2{{input.x}}/s", "E"},
		{"/{{input.x}}/echo", ""},
		{"/.{{input.x}}/s", "."},
		{"/.{{input.x}}/s", "%2e"},
		{"/%2e{{input.x}}/s", "."},
		{"/%{{input.x}}/s", "2e"},
		{"/a%{{input.x}}/s", "41"},
		{"/a%2{{input.x}}", "F"},
		{"/%25{{input.x}}/s", "2e%2e"},
		{"/%25{{input.x}}2e./s", "25"},
		{"/..{{input.x}}/s", ";a"},
		{"/..{{input.x}}/s", "/a"},
		{"/..{{input.x}}/s", `\a`},
		{"/..{{input.x}}/s", " "},
		{"/..{{input.x}}/s", "\u2215a"},
		{"/{{input.x}}{{input.x}}/s", "."},
		{"/{{input.x}}./s", "a/."},
		{"/a{{input.x}}", "/.."},
		{"{{input.x}}", "/a"},
		{"{{input.x}}/a", "b"},
		{"a/{{input.x}}", "b"},
		{"/%C3{{input.x}}", "b"},
	} {
		got, err := mustParse(t, tt.path).Path(Values{Input: map[string]any{"x": tt.x}}, nil)
		requireError(t, err, "path")
		require.Empty(t, got, tt.path)
	}
}

func TestRule5_6_CheckPath(t *testing.T) {
	for in, say := range map[string]string{
		"/a/../b":           "another path",
		"/..":               "another path",
		"/.":                "another path",
		"/./a":              "another path",
		"/%2e%2E/a":         "another path",
		"/a/.%2e":           "another path",
		"/%252e%252e/a":     "another path",
		"/a%2F..%2Fb":       "another path",
		"/..;/a":            "another path",
		"/..;{{input.x}}/a": "another path",
		"/..%5C{{input.x}}": "another path",
		"/a//b":             "two slashes",
		"//a":               "two slashes",
		"/a//":              "two slashes",
		"/{{input.x}}//":    "two slashes",
		"/100%":             "%25",
		"/%2{{input.x}}":    "%25",
		"/%zz":              "%25",
		`/a\b`:              "%5C",
		"/a?b":              "%3F",
		"/a#b":              "%23",
		"/a\nb":             "control",
		"/a%0Ab":            "control",
		"/a%00":             "control",
		"/a\u0085":          "control",
		"/%C0%AE":           "UTF-8",
		"/%FF{{input.x}}":   "UTF-8",
		"a":                 "slash",
		"{{input.x}}/a":     "slash",
		" /a":               "slash",
	} {
		text := mustParse(t, in)
		requireError(t, text.CheckPath(), "path", say)
		_, err := text.Path(Values{Input: map[string]any{"x": "a"}}, nil)
		requireError(t, err, "path", say)
	}
	for _, in := range []string{"", "/", "/.{{input.x}}./s", "/{{input.x}}{{input.y}}", "/a%2Fb", "/%25", "/..{{input.x}}"} {
		require.NoError(t, mustParse(t, in).CheckPath(), in)
	}
}

func TestRule6_3_PathTaint(t *testing.T) {
	var taint Taint
	_, err := mustParse(t, "/a/bot{{secrets.TOKEN}}%20x/{{input.text}}/{{secrets.TOKEN}}{{input.int}}").Path(sample(), &taint)
	require.NoError(t, err)
	require.Equal(t, []string{"bot" + secretValue + " x", secretValue + "12345678901234567890"}, taint.Values)

	taint = Taint{}
	_, err = mustParse(t, "/{{input.text}}/{{vars.REGION}}").Path(sample(), &taint)
	require.NoError(t, err)
	require.Empty(t, taint.Values)
}

func FuzzPath(f *testing.F) {
	for _, s := range awkward {
		f.Add("/a/", s, "/e")
		f.Add("/.", s, "./e")
		f.Add("/%2", s, "")
		f.Add("/x%2F..", s, ";a/")
	}
	f.Fuzz(func(t *testing.T, before, x, after string) {
		text, err := Parse(strings.ReplaceAll(before, "{", "") + "{{input.x}}" + strings.ReplaceAll(after, "{", ""))
		if err != nil || len(text.Refs()) != 1 {
			return
		}
		escaped, err := text.Path(Values{Input: map[string]any{"x": x}}, nil)
		if err != nil {
			return
		}
		if text.CheckPath() != nil {
			t.Fatalf("%q is sent as %q although its literal text is refused", text, escaped)
		}
		u, err := url.Parse("https://h" + escaped)
		if err != nil || u.EscapedPath() != escaped || u.Host != "h" || u.RawQuery != "" || u.Fragment != "" {
			t.Fatalf("%q with %q is %q: %v, %v", text, x, escaped, u, err)
		}
		clean := path.Clean(escaped)
		if strings.HasSuffix(escaped, "/") && clean != "/" {
			clean += "/"
		}
		if clean != escaped {
			t.Fatalf("%q with %q is %q, normalised %q", text, x, escaped, clean)
		}
		if strings.ContainsFunc(u.Path, unicode.IsControl) || !utf8.ValidString(u.Path) {
			t.Fatalf("%q with %q has control characters: %q", text, x, escaped)
		}
		if segments := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' || r == '\\' }); slices.Contains(segments, "..") || slices.Contains(segments, ".") {
			t.Fatalf("%q with %q has dot segments once decoded: %q", text, x, escaped)
		}
		requireSegment(t, text, x, escaped)
	})
}

// requireSegment holds the value to its own segment, out of which it decodes
// to itself.
func requireSegment(t *testing.T, text *Text, x, escaped string) {
	literal := func(i int) string {
		s := text.parts[i].literal
		escaped, _ := escapeLiteral(s, pathKept, "")
		return escaped
	}
	before, after := literal(0), literal(len(text.parts)-1)
	if len(text.parts) == 2 {
		after = ""
	}
	middle, ok1 := strings.CutPrefix(escaped, before)
	middle, ok2 := strings.CutSuffix(middle, after)
	if !ok1 || !ok2 || strings.ContainsAny(middle, `/\;?#`) {
		t.Fatalf("%q with %q is %q", text, x, escaped)
	}
	if value, err := url.PathUnescape(middle); err != nil || value != x {
		t.Fatalf("%q with %q is %q, and %q decodes to %q", text, x, escaped, middle, value)
	}
}
