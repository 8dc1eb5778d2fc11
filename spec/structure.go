package spec

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/kervan-mcp/kervan/internal/schema"
)

// checkStructure compares a tree with the table: names, kinds of values,
// limits. What it accepts can be read without looking again.
func checkStructure(n *node, s *issues) {
	c := &structureCheck{issues: s}
	c.value(table, n)
}

type structureCheck struct{ *issues }

func (c *structureCheck) value(f *field, n *node) {
	switch f.kind {
	case kindText:
		c.text(f, n)
	case kindInteger:
		c.integer(f, n)
	case kindBool:
		if n.kind != scalarNode || !n.plain || !isBool(n.text) {
			c.add(n, textWantBool(n))
		}
	case kindTrue:
		if n.kind != scalarNode || !n.plain || n.text != "true" {
			c.add(n, textWantTrue(n))
		}
	case kindScalar:
		c.scalar(n, textWantScalar)
	case kindScalars:
		c.scalars(n)
	case kindAny:
	case kindSchema:
		if n.kind != objectNode {
			c.add(n, textWantSchema(n))
		}
	case kindObject:
		c.object(f, n)
	case kindOpen:
		c.open(f, n)
	case kindList:
		c.list(f, n)
	case kindNameOrObject:
		if n.kind == objectNode {
			c.object(f, n)
		} else {
			c.text(f, n)
		}
	}
}

func (c *structureCheck) text(f *field, n *node) {
	if n.kind != scalarNode || n.isNull() {
		c.add(n, textWantText(f, n))
		return
	}
	if len(f.choices) > 0 && !slices.Contains(f.choices, n.text) {
		c.add(n, textWantChoice(f.choices, n.text))
		return
	}
	if f.pattern != nil && !f.pattern.MatchString(n.text) {
		c.add(n, textWantName(f.pattern, n.text))
		return
	}
	if fault := findInvisible(n.text, f.lines); fault != "" {
		c.add(n, fault)
		return
	}
	if f.min > 0 && isBlank(n.text) {
		c.add(n, textBlank)
		return
	}
	if count := utf8.RuneCountInString(n.text); f.max > 0 && int64(count) > f.max {
		c.add(n, textTooLong(count, f.max))
	}
}

func (c *structureCheck) integer(f *field, n *node) {
	if n.kind != scalarNode || !n.plain {
		c.add(n, textWantInteger(f, n))
		return
	}
	value, ok := integerOf(n.text)
	if !ok {
		c.add(n, textWantInteger(f, n))
		return
	}
	if value < f.min || value > f.max {
		c.add(n, textOutOfRange(f, n.text))
	}
}

// integerOf reads a JSON number that is whole; one out of range is far out of
// that of every field.
func integerOf(text string) (int64, bool) {
	if !isNumber(text) {
		return 0, false
	}
	if value, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value, true
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value > 1<<53 || value < -1<<53 {
		return 1 << 53, true
	}
	return int64(value), value == float64(int64(value))
}

func (c *structureCheck) scalar(n *node, want func(*node) string) {
	if n.kind != scalarNode || n.isNull() {
		c.add(n, want(n))
	}
}

func (c *structureCheck) scalars(n *node) {
	if n.kind != listNode {
		c.scalar(n, textWantScalars)
		return
	}
	for _, item := range n.items {
		c.scalar(item, textWantScalar)
	}
}

func (c *structureCheck) object(f *field, n *node) {
	if n.kind != objectNode {
		c.add(n, textWantObject(f, n))
		return
	}
	for _, m := range n.members {
		if sub := f.field(m.name); sub != nil {
			c.value(sub, m.value)
		} else {
			c.addName(n, m, textUnknownField(m.name, suggestField(f, m.name), f))
		}
	}
	for _, sub := range f.fields {
		if sub.required && n.get(sub.name) == nil {
			c.add(n, textMissingField(sub))
		}
	}
	c.together(f, n)
}

// together checks which members may, and must, stand beside each other.
func (c *structureCheck) together(f *field, n *node) {
	if given := given(n, f.one); len(f.one) > 0 && len(given) != 1 {
		c.add(n, textExactlyOne(f.one, given))
		return
	}
	if given := given(n, f.apart); len(given) > 1 {
		c.add(n, textNotTogether(given))
	}
	if needy := n.get(f.needs[0]); needy != nil && n.get(f.needs[1]) == nil {
		c.add(needy, textNeeds(f.needs[0], f.needs[1]))
	}
}

func given(n *node, names []string) []string {
	var found []string
	for _, name := range names {
		if n.get(name) != nil {
			found = append(found, name)
		}
	}
	return found
}

// suggestField returns what an unknown name was probably meant for: a path
// from the object, or from the root with a leading slash.
func suggestField(f *field, name string) suggestion {
	var known []string
	for _, sub := range f.fields {
		known = append(known, sub.name)
		if slices.Contains(sub.also, name) {
			return suggestion{name: sub.name}
		}
	}
	if near := schema.Nearest(name, known, 1); len(near) == 1 {
		return suggestion{name: near[0]}
	}
	return suggestion{elsewhere: whereFields(table, "", name)}
}

// A suggestion is a field that was probably meant.
type suggestion struct {
	name      string   // in the same object
	elsewhere []string // objects that have a field of the very name
}

// whereFields returns the paths of the objects that have a field of that
// name.
func whereFields(f *field, path, name string) []string {
	var found []string
	for _, sub := range f.fields {
		at := sub.name
		if path != "" {
			at = path + "." + sub.name
		}
		if sub.name == name && path != "" {
			found = append(found, path)
		}
		if sub.kind == kindList {
			found = append(found, whereFields(sub.item, at+"[]", name)...)
		} else {
			found = append(found, whereFields(sub, at, name)...)
		}
	}
	return found
}

func (c *structureCheck) open(f *field, n *node) {
	if n.kind != objectNode {
		c.add(n, textWantObject(f, n))
		return
	}
	for _, m := range n.members {
		if fault := findInvisible(m.name, false); fault != "" {
			c.addName(n, m, textInName(m.name, fault))
			continue
		}
		c.value(f.item, m.value)
	}
}

func (c *structureCheck) list(f *field, n *node) {
	if n.kind != listNode {
		c.add(n, textWantList(f, n))
		return
	}
	if count := int64(len(n.items)); count < f.min || f.max > 0 && count > f.max {
		c.add(n, textListSize(f, count))
		return
	}
	for _, item := range n.items {
		c.value(f.item, item)
	}
}
