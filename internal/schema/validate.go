package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxFindings bounds the violations of one value.
const maxFindings = 1_000

// A Violation is one way in which a value breaks its schema, told to a model.
type Violation struct {
	Pointer string // JSON Pointer of the place; of the member itself when one is missing or unknown
	Message string // what was found and what is allowed: lower case, no final period
}

// Validate returns all violations, at most 1,000, ordered by place with the root first; nil when the value is valid. It never
// panics, and its cost is bounded for every schema that Compile accepts (rule 1.6a). A member whose name is a declared one in
// another case is a violation, except in a result (rule 1.6).
func (v *Validator) Validate(tree any) (violations []Violation) {
	defer func() {
		if recover() != nil {
			violations = []Violation{{Message: textUnchecked}}
		}
	}()
	if v.turns != nil {
		if pointer, ok := v.turns.check(v.root, tree); !ok {
			return []Violation{{Pointer: pointer, Message: textTooDeep}}
		}
	}
	var found []finding
	if !v.output {
		found = v.foldedNames(tree)
	}
	x := &explainer{v: v, root: tree}
	if err := v.schema.Validate(tree); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return []Violation{{Message: textUnchecked}}
		}
		reasons := x.collect(invalid)
		if len(reasons) == 0 { // never valid for want of words
			reasons = []finding{{text: textOther(tree)}}
		}
		found = append(found, reasons...)
	}
	return x.report(found)
}

// report orders findings, puts them into words and merges those that say the same.
func (x *explainer) report(found []finding) []Violation {
	if len(found) == 0 {
		return nil
	}
	if strong := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.weak }); len(strong) > 0 {
		found = strong
	}
	slices.SortStableFunc(found, func(a, b finding) int { return comparePaths(a.path, b.path) })
	var violations []Violation
	for start := 0; start < len(found) && len(violations) < maxFindings; {
		end := start + 1
		for end < len(found) && slices.Equal(found[start].path, found[end].path) {
			end++
		}
		violations = append(violations, x.words(found[start:end])...)
		start = end
	}
	return violations[:min(len(violations), maxFindings)]
}

// words puts the findings of one place into words, in alphabetical order.
func (x *explainer) words(found []finding) []Violation {
	pointer := pointerOf(found[0].path)
	messages := make([]string, 0, min(len(found), maxFindings))
	for _, f := range found[:min(len(found), maxFindings)] {
		messages = append(messages, x.text(f))
	}
	slices.SortFunc(messages, strings.Compare)
	messages = slices.Compact(messages)
	violations := make([]Violation, len(messages))
	for i, m := range messages {
		violations[i] = Violation{pointer, m}
	}
	return violations
}
