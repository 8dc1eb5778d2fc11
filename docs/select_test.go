package docs

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/spec"
)

// An example is an expression of select.md and what comes of it.
type example struct {
	data, expression, result string
}

// examplesIn reads the lines of an example block: "on " and the data, unless
// they are those of the page before, the expression, an arrow and the result.
func examplesIn(t *testing.T, text, data string) []example {
	t.Helper()
	var found []example
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		e := example{data: data}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, "# ") {
				continue
			}
			if own, ok := strings.CutPrefix(line, "on "); ok {
				e.data = own
			} else if result, ok := strings.CutPrefix(line, "→ "); ok {
				e.result = result
			} else {
				require.Empty(t, e.expression, paragraph)
				e.expression = line
			}
		}
		require.NotEmpty(t, e.expression, paragraph)
		require.NotEmpty(t, e.result, paragraph)
		found = append(found, e)
	}
	return found
}

// selects evaluates an example as a tool does.
func selects(t *testing.T, pool *sandbox.Pool, e example) {
	t.Helper()
	warnings, _ := sandbox.Check(e.expression)
	assert.Empty(t, warnings, e.expression)
	out, err := pool.Select(t.Context(), e.expression, []byte(e.data))
	if message, ok := strings.CutPrefix(e.result, "error: "); ok {
		assert.EqualError(t, err, message, e.expression)
		return
	}
	require.NoError(t, err, e.expression)
	assert.Equal(t, e.result, string(out), e.expression)
}

func TestSelectExamples(t *testing.T) {
	pool := sandbox.New(sandbox.Options{StartTimeout: time.Minute})
	t.Cleanup(func() { _ = pool.Close() })
	examples := 0
	for part := range strings.SplitSeq(section(t, "select.md", "## Examples"), "\n### ") {
		data := blocksIn("select.md", part, "json")
		if len(data) == 0 {
			continue
		}
		for _, b := range blocksIn("select.md", part, "jmespath") {
			for _, e := range examplesIn(t, b.text, data[0].text) {
				selects(t, pool, e)
				examples++
			}
		}
	}
	assert.GreaterOrEqual(t, examples, 20)

	differences := blocksIn("select.md", section(t, "select.md", "## What differs from other engines"), "jmespath")
	require.Len(t, differences, 1)
	for _, e := range examplesIn(t, differences[0].text, "") {
		selects(t, pool, e)
	}
}

var columns = regexp.MustCompile(`^(.+?) {3,}(.+)$`)

// TestSelectRefusals: what stands on the left is refused, or warned of, and
// what stands on the right is neither.
func TestSelectRefusals(t *testing.T) {
	both := blocksIn("select.md", section(t, "select.md", "## What is refused, and how to write it"), "jmespath")
	require.Len(t, both, 2)
	for i, b := range both {
		for line := range strings.SplitSeq(b.text, "\n") {
			m := columns.FindStringSubmatch(line)
			if m == nil {
				require.True(t, line == "" || strings.HasPrefix(line, "# "), line)
				continue
			}
			warnings, err := sandbox.Check(m[1])
			if refused := i == 0; refused {
				assert.Error(t, err, m[1])
			} else {
				assert.NoError(t, err, m[1])
				assert.NotEmpty(t, warnings, m[1])
			}
			warnings, err = sandbox.Check(m[2])
			assert.NoError(t, err, m[2])
			assert.Empty(t, warnings, m[2])
		}
	}
	for _, shielded := range []string{"m.*.{n: length(@)}", "m.* | length(@)", "m.*.[length(@)]", "m.*.a[*].length(@)", "m.*.a[?length(@) > `1`]"} {
		assert.NoError(t, sandbox.Compile(shielded), shielded)
	}
}

// TestSelectFunctions: the page lists those that there are.
func TestSelectFunctions(t *testing.T) {
	_, rest, found := strings.Cut(readPage(t, "select.md"), "The functions are ")
	require.True(t, found)
	list, _, _ := strings.Cut(rest, "\n\n")
	names := spans(list)
	err := sandbox.Compile("zzzzzzzz(@)")
	assert.ErrorContains(t, err, "the functions are "+strings.Join(names, ", "))
	assert.True(t, strings.HasSuffix(err.Error(), names[len(names)-1]), err)
}

// TestSelectResponses: what of a response is put right before it is selected
// from.
func TestSelectResponses(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.JSON("*", "\ufeff"+`{"a": 1, "b": "x\ud800y", "a": 2}`)
	text := strings.Replace(toolFile("url: "+api.URL()+"/"), "raw: true", "select: '{a: a, b: b}'", 1)
	app := appOf(t, text, spec.Options{Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()}})
	assert.Equal(t, `{"a":2,"b":"x�y"}`, kerventest.New(t, app).Call("t", nil).Text)
}
