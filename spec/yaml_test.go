package spec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const whole = head + `tools:
  - name: t
    description: d
    http:
      url: https://example.com/
    output: {raw: true}
`

func TestRule5_1_Syntax(t *testing.T) {
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	runRefused(t, Options{}, []refused{
		{"empty", "«", "", []string{"empty", "specVersion"}},
		{"only a comment", "«# nothing\n", "", []string{"empty"}},
		{"only a mark", "«---\n", "", []string{"empty"}},
		{"null", "«null\n", "", []string{"must be an object"}},
		{"second document", whole + "«---\nname: x\n", "", []string{"second document"}},
		{"second document behind an end mark", whole + "...\n«name: x\n", "", []string{"one document"}},
		{"twice", "a: 1\nb: 2\n«a: 3\n", "", []string{`"a" is given twice`, "line 1"}},
		{"twice, quoted once", "a: 1\n«\"a\": 3\n", "", []string{"twice"}},
		{"twice, as number and text", "1: a\n«\"1\": b\n", "", []string{"twice"}},
		{"twice, further down", "tools:\n  - http:\n      url: a\n      «url: b\n", "tools[0].http", []string{`"url" is given twice`, "line 3"}},
		{"twice, with escapes", "\"x\\e\": 1\n«\"x\\e\": 2\n", "", []string{`"x\u001b"`}},
		{"merge key", "a: &a {url: x}\nb:\n  «<<: *a\n", "b", []string{"merge keys"}},
		{"merge key with a tag", "a: &a {url: x}\nb:\n  «!!merge <<: *a\n", "b", []string{"merge keys"}},
		{"custom tag", "a: «!!js/function 'x'\n", "a", []string{"!!js/function", "remove it"}},
		{"local tag", "a:\n  - «!secret x\n", "a[0]", []string{"!secret"}},
		{"binary", "a: «!!binary aGk=\n", "a", []string{"!!binary"}},
		{"timestamp", "a: «!!timestamp 2020-01-01\n", "a", []string{"!!timestamp"}},
		{"set", "a: «!!set {x}\n", "a", []string{"!!set"}},
		{"tag of another kind", "a: «!!str [x]\n", "a", []string{"!!str"}},
		{"tag on a name", "«!foo a: 1\n", "", []string{"!foo"}},
		{"tag with an escape", "a: «!x%1By 1\n", "a", []string{`!x\u001by`}},
		{"list as a name", "? «[a]\n: 1\n", "", []string{"a name must be text"}},
		{"object as a name", "? «{a: 1}\n: 1\n", "", []string{"a name must be text"}},
		{"template without quotes", "a: «{{input.x}}\n", "a", []string{`write "{{input.x}}"`}},
		{"template without quotes in a list", "a: [«{{input.x}}]\n", "a[0]", []string{`write "{{input.x}}"`}},
		{"alias in itself", "a: &a [«*a]\n", "a[0]", []string{"contains itself"}},
		{"too deep", "a: " + strings.Replace(deep(64), "[[]", "[«[]", 1) + "\n", "a" + strings.Repeat("[0]", 63), []string{"64"}},
		{"tab", "a: 1\nb:\n«\tc: 1\n", "", []string{"not valid YAML", "spaces, not tabs"}},
		{"colon in a value", "a: b«: c\n", "", []string{"not valid YAML", "needs quotes"}},
		{"template and more without quotes", "a: 1\nb: {{input.x}}«/b\n", "", []string{"{{"}},
		{"quote inside a quoted value", "a: 1\nb: 'it'«s'\n", "", []string{"not valid YAML"}},
		{"open quote", "a: 1\nb: «\"x\nc: 2\n", "", []string{"close the quote"}},
		{"open bracket", "a: 1\nb: [1, «2\nc: 2\n", "", []string{"close the bracket"}},
		{"bad escape", "a: 1\nb: \"«\\q\"\n", "", []string{`\\`}},
		{"at sign", "a: 1\nb: «@x\n", "", []string{"quotes"}},
		{"unknown anchor", "a: 1\nb: «*nope\n", "", []string{"quotes"}},
		{"list in an object", "a: 1\n«- b\n", "", []string{"indentation"}},
		{"directive", "%YAML 1.«2\n---\na: 1\n", "", []string{"%YAML"}},
		{"escape character", "a: x«\x1b[31m\n", "", []string{"U+001B", `\u001b`}},
		{"control character of Latin-1", "a: x\ny: «\u009b\n", "", []string{"U+009B"}},
		{"line separator", "a: x«\u2028y\n", "", []string{"U+2028"}},
		{"next line", "a: x«\u0085y\n", "", []string{"U+0085"}},
		{"NUL", "a: x«\x00\n", "", []string{"U+0000"}},
		{"byte order mark inside", "a: 1\n«\ufeffb: 1\n", "", []string{"U+FEFF"}},
		{"not UTF-8", "a: 1\nb: ş«\xff\n", "", []string{"UTF-8"}},
		{"UTF-16", "«\xff\xfea\x00", "", []string{"UTF-8"}},
	})
}

func TestRule5_1_SyntaxAccepted(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":             strings.ReplaceAll(whole, "\n", "\r\n"),
		"byte order mark":  "\ufeff" + whole,
		"start mark":       "---\n" + whole,
		"end mark":         whole + "...\n",
		"comments":         "# a\n" + strings.ReplaceAll(whole, "\n", " # c\n"),
		"no last newline":  strings.TrimSuffix(whole, "\n"),
		"JSON":             `{"specVersion":1,"name":"n","version":"1","tools":[{"name":"t","description":"d","http":{"url":"https://example.com/"},"output":{"raw":true}}]}`,
		"anchor and alias": strings.Replace(strings.Replace(whole, "name: n", "name: &n n", 1), "description: d", "description: *n", 1),
		"core tags":        strings.Replace(strings.Replace(whole, "name: n", "name: !!str n", 1), "output: {raw", "output: !!map {raw", 1),
		"quoted <<":        strings.Replace(whole, "output:", "  body: {\"<<\": 1}\n      method: POST\n    output:", 1),
	} {
		t.Run(name, func(t *testing.T) { noWarnings(t, text, Options{}) })
	}
}

func TestRule5_1_LinesOfCRLF(t *testing.T) {
	text := strings.ReplaceAll("# ş\n\n"+head+"tools: []\n", "\n", "\r\n")
	_, err := Load(context.Background(), []byte(text), Options{})
	require.ErrorContains(t, err, "kervan.yaml:6:8 tools: ")
}

func TestRule5_1_Size(t *testing.T) {
	fill := func(size int) []byte { return []byte(whole + strings.Repeat("#", size-len(whole))) }
	_, err := Load(context.Background(), fill(1<<20+1), Options{})
	require.EqualError(t, err, "kervan.yaml: "+textTooLarge)
	s, err := Load(context.Background(), fill(1<<20), Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func TestRule5_1_Aliases(t *testing.T) {
	uses := func(n int) string { return "a: &a x\nb: [" + strings.Repeat("*a,", n) + "]\n" }
	parse := func(text string) (*node, *issues) {
		s := &issues{}
		return parseYAML([]byte(text), s), s
	}
	tree, s := parse(uses(50))
	require.Empty(t, s.list)
	require.Equal(t, "x", tree.get("b").items[49].text)

	_, s = parse(uses(51))
	require.Len(t, s.list, 1)
	require.Equal(t, "b[50]", s.list[0].Path)

	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	_, s = parse(bomb)
	require.Len(t, s.list, 1)
	require.Contains(t, s.list[0].Message, "anchors")

	wide := "a: &a [" + strings.Repeat("x,", 1_000) + "]\nb: [" + strings.Repeat("*a,", 40) + "]\n"
	_, s = parse(wide)
	require.Len(t, s.list, 1, "few aliases of something large are too many values")
}

// TestRule5_1_AliasPath: what an alias stands for has the path of its use, and
// the line of its text.
func TestRule5_1_AliasPath(t *testing.T) {
	s := &issues{}
	tree := parseYAML([]byte("a: &x\n  b: c\nd:\n  - *x\n"), s)
	require.Empty(t, s.list)
	n := tree.at([]string{"d", "0", "b"})
	assert.Equal(t, "d[0].b", n.path())
	assert.Equal(t, 2, n.line)
}

// TestRule5_1_Stages: problems of a stage come together, and those of later
// stages not before.
func TestRule5_1_Stages(t *testing.T) {
	text := head + `colour: red
tools:
  - name: t
    description: d
    http:
      url: http://user:pw@h/
      timeoutMs: 5
    output: {}
`
	_, err := Load(context.Background(), []byte(text), Options{Name: "api.yaml"})
	var e *LoadError
	require.True(t, errors.As(err, &e))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 4, err.Error())
	assert.True(t, strings.HasPrefix(lines[0], `api.yaml:4:1: unknown field "colour"`), lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "api.yaml:10:18 tools[0].http.timeoutMs: must be"), lines[1])
	assert.True(t, strings.HasPrefix(lines[2], "api.yaml:11:13 tools[0].output: needs"), lines[2])
	assert.Equal(t, "api.yaml: note: "+textMoreChecks, lines[3])
}

func TestIssuesAreBounded(t *testing.T) {
	text := head + strings.Repeat("x: 1\n", 5_000)
	_, err := Load(context.Background(), []byte(text), Options{})
	var e *LoadError
	require.True(t, errors.As(err, &e))
	require.Len(t, e.Issues, maxIssues+1)
	require.Equal(t, "and 4,899 more problems", e.Issues[maxIssues].Message)
	require.Equal(t, SeverityNote, e.Issues[maxIssues].Severity)
}

// TestReadingIsLinear: files that are large in one way or another cost no more
// than others.
func TestReadingIsLinear(t *testing.T) {
	const size = 1 << 18
	for name, text := range map[string]string{
		"brackets":      strings.Repeat("[", size),
		"braces":        strings.Repeat("{a: ", size/4),
		"dashes":        strings.Repeat("- ", size/2),
		"question mark": strings.Repeat("? ", size/2),
		"names":         strings.Repeat("k: 1\n", size/5),
		"long name":     strings.Repeat("k", size/2) + ":\n" + strings.Repeat("  - !x y\n", size/18),
		"flow":          "{" + strings.Repeat("a,", size/2-1) + "}",
		"anchors":       "[" + strings.Repeat("&a x,*a,", size/8-1) + "]",
		"comments":      strings.Repeat("#\n", size/2),
		"open quote":    head + "x: \"" + strings.Repeat("y\n", size/4),
		"unknown":       "tools:\n- {" + strings.Repeat("ab: 1,", size/6-10) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Load(context.Background(), []byte(text), Options{})
			require.Error(t, err)
			require.Less(t, time.Since(start), 20*time.Second, "generous, for the race detector")
			require.Less(t, len(err.Error()), 64<<10)
		})
	}
}
