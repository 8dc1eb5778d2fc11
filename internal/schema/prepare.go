package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// maxValueDepth is how deep arguments may nest (rule 1.6); a value that was spelled in a string counts from where it stands.
const maxValueDepth = 64

// Changes lists what Prepare changed, as JSON Pointers in alphabetical order.
type Changes struct {
	Changed  bool
	Nulls    []string // null for an optional member: removed
	Defaults []string // members that were filled in
	Repaired []string // strings that were replaced by the value they spell
}

// Prepare returns a value as a handler should see it: null counts as not given where the schema does not admit it, absent
// members with a default are filled in, and, if repair is set, a string that spells a value of the wanted type becomes that
// value (rule 1.6 to 1.8). It follows properties, items and what belongs to them through $ref and allOf, never through
// anyOf, oneOf or if. The argument is not modified; what did not change is shared with it.
func (v *Validator) Prepare(tree any, repair bool) (any, Changes) {
	p := &preparer{repair: repair, elements: v.elements}
	at := v.root.outlines[fillOutline : fillOutline+1]
	if !p.worthwhile(at) {
		return tree, Changes{}
	}
	out, changed := p.value(tree, at)
	p.done.Changed = changed
	slices.Sort(p.done.Nulls)
	slices.Sort(p.done.Defaults)
	slices.Sort(p.done.Repaired)
	return out, p.done
}

// A preparer is one Prepare.
type preparer struct {
	repair   bool
	elements int // that may still be decoded from strings
	path     []step
	done     Changes
}

func (p *preparer) worthwhile(at []*placeOutline) bool {
	for _, o := range at {
		if o.fills || p.repair && o.mayRepair {
			return true
		}
	}
	return false
}

// value prepares one place and reports whether it changed.
func (p *preparer) value(v any, at []*placeOutline) (any, bool) {
	repaired := false
	if s, ok := v.(string); ok && p.repair {
		if v, repaired = p.spelled(s, at); repaired {
			p.done.Repaired = append(p.done.Repaired, stepsPointer(p.path))
		}
	}
	changed := false
	switch container := v.(type) {
	case map[string]any:
		v, changed = p.object(container, at)
	case []any:
		v, changed = p.array(container, at)
	}
	return v, changed || repaired
}

func (p *preparer) object(sent map[string]any, at []*placeOutline) (any, bool) {
	out := copyOnWrite{object: sent}
	for _, m := range plans(at) {
		value, given := sent[m.name]
		if given && value == nil && !m.required && !m.nullable {
			out.remove(m.name)
			p.done.Nulls = append(p.done.Nulls, p.pointer(m.name))
			given = false
		}
		switch {
		case !given && m.hasDef:
			out.set(m.name, deepCopy(m.fallback))
			p.done.Defaults = append(p.done.Defaults, p.pointer(m.name))
		case given:
			p.member(&out, m.name, value, m.at)
		}
	}
	for _, o := range at {
		if len(o.open) > 0 {
			p.undeclared(&out, sent, at)
			break
		}
	}
	return out.object, out.copied
}

// undeclared prepares the members that no schema of the place declares by name.
func (p *preparer) undeclared(out *copyOnWrite, sent map[string]any, at []*placeOutline) {
	for name, value := range sent {
		declared := false
		for _, o := range at {
			_, here := o.members[name]
			declared = declared || here
		}
		if !declared {
			p.member(out, name, value, memberOutlines(fillOutline, at, name))
		}
	}
}

func (p *preparer) member(out *copyOnWrite, name string, value any, at []*placeOutline) {
	if !p.worthwhile(at) {
		return
	}
	p.path = append(p.path, step{name: name, index: -1})
	if value, changed := p.value(value, at); changed {
		out.set(name, value)
	}
	p.path = p.path[:len(p.path)-1]
}

func (p *preparer) array(sent []any, at []*placeOutline) (any, bool) {
	out, copied := sent, false
	for i, item := range sent {
		below := element(at, i)
		if !p.worthwhile(below) {
			continue
		}
		p.path = append(p.path, step{index: i})
		if value, changed := p.value(item, below); changed {
			if !copied {
				out, copied = slices.Clone(sent), true
			}
			out[i] = value
		}
		p.path = p.path[:len(p.path)-1]
	}
	return out, copied
}

func (p *preparer) pointer(member string) string {
	return stepsPointer(p.path) + "/" + escapeToken(member)
}

// A copyOnWrite is an object that is copied before its first change.
type copyOnWrite struct {
	object map[string]any
	copied bool
}

func (c *copyOnWrite) set(name string, v any) {
	c.own()
	c.object[name] = v
}

func (c *copyOnWrite) remove(name string) {
	c.own()
	delete(c.object, name)
}

func (c *copyOnWrite) own() {
	if !c.copied {
		c.object, c.copied = maps.Clone(c.object), true
	}
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, sub := range v {
			m[name] = deepCopy(sub)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, sub := range v {
			list[i] = deepCopy(sub)
		}
		return list
	}
	return v
}

// spelled returns the value that a string spells, if it is exactly one JSON value of a type that the place allows (rule 1.8).
func (p *preparer) spelled(s string, at []*placeOutline) (any, bool) {
	var allowed typeSet
	if len(at) == 1 {
		allowed = at[0].spells
	} else {
		allowed = spellable(at)
	}
	depth := maxValueDepth - len(p.path)
	if allowed == 0 || p.elements <= 0 || depth <= 0 || !mayStart(s, allowed) {
		return s, false
	}
	v, err := jsonx.Parse([]byte(s), jsonx.Limits{Depth: depth, Elements: p.elements})
	if err != nil || allowed&typeOf(v) == 0 {
		return s, false
	}
	p.elements -= countElements(v)
	return v, true
}

// mayStart spares long texts the parser.
func mayStart(s string, allowed typeSet) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return false
	}
	switch s[0] {
	case '{':
		return allowed&typeObject != 0
	case '[':
		return allowed&typeArray != 0
	}
	return len(s) <= 2*jsonx.MaxNumberLength && allowed&(typeBoolean|typeInteger|typeFraction) != 0
}

// typeOf returns the one type of a value.
func typeOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok && r.IsInt() {
			return typeInteger
		}
		return typeFraction
	}
	return 0
}

func countElements(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, sub := range v {
			n += countElements(sub)
		}
	case []any:
		n = len(v)
		for _, sub := range v {
			n += countElements(sub)
		}
	}
	return n
}
