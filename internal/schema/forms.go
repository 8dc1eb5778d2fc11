package schema

import (
	"cmp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives explains an anyOf or oneOf of which no branch fits. All reasons of all branches would bury the one that
// matters, so it reports what the branches have in common, or else the branch that is closest.
func (x *explainer) alternatives(e *jsonschema.ValidationError) []finding {
	place := e.InstanceLocation
	var branches [][]finding
	for _, cause := range e.Causes {
		if found := x.collect(cause); len(found) > 0 {
			branches = append(branches, found)
		}
	}
	if len(branches) == 0 {
		return []finding{{path: place, text: textNoForm}}
	}
	if f, ok := x.sameChoice(branches, place); ok {
		return []finding{f}
	}
	candidates := slices.DeleteFunc(slices.Clone(branches), func(b []finding) bool {
		return len(b) == 1 && b[0].class == classType && len(b[0].path) == len(place)
	})
	if len(candidates) == 0 {
		candidates = branches
	}
	if len(candidates) == 1 {
		return candidates[0]
	}
	if f, ok := x.discriminator(candidates, len(place)+1); ok {
		return []finding{f}
	}
	if f, ok := missingSets(candidates, place); ok {
		return []finding{f}
	}
	best := slices.MinFunc(candidates, func(a, b []finding) int { return compareForms(a, b, len(place)) })
	best = slices.Clone(best)
	for i := range best {
		if best[i].prefix == "" {
			best[i].prefix = textClosest(len(branches))
		}
	}
	return best
}

// sameChoice joins branches that each want another type or other values of the place itself.
func (x *explainer) sameChoice(branches [][]finding, place []string) (finding, bool) {
	var types []string
	var values []any
	for _, b := range branches {
		if len(b) != 1 || len(b[0].path) != len(place) || b[0].cause == nil || b[0].prefix != "" {
			return finding{}, false
		}
		switch k := b[0].cause.ErrorKind.(type) {
		case *kind.Type:
			types = append(types, k.Want...)
		case *kind.Enum:
			values = append(values, k.Want...)
		case *kind.Const:
			values = append(values, k.Want)
		default:
			return finding{}, false
		}
	}
	found, _ := lookup(x.root, place)
	f := finding{path: place, class: classType}
	switch {
	case len(values) == 0:
		f.text = textType(typePhrases(types), found)
	case len(types) == 0:
		f.class = classFixed
		f.text = textOneOf(values, found)
	default:
		f.text = textTypeOrValue(typePhrases(types), values, found)
	}
	return f, true
}

// discriminator joins branches that all want another fixed value of the same member, such as "kind".
func (x *explainer) discriminator(branches [][]finding, depth int) (finding, bool) {
	first := slices.Clone(branches[0])
	slices.SortStableFunc(first, func(a, b finding) int { return comparePaths(a.path, b.path) })
	for _, f := range first {
		if f.class != classFixed || len(f.path) != depth || f.cause == nil {
			continue
		}
		var values []any
		shared := true
		for _, b := range branches {
			at := slices.IndexFunc(b, func(g finding) bool {
				return g.class == classFixed && g.cause != nil && slices.Equal(g.path, f.path)
			})
			if shared = at >= 0; !shared {
				break
			}
			switch k := b[at].cause.ErrorKind.(type) {
			case *kind.Enum:
				values = append(values, k.Want...)
			case *kind.Const:
				values = append(values, k.Want)
			}
		}
		if shared {
			found, _ := lookup(x.root, f.path)
			return finding{path: f.path, class: classFixed, text: textOneOf(values, found)}, true
		}
	}
	return finding{}, false
}

// missingSets joins branches that only miss members of the place.
func missingSets(branches [][]finding, place []string) (finding, bool) {
	var sets [][]string
	for _, b := range branches {
		var names []string
		for _, f := range b {
			if f.class != classMissing || len(f.path) != len(place)+1 {
				return finding{}, false
			}
			names = append(names, f.member)
		}
		sets = append(sets, names)
	}
	return finding{path: place, class: classMissing, text: textMissingSets(sets)}, true
}

// compareForms puts the branch first that the value was most likely meant for: whose fixed values fit, which has the fewest
// missing and unknown members, which failed deepest, which failed least.
func compareForms(a, b []finding, depth int) int {
	x, y := scoreForm(a, depth), scoreForm(b, depth)
	return cmp.Or(x.fixed-y.fixed, x.members-y.members, y.shallowest-x.shallowest, len(a)-len(b))
}

type formScore struct{ fixed, members, shallowest int }

func scoreForm(found []finding, depth int) formScore {
	s := formScore{shallowest: len(found[0].path)}
	for _, f := range found {
		s.shallowest = min(s.shallowest, len(f.path))
		if len(f.path) > depth+1 {
			continue
		}
		switch f.class {
		case classFixed:
			s.fixed++
		case classMissing, classUnknown:
			s.members++
		}
	}
	return s
}
