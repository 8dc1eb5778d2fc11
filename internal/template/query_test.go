package template

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func field(t testing.TB, name string, items ...string) Field {
	f := Field{Name: name, IsList: len(items) != 1}
	for _, item := range items {
		f.Items = append(f.Items, mustParse(t, item))
	}
	return f
}

func TestRule5_8_Query(t *testing.T) {
	for _, tt := range []struct {
		item string
		want string
	}{
		{"{{input.list}}", "tag=x&tag=y%26z"},
		{"{{input.none}}", ""},
		{"{{input.null}}", ""},
		{"{{input.missing}}", ""},
		{"{{input.text.x}}", ""},
		{"{{input.empty}}", "tag="},
		{"", "tag="},
		{"plain", "tag=plain"},
		{"{{input.int}}", "tag=12345678901234567890"},
		{"{{input.exp}}", "tag=1e21"},
		{"{{input.minus}}", "tag=-0"},
		{"{{input.yes}}", "tag=true"},
		{"{{input.no}}", "tag=false"},
		{"{{input.text}}", "tag=a%20b"},
		{"a {{input.int}}+{{input.empty}}", "tag=a%2012345678901234567890%2B"},
		{"{{input.crlf}}", "tag=a%0D%0AX-Evil%3A%201"},
		{"{{input.turkish}}", "tag=%C5%9F"},
		{"{{vars.REGION}}", "tag=eu-1"},
		{"{{vars.EMPTY}}", "tag="},
		{"{{secrets.TOKEN}}", "tag=s3cr3t%2F%C3%B6z%3D%26token"},
		{"-._~!*'()", "tag=-._~%21%2A%27%28%29"},
	} {
		got, err := Query("", []Field{field(t, "tag", tt.item)}, sample(), nil)
		require.NoError(t, err, tt.item)
		require.Equal(t, tt.want, got)
		form, err := Form([]Field{field(t, "tag", tt.item)}, sample(), nil)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(tt.want, "%20", "+"), form)
	}
}

func TestRule5_8_Refused(t *testing.T) {
	for item, words := range map[string][]string{
		"{{input.hole}}":      {"element 2 of input.hole", "null"},
		"{{input.nested}}":    {"element 1 of input.nested", "an array"},
		"{{input.object}}":    {"input.object", "an object"},
		"x{{input.list}}":     {"input.list", "an array"},
		"x{{input.none}}":     {"input.none", "an array"},
		"x{{input.object}}":   {"input.object", "an object"},
		"x{{input.null}}":     {"input.null", "not given"},
		"{{input.missing}}x":  {"input.missing", "not given"},
		"{{vars.MISSING}}":    {"vars.MISSING", "no value"},
		"{{secrets.MISSING}}": {"secrets.MISSING", "no value"},
		"{{secrets.UNSET}}":   {"secrets.UNSET", "no value"},
		"{{input.bad}}":       {"input.bad", "UTF-8"},
	} {
		got, err := Query("a=1", []Field{field(t, "tag[]", item)}, sample(), nil)
		requireError(t, err, `query parameter "tag[]"`, words...)
		require.Empty(t, got)
		got, err = Form([]Field{field(t, "tag", item)}, sample(), nil)
		requireError(t, err, `form field "tag"`, words...)
		require.Empty(t, got)
	}
	v := Values{Input: map[string]any{"l": []any{"a", map[string]any{}}, "u": []any{"\xff"}}}
	_, err := Query("", []Field{field(t, "t", "{{input.l}}")}, v, nil)
	requireError(t, err, `query parameter "t"`, "element 2 of input.l", "an object")
	_, err = Query("", []Field{field(t, "t", "{{input.u}}")}, v, nil)
	requireError(t, err, `query parameter "t"`, "element 1 of input.u", "UTF-8")
}

func TestRule5_8_Lists(t *testing.T) {
	got, err := Query("", []Field{
		field(t, "a", "x", "{{input.missing}}", "{{input.null}}", "{{input.int}}", "v{{input.yes}}"),
		field(t, "b"),
		field(t, "c d", "{{input.missing}}", "{{input.null}}"),
		field(t, "e&f=", "{{input.text}}", ""),
	}, sample(), nil)
	require.NoError(t, err)
	require.Equal(t, "a=x&a=12345678901234567890&a=vtrue&e%26f%3D=a%20b&e%26f%3D=", got)

	// An element of a list in the file is one scalar: an array in it would be a list in a list.
	_, err = Query("", []Field{field(t, "a", "x", "{{input.list}}")}, sample(), nil)
	requireError(t, err, `query parameter "a"`, "input.list", "an array")
}

func TestRule5_8_LiteralFirst(t *testing.T) {
	fields := []Field{field(t, "a", "{{input.text}}")}
	for literal, want := range map[string]string{
		"":                       "a=a%20b",
		"x=1":                    "x=1&a=a%20b",
		"a=1&a=2":                "a=1&a=2&a=a%20b",
		"x=%2f+%41&y[]={1}|;z/?": "x=%2f+%41&y[]={1}|;z/?&a=a%20b",
		"q=a b&ş=\"<>":           "q=a%20b&%C5%9F=%22%3C%3E&a=a%20b",
		"flag":                   "flag&a=a%20b",
	} {
		require.NoError(t, CheckQuery(literal))
		got, err := Query(literal, fields, sample(), nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := Query("x=1", []Field{field(t, "a", "{{input.missing}}")}, sample(), nil)
	require.NoError(t, err)
	require.Equal(t, "x=1", got)
	for _, literal := range []string{"a=100%", "%zz", "%", "a=%2", "a=1#f", "a\nb", "a=\x00", "\x7f"} {
		requireError(t, CheckQuery(literal), "query")
		_, err := Query(literal, fields, sample(), nil)
		requireError(t, err, "query")
	}
}

func TestRule5_8_Form(t *testing.T) {
	got, err := Form([]Field{field(t, "grant type", "client_credentials"), field(t, "scope", "{{input.list}}"), field(t, "no", "{{input.null}}"), field(t, "s", "{{secrets.TOKEN}}")}, sample(), nil)
	require.NoError(t, err)
	require.Equal(t, "grant+type=client_credentials&scope=x&scope=y%26z&s=s3cr3t%2F%C3%B6z%3D%26token", got)
	got, err = Form(nil, sample(), nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestRule6_3_QueryTaint(t *testing.T) {
	fields := []Field{field(t, "a", "{{secrets.TOKEN}}"), field(t, "b", "{{input.list}}"), field(t, "c", "x", "k:{{secrets.TOKEN}}", "{{vars.REGION}}")}
	want := []string{secretValue, "k:" + secretValue}
	var taint Taint
	_, err := Query("q=1", fields, sample(), &taint)
	require.NoError(t, err)
	require.Equal(t, want, taint.Values)
	taint = Taint{}
	_, err = Form(fields, sample(), &taint)
	require.NoError(t, err)
	require.Equal(t, want, taint.Values)
}

func FuzzQuery(f *testing.F) {
	for _, s := range awkward {
		f.Add("q=1", "a", s, "b")
		f.Add("", s, "a", s)
		f.Add(s, "a", "", "")
	}
	f.Fuzz(func(t *testing.T, literal, name, x, y string) {
		fields := []Field{field(t, name, "{{input.x}}"), field(t, "z", "{{input.x}}&{{input.y}}"), field(t, name, "{{input.list}}")}
		got, err := Query(literal, fields, Values{Input: map[string]any{"x": x, "y": y, "list": []any{y, x}}}, nil)
		if err != nil {
			return
		}
		u, err := url.Parse("https://h/?" + got)
		if err != nil || u.Path != "/" || u.Fragment != "" || u.RawQuery != got {
			t.Fatalf("%q: %v, %v", got, u, err)
		}
		if _, err := http.NewRequest(http.MethodGet, u.String(), nil); err != nil {
			t.Fatal(err)
		}
		pairs := strings.Split(got, "&")
		requirePairs(t, strings.Join(pairs[len(pairs)-4:], "&"), name, x, y)
		if before := strings.Join(pairs[:len(pairs)-4], "&"); unescape(before) != unescape(literal) {
			t.Fatalf("the literal query %q is sent as %q", literal, before)
		}
	})
}

func FuzzForm(f *testing.F) {
	for _, s := range awkward {
		f.Add("a", s, "b")
		f.Add(s, "a", s)
	}
	f.Fuzz(func(t *testing.T, name, x, y string) {
		fields := []Field{field(t, name, "{{input.x}}"), field(t, "z", "{{input.x}}&{{input.y}}"), field(t, name, "{{input.list}}")}
		got, err := Form(fields, Values{Input: map[string]any{"x": x, "y": y, "list": []any{y, x}}}, nil)
		if err != nil {
			return
		}
		requirePairs(t, got, name, x, y)
		r, _ := http.NewRequest(http.MethodPost, "https://h/", strings.NewReader(got))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if err := r.ParseForm(); err != nil || r.PostForm.Get("z") == "" {
			t.Fatalf("%q: %v", got, err)
		}
	})
}

// requirePairs asserts that the pairs of the fuzz targets arrive as they were given.
func requirePairs(t *testing.T, pairs, name, x, y string) {
	t.Helper()
	got, err := url.ParseQuery(pairs)
	if err != nil {
		t.Fatalf("%q: %v", pairs, err)
	}
	want := url.Values{}
	for _, pair := range [][2]string{{name, x}, {"z", x + "&" + y}, {name, y}, {name, x}} {
		want.Add(pair[0], pair[1])
	}
	require.Equal(t, want, got)
}
