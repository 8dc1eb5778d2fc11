package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/template"
)

// TestRule5_2_Text: where a field is text, an unquoted scalar keeps its
// spelling.
func TestRule5_2_Text(t *testing.T) {
	for _, version := range []string{"1.20", "1", "0x1f", "017", "1_000", "1e3", ".5", "2024-01-02", "12:30", "on", "NO", "yes", "true", "False", "1.2.3", "~1", ".nan", "-.inf", "0b1", "+1", "3f7a9e2"} {
		s := noWarnings(t, strings.Replace(whole, `"1"`, version, 1), Options{})
		assert.Equal(t, version, s.Version())
		s = noWarnings(t, strings.Replace(whole, `"1"`, `"`+version+`"`, 1), Options{})
		assert.Equal(t, version, s.Version())
	}
	runRefused(t, Options{}, []refused{
		{"null", strings.Replace(whole, `"1"`, "«null", 1), "version", []string{"must be text", `"null" in quotes`}},
		{"tilde", strings.Replace(whole, `"1"`, "«~", 1), "version", []string{"must be text"}},
		{"nothing", strings.Replace(whole, ` "1"`, "«", 1), "version", []string{"found nothing"}},
		{"list", strings.Replace(whole, `"1"`, "«[a]", 1), "version", []string{"found a list"}},
		{"object", strings.Replace(whole, `"1"`, "«{a: b}", 1), "version", []string{"found an object"}},
	})
}

// TestRule5_2_Numbers: where a field is a number, only JSON's syntax is one.
func TestRule5_2_Numbers(t *testing.T) {
	file := func(value string) string { return inHTTP("url: https://h/\ntimeoutMs: " + value) }
	for value, want := range map[string]int64{"100": 100, "120000": 120_000, "1e3": 1_000, "5.0e2": 500, "1000.0": 1_000} {
		s := noWarnings(t, file(value), Options{})
		assert.Equal(t, want, s.tools[0].http.Timeout.Milliseconds(), value)
	}
	for value, fix := range map[string]string{
		"1_000": "write 1000", "01000": "write 1000", "0x3e8": "write 1000", "0o1750": "write 1000", "+1000": "write 1000",
		"1000.": "write 1000", "0b1111101000": "write 1000", `"1000"`: "write 1000", "'1000'": "write 1000", "1_0.0_0e2": "write 10.00e2",
		".5e3": "write 0.5e3", "00500": "write 500",
		".5": "a whole number from 100 to 120,000 (milliseconds)", "100.5": "whole number", ".inf": "whole number", ".nan": "whole number",
		"10s": `the text "10s"`, "null": "found nothing", "true": "found true", "[1000]": "a list", "99": "from 100", "120001": "to 120,000",
		"-1000": "from 100", "1e300": "from 100", "1e9999": "whole number", "12345678901234567890": "from 100", "1000 ms": "the text",
	} {
		refused{value, file(mark + value), "tools[0].http.timeoutMs", []string{fix}}.check(t, Options{})
	}
}

func TestRule5_2_SpecVersion(t *testing.T) {
	for value, says := range map[string]string{"2": "must be the number 1", `"1"`: "write 1", "01": "write 1", "0": "must be", "one": "the text"} {
		text := strings.Replace(whole, "specVersion: 1", "specVersion: "+mark+value, 1)
		refused{value, text, "specVersion", []string{says}}.check(t, Options{})
	}
}

// TestRule5_2_Booleans: only true and false are booleans.
func TestRule5_2_Booleans(t *testing.T) {
	file := func(value string) string { return inTool("annotations: {readOnlyHint: " + value + "}\n" + plainHTTP) }
	for _, value := range []string{"true", "false"} {
		s := noWarnings(t, file(value), Options{})
		assert.Equal(t, value == "true", s.tools[0].hints.readOnly)
	}
	for value, fix := range map[string]string{
		"yes": "write true", "on": "write true", "True": "write true", "TRUE": "write true", "y": "write true", `"true"`: "write true, without quotes",
		"no": "write false", "off": "write false", "False": "write false", "1": "the number 1", "null": "nothing", "[]": "a list",
	} {
		refused{value, file(mark + value), "tools[0].annotations.readOnlyHint", []string{"must be true or false", fix}}.check(t, Options{})
	}
}

const plainHTTP = "http: {url: https://example.com/}" + rawOutput

// TestRule5_2_Values: in a body an unquoted scalar is what it would be in
// JSON, and in query, headers and form it is text.
func TestRule5_2_Values(t *testing.T) {
	s := noWarnings(t, inHTTP(`url: https://h/
method: POST
query: {v: 1.20, b: true, o: 017, h: 0x1f, no: NO, d: 2024-01-02, l: [1, 1.0, yes]}
headers: {X-V: 1.20, X-B: false}
body: {i: 12345678901234567890, f: 1.20, e: 1e2, t: true, n: null, m: ~, z: , y: yes, d: 2024-01-02, time: 12:30, q: "1", v: 1.2.3, empty: ""}`), Options{})
	h := s.tools[0].http
	query, err := template.Query("", h.QueryFields, template.Values{}, nil)
	require.NoError(t, err)
	assert.Equal(t, "v=1.20&b=true&o=017&h=0x1f&no=NO&d=2024-01-02&l=1&l=1.0&l=yes", query)
	value, ok, err := h.Headers[0].Value.Header("X-V", template.Values{}, nil)
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, "1.20", value)
	body, err := h.Body.JSON(template.Values{}, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"i":12345678901234567890,"f":1.20,"e":1e2,"t":true,"n":null,"m":null,"z":null,"y":"yes","d":"2024-01-02","time":"12:30","q":"1","v":"1.2.3","empty":""}`, string(body))
}

func TestRule5_2_OddNumbersInBodies(t *testing.T) {
	file := func(value string) string { return inHTTP("url: https://h/\nmethod: POST\nbody: {a: [" + value + "]}") }
	for value, fix := range map[string]string{
		"017": `write 17 for the number, or "017" for the text`, "0x1F": "write 31", "0o17": "write 15", "0b101": "write 5", "1_000": "write 1000",
		".5": "write 0.5", "5.": "write 5", "+5": "write 5", "-.5": "write -0.5", "-0x10": "write -16", ".inf": `write ".inf"`, "-.INF": "no number of JSON",
		".NaN": `".NaN"`, "00": "write 0", "08": "write 8", "007.50": "write 7.50", "1e1000": "too long", strings.Repeat("9", 41): "too long",
		"0x" + strings.Repeat("f", 200): "no number of JSON",
	} {
		refused{value, file(mark + value), "tools[0].http.body.a[0]", []string{fix}}.check(t, Options{})
	}
}

// TestJSONSpelling: what is offered instead of an odd number is a number of
// JSON.
func TestJSONSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "-0", "+0": "0", "0_0": "0", "0x0": "0", "-0o7": "-7", "0_7": "7", "1__0": "10", "1.": "1", "1.e5": "1e5", "._5": "", "x": "",
		"": "", "-": "", "+": "", "0x": "", "1e": "", "--1": "", "+-1": "", "_1": "", "0e0": "0e0", "00e1": "0e1", "0.50": "0.50", "00.50": "0.50",
	} {
		assert.Equal(t, want, jsonSpelling(text), text)
	}
}

func FuzzScalar(f *testing.F) {
	for _, s := range []string{"017", "0x1F", "1_000", ".5", "-.inf", "1e5", "null", "+1.e3", "0b1", "~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if spelling := jsonSpelling(text); spelling != "" {
			require.True(t, isNumber(spelling), "%q → %q", text, spelling)
		}
		if isNumber(text) {
			require.True(t, looksNumeric(text), text)
			require.Equal(t, strings.TrimPrefix(text, "+"), jsonSpelling(text))
		}
		s := &issues{}
		scalarValue(&node{text: text, plain: true}, s)
		for _, i := range s.list {
			requireVisible(t, strings.ToValidUTF8(i.Message, ""))
		}
	})
}
