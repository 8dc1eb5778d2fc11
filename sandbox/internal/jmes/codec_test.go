package jmes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule8_7_JSONOnly(t *testing.T) {
	for document, part := range map[string]string{
		"": "too early", " \n": "too early", "[1": "not JSON", "[1,": "too early", `{"a"`: "not JSON", `{"a":`: "too early", `"a`: "too early", `"a\`: "too early",
		`"a\u00`: "escape", "nul": "not JSON", "True": "not JSON", "NaN": "not JSON", "Infinity": "not JSON", "undefined": "not JSON",
		"01": "more after", "+1": "not JSON", "1.": "not JSON", ".5": "not JSON", "-": "not JSON", "1e": "not JSON", "1e+": "not JSON", "0x10": "more after", "--1": "not JSON",
		"[1,]": "not JSON", "[,1]": "not JSON", "[1 2]": "not JSON", `{"a":1,}`: "not JSON", "{,}": "not JSON", "{a:1}": "not JSON", `{"a" 1}`: "not JSON", `{1:1}`: "not JSON", "[}": "not JSON",
		"'a'": "not JSON", "// a\n1": "not JSON", "1 1": "more after", "{}{}": "more after", "[]x": "more after", "1,": "more after", "null\x00": "more after",
		"\ufeff1": "not JSON", "\"\xff\"": "UTF-8", "\"\xed\xa0\x80\"": "UTF-8", "\"\xc0\x80\"": "UTF-8",
		"\"a\nb\"": "control", "\"\x00\"": "control", "\"\\n\x1f\"": "control", `"\q"`: "escape", `"\u12g4"`: "escape", `"\U0041"`: "escape", `"\'"`: "escape",
		`"\ud800"`: "surrogate", `"\ud800\u0041"`: "surrogate", `"\udc00\ud800"`: "surrogate", `"\ud800x"`: "surrogate", `{"\udfff":1}`: "surrogate",
		`{"a":1,"a":1}`: "twice", `{"a":1,"\u0061":2}`: "twice", `[{"b":{"x":1,"y":2,"x":3}}]`: "twice",
	} {
		for _, expression := range []string{"@", "nothing", "`1`"} {
			out, err := Evaluate(expression, []byte(document), roomy)
			require.Nil(t, out)
			require.Equal(t, Document, problem(t, err).Kind, document)
			require.Contains(t, problem(t, err).Message, part, document)
		}
	}
}

func TestRule8_7_Text(t *testing.T) {
	for document, want := range map[string]string{
		`"\"\\\/\b\f\n\r\t\u0000\u001f"`:           `"\"\\/\b\f\n\r\t\u0000\u001f"`,
		`"<a href='x'>&amp;\u2028\u2029</a>"`:      "\"<a href='x'>&amp;\u2028\u2029</a>\"",
		`"\u00e9\u20AC\ud83d\ude00\uD83D\uDE00é😀"`: `"é€😀😀é😀"`,
		`"\u007f"`:    "\"\x7f\"",
		"\"\\ufffd\"": "\"\ufffd\"",
		` { "a" : [ 1 , true , null , { } , [ ] ] , "\u0062<" : "" } `: `{"a":[1,true,null,{},[]],"b<":""}`,
		"\t[\r\n]\n":           `[]`,
		`"plain \u0041 plain"`: `"plain A plain"`,
	} {
		require.Equal(t, want, evaluate(t, "@", document), document)
	}
	require.Equal(t, `"{\"a\":\"<&>é\"}"`, evaluate(t, "to_string(@)", `{"a":"<&>\u00e9"}`))
}

// TestRule8_7_PrototypeKeys: names that mean something in other languages are names.
func TestRule8_7_PrototypeKeys(t *testing.T) {
	const document = `{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":2}`
	runRows(t, []row{
		{"__proto__.polluted", document, "true"},
		{"polluted", document, "null"},
		{"constructor.prototype", document, "1"},
		{"constructor", `{}`, "null"},
		{"keys(merge(@, {hasOwnProperty: `1`}))", document, `["__proto__","constructor","hasOwnProperty","toString"]`},
	})
	require.Equal(t, "null", evaluate(t, "polluted", `{}`))
}
