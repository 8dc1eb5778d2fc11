package template

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule5_7_Values(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"plain":                      "plain",
		"{{input.text}}":             "a b",
		"{{input.empty}}":            "",
		"{{input.int}}":              "12345678901234567890",
		"{{input.no}}":               "false",
		"{{input.latin}} ÿ":          "caf\xe9 \xff",
		"Bearer {{secrets.TOKEN}}":   "Bearer s3cr3t/\xf6z=&token",
		"{{vars.REGION}}":            "eu-1",
		"{{vars.EMPTY}}":             "",
		"{{input.quote}}, \u00a0\"x": `x","admin":true,"y":"` + ", \xa0\"x",
		`\{{x}}`:                     "{{x}}",
	} {
		text := mustParse(t, in)
		require.NoError(t, text.CheckHeader("X-A"))
		got, ok, err := text.Header("X-A", sample(), nil)
		require.NoError(t, err, in)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
}

func TestRule5_7_Refused(t *testing.T) {
	for _, value := range []string{
		"a\rb", "a\nb", "a\r\nX-Evil: 1", "a\r\n b", "\x00", "a\x00", "a\tb", "\t", "\x1b[31m", "\x7f", "\u0080", "\u0085", "\u009f", // controls
		"ş", "\u0100", "\u2028", "\u2029", "日本", "\U0001F600", "\uFF21", "\u010d\u010a", // not Latin-1; the last two would be CR and LF if cut to a byte
		" a", "a ", " ",
	} {
		for _, in := range []string{"{{input.v}}", "{{vars.V}}", "{{secrets.V}}", "x{{input.v}}y"} {
			text := mustParse(t, in)
			got, ok, err := text.Header("X-Töken", Values{Input: map[string]any{"v": value}, Vars: map[string]string{"V": value}, Secrets: map[string]string{"V": value}}, nil)
			if _, single := text.Single(); !single && strings.Trim(value, " ") != value {
				require.NoError(t, err) // the blank is inside
				continue
			}
			requireError(t, err, `header "X-Töken"`)
			require.False(t, ok)
			require.Empty(t, got)
			for _, name := range []string{"input.v", "vars.V", "secrets.V", "Evil"} {
				require.NotContains(t, err.Error(), name, "only the header is named")
			}
		}
	}
	for _, in := range []string{"a\nb{{input.text}}", "{{input.text}}\r", "ş", "\t{{input.text}}", " {{input.text}}", "{{input.text}} ", " "} {
		requireError(t, mustParse(t, in).CheckHeader("A"), `header "A"`)
		_, _, err := mustParse(t, in).Header("A", sample(), nil)
		requireError(t, err, `header "A"`)
	}
	require.NoError(t, mustParse(t, "Bearer {{input.text}} {{input.text}}").CheckHeader("A"))
}

func TestRule5_5_Header(t *testing.T) {
	for _, in := range []string{"{{input.missing}}", "{{ input.null }}", "{{input.text.x}}", "{{input.deep.no.x}}"} {
		got, ok, err := mustParse(t, in).Header("X", sample(), nil)
		require.NoError(t, err)
		require.False(t, ok, in)
		require.Empty(t, got)
		for _, mixed := range []string{"a" + in, in + "b", in + "{{input.text}}", in + in} {
			_, ok, err := mustParse(t, mixed).Header("X", sample(), nil)
			requireError(t, err, `header "X"`, "input.", "not given")
			require.False(t, ok)
		}
	}
	for in, words := range map[string][]string{
		"{{input.list}}":      {"input.list", "an array"},
		"{{input.none}}":      {"input.none", "an array"},
		"{{input.object}}":    {"input.object", "an object"},
		"a {{input.object}}":  {"input.object", "an object"},
		"{{vars.MISSING}}":    {"vars.MISSING", "no value"},
		"{{secrets.MISSING}}": {"secrets.MISSING", "no value"},
		"{{secrets.UNSET}}":   {"secrets.UNSET", "no value"},
		"{{input.bad}}":       {"input.bad", "UTF-8"},
	} {
		_, ok, err := mustParse(t, in).Header("X", sample(), nil)
		requireError(t, err, `header "X"`, words...)
		require.False(t, ok)
	}
}

func TestRule5_7_Names(t *testing.T) {
	for _, name := range []string{"X-A", "accept", "Authorization", "Cookie", "User-Agent", "x_y", "!#$%&'*+-.^_`|~09", "Proxy", "Tea", "Content-Type", "Hosts"} {
		require.NoError(t, CheckHeaderName(name), name)
	}
	for _, name := range []string{"", " ", "X A", "X:", ":authority", "X-A ", "X\n", "X\r\nY", "ş", "é", "(x)", "a/b", `a"b`, "a\x00", "[a]", "{{input.a}}", "a,b", "a=b", "a@b"} {
		err := CheckHeaderName(name)
		require.ErrorContains(t, err, "not a header name", "%q", name)
		require.NotContains(t, err.Error(), "\n")
	}
	for _, name := range []string{"Host", "content-length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Proxy-Authorization", "proxy-connection", "PROXY-", "Accept-Encoding"} {
		for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			require.ErrorContains(t, CheckHeaderName(spelled), "managed", spelled)
		}
	}
}

func TestRule6_3_HeaderTaint(t *testing.T) {
	var taint Taint
	for _, in := range []string{"Bearer {{secrets.TOKEN}}", "{{secrets.TOKEN}}", "{{input.text}}", "{{vars.REGION}}", "a"} {
		_, _, err := mustParse(t, in).Header("X", sample(), &taint)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"Bearer " + secretValue, secretValue}, taint.Values)
}

func FuzzHeader(f *testing.F) {
	for _, s := range awkward {
		f.Add("Bearer ", s)
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, before, x string) {
		text, err := Parse(strings.ReplaceAll(before, "{", "") + "{{input.x}}")
		if err != nil || len(text.Refs()) != 1 {
			return
		}
		value, ok, err := text.Header("X-Fuzz", Values{Input: map[string]any{"x": x}}, nil)
		if err != nil {
			return
		}
		var wire strings.Builder
		r := httptest.NewRequest(http.MethodGet, "https://h/", nil)
		r.Header = http.Header{"X-Fuzz": {value}}
		if err := r.Write(&wire); err != nil || !ok {
			t.Fatalf("%q: %v, %v", value, ok, err)
		}
		got, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire.String())))
		if err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		if values := got.Header["X-Fuzz"]; len(values) != 1 || values[0] != value || len(got.Header) != 2 { // the other is User-Agent
			t.Fatalf("%q arrives as %q", value, got.Header)
		}
		runes := make([]rune, len(value))
		for i := range len(value) {
			runes[i] = rune(value[i])
		}
		if want := strings.ReplaceAll(before, "{", "") + x; string(runes) != want {
			t.Fatalf("%q is sent as %q", want, value)
		}
	})
}
