package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A block is fenced code of a page.
type block struct {
	page, language, text string
}

// readPage returns a page of this directory.
func readPage(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// allPages returns the names of the pages that readers find.
func allPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	return append(pages, "../README.md")
}

// blocks returns the fenced code of a page in one language, in its order; ""
// is code without a language.
func blocks(t *testing.T, page, language string) []block {
	t.Helper()
	return blocksIn(page, readPage(t, page), language)
}

func blocksIn(page, text, language string) []block {
	var found []block
	for i, part := range strings.Split(text, "```") {
		first, code, _ := strings.Cut(part, "\n")
		if i%2 == 1 && first == language {
			found = append(found, block{page, language, code})
		}
	}
	return found
}

// section returns what stands under a heading of a page, up to the next one
// of the same rank.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut("\n"+readPage(t, page), "\n"+heading+"\n")
	require.True(t, found, "%s has no %q", page, heading)
	rank, _, _ := strings.Cut(heading, " ")
	body, _, _ := strings.Cut(rest, "\n"+rank+" ")
	return body
}

// tableRows returns the cells of the tables of a text, without their heads.
func tableRows(text string) [][]string {
	var rows [][]string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		isHead := i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---")
		if !strings.HasPrefix(line, "| ") || isHead {
			continue
		}
		rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
	}
	return rows
}

var codeSpan = regexp.MustCompile("``? ?([^`]+?) ?``?")

// spans returns the code spans of a text.
func spans(text string) []string {
	var found []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

var (
	anchorLink   = regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	noAnchorRune = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestAnchors finds the heading behind every link that names one.
func TestAnchors(t *testing.T) {
	anchors := 0
	for _, page := range allPages(t) {
		for _, link := range anchorLink.FindAllStringSubmatch(prose(readPage(t, page)), -1) {
			target := page
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(page), link[1])
			}
			anchors++
			assert.Contains(t, anchorsOf(t, target), link[2], "%s links to %s", page, link[0])
		}
	}
	assert.GreaterOrEqual(t, anchors, 8)
}

// anchorsOf returns the names of a page's headings in links.
func anchorsOf(t *testing.T, page string) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(prose(readPage(t, page))) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			name := noAnchorRune.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			names = append(names, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return names
}
