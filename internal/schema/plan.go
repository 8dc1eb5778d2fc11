package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxDefault bounds the elements of one default with all defaults inside it. Definitions that use each other twice would
// double it with each level.
const maxDefault = 10_000

// A planner works out, once per schema, what Prepare does with each declared member.
type planner struct {
	v        *Validator
	engine   *engine
	compiled map[*subschema]*jsonschema.Schema
}

// planMembers completes the outlines that Prepare walks.
func (v *Validator) planMembers(e *engine, all []*subschema) error {
	p := &planner{v: v, engine: e, compiled: map[*subschema]*jsonschema.Schema{}}
	outlines := make([]*placeOutline, len(all))
	for i, n := range all {
		outlines[i] = n.outlines[fillOutline]
		if err := p.members(outlines[i]); err != nil {
			return err
		}
	}
	for _, o := range outlines {
		for _, m := range o.plan {
			if err := p.fallback(m, &expansion{open: map[string]bool{}}); err != nil {
				return err
			}
		}
		o.spells = spellable([]*placeOutline{o})
	}
	slices.Sort(v.badDefs)
	v.badDefs = slices.Compact(v.badDefs)
	spreadUp(outlines, fillOutline, (*placeOutline).fillsItself, func(o *placeOutline) { o.fills = true })
	spreadUp(outlines, fillOutline,
		func(o *placeOutline) bool { return o.spells != 0 || o.fills },
		func(o *placeOutline) { o.mayRepair = true })
	return nil
}

func (o *placeOutline) fillsItself() bool {
	for _, m := range o.plan {
		if m.hasDef || !m.required && !m.nullable {
			return true
		}
	}
	return false
}

// spellable returns the types that a string may stand for: the schemas of the place name types, and none of them is string.
func spellable(at []*placeOutline) typeSet {
	all, known := ^typeSet(0), false
	for _, o := range at {
		for _, n := range o.nodes {
			if len(n.anyOf) > 0 || len(n.oneOf) > 0 {
				return 0
			}
			if n.types != 0 {
				all, known = all&n.types, true
			}
		}
	}
	if !known || all&typeString != 0 {
		return 0
	}
	return all &^ typeNull
}

func (p *planner) members(o *placeOutline) error {
	for _, name := range sortedKeys(o.members) {
		m := &memberPlan{name: name, at: o.members[name], nullable: true, required: o.requires(name)}
		for _, sub := range m.at {
			if m.required || !m.nullable {
				break
			}
			ok, err := p.admits(sub.nodes[0], nil)
			if err != nil {
				return err
			}
			m.nullable = ok
		}
		o.plan = append(o.plan, m)
	}
	return nil
}

// admits validates a value with one schema of the document.
func (p *planner) admits(n *subschema, value any) (ok bool, err error) {
	switch {
	case n.raw == nil:
		return !n.never, nil
	case value == nil && n.types != 0 && n.types&typeNull == 0:
		return false, nil
	}
	s := p.compiled[n]
	if s == nil {
		if s, err = p.engine.compile(n.pointer); err != nil {
			return false, err
		}
		p.compiled[n] = s
	}
	return s.Validate(value) == nil, nil
}

// An expansion is one default while the defaults of the objects inside it are filled in.
type expansion struct {
	open    map[string]bool // the defaults being expanded: none is filled in inside itself
	blocked int             // how often that rule applied
	size    int
}

// fallback works out the default of a member. A default that does not fit its own schema, such as the null that generators
// write for "no default", is not one: filling it in would break the calls that it was meant to complete.
func (p *planner) fallback(m *memberPlan, e *expansion) error {
	if m.planned {
		return nil
	}
	raw, pointer, ok := declaredDefault(m.at)
	if !ok {
		m.planned = true
		return nil
	}
	if e.open[pointer] {
		e.blocked++
		return nil
	}
	e.open[pointer] = true
	defer delete(e.open, pointer)
	blocked := e.blocked
	value, err := p.complete(raw, m.at, e, pointer)
	if err != nil {
		return err
	}
	// What was cut short inside another default is worked out anew when its own turn comes.
	m.planned = e.blocked == blocked || len(e.open) == 1
	for _, o := range m.at {
		fits, err := p.fits(o.nodes[0], value)
		if err != nil {
			return err
		}
		if !fits {
			p.v.badDefs = append(p.v.badDefs, pointer)
			return nil
		}
	}
	m.fallback, m.hasDef = value, true
	return nil
}

// fits validates a default, which may be too deep for a schema that branches.
func (p *planner) fits(n *subschema, value any) (bool, error) {
	if t := p.v.turns; t != nil {
		if _, ok := t.check(n, value); !ok {
			return false, nil
		}
	}
	return p.admits(n, value)
}

// declaredDefault returns the first default among the schemas of a member.
func declaredDefault(at []*placeOutline) (value any, pointer string, ok bool) {
	for _, o := range at {
		for _, n := range o.nodes {
			if value, ok := n.raw["default"]; ok {
				return value, n.pointer + "/default", true
			}
		}
	}
	return nil, "", false
}

// complete copies a default and fills in the defaults of the objects inside it.
func (p *planner) complete(v any, at []*placeOutline, e *expansion, pointer string) (any, error) {
	if e.size++; e.size > maxDefault {
		return nil, &Error{Pointer: pointer, Message: errDefaultSize}
	}
	switch v := v.(type) {
	case map[string]any:
		return p.completeObject(v, at, e, pointer)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = p.complete(item, element(at, i), e, pointer); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return v, nil
}

func (p *planner) completeObject(v map[string]any, at []*placeOutline, e *expansion, pointer string) (any, error) {
	object := make(map[string]any, len(v))
	for _, name := range sortedKeys(v) {
		sub, err := p.complete(v[name], memberOutlines(fillOutline, at, name), e, pointer)
		if err != nil {
			return nil, err
		}
		object[name] = sub
	}
	for _, plan := range plans(at) {
		if _, sent := object[plan.name]; sent {
			continue
		}
		m := plan
		if !m.planned {
			m = &memberPlan{name: plan.name, at: plan.at}
			if err := p.fallback(m, e); err != nil {
				return nil, err
			}
		}
		if !m.hasDef {
			continue
		}
		sub, err := p.complete(m.fallback, nil, e, pointer) // complete already: this copies and counts
		if err != nil {
			return nil, err
		}
		object[m.name] = sub
	}
	return object, nil
}

// memberOutlines returns what applies to one member of a place.
func memberOutlines(kind outlineKind, at []*placeOutline, name string) []*placeOutline {
	var list []*placeOutline
	for _, o := range at {
		list = join(list, o.member(kind, name))
	}
	return list
}

func (o *placeOutline) member(kind outlineKind, name string) []*placeOutline {
	if list, declared := o.members[name]; declared {
		return list
	}
	if len(o.open) == 0 {
		return nil
	}
	return o.forMember(kind, o.open, name)
}

// plans returns the plans of a place where one or more outlines meet.
func plans(at []*placeOutline) []*memberPlan {
	if len(at) == 1 {
		return at[0].plan
	}
	merged := map[string]*memberPlan{}
	for _, o := range at {
		for _, m := range o.plan {
			both := *m
			if have := merged[m.name]; have != nil {
				both = have.with(m)
			}
			merged[m.name] = &both
		}
	}
	list := make([]*memberPlan, 0, len(merged))
	for _, name := range sortedKeys(merged) {
		m := merged[name]
		for _, o := range at {
			m.required = m.required || o.requires(name)
		}
		list = append(list, m)
	}
	return list
}

func (o *placeOutline) requires(name string) bool {
	for _, n := range o.nodes {
		if n.required[name] {
			return true
		}
	}
	return false
}

// with is the plan for a member that two outlines declare. The default is the one of the first that has one.
func (m *memberPlan) with(other *memberPlan) memberPlan {
	both := *m
	both.at = join(append([]*placeOutline(nil), m.at...), other.at)
	both.required = m.required || other.required
	both.nullable = m.nullable && other.nullable
	if !m.hasDef && other.hasDef {
		both.fallback, both.hasDef = other.fallback, true
	}
	return both
}
