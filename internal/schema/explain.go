package schema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A findingClass is what the choice of the closest form needs to know about a finding.
type findingClass int

const (
	classOther findingClass = iota
	classType
	classFixed // const or enum
	classMissing
	classUnknown
)

// A finding is one leaf of the library's error tree. It becomes a text only when it is reported: of the branches of an anyOf
// all but one are dropped.
type finding struct {
	path   []string
	class  findingClass
	cause  *jsonschema.ValidationError
	member string // of findings about one member
	text   string // when there is no cause
	prefix string
	weak   bool // probably a consequence of another finding
}

// An explainer turns the library's errors about one value into violations.
type explainer struct {
	v    *Validator
	root any
}

// collect returns the leaves of an error that say what is wrong.
func (x *explainer) collect(e *jsonschema.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case nil:
		return nil
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var all []finding
		for _, cause := range e.Causes {
			all = append(all, x.collect(cause)...)
		}
		return all
	case *kind.AnyOf:
		return x.alternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return x.alternatives(e)
		}
	case *kind.Required:
		return perMember(e, classMissing, k.Missing)
	case *kind.DependentRequired:
		return perMember(e, classMissing, k.Missing)
	case *kind.Dependency:
		return perMember(e, classMissing, k.Missing)
	case *kind.AdditionalProperties:
		return perMember(e, classUnknown, k.Properties)
	case *kind.PropertyNames:
		return []finding{{path: append(x.owner(e.InstanceLocation, k.Property), k.Property), cause: e, member: k.Property}}
	case *kind.FalseSchema:
		return []finding{x.forbidden(e)}
	case *kind.Type:
		return []finding{{path: e.InstanceLocation, class: classType, cause: e}}
	case *kind.Enum, *kind.Const:
		return []finding{{path: e.InstanceLocation, class: classFixed, cause: e}}
	}
	return []finding{{path: e.InstanceLocation, cause: e}}
}

func perMember(e *jsonschema.ValidationError, class findingClass, names []string) []finding {
	found := make([]finding, len(names))
	for i, name := range names {
		found[i] = finding{path: append(slices.Clone(e.InstanceLocation), name), class: class, cause: e, member: name}
	}
	return found
}

// owner returns the path of the object that has a member with a refused name. The library does not copy that path, so a later
// sibling may have overwritten its tokens; then the first object of the same depth that has such a member is taken.
func (x *explainer) owner(path []string, member string) []string {
	path = slices.Clone(path)
	if at, ok := lookup(x.root, path); ok {
		if object, ok := at.(map[string]any); ok {
			if _, has := object[member]; has {
				return path
			}
		}
	}
	if found, ok := findOwner(x.root, nil, len(path), member); ok {
		return found
	}
	return path
}

func findOwner(v any, path []string, depth int, member string) ([]string, bool) {
	object, isObject := v.(map[string]any)
	if depth == 0 {
		_, has := object[member]
		return slices.Clone(path), has
	}
	if isObject {
		for _, name := range sortedKeys(object) {
			if found, ok := findOwner(object[name], append(path, name), depth-1, member); ok {
				return found, true
			}
		}
	}
	list, _ := v.([]any)
	for i, item := range list {
		if found, ok := findOwner(item, append(path, strconv.Itoa(i)), depth-1, member); ok {
			return found, true
		}
	}
	return nil, false
}

// forbidden explains the schema false. Under unevaluatedProperties it also meets declared members whose own schema failed,
// and then says nothing that the failure does not say better.
func (x *explainer) forbidden(e *jsonschema.ValidationError) finding {
	f := finding{path: e.InstanceLocation, cause: e}
	at, rest := strings.CutSuffix(schemaPointer(e.SchemaURL), "/unevaluatedProperties")
	if owner := x.v.nodes[at]; rest && owner != nil && len(f.path) > 0 {
		f.member = f.path[len(f.path)-1]
		f.class = classUnknown
		_, f.weak = owner.outlines[nameOutline].members[f.member]
	}
	f.weak = f.weak || strings.HasSuffix(schemaPointer(e.SchemaURL), "/unevaluatedItems")
	return f
}

// text puts a finding into words.
func (x *explainer) text(f finding) string {
	if f.cause == nil {
		return f.prefix + f.text
	}
	return f.prefix + x.cause(f)
}

func (x *explainer) cause(f finding) string {
	e := f.cause
	n := x.v.nodes[schemaPointer(e.SchemaURL)]
	value, _ := lookup(x.root, e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return textType(typePhrases(k.Want), value)
	case *kind.Enum:
		return textOneOf(k.Want, value)
	case *kind.Const:
		return textOneOf([]any{k.Want}, value)
	case *kind.Required:
		return textMissing(x.memberPhrase(n, f.member))
	case *kind.DependentRequired:
		return textMissingBecause(x.memberPhrase(n, f.member), k.Prop)
	case *kind.Dependency:
		return textMissingBecause(x.memberPhrase(n, f.member), k.Prop)
	case *kind.AdditionalProperties:
		return textUnknown(f.member, n.declared(), n.patternTexts())
	case *kind.PropertyNames:
		return x.nameText(e, k.Property)
	case *kind.FalseSchema:
		return x.forbiddenText(f)
	case *kind.OneOf:
		return textSeveralForms(k.Subschemas)
	case *kind.Not:
		return textNot(x.notPhrase(n), value)
	case *kind.Format:
		return textFormat(k.Want, value)
	case *kind.Pattern:
		return textPattern(k.Want, value)
	case *kind.UniqueItems:
		return textUnique(k.Duplicates)
	case *kind.Contains:
		return textContains("1", x.containsPhrase(n), value)
	case *kind.MinContains:
		return textContains(strconv.Itoa(k.Want), x.containsPhrase(n), value)
	case *kind.MaxContains:
		return textMaxContains(k.Want, len(k.Got), x.containsPhrase(n))
	}
	return boundText(e.ErrorKind, n, value)
}

// boundText explains the keywords that bound a number, a length or a count.
func boundText(k jsonschema.ErrorKind, n *subschema, value any) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return textNumber("at least", n, "minimum", k.Want, value)
	case *kind.Maximum:
		return textNumber("at most", n, "maximum", k.Want, value)
	case *kind.ExclusiveMinimum:
		return textNumber("above", n, "exclusiveMinimum", k.Want, value)
	case *kind.ExclusiveMaximum:
		return textNumber("below", n, "exclusiveMaximum", k.Want, value)
	case *kind.MultipleOf:
		return textNumber("a multiple of", n, "multipleOf", k.Want, value)
	case *kind.MinLength:
		return textLength("at least", k.Want, k.Got, value)
	case *kind.MaxLength:
		return textLength("at most", k.Want, k.Got, value)
	case *kind.MinItems:
		return textSize("at least", k.Want, "item", k.Got)
	case *kind.MaxItems:
		return textSize("at most", k.Want, "item", k.Got)
	case *kind.MinProperties:
		return textSize("at least", k.Want, "member", k.Got)
	case *kind.MaxProperties:
		return textSize("at most", k.Want, "member", k.Got)
	}
	return textOther(value)
}

// numberText prefers the token of the schema, as its author wrote it.
func numberText(n *subschema, keyword string, want *big.Rat) string {
	if token, ok := n.number(keyword); ok {
		return token
	}
	if want.IsInt() {
		return want.Num().String()
	}
	return want.FloatString(10)
}

// nameText explains a member name that propertyNames refuses; the causes are about the name as a value of its own.
func (x *explainer) nameText(e *jsonschema.ValidationError, name string) string {
	sub := &explainer{v: x.v, root: name}
	for _, cause := range e.Causes {
		if found := sub.collect(cause); len(found) > 0 {
			return textName(sub.text(found[0]))
		}
	}
	return textName("")
}

func (x *explainer) forbiddenText(f finding) string {
	at, rest := strings.CutSuffix(schemaPointer(f.cause.SchemaURL), "/unevaluatedProperties")
	owner := x.v.nodes[at]
	switch {
	case f.class != classUnknown || !rest || owner == nil:
		return textForbidden(f.path)
	case f.weak:
		return textNotTogether
	}
	return textUnknown(f.member, sortedKeys(owner.outlines[nameOutline].members), nil)
}

// declared returns the names of the members that a schema itself declares.
func (n *subschema) declared() []string {
	if n == nil {
		return nil
	}
	return sortedKeys(n.properties)
}

func (n *subschema) patternTexts() []string {
	if n == nil {
		return nil
	}
	var exprs []string
	for _, p := range n.patterns {
		exprs = append(exprs, p.re.String())
	}
	return exprs
}

// memberPhrase says what a member must be: "a string", "one of …"; empty when the schema does not say it in few words.
func (x *explainer) memberPhrase(n *subschema, member string) string {
	if n == nil {
		return ""
	}
	for _, at := range n.outlines[nameOutline].members[member] {
		if phrase := at.nodes[0].phrase(); phrase != "" {
			return phrase
		}
	}
	return ""
}

func (x *explainer) notPhrase(n *subschema) string {
	if n == nil || n.not == nil {
		return ""
	}
	return n.not.phrase()
}

func (x *explainer) containsPhrase(n *subschema) string {
	if n == nil || n.contains == nil {
		return ""
	}
	return n.contains.phrase()
}

// phrase says in few words what a schema wants, through $ref and allOf.
func (n *subschema) phrase() string {
	for _, at := range n.outlines[fillOutline].nodes {
		if values, ok := at.raw["enum"].([]any); ok && len(values) > 0 {
			return choicePhrase(values)
		}
		if value, ok := at.raw["const"]; ok {
			return choicePhrase([]any{value})
		}
	}
	for _, at := range n.outlines[fillOutline].nodes {
		if at.types != 0 {
			return orList(typePhrases(at.types.names()))
		}
	}
	return ""
}

// names lists the types of a set; a set with number does not list integer.
func (t typeSet) names() []string {
	var names []string
	for _, name := range [...]string{"string", "integer", "number", "boolean", "array", "object", "null"} {
		bits := typeBits[name]
		if t&bits == bits && !(name == "integer" && t&typeFraction != 0) {
			names = append(names, name)
		}
	}
	return names
}
