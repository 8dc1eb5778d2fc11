package docs

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/spec"
)

// textFiles are where the packages keep what they tell people and models.
var textFiles = []string{
	"../messages.go", "../spec/texts.go", "../cmd/kervan/texts.go", "../guard/texts.go", "../sandbox/texts.go", "../sandbox/internal/jmes/texts.go",
	"../internal/httptool/texts.go", "../internal/template/texts.go", "../internal/secret/texts.go", "../internal/schema/texts.go",
}

// quotedName is a name that a message puts in.
var quotedName = regexp.MustCompile(`"\w+"`)

var formatVerb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// textFragments returns the literal text of the files that hold all texts,
// parted where a message puts something in.
func textFragments(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range textFiles {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			all.WriteString(formatVerb.ReplaceAllString(text, "\x00") + "\x00")
			return true
		})
	}
	return all.String()
}

// TestTroubleshootingMessages finds every fixed part of every quoted message
// in the files that hold the texts.
func TestTroubleshootingMessages(t *testing.T) {
	fragments := textFragments(t)
	messages := 0
	for _, heading := range []string{"## While a file is loaded", "## When `kervan run` does not start", "## When a call fails"} {
		for _, row := range tableRows(section(t, "troubleshooting.md", heading)) {
			require.Len(t, row, 3, "%v", row)
			for _, message := range spans(row[0]) {
				messages++
				longest := 0
				for part := range strings.SplitSeq(quotedName.ReplaceAllString(message, "…"), "…") {
					part = strings.Trim(part, `" .,;:`)
					assert.Contains(t, fragments, part, "no text says %q", message)
					longest = max(longest, len(part))
				}
				assert.GreaterOrEqual(t, longest, len("needs"), "%q says too little to be found", message)
			}
		}
	}
	assert.Greater(t, messages, 60)
}

// loadFailures are files for the messages of the first table, by a part of the
// message that no other row has.
var loadFailures = map[string]string{
	"not valid YAML":                  "tools: [",
	"begins with {{ needs quotes":     toolFile("url: https://h/\n      query: {q: {{input.q}}}"),
	"given twice, first on line":      toolFile("url: https://h/\n      url: https://i/"),
	"merge keys":                      toolFile("<<: {url: https://h/}"),
	"unknown field":                   toolFile("url: https://h/\n      timeoutMS: 100"),
	"is missing":                      toolFile("method: GET"),
	"must be …, found":                toolFile("url: https://h/\n      timeoutMs: 5s"),
	"read as different numbers":       toolFile("url: https://h/\n      method: POST\n      body: {n: 010}"),
	"needs \"select\"":                strings.Replace(toolFile("url: https://h/"), "{raw: true}", "{}", 1),
	"which a reader cannot see":       strings.Replace(toolFile("url: https://h/"), "description: d", "description: a\u200bb", 1),
	"must be absolute":                toolFile("url: /a"),
	"must be literal":                 toolFile("url: https://{{input.h}}/"),
	"a query in the URL":              toolFile("url: https://h/?q={{input.q}}"),
	"set allowInsecureHttp":           toolFile("url: http://h/"),
	"while developing":                toolFile("url: http://h/\n      allowInsecureHttp: true\n      headers: {A: '{{secrets.API_TOKEN}}'}"),
	"every call will be refused":      toolFile("url: https://10.1.2.3/"),
	"cannot be sent with":             toolFile("url: https://h/\n      body: 1"),
	"managed by the client":           toolFile("url: https://h/\n      headers: {Host: h}"),
	"is not declared":                 strings.Replace(toolFile("url: https://h/{{input.b}}"), "{type: object}", "{type: object, properties: {a: {}}}", 1),
	"is not listed":                   toolFile("url: https://h/{{vars.NAME}}"),
	"may go to":                       strings.Replace(toolFile("url: https://h/{{secrets.API_TOKEN}}"), "[API_TOKEN]", "[{name: API_TOKEN, hosts: [i]}]", 1),
	"has no value for":                toolFile("url: https://h/{{secrets.API_TOKEN}}"),
	"is not set; set it":              toolFile("url: https://h/{{vars.REGION}}"),
	"is never used":                   toolFile("url: https://h/"),
	"the value is shorter than":       toolFile("url: https://short/{{secrets.API_TOKEN}}"),
	"still holds a placeholder":       toolFile("url: https://placeholder/{{secrets.API_TOKEN}}"),
	"not a valid JMESPath expression": strings.Replace(toolFile("url: https://h/"), "raw: true", "select: 'a b'", 1),
	"since a result of that kind":     strings.Replace(toolFile("url: https://h/"), "raw: true", "select: a, schema: {type: array}", 1),
	"since arguments have names":      strings.Replace(toolFile("url: https://h/"), "{type: object}", "{type: string}", 1),
	"with select at most":             strings.Replace(toolFile("url: https://h/\n      maxResponseBytes: 9000000"), "raw: true", "select: a", 1),
}

// TestLoadMessages loads a file for each message of the first table, and sees
// it.
func TestLoadMessages(t *testing.T) {
	secrets := spec.SecretFunc(func(_ context.Context, _, host, _ string) (string, error) {
		return map[string]string{"short:443": "short", "placeholder:443": "${API_TOKEN}"}[host], nil
	})
	used := map[string]bool{}
	for _, row := range tableRows(section(t, "troubleshooting.md", "## While a file is loaded")) {
		message := spans(row[0])[0]
		part := failureFor(t, message)
		require.False(t, used[part], "%q stands for two rows", part)
		used[part] = true
		pattern := strings.ReplaceAll(regexp.QuoteMeta(message), "…", ".*")
		assert.Regexp(t, pattern, loadMessages(t, loadFailures[part], secrets))
	}
	assert.Len(t, used, len(loadFailures), "a file stands for no row")
}

// failureFor returns the key of the file that a message is of.
func failureFor(t *testing.T, message string) string {
	t.Helper()
	var parts []string
	for part := range loadFailures {
		if strings.Contains(message, part) {
			parts = append(parts, part)
		}
	}
	require.Len(t, parts, 1, "files for %q", message)
	return parts[0]
}

// loadMessages is what loading says, as an error or as warnings.
func loadMessages(t *testing.T, text string, secrets spec.SecretSource) string {
	t.Helper()
	s, err := spec.Load(t.Context(), []byte(text), spec.Options{Secrets: secrets, Vars: func(string) (string, bool) { return "", false }})
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	var warnings []string
	for _, w := range s.Warnings() {
		warnings = append(warnings, w.String())
	}
	return strings.Join(warnings, "\n")
}
