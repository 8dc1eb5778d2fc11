package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRule5_3_UnknownFields(t *testing.T) {
	runRefused(t, Options{}, []refused{
		{"in a tool", inTool("«colour: red\n" + plainHTTP), "tools[0]", []string{`unknown field "colour"`, "known are name, title"}},
		{"at the top", head + "«Tools: []\n" + whole[len(head):], "", []string{`did you mean "tools"?`}},
		{"misspelled", inTool("http:\n  url: https://h/\n  «timeoutms: 500" + rawOutput), "tools[0].http", []string{`"timeoutMs"`}},
		{"of another place", inTool("«timeoutMs: 500\n" + plainHTTP), "tools[0]", []string{"belongs into defaults.http or tools[].http"}},
		{"of another format", inTool("«inputSchema: {type: object}\n" + plainHTTP), "tools[0]", []string{`did you mean "input"?`}},
		{"in a secret", inFile("secrets:\n  - name: A_TOKEN\n    «host: h\n    hosts: [h]\n", plainHTTP), "secrets[0]", []string{`did you mean "hosts"?`}},
		{"in output", inTool("http: {url: https://h/}\noutput: {raw: true, «selct: x}"), "tools[0].output", []string{`"select"`}},
		{"in annotations", inTool("annotations: {«readonly: true}\n" + plainHTTP), "tools[0].annotations", []string{"readonly"}},
		{"in defaults", head + "defaults:\n  «timeoutMs: 1\n" + whole[len(head):], "defaults", []string{"defaults.http"}},
		{"with control characters", inTool("«\"\\e[31m\\r\\nname\": red\n" + plainHTTP), "tools[0]", []string{`"\u001b[31m\r\nname"`}},
		{"with a bidi override", inTool("«\"\\u202ename\": red\n" + plainHTTP), "tools[0]", []string{`\u202ename`}},
		{"in an unknown object nothing more", inTool("«extra: {http: [a, {b: c}]}\n" + plainHTTP), "tools[0]", nil},
		{"very long", inTool("«" + strings.Repeat("x", 900) + ": 1\n" + plainHTTP), "tools[0]", []string{"x…"}},
		{"empty", inTool("«\"\": 1\n" + plainHTTP), "tools[0]", []string{`unknown field ""`}},
	})
}

func TestRule5_3_Structure(t *testing.T) {
	runRefused(t, Options{}, []refused{
		{"list at the root", "«[a]\n", "", []string{"must be an object", "a list"}},
		{"text at the root", "«just text\n", "", []string{"must be an object"}},
		{"no tools", "«" + head, "", []string{`"tools" is missing`}},
		{"empty tools", head + "tools: «[]\n", "tools", []string{"1 to 200", "found 0"}},
		{"201 tools", head + "tools: «[" + strings.Repeat("x,", 201) + "]\n", "tools", []string{"1 to 200", "201"}},
		{"tools as an object", head + "tools: «{a: b}\n", "tools", []string{"must be a list"}},
		{"no name", "«specVersion: 1\nversion: 1\n" + whole[len(head):], "", []string{`"name" is missing`}},
		{"blank name", strings.Replace(whole, "name: n", "name: «\"  \"", 1), "name", []string{"blank"}},
		{"name of 129", strings.Replace(whole, "name: n", "name: «"+strings.Repeat("ş", 129), 1), "name", []string{"129", "128"}},
		{"version of 65", strings.Replace(whole, `"1"`, "«"+strings.Repeat("1", 65), 1), "version", []string{"65", "64"}},
		{"tool without description", head + "tools:\n  - «name: t\n    " + strings.ReplaceAll(plainHTTP, "\n", "\n    ") + "\n", "tools[0]", []string{`"description" is missing`}},
		{"tool that is text", head + "tools: [«t]\n", "tools[0]", []string{"must be an object"}},
		{"method in lower case", inHTTP("url: https://h/\nmethod: «get"), "tools[0].http.method", []string{"write GET"}},
		{"unknown method", inHTTP("url: https://h/\nmethod: «FETCH"), "tools[0].http.method", []string{`"FETCH"`, `"PATCH"`}},
		{"CONNECT", inHTTP("url: https://h/\nmethod: «CONNECT"), "tools[0].http.method", nil},
		{"neither select nor raw", inTool("http: {url: https://h/}\noutput: «{}"), "tools[0].output", []string{`"select" or "raw"`}},
		{"both select and raw", inTool("http: {url: https://h/}\noutput: «{select: \"@\", raw: true}"), "tools[0].output", []string{"one is allowed"}},
		{"raw: false", inTool("http: {url: https://h/}\noutput: {raw: «false}"), "tools[0].output.raw", []string{"leave it out"}},
		{"raw: yes", inTool("http: {url: https://h/}\noutput: {raw: «yes}"), "tools[0].output.raw", []string{"must be true"}},
		{"schema with raw", inTool("http: {url: https://h/}\noutput: {raw: true, schema: «{type: object}}"), "tools[0].output.schema", []string{`"select"`}},
		{"no output", head + "tools:\n  - «name: t\n    description: d\n    http: {url: https://h/}\n", "tools[0]", []string{`"output" is missing`}},
		{"select too long", inTool("http: {url: https://h/}\noutput: {select: «" + strings.Repeat("a", 1_001) + "}"), "tools[0].output.select", []string{"1,001", "1,000"}},
		{"null in query", inHTTP("url: https://h/\nquery: {a: «null}"), "tools[0].http.query.a", []string{`write ""`}},
		{"nothing in query", inHTTP("url: https://h/\nquery: {a: «}"), "tools[0].http.query.a", []string{"nothing"}},
		{"null in a list in query", inHTTP("url: https://h/\nquery: {a: [b, «null]}"), "tools[0].http.query.a[1]", nil},
		{"object in query", inHTTP("url: https://h/\nquery: {a: «{b: c}}"), "tools[0].http.query.a", []string{"an object"}},
		{"list in a list in query", inHTTP("url: https://h/\nquery: {a: [«[b]]}"), "tools[0].http.query.a[0]", []string{"a list"}},
		{"list in headers", inHTTP("url: https://h/\nheaders: {A: «[b]}"), "tools[0].http.headers.A", []string{"a list"}},
		{"null in headers", inHTTP("url: https://h/\nheaders: {A: «~}"), "tools[0].http.headers.A", nil},
		{"null in form", inHTTP("url: https://h/\nmethod: POST\nform: {a: «null}"), "tools[0].http.form.a", nil},
		{"query as text", inHTTP("url: https://h/\nquery: «a=b"), "tools[0].http.query", []string{"names and values"}},
		{"body and form", inTool("http: «{url: https://h/, method: POST, body: 1, form: {a: b}}" + rawOutput), "tools[0].http", []string{"exclude each other"}},
		{"input as a list", inTool("input: «[a]\n" + plainHTTP), "tools[0].input", []string{"JSON Schema"}},
		{"input as true", inTool("input: «true\n" + plainHTTP), "tools[0].input", []string{"JSON Schema"}},
		{"secret in lower case", inFile("secrets: [«token]\n", plainHTTP), "secrets[0]", []string{`"token"`, "A-Z"}},
		{"secret as number", inFile("secrets: [«1]\n", plainHTTP), "secrets[0]", nil},
		{"secret as null", inFile("secrets: [«null]\n", plainHTTP), "secrets[0]", []string{"a name, or an object"}},
		{"secret of 129", inFile("secrets: [«"+strings.Repeat("A", 129)+"]\n", plainHTTP), "secrets[0]", nil},
		{"secret without hosts", inFile("secrets: [«{name: TOKEN}]\n", plainHTTP), "secrets[0]", []string{`"hosts" is missing`}},
		{"no hosts", inFile("secrets: [{name: TOKEN, hosts: «[]}]\n", plainHTTP), "secrets[0].hosts", []string{"1 to 32"}},
		{"33 hosts", inFile("secrets: [{name: TOKEN, hosts: «["+strings.Repeat("h,", 33)+"]}]\n", plainHTTP), "secrets[0].hosts", []string{"33"}},
		{"hosts as text", inFile("secrets: [{name: TOKEN, hosts: «api.example.com}]\n", plainHTTP), "secrets[0].hosts", []string{"[api.example.com]"}},
		{"101 secrets", inFile("secrets: «["+strings.Repeat("A,", 101)+"]\n", plainHTTP), "secrets", []string{"101"}},
		{"101 vars", inFile("vars: «["+strings.Repeat("A,", 101)+"]\n", plainHTTP), "vars", []string{"101"}},
		{"vars as an object", inFile("vars: «{A: b}\n", plainHTTP), "vars", []string{"must be a list"}},
		{"var with a dash", inFile("vars: [«A-B]\n", plainHTTP), "vars[0]", nil},
	})
}

func TestRule5_3_ToolNames(t *testing.T) {
	for _, name := range []string{"", "has space", "a/b", "a:b", "çay", `"a\n"`, strings.Repeat("x", 129)} {
		quoted := name
		if !strings.HasPrefix(name, `"`) {
			quoted = `"` + name + `"`
		}
		text := head + "tools:\n  - name: «" + quoted + "\n    description: d\n    " + strings.ReplaceAll(plainHTTP, "\n", "\n    ")
		refused{name, text, "tools[0].name", []string{"A-Z a-z 0-9 _ - ."}}.check(t, Options{})
	}
	for _, name := range []string{strings.Repeat("x", 128), "1", "a.b-c_D", "yes", "null_"} {
		noWarnings(t, strings.Replace(whole, "name: t", "name: "+name, 1), Options{})
	}
}

// TestRule5_3_Limits: both ends of every range, in every place that has it.
func TestRule5_3_Limits(t *testing.T) {
	limits := func(f *field) (fields []*field) {
		for _, sub := range f.fields {
			if sub.kind == kindInteger {
				fields = append(fields, sub)
			}
		}
		return fields
	}
	places := map[string]struct {
		fields []*field
		file   func(string) string
	}{
		"tools[0].http": {limits(&field{fields: httpFields}), func(line string) string { return inHTTP("url: https://h/\n" + line) }},
		"defaults.http": {limits(&field{fields: httpFields}), func(line string) string {
			return head + "defaults:\n  http:\n    " + line + "\n" + whole[len(head):]
		}},
		"tools[0].rateLimit": {limits(fieldRate), func(line string) string { return inTool("rateLimit:\n  " + line + "\n" + plainHTTP) }},
		"defaults.rateLimit": {limits(fieldRate), func(line string) string {
			return head + "defaults:\n  rateLimit:\n    " + line + "\n" + whole[len(head):]
		}},
	}
	for path, place := range places {
		for _, f := range place.fields {
			for _, value := range []int64{f.min, f.max} {
				noWarnings(t, place.file(fmt.Sprintf("%s: %d", f.name, value)), Options{})
			}
			for _, value := range []int64{f.min - 1, f.max + 1} {
				text := place.file(fmt.Sprintf("%s: %s%d", f.name, mark, value))
				refused{f.name, text, path + "." + f.name, []string{thousands(f.min), thousands(f.max)}}.check(t, Options{})
			}
		}
	}
}

// TestRule5_3_Defaults: a tool's own limit goes before that of defaults, and
// that before the table's.
func TestRule5_3_Defaults(t *testing.T) {
	s := noWarnings(t, whole, Options{})
	h := s.tools[0].http
	assert.Equal(t, [6]int64{10_000, 1 << 20, 20_000, 0, 60, 10}, limitsOf(s))
	assert.Equal(t, "GET", h.Method)

	defaults := "defaults:\n  http: {timeoutMs: 200, maxResponseBytes: 5, maxOutputChars: 6, followRedirects: 3}\n  rateLimit: {perMinute: 7, concurrency: 8}\n"
	s = noWarnings(t, inFile(defaults, plainHTTP), Options{})
	assert.Equal(t, [6]int64{200, 5, 6, 3, 7, 8}, limitsOf(s))

	own := "rateLimit: {perMinute: 9}\nhttp: {url: https://h/, timeoutMs: 300, followRedirects: 0}" + rawOutput
	s = noWarnings(t, inFile(defaults, own), Options{})
	assert.Equal(t, [6]int64{300, 5, 6, 0, 9, 8}, limitsOf(s))
}

func limitsOf(s *Spec) [6]int64 {
	h := s.tools[0].http
	return [6]int64{h.Timeout.Milliseconds(), h.MaxResponseBytes, int64(h.MaxOutputChars), int64(h.FollowRedirects), int64(h.PerMinute), int64(h.Concurrency)}
}

func TestRule5_3_ResponseForSelect(t *testing.T) {
	file := func(http, output string) string {
		return inTool("http: {url: https://h/, maxResponseBytes: " + http + "}\noutput: {" + output + "}")
	}
	noWarnings(t, file("8388608", `select: "@"`), Options{})
	noWarnings(t, file("52428800", "raw: true"), Options{})
	refused{"own", file("«8388609", `select: "@"`), "tools[0].http.maxResponseBytes", []string{"8,388,608", "sandbox", `"t"`}}.check(t, Options{})
	text := inFile("defaults:\n  http:\n    maxResponseBytes: «9000000\n", "http: {url: https://h/}\noutput: {select: \"@\"}")
	refused{"defaults", text, "defaults.http.maxResponseBytes", []string{`"t"`}}.check(t, Options{})
	refused{"raw", file("«52428801", "raw: true"), "tools[0].http.maxResponseBytes", []string{"52,428,800", "memory"}}.check(t, Options{})
}

func TestRule5_3_Annotations(t *testing.T) {
	s := noWarnings(t, whole, Options{})
	assert.Equal(t, hints{openWorld: true}, s.tools[0].hints)
	s = noWarnings(t, inTool("annotations: {title: T, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false}\n"+plainHTTP), Options{})
	assert.Equal(t, hints{readOnly: true, idempotent: true, destructive: new(false)}, s.tools[0].hints)
	assert.Equal(t, "T", s.tools[0].title)
	s = noWarnings(t, inTool("title: Own\nannotations: {title: T}\n"+plainHTTP), Options{})
	assert.Equal(t, "Own", s.tools[0].title)
}

// TestRule5_3_SchemaURL: $schema is for editors only.
func TestRule5_3_SchemaURL(t *testing.T) {
	noWarnings(t, "$schema: https://kervan.invalid/kervan.schema.json\n"+whole, Options{})
	refused{"number", "$schema: «[1]\n" + whole, "$schema", nil}.check(t, Options{})
}

func TestWholeNumbersOfEveryField(t *testing.T) {
	var walk func(f *field)
	walk = func(f *field) {
		if f.kind == kindInteger {
			assert.LessOrEqual(t, f.min, f.max, f.name)
			if f.def != nil {
				assert.GreaterOrEqual(t, f.integer(), f.min, f.name)
				assert.LessOrEqual(t, f.integer(), f.max, f.name)
			}
			assert.True(t, f.min == f.max || f.unit != "", f.name)
		}
		assert.NotEmpty(t, f.doc, f.name)
		assert.False(t, f.required && f.def != nil, f.name)
		for _, sub := range f.fields {
			walk(sub)
		}
		if f.item != nil {
			walk(f.item)
		}
	}
	for _, f := range table.fields {
		walk(f)
	}
}
