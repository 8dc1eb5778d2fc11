// Package jmes evaluates JMESPath expressions over JSON.
//
//	warnings, err := jmes.Check("items[?price > `10`].{id: id, name: name}") // at load
//	out, err := evaluator.Evaluate(expression, data, 1<<20)                 // per document
//
// The language is that of go-jmespath, which does the work: an expression is cut only where go-jmespath would lose
// something, and the pieces between the cuts are handed to it as they are written. The cuts are made
//
//   - at calls, so that an error can name the function and the types and never shows data, and for the few functions
//     that go-jmespath computes in another way than the specification says;
//   - at `*` on objects, whose values go-jmespath takes in random order: here keys(), values() and `*` follow the
//     sorted keys;
//   - at comparisons and literals with numbers, because a number here keeps the digits that it was written with, and
//     one that a float64 cannot hold is never compared or calculated with as if it could.
//
// Expressions that implementations read in different ways, or that can never give what their author meant, are refused
// by Check with what to write instead.
//
// The result is the same bytes for the same expression and data: object members stand in the order of the multi-select
// hash that has their keys, else sorted. Check is safe for concurrent use, an Evaluator is not.
package jmes

// MaxLength is the longest expression, in characters.
const MaxLength = 1_000

// MaxDepth is the deepest nesting of arrays and objects, in the data and in the result.
const MaxDepth = 512

// Check reports whether an Evaluator would accept the expression, whatever the data. The error is an *Error of kind
// Expression. The warnings tell what is allowed but seldom meant, one sentence each.
func Check(expression string) (warnings []string, err error) {
	defer recovered(&err)
	p, err := compile(expression)
	if err != nil {
		return nil, err
	}
	return p.warnings(), nil
}

// recovered turns a panic into an error that tells nothing of its cause, which may show data.
func recovered(err *error) {
	if recover() != nil {
		*err = &Error{Kind: Evaluation, Offset: -1, Message: textInternal}
	}
}
