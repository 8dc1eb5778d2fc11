package spec

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The texts of these tests hold a « where an error is expected to point.
const mark = "«"

// unmark removes the mark and returns its line and column; 0 if there is none.
func unmark(t testing.TB, text string) (clean string, line, column int) {
	t.Helper()
	before, after, found := strings.Cut(text, mark)
	if !found {
		return text, 0, 0
	}
	require.NotContains(t, after, mark, "one mark only")
	line = 1 + strings.Count(before, "\n")
	column = 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
	return before + after, line, column
}

const head = "specVersion: 1\nname: n\nversion: \"1\"\n"

// inTool is a file with one tool, to which the lines belong.
func inTool(lines string) string { return inFile("", lines) }

// inFile is a file with one tool, and with lines before it.
func inFile(top, lines string) string {
	return head + top + "tools:\n  - name: t\n    description: d\n    " + strings.ReplaceAll(lines, "\n", "\n    ") + "\n"
}

const rawOutput = "\noutput: {raw: true}"

// inHTTP is a file whose tool has these lines in its http object.
func inHTTP(lines string) string {
	return inTool("http:\n  " + strings.ReplaceAll(lines, "\n", "\n  ") + rawOutput)
}

// A refused is a file that does not load, and why.
type refused struct {
	name string
	text string // with a mark
	path string
	says []string
}

func (c refused) check(t *testing.T, o Options) {
	t.Helper()
	text, line, column := unmark(t, c.text)
	s, err := Load(context.Background(), []byte(text), o)
	var e *LoadError
	require.True(t, errors.As(err, &e), "loaded, or another error: %v", err)
	assert.Nil(t, s)
	requireVisible(t, err.Error())
	issue := onlyError(t, e)
	assert.Equal(t, c.path, issue.Path, "%v", err)
	assert.Equal(t, [2]int{line, column}, [2]int{issue.Line, issue.Column}, "%v", err)
	for _, part := range c.says {
		assert.Contains(t, issue.Message, part)
	}
}

// onlyError returns the one error among the issues.
func onlyError(t testing.TB, e *LoadError) Issue {
	t.Helper()
	var found []Issue
	for _, i := range e.Issues {
		if i.Severity == SeverityError {
			found = append(found, i)
		}
	}
	require.Len(t, found, 1, "%v", e)
	return found[0]
}

// requireVisible fails for a text that holds a character nobody sees, but for
// the line feeds between issues.
func requireVisible(t testing.TB, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	for _, r := range text {
		if r != '\n' && r != ' ' && !unicode.IsPrint(r) {
			t.Fatalf("the error holds %U: %q", r, text)
		}
	}
}

func runRefused(t *testing.T, o Options, cases []refused) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.check(t, o) })
	}
}

// mustLoad loads a file until the test ends.
func mustLoad(t testing.TB, text string, o Options) *Spec {
	t.Helper()
	s, err := Load(context.Background(), []byte(text), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// noWarnings is mustLoad of a file that is quite in order.
func noWarnings(t testing.TB, text string, o Options) *Spec {
	t.Helper()
	s := mustLoad(t, text, o)
	require.Empty(t, s.Warnings())
	return s
}
