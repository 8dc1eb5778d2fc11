package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineWidth is the longest line that the demo prints.
const lineWidth = 100

// A printer lays out the demo. It keeps its first error and then does nothing.
type printer struct {
	w    io.Writer
	bold bool
	err  error
}

// newPrinter returns a printer that emphasises headings on a terminal only.
func newPrinter(w io.Writer) *printer {
	return &printer{w: w, bold: isTerminal(w) && os.Getenv("NO_COLOR") == ""}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) emphasis(s string) string {
	if p.bold {
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return s
}

func (p *printer) title(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	p.printf("\n%s\n%s\n", p.emphasis(s), strings.Repeat("=", len(s)))
}

func (p *printer) heading(format string, args ...any) {
	p.printf("\n%s\n", p.emphasis("## "+fmt.Sprintf(format, args...)))
}

func (p *printer) para(format string, args ...any) {
	p.lines("", fmt.Sprintf(format, args...))
}

func (p *printer) item(format string, args ...any) {
	p.lines("  ", fmt.Sprintf(format, args...))
}

func (p *printer) block(s string) {
	p.lines("      ", s)
}

// verbatim prints text to be copied, which is never broken.
func (p *printer) verbatim(s string) {
	p.printf("%s\n", s)
}

// lines prints s behind a margin, broken where it is too long.
func (p *printer) lines(margin, s string) {
	for line := range strings.Lines(strings.TrimRight(s, "\n")) {
		for _, part := range wrap(strings.TrimRight(line, "\n"), lineWidth-len(margin)) {
			p.printf("%s\n", strings.TrimRight(margin+part, " "))
		}
	}
}

// call prints a call as it was asked and answered. The text of a structured
// result is its JSON.
func (p *printer) call(c call, result *mcp.CallToolResult) {
	p.item("%s %s", c.tool, c.args)
	p.printf("    -> %s\n", status(result))
	text := textOf(result)
	if json.Valid([]byte(text)) {
		text = layoutJSON([]byte(text), "", lineWidth-6)
	}
	p.block(text)
}

// wrap breaks a line into parts of at most width bytes, behind a blank or a
// comma if there is one. Continued parts are indented.
func wrap(line string, width int) []string {
	const indent = "  "
	var parts []string
	for len(line) > width {
		cut := strings.LastIndexAny(line[len(indent):width], " ,") + len(indent) + 1
		if cut <= len(indent) {
			cut = width
		}
		parts = append(parts, line[:cut])
		line = indent + line[cut:]
	}
	return append(parts, line)
}

// layoutJSON writes a value in one line if it fits the width, else with one
// line a member, each by the same rule. Members keep their order.
func layoutJSON(value json.RawMessage, indent string, width int) string {
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return string(value)
	}
	if len(indent)+compact.Len() <= width || !strings.ContainsRune("{[", rune(value[0])) {
		return compact.String()
	}
	open, closing := value[:1], value[len(value)-1:]
	inner := indent + "  "
	var b strings.Builder
	b.Write(open)
	for i, m := range members(value) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n%s%s%s", inner, m.key, layoutJSON(m.value, inner, width-len(m.key)-1))
	}
	fmt.Fprintf(&b, "\n%s%s", indent, closing)
	return b.String()
}

// A member is an element of an array, or of an object with its key and colon.
type member struct {
	key   string
	value json.RawMessage
}

// members splits an object or array that is known to be valid JSON.
func members(value json.RawMessage) []member {
	d := json.NewDecoder(bytes.NewReader(value))
	start, _ := d.Token()
	var list []member
	for d.More() {
		var m member
		if start == json.Delim('{') {
			key, _ := d.Token()
			m.key = fmt.Sprintf("%q: ", key)
		}
		if d.Decode(&m.value) != nil {
			return list
		}
		list = append(list, m)
	}
	return list
}
