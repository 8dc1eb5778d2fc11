package docs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/spec"
)

// everything has a value for every secret and variable.
var everything = spec.Options{
	Secrets: spec.SecretFunc(func(context.Context, string, string, string) (string, error) { return "made-up-secret", nil }),
	Vars:    func(string) (string, bool) { return "made-up", true },
}

// loads fails for a file that does not load, or has warnings.
func loads(t *testing.T, name, text string) {
	t.Helper()
	s, err := spec.Load(t.Context(), []byte(text), everything)
	if !assert.NoError(t, err, "%s:\n%s", name, text) {
		return
	}
	assert.Empty(t, s.Warnings(), "%s:\n%s", name, text)
	assert.NoError(t, s.Close())
}

// otherYAML are pages whose YAML is not that of a kervan.yaml.
var otherYAML = map[string]bool{"http.md": true} // Kubernetes

// TestYAMLBlocks loads every kervan.yaml of the pages. A part of one stands in
// a file of testdata, which loads.
func TestYAMLBlocks(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	whole := ""
	for _, file := range files {
		text := readPage(t, file)
		loads(t, file, text)
		whole += squeeze(text) + "\n\n"
	}
	specs, parts := 0, 0
	for _, page := range allPages(t) {
		for _, b := range blocks(t, page, "yaml") {
			switch {
			case otherYAML[page]:
			case strings.Contains(b.text, "specVersion:"):
				specs++
				loads(t, page, b.text)
			default:
				parts++
				assert.Contains(t, whole, squeeze(b.text), "%s: these lines are in no file of testdata", page)
			}
		}
	}
	assert.GreaterOrEqual(t, specs, 3)
	assert.GreaterOrEqual(t, parts, 3)
}

// TestReferenceError: the error on the reference page is what its example gets
// with another host.
func TestReferenceError(t *testing.T) {
	file := strings.Replace(blocks(t, "yaml-reference.md", "yaml")[0].text, "url: https://api.example.com", "url: https://api.example.net", 1)
	_, err := spec.Load(t.Context(), []byte(file), everything)
	shown, _, cut := strings.Cut(blocks(t, "yaml-reference.md", "text")[0].text, "…")
	require.True(t, cut)
	require.ErrorContains(t, err, shown)
}

// TestReferenceValues holds what the page says on values.
func TestReferenceValues(t *testing.T) {
	file := strings.Replace(toolFile("url: https://h/{{vars.REGION}}/{{secrets.API_TOKEN}}"), "version: '1'", "version: 1.20", 1)
	s, err := spec.Load(t.Context(), []byte(file), everything)
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, "1.20", s.Version())
	for _, input := range []string{
		"{type: object, properties: {a: {$ref: 'https://h/s.json'}}}", "{type: object, $id: a}", "{type: object, $anchor: a, properties: {b: {$ref: '#a'}}}",
		"{type: object, properties: {a: {$dynamicRef: '#a'}}}", "{type: object, properties: {a: {type: string, pattern: '(?=a)'}}}",
	} {
		_, err := spec.Load(t.Context(), []byte(strings.Replace(file, "{type: object}", input, 1)), everything)
		assert.Error(t, err, input)
	}
}
