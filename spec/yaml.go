package spec

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// YAML is syntax only here: this file makes a tree of texts of it, and what a
// text means is decided where it stands. Nothing else of the library is used.

// Bounds of one file (rule 5.1).
const (
	maxFileSize = 1 << 20
	maxDepth    = 64
	maxAliases  = 50     // uses of anchors, those inside of others counted each time
	maxCopied   = 10_000 // values that stand in for aliases
)

// parseYAML reads a file into a tree; nil if there is none. Everything that
// YAML allows and a reader would stumble over is an issue: names written twice,
// second documents, tags, merge keys.
func parseYAML(data []byte, s *issues) *node {
	if line, column, what := findUnreadable(data); what != "" {
		s.add(&node{line: line, column: column}, what)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	err := dec.Decode(&doc)
	if err == nil && len(doc.Content) > 0 {
		if err = dec.Decode(&next); err == nil {
			s.add(&node{line: next.Line, column: next.Column}, textSecondDocument)
			return nil
		}
	}
	switch {
	case errors.Is(err, io.EOF) && !isEmpty(&doc):
		c := converter{issues: s, open: map[*yaml.Node]bool{}}
		return c.convert(doc.Content[0], &node{}, 1)
	case err == nil, errors.Is(err, io.EOF):
		s.add(&node{line: 1, column: 1}, textEmptyFile)
		return nil
	}
	message := yamlMessage(err)
	line, column := locate(data, message, yamlLine(err))
	s.add(&node{line: line, column: column}, textSyntax(message))
	return nil
}

// isEmpty reports whether a document has no value, not even a null.
func isEmpty(doc *yaml.Node) bool {
	return len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Value == "" && doc.Content[0].Style == 0
}

// findUnreadable finds what would not be text, or would shift the lines that
// YAML counts against those an editor shows.
func findUnreadable(data []byte) (line, column int, what string) {
	line, column = 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column, textNotUTF8
		case r == '\n':
			line, column = line+1, 0
		case r == '\t', r == '\r':
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff && i > 0:
			return line, column, textControlInFile(r)
		case r == 0xfeff:
			column--
		}
		i += size
		column++
	}
	return 0, 0, ""
}

var (
	yamlError     = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// yamlMessage is the library's text without the line, which it counts from 0
// or from 1.
func yamlMessage(err error) string {
	return yamlError.ReplaceAllString(err.Error(), "")
}

func yamlLine(err error) int {
	line := 0
	if m := yamlError.FindStringSubmatch(err.Error()); m != nil {
		for _, digit := range m[1] {
			line = min(line*10+int(digit-'0'), maxFileSize)
		}
	}
	return max(line, 1)
}

// maxLocated is the largest file in which the place of a mistake is searched:
// the search reads it some twenty times.
const maxLocated = 128 << 10

// locate finds where the parser stumbled, which the library tells only
// roughly: at the end of the shortest beginning of the file in which it says
// the same.
func locate(data []byte, message string, fallback int) (line, column int) {
	if len(data) > maxLocated {
		return fallback, 1
	}
	fails := func(n int) bool {
		dec := yaml.NewDecoder(bytes.NewReader(data[:n]))
		for {
			err := dec.Decode(&yaml.Node{})
			if err != nil {
				return !errors.Is(err, io.EOF) && yamlMessage(err) == message
			}
		}
	}
	at := sort.Search(len(data), fails) - 1
	if m := unknownAnchor.FindStringSubmatch(message); m != nil {
		at -= len(m[1]) // to the star in front of the name
	}
	at = max(at, 0)
	before := data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(bytes.TrimPrefix(before[start:], byteOrderMark))
}

var byteOrderMark = []byte("\ufeff")

// A converter makes the tree.
type converter struct {
	issues  *issues
	aliases int
	copied  int
	within  int                 // aliases around the current value
	open    map[*yaml.Node]bool // values with an anchor that are being converted
	stopped bool                // a bound was passed: the rest is not looked at
}

// convert fills n, whose place in the tree is set, with y.
func (c *converter) convert(y *yaml.Node, n *node, depth int) *node {
	if y.Kind == yaml.AliasNode {
		return c.alias(y, n, depth)
	}
	n.line, n.column = y.Line, y.Column
	if c.within > 0 {
		c.copied++
	}
	switch {
	case c.stopped:
		return n
	case depth > maxDepth:
		c.stop(n, textTooDeep)
		return n
	case c.copied > maxCopied:
		c.stop(n, textAliases)
		return n
	}
	c.checkTag(y, n)
	if y.Anchor != "" {
		c.open[y] = true
		defer delete(c.open, y)
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = listNode
		for i, item := range y.Content {
			n.items = append(n.items, c.convert(item, &node{parent: n, index: i}, depth+1))
		}
	case yaml.MappingNode:
		n.kind = objectNode
		c.members(y, n, depth)
	default:
		n.text = y.Value
		n.plain = y.Style == 0
	}
	return n
}

func (c *converter) stop(n *node, message string) {
	c.stopped = true
	c.issues.add(n, message)
}

// alias copies what an anchor names.
func (c *converter) alias(y *yaml.Node, n *node, depth int) *node {
	n.line, n.column = y.Line, y.Column
	c.aliases++
	switch {
	case c.stopped:
		return n
	case c.aliases > maxAliases:
		c.stop(n, textAliases)
		return n
	case c.open[y.Alias]:
		c.stop(n, textAliasLoop)
		return n
	}
	c.within++
	c.convert(y.Alias, n, depth)
	c.within--
	return n
}

// members fills an object.
func (c *converter) members(y *yaml.Node, n *node, depth int) {
	if reference := bareTemplate(y); reference != "" {
		c.issues.add(n, textBareTemplate(reference))
		return
	}
	lines := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content) && !c.stopped; i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		m := member{name: key.Value, line: key.Line, column: key.Column}
		first, twice := lines[m.name]
		switch {
		case key.Kind != yaml.ScalarNode:
			c.issues.addName(n, m, textKeyNotText)
			continue
		case key.Tag == "!!merge":
			c.issues.addName(n, m, textMergeKey)
			continue
		case twice:
			c.issues.addName(n, m, textTwice(m.name, first))
			continue
		}
		c.checkTag(key, n)
		lines[m.name] = key.Line
		m.value = c.convert(value, &node{parent: n, name: m.name}, depth+1)
		n.members = append(n.members, m)
	}
}

// bareTemplate returns the reference of a template that stands without
// quotes, which YAML reads as an object whose name is an object.
func bareTemplate(y *yaml.Node) string {
	if y.Style&yaml.FlowStyle == 0 || len(y.Content) != 2 {
		return ""
	}
	inner := y.Content[0]
	if inner.Kind != yaml.MappingNode || inner.Style&yaml.FlowStyle == 0 || len(inner.Content) != 2 {
		return ""
	}
	return inner.Content[0].Value
}

// checkTag accepts the tags that say what is so anyway.
func (c *converter) checkTag(y *yaml.Node, n *node) {
	if y.Style&yaml.TaggedStyle == 0 {
		return
	}
	kinds := map[string]yaml.Kind{"!!str": yaml.ScalarNode, "!!seq": yaml.SequenceNode, "!!map": yaml.MappingNode}
	if kind, ok := kinds[y.Tag]; ok && kind == y.Kind {
		return
	}
	place := &node{parent: n.parent, name: n.name, index: n.index, line: y.Line, column: y.Column}
	c.issues.add(place, textTag(y.Tag))
}
