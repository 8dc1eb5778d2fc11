package spec

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/jsonx"
	"github.com/kervan-mcp/kervan/internal/schema"
	"github.com/kervan-mcp/kervan/kerventest"
)

// updating reports whether go test -update is running, whose flag kerventest
// has.
func updating() bool { return flag.Lookup(kerventest.UpdateFlag).Value.String() == "true" }

// TestEditorSchemaFile: go test ./spec -update writes the file.
func TestEditorSchemaFile(t *testing.T) {
	want, err := makeEditorSchema()
	require.NoError(t, err)
	if updating() {
		require.NoError(t, os.WriteFile("kervan.schema.json", want, 0o644))
		return
	}
	require.Equal(t, string(want), string(readEditorSchema(t)), "run go test ./spec -update")
}

func readEditorSchema(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("kervan.schema.json")
	require.NoError(t, err)
	return data
}

const (
	page      = "../docs/yaml-reference.md"
	pageBegin = "<!-- the table of package spec: go test ./spec -update -->\n"
	pageEnd   = "<!-- end of the table -->\n"
)

// TestReferencePage: go test ./spec -update writes the table into the page.
func TestReferencePage(t *testing.T) {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), pageBegin)
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, pageEnd)
	require.True(t, ok)
	if updating() {
		require.NoError(t, os.WriteFile(page, []byte(before+pageBegin+referenceTable()+pageEnd+after), 0o644))
		return
	}
	require.Equal(t, referenceTable(), table, "run go test ./spec -update")
}

// TestReferenceExample: the file on the page loads.
func TestReferenceExample(t *testing.T) {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	noWarnings(t, example, Options{Secrets: MapSecrets(map[string]string{"WEATHER_KEY": "abcdefgh"})})
}

// editorAccepts validates a file by the editor's schema, as an editor reads
// YAML.
func editorAccepts(t *testing.T, v *schema.Validator, text string) bool {
	t.Helper()
	s := &issues{}
	tree := parseYAML([]byte(text), s)
	require.Empty(t, s.list)
	return len(v.Validate(plainTree(tree))) == 0
}

// plainTree is a tree as YAML readers for editors make it.
func plainTree(n *node) any {
	switch n.kind {
	case listNode:
		list := []any{}
		for _, item := range n.items {
			list = append(list, plainTree(item))
		}
		return list
	case objectNode:
		object := map[string]any{}
		for _, m := range n.members {
			object[m.name] = plainTree(m.value)
		}
		return object
	}
	value := scalarValue(n, &issues{})
	if number, ok := value.(json.Number); ok {
		return number
	}
	return value
}

// TestEditorSchemaAgrees: an editor shows the mistakes of structure that the
// loader finds, and no others.
func TestEditorSchemaAgrees(t *testing.T) {
	text := bytes.Replace(readEditorSchema(t), []byte(`"http://json-schema.org/draft-07/schema#"`), []byte(`"https://json-schema.org/draft/2020-12/schema"`), 1)
	compact, err := jsonx.AppendCanonical(nil, text)
	require.NoError(t, err)
	v, err := schema.Compile(compact, schema.Options{})
	require.NoError(t, err)
	for _, good := range []string{
		whole, strings.Replace(whole, `"1"`, "1.20", 1), strings.Replace(whole, `"1"`, "true", 1), "$schema: x\ndescription: d\n" + whole,
		inFile("vars: [A]\nsecrets: [B, {name: C, hosts: [h]}]\ndefaults: {http: {timeoutMs: 100}, rateLimit: {perMinute: 1}}\n", plainHTTP),
		inTool("annotations: {readOnlyHint: true}\ninput: {type: object, properties: {a: {}}}\nhttp: {url: x, method: POST, body: [1], query: {a: 1, b: [x, true]}}\noutput: {select: a, schema: {type: object}}"),
	} {
		assert.True(t, editorAccepts(t, v, good), good)
	}
	for name, bad := range map[string]string{
		"unknown field":  inTool("colour: red\n" + plainHTTP),
		"missing field":  strings.Replace(whole, "name: n\n", "", 1),
		"no output":      strings.Replace(whole, "    output: {raw: true}\n", "", 1),
		"empty output":   strings.Replace(whole, "{raw: true}", "{}", 1),
		"both outputs":   strings.Replace(whole, "{raw: true}", "{raw: true, select: a}", 1),
		"raw false":      strings.Replace(whole, "{raw: true}", "{raw: false}", 1),
		"raw and schema": strings.Replace(whole, "{raw: true}", "{raw: true, schema: {type: object}}", 1),
		"body and form":  inTool("http: {url: x, method: POST, body: 1, form: {a: b}}" + rawOutput),
		"method":         inTool("http: {url: x, method: get}" + rawOutput),
		"limit":          inTool("http: {url: x, timeoutMs: 99}" + rawOutput),
		"text for limit": inTool("http: {url: x, timeoutMs: 10s}" + rawOutput),
		"boolean":        inTool("annotations: {readOnlyHint: yes}\n" + plainHTTP),
		"null query":     inTool("http: {url: x, query: {a: null}}" + rawOutput),
		"object query":   inTool("http: {url: x, query: {a: {}}}" + rawOutput),
		"list header":    inTool("http: {url: x, headers: {a: [b]}}" + rawOutput),
		"input":          inTool("input: {type: string}\n" + plainHTTP),
		"input text":     inTool("input: x\n" + plainHTTP),
		"secret":         inFile("secrets: [a]\n", plainHTTP),
		"no hosts":       inFile("secrets: [{name: A}]\n", plainHTTP),
		"empty hosts":    inFile("secrets: [{name: A, hosts: []}]\n", plainHTTP),
		"spec version":   strings.Replace(whole, "specVersion: 1", "specVersion: 2", 1),
		"name":           strings.Replace(whole, "name: t", "name: a b", 1),
		"no tools":       head + "tools: []\n",
		"name too long":  strings.Replace(whole, "name: n", "name: "+strings.Repeat("x", 129), 1),
	} {
		assert.False(t, editorAccepts(t, v, bad), name)
		_, err := Load(t.Context(), []byte(bad), Options{})
		assert.Error(t, err, name)
	}
}
