package schema

// foldedNames finds members whose name is a declared one in another case (rule 1.6). They are violations however open the
// schema is: a reader further down that ignores case would take them for the declared member, unchecked.
func (v *Validator) foldedNames(tree any) []finding {
	at := v.root.outlines[nameOutline : nameOutline+1]
	if !at[0].declares {
		return nil
	}
	w := &foldWalk{}
	w.value(tree, at)
	return w.found
}

type foldWalk struct {
	path  []step
	found []finding
}

func (w *foldWalk) value(v any, at []*placeOutline) {
	switch v := v.(type) {
	case map[string]any:
		w.object(v, at)
	case []any:
		for i, item := range v {
			if below := element(at, i); declaring(below) && nests(item) {
				w.path = append(w.path, step{index: i})
				w.value(item, below)
				w.path = w.path[:len(w.path)-1]
			}
		}
	}
}

func (w *foldWalk) object(v map[string]any, at []*placeOutline) {
	for name, sub := range v {
		declared := false
		for _, o := range at {
			if _, here := o.members[name]; here {
				declared = true
				break
			}
		}
		if !declared {
			w.undeclared(name, at)
		}
		if !nests(sub) {
			continue
		}
		var below []*placeOutline
		if len(at) == 1 {
			below = at[0].member(nameOutline, name)
		} else {
			below = memberOutlines(nameOutline, at, name)
		}
		if declaring(below) {
			w.path = append(w.path, step{name: name, index: -1})
			w.value(sub, below)
			w.path = w.path[:len(w.path)-1]
		}
	}
}

// undeclared judges a name that no schema of the place declares.
func (w *foldWalk) undeclared(name string, at []*placeOutline) {
	if len(w.found) >= maxFindings {
		return
	}
	folded := ""
	for _, o := range at {
		if len(o.folded) == 0 {
			continue
		}
		if folded == "" {
			folded = foldName(name)
		}
		if declared, same := o.folded[folded]; same && !patterned(name, at) {
			w.found = append(w.found, finding{
				path: append(stepsTokens(w.path), name), text: textUnknownNear(declared), class: classUnknown,
			})
			return
		}
	}
}

// patterned reports whether a schema of the place declares the name by a pattern.
func patterned(name string, at []*placeOutline) bool {
	for _, o := range at {
		for _, n := range o.open {
			for _, p := range n.patterns {
				if p.re.MatchString(name) {
					return true
				}
			}
		}
	}
	return false
}

func declaring(at []*placeOutline) bool {
	for _, o := range at {
		if o.declares {
			return true
		}
	}
	return false
}

func nests(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}
