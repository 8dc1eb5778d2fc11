package schema

import (
	"slices"
	"unicode"
)

// An outline says what the schemas that meet at one place declare together. There are two kinds, because the walks trust
// different schemas: a default may only come from a schema that holds for certain, but a name counts as declared wherever it
// might be.
type outlineKind int

const (
	nameOutline  outlineKind = iota // through $ref, allOf, anyOf, oneOf, then, else, dependentSchemas
	fillOutline                     // through $ref and allOf
	outlineKinds = 2
)

// A placeOutline is the outline that starts at one schema.
type placeOutline struct {
	nodes   []*subschema               // that meet at the place
	members map[string][]*placeOutline // the declared members, and what applies to them
	open    []*subschema               // that apply to members which are not declared
	prefix  [][]*placeOutline
	items   []*placeOutline // of elements after the prefix

	declares bool              // itself or further down
	folded   map[string]string // for nameOutline: case-folded name → declared name

	plan      []*memberPlan // for fillOutline, by name
	spells    typeSet       // the types that a string may be repaired to
	fills     bool          // itself or further down: has work without repair
	mayRepair bool          // itself or further down: has work with repair
}

// A memberPlan is what Prepare does with one declared member.
type memberPlan struct {
	name     string
	at       []*placeOutline
	required bool
	nullable bool
	fallback any // the default, complete with the defaults inside it
	hasDef   bool
	planned  bool // the default is worked out
}

// outline makes the outlines of one kind for all schemas.
func outline(all []*subschema, kind outlineKind) error {
	outlines := make([]*placeOutline, len(all))
	size := 0
	for i, n := range all {
		outlines[i] = &placeOutline{nodes: meeting(n, kind)}
		n.outlines[kind] = outlines[i]
		if size += len(outlines[i].nodes); size > maxClosures {
			return &Error{Message: errSchemaSize}
		}
	}
	for _, o := range outlines {
		o.link(kind)
	}
	if kind == nameOutline {
		spreadUp(outlines, kind,
			func(o *placeOutline) bool { return o.declares || len(o.members) > 0 },
			func(o *placeOutline) { o.declares = true })
	}
	return nil
}

// meeting returns the schemas that one schema brings to its place, itself first.
func meeting(n *subschema, kind outlineKind) []*subschema {
	nodes := []*subschema{n}
	seen := map[*subschema]bool{n: true}
	add := func(list ...*subschema) {
		for _, sub := range list {
			if sub != nil && !seen[sub] {
				seen[sub] = true
				nodes = append(nodes, sub)
			}
		}
	}
	for i := 0; i < len(nodes); i++ {
		at := nodes[i]
		add(at.ref)
		add(at.allOf...)
		if kind == nameOutline {
			add(at.anyOf...)
			add(at.oneOf...)
			add(at.then, at.otherwise)
			add(at.dependent...)
		}
	}
	return nodes
}

func (o *placeOutline) link(kind outlineKind) {
	names := map[string]bool{}
	longest := 0
	for _, n := range o.nodes {
		for name := range n.properties {
			names[name] = true
		}
		if len(n.patterns) > 0 || n.additional != nil || n.restProps != nil {
			o.open = append(o.open, n)
		}
		longest = max(longest, len(n.prefix))
	}
	if len(names) > 0 {
		o.members = make(map[string][]*placeOutline, len(names))
	}
	for name := range names {
		o.members[name] = o.forMember(kind, o.nodes, name)
	}
	for i := range longest {
		o.prefix = append(o.prefix, o.forItem(kind, i))
	}
	o.items = o.forItem(kind, longest)
	if kind != nameOutline || len(names) == 0 {
		return
	}
	o.folded = make(map[string]string, len(names))
	for _, name := range sortedKeys(names) {
		if folded := foldName(name); o.folded[folded] == "" {
			o.folded[folded] = name
		}
	}
}

func (o *placeOutline) forMember(kind outlineKind, nodes []*subschema, name string) []*placeOutline {
	var subs []*subschema
	for _, n := range nodes {
		subs = n.forMember(subs, name)
	}
	return outlinesOf(kind, subs)
}

func (o *placeOutline) forItem(kind outlineKind, index int) []*placeOutline {
	var subs []*subschema
	for _, n := range o.nodes {
		subs = n.forItem(subs, index)
	}
	return outlinesOf(kind, subs)
}

func outlinesOf(kind outlineKind, subs []*subschema) []*placeOutline {
	var list []*placeOutline
	for _, sub := range subs {
		if !slices.Contains(list, sub.outlines[kind]) {
			list = append(list, sub.outlines[kind])
		}
	}
	return list
}

// element returns what applies to the element of that index.
func element(at []*placeOutline, index int) []*placeOutline {
	if len(at) == 1 {
		return at[0].element(index)
	}
	var list []*placeOutline
	for _, o := range at {
		list = join(list, o.element(index))
	}
	return list
}

func (o *placeOutline) element(index int) []*placeOutline {
	if index < len(o.prefix) {
		return o.prefix[index]
	}
	return o.items
}

func join(list, more []*placeOutline) []*placeOutline {
	if len(list) == 0 {
		return slices.Clip(more)
	}
	for _, o := range more {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// spreadUp marks every outline that is marked itself or from which a marked one can be reached.
func spreadUp(outlines []*placeOutline, kind outlineKind, marked func(*placeOutline) bool, mark func(*placeOutline)) {
	above := map[*placeOutline][]*placeOutline{}
	var queue []*placeOutline
	for _, o := range outlines {
		for _, n := range o.nodes {
			n.below(func(sub *subschema) {
				below := sub.outlines[kind]
				above[below] = append(above[below], o)
			})
		}
		if marked(o) {
			queue = append(queue, o)
		}
	}
	seen := map[*placeOutline]bool{}
	for _, o := range queue {
		seen[o] = true
	}
	for len(queue) > 0 {
		o := queue[0]
		queue = queue[1:]
		mark(o)
		for _, up := range above[o] {
			if !seen[up] {
				seen[up] = true
				queue = append(queue, up)
			}
		}
	}
}

// foldName maps names that are equal under simple case folding, as strings.EqualFold has it, to one spelling.
func foldName(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		runes[i] = least
	}
	return string(runes)
}
