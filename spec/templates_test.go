package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/template"
)

const someInput = `input:
  type: object
  properties:
    id: {type: string}
    city: {type: object, properties: {name: {type: string}}}
    open: {type: object}
    list: {type: array, items: {type: string}}
    any: {}
    ref: {$ref: "#/$defs/place"}
    either: {anyOf: [{type: object, properties: {left: {type: string}}}, {type: object, properties: {right: {type: string}}}]}
    closed: {type: object, additionalProperties: false}
    maps: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}
    pattern: {type: object, patternProperties: {"^x_": {type: string}}}
    mixed: {type: [object, "null"], properties: {x: {type: string}}}
  $defs:
    place: {type: object, properties: {street: {type: string}}}
`

// everywhere puts a value into each place that takes templates, and gives the
// path of it.
func everywhere(value string) map[string]string {
	file := func(http string) string {
		return inFile("vars: [V]\nsecrets: [S_TOKEN]\n", someInput+"http:\n  "+http+rawOutput)
	}
	return map[string]string{
		"tools[0].http.url":                  file(`url: ` + mark + `"https://h/` + value + `"`),
		"tools[0].http.query.q":              file(`url: "https://h/"` + "\n  query: {q: " + mark + `"` + value + `"}`),
		"tools[0].http.query.q[1]":           file(`url: "https://h/"` + "\n  query: {q: [a, " + mark + `"` + value + `"]}`),
		"tools[0].http.headers.X-A":          file(`url: "https://h/"` + "\n  headers: {X-A: " + mark + `"` + value + `"}`),
		"tools[0].http.body":                 file(`url: "https://h/"` + "\n  method: POST\n  body: " + mark + `"` + value + `"`),
		"tools[0].http.body.a[0].b[\"c.d\"]": file(`url: "https://h/"` + "\n  method: POST\n  body: {a: [{b: {c.d: " + mark + `"` + value + `"}}]}`),
		"tools[0].http.form.f":               file(`url: "https://h/"` + "\n  method: PUT\n  form: {f: " + mark + `"` + value + `"}`),
	}
}

func TestRule5_4_BadTemplates(t *testing.T) {
	for _, value := range []string{
		"{{ input }}", "{{ input.a | upper }}", "{{ input['a'] }}", "{{ input.0 }}", "{{ input.a-b }}", "{{ env.HOME }}", "{{ secrets.lower }}", "{{}}", "{{ input.a",
		"{{{input.id}}}", "{{input..id}}", "{{.input.id}}", "{{Input.id}}", "{{input.id }x}}", "{{#if input.id}}", "{{vars.V.x}}", "{{ş}}", "x{{input.id}}{{", "{{input.id()}}",
	} {
		for path, text := range everywhere(value) {
			t.Run(value+" in "+path, func(t *testing.T) {
				c := refused{path: path, text: text}
				clean, line, column := unmark(t, c.text)
				_, err := Load(t.Context(), []byte(clean), quietOptions())
				require.ErrorContains(t, err, fmt.Sprintf("kervan.yaml:%d:%d %s: ", line, column, path))
				requireVisible(t, err.Error())
			})
		}
	}
}

func TestRule5_4_References(t *testing.T) {
	for value, says := range map[string]string{
		"{{input.idd}}":           `did you mean "id"?`,
		"{{input.city.nam}}":      `did you mean "name"?`,
		"{{input.unheard}}":       `declare "unheard" in input.properties`,
		"{{input.city.zip.code}}": `declare "zip" in input.properties.city`,
		"{{input.id.x}}":          "input.id is declared as string",
		"{{input.list.first}}":    "input.list is declared as array",
		"{{input.closed.x}}":      "not declared",
		"{{input.either.middle}}": "not declared",
		"{{input.ref.stret}}":     `did you mean "street"?`,
		"{{input.maps.k.y}}":      "not declared",
		"{{input.mixed.y}}":       "not declared",
		"{{vars.W}}":              "vars.W is not listed; add W",
		"{{vars.S_TOKEN}}":        "vars.S_TOKEN is not listed",
		"{{secrets.S_TOKE}}":      "did you mean S_TOKEN?",
		"{{secrets.V}}":           "not listed",
	} {
		for path, text := range everywhere(value) {
			c := refused{value + " in " + path, text, path, []string{says}}
			t.Run(c.name, func(t *testing.T) { c.check(t, quietOptions()) })
		}
	}
	for _, value := range []string{
		"{{input.id}}", "{{ input.city.name }}", "{{input.open.a.b.c}}", "{{input.any.x}}", "{{input.ref.street}}", "{{input.either.left}}{{input.either.right}}",
		"{{input.maps.k.x}}", "{{input.pattern.x_1}}", "{{input.mixed.x}}", "{{vars.V}}", "{{secrets.S_TOKEN}}", `\\{{ not }}`, "a }} b", "a {b} {",
	} {
		for path, text := range everywhere(value) {
			clean, _, _ := unmark(t, text)
			_, err := Load(t.Context(), []byte(clean), quietOptions())
			require.NoError(t, err, "%s in %s", value, path)
		}
	}
}

// TestRule5_4_OpenInputs: where a schema says nothing of its members, all are
// there; where it names some, only those.
func TestRule5_4_OpenInputs(t *testing.T) {
	file := func(input string) string {
		return inTool("input: " + input + "\nhttp:\n  url: https://h/\n  query: {q: «\"{{input.anything.deep}}\"}" + rawOutput)
	}
	for _, input := range []string{
		"{type: object}", "{type: object, additionalProperties: true}", "{type: object, properties: {anything: {}}}", "{type: object, properties: {anything: true}}",
		"{type: object, allOf: [{properties: {anything: {type: object}}}]}", "{type: object, if: {required: [a]}, then: {properties: {anything: {}}}}",
		"{type: object, dependentSchemas: {a: {properties: {anything: {}}}}}", "{type: object, $ref: '#/$defs/a', $defs: {a: {properties: {anything: {$ref: '#/$defs/a'}, deep: {}}}}}",
		"{type: object, additionalProperties: {type: object}}", "{type: object, properties: {a: {}}, patternProperties: {'^any': {}}}",
	} {
		clean, _, _ := unmark(t, file(input))
		noWarnings(t, clean, Options{})
	}
	for _, input := range []string{
		"{type: object, additionalProperties: true, properties: {other: {}}}", "{type: object, additionalProperties: false}", "{type: object, properties: {anything: false}}",
		"{type: object, properties: {anything: {type: string}}}", "{type: object, properties: {anything: {properties: {deeper: {}}}}}", "{type: object, unevaluatedProperties: false}",
	} {
		refused{input, file(input), "tools[0].http.query.q", nil}.check(t, Options{})
	}
	none := inTool("http:\n  url: https://h/\n  query: {q: «\"{{input.x}}\"}" + rawOutput)
	refused{"none", none, "tools[0].http.query.q", []string{"the tool has no input"}}.check(t, Options{})
}

// TestRule5_4_FaultyInput: a schema with a fault of its own is reported once,
// without those that follow from it.
func TestRule5_4_FaultyInput(t *testing.T) {
	text := inTool("input: {type: object, properties: {x: {type: «strin}}}\nhttp:\n  url: https://h/\n  query: {q: \"{{input.y}}\"}" + rawOutput)
	refused{"input", text, "tools[0].input.properties.x.type", nil}.check(t, Options{})
}

func TestRule5_4_NamesAreLiteral(t *testing.T) {
	runRefused(t, quietOptions(), []refused{
		{"query", inHTTP("url: https://h/\nquery: {«\"{{input.q}}\": a}"), `tools[0].http.query["{{input.q}}"]`, []string{"cannot hold a template"}},
		{"form", inHTTP("url: https://h/\nmethod: POST\nform: {«\"{{input.q}}\": a}"), `tools[0].http.form["{{input.q}}"]`, nil},
		{"header", inHTTP("url: https://h/\nheaders: {«\"{{input.q}}\": a}"), `tools[0].http.headers["{{input.q}}"]`, []string{"not a header name"}},
		{"body", inHTTP("url: https://h/\nmethod: POST\nbody: {a: {b: {«\"{{input.q}}\": 1}}}"), `tools[0].http.body.a.b["{{input.q}}"]`, []string{"cannot hold a template"}},
		{"open braces in a name", inHTTP("url: https://h/\nmethod: POST\nbody: {«\"{{\": 1}"), `tools[0].http.body["{{"]`, []string{"not closed"}},
	})
	s := noWarnings(t, inHTTP(`url: https://h/
method: POST
query: {'\{{a}}': 1}
body: {'\{{a}}': 1}`), Options{})
	body, err := s.tools[0].http.Body.JSON(template.Values{}, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"{{a}}":1}`, string(body))
	assert.Equal(t, "{{a}}", s.tools[0].http.QueryFields[0].Name)
}

func TestRule5_3_Bodies(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		refused{method, inHTTP("url: https://h/\nmethod: " + method + "\nbody: «{a: 1}"), "tools[0].http.body", []string{"body cannot be sent with " + method}}.check(t, Options{})
		refused{method, inHTTP("url: https://h/\nmethod: " + method + "\nform: «{a: 1}"), "tools[0].http.form", []string{"form cannot be sent with " + method}}.check(t, Options{})
	}
	refused{"GET by default", inHTTP("url: https://h/\nbody: «{a: 1}"), "tools[0].http.body", []string{"GET"}}.check(t, Options{})
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		for _, body := range []string{"{a: 1}", "[1]", "text", "1", "null", "true", `""`} {
			s := noWarnings(t, inHTTP("url: https://h/\nmethod: "+method+"\nbody: "+body), Options{})
			assert.NotNil(t, s.tools[0].http.Body, body)
		}
	}
}

func TestRule5_7_Headers(t *testing.T) {
	header := func(line string) string { return inHTTP("url: https://h/\nheaders: {" + line + "}") }
	for _, name := range []string{
		"Host", "host", "TE", "te", "Accept-Encoding", "ACCEPT-ENCODING", "content-length", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade",
		"Trailer", "Proxy-Authorization", "proxy-connection", "PROXY-X",
	} {
		refused{name, header(mark + name + ": x"), "tools[0].http.headers." + name, []string{"managed"}}.check(t, Options{})
	}
	for _, name := range []string{"X A", "X:A", "X(A)", "Xş", "", "X/A", "X\\tA", "X\\r\\nB"} {
		text := header(mark + `"` + name + `": x`)
		clean, line, column := unmark(t, text)
		_, err := Load(t.Context(), []byte(clean), Options{})
		require.ErrorContains(t, err, fmt.Sprintf("kervan.yaml:%d:%d tools[0].http.headers", line, column), name)
	}
	refused{"same name", header("X-A: 1, «x-a: 2"), "tools[0].http.headers.x-a", []string{`"X-A"`}}.check(t, Options{})
	for _, value := range []string{`"a\r\nb"`, `"a\nb"`, `"a\0"`, `"a\tb"`, `"a\x7f"`, `"ş"`, `"€"`, `" a"`, `"a "`} {
		refused{value, header("X-A: " + mark + value), "tools[0].http.headers.X-A", nil}.check(t, Options{})
	}
	noWarnings(t, header(`Accept: text/html, X-Y: "café", x_z: "", Authorization: "Bearer x", User-Agent: "a (b)", Cookie: "a=b; c=d"`), Options{})
}

func TestDuplicateNames(t *testing.T) {
	second := strings.TrimPrefix(whole, head+"tools:\n")
	text := whole + strings.Replace(second, "name: t", "name: «t", 1)
	refused{"tools", text, "tools[1].name", []string{`"t" is taken`, "line 5"}}.check(t, Options{})
	refused{"vars", inFile("vars: [V, W, «V]\n", plainHTTP), "vars[2]", []string{"twice"}}.check(t, Options{})
	refused{"secrets", inFile("secrets:\n  - V_1\n  - name: «V_1\n    hosts: [h]\n", plainHTTP), "secrets[1].name", []string{"twice"}}.check(t, Options{})
	refused{"both", inFile("vars: [«V_1]\nsecrets: [V_1]\n", plainHTTP), "vars[0]", []string{"not redacted"}}.check(t, Options{})
}

// TestUnusedNamesOfFaultyFiles: a name whose use has a mistake is not said to
// be unused.
func TestUnusedNamesOfFaultyFiles(t *testing.T) {
	_, err := Load(t.Context(), []byte(inFile("vars: [REGION]\n", "http: {url: https://h/, query: {a: '{{vars.REGON}}'}}"+rawOutput)), Options{})
	require.ErrorContains(t, err, "did you mean REGION?")
	require.NotContains(t, err.Error(), "warning")
}

func TestUnusedNames(t *testing.T) {
	s := mustLoad(t, inFile("vars: [V]\nsecrets:\n  - A_TOKEN\n  - {name: B_TOKEN, hosts: [h]}\n", plainHTTP), Options{})
	var lines []string
	for _, w := range s.Warnings() {
		assert.Equal(t, SeverityWarning, w.Severity)
		lines = append(lines, fmt.Sprintf("%d:%d %s", w.Line, w.Column, w))
	}
	assert.Equal(t, []string{
		"4:8 vars[0]: V is never used; write {{vars.V}} where it belongs, or remove it",
		"6:5 secrets[0]: A_TOKEN is never used; write {{secrets.A_TOKEN}} where it belongs, or remove it",
		"7:12 secrets[1].name: B_TOKEN is never used; write {{secrets.B_TOKEN}} where it belongs, or remove it",
	}, lines)
}
