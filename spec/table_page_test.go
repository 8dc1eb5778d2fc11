package spec

import (
	"fmt"
	"strings"
)

// referenceTable returns the table as Markdown, for docs/yaml-reference.md.
func referenceTable() string {
	var b strings.Builder
	b.WriteString("| field | value | default | |\n|---|---|---|---|\n")
	writeRows(&b, table, "")
	return b.String()
}

func writeRows(b *strings.Builder, f *field, path string) {
	for _, sub := range f.fields {
		at := sub.name
		if path != "" {
			at = path + "." + sub.name
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", at, valueText(sub), defaultText(sub), sub.doc+itemText(sub))
		switch sub.kind {
		case kindObject:
			writeRows(b, sub, at)
		case kindList:
			writeRows(b, sub.item, at+"[]")
		}
	}
}

// itemText adds what an element is to the words about a list.
func itemText(f *field) string {
	if f.kind == kindList && f.item.kind != kindObject {
		return " " + f.item.doc
	}
	return ""
}

func defaultText(f *field) string {
	switch {
	case f.required:
		return "required"
	case f.def == nil:
		return ""
	}
	if n, ok := f.def.(int64); ok {
		return thousands(n)
	}
	return fmt.Sprintf("`%v`", f.def)
}

func valueText(f *field) string {
	switch f.kind {
	case kindInteger:
		if f.min == f.max {
			return "`" + thousands(f.min) + "`"
		}
		return thousands(f.min) + " to " + thousands(f.max) + " " + f.unit
	case kindBool:
		return "`true` or `false`"
	case kindTrue:
		return "`true`"
	case kindScalar, kindScalars, kindAny:
		return "any value"
	case kindSchema:
		return "JSON Schema"
	case kindObject:
		return "object"
	case kindOpen:
		return "names and values"
	case kindList:
		return listText(f)
	}
	return textText(f)
}

func listText(f *field) string {
	if f.max == 0 {
		return "list"
	}
	if f.min == 0 {
		return "list, at most " + thousands(f.max)
	}
	return fmt.Sprintf("list of %s to %s", thousands(f.min), thousands(f.max))
}

func textText(f *field) string {
	switch {
	case len(f.choices) > 0:
		return "`" + strings.Join(f.choices, "`, `") + "`"
	case f.pattern != nil:
		return f.pattern.says
	case f.max > 0:
		return fmt.Sprintf("text, %s to %s characters", thousands(f.min), thousands(f.max))
	}
	return "text"
}
