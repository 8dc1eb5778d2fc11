package jmes

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// lint refuses what is JMESPath but can only be a mistake: what fails whatever the data, what never gives anything but
// null, and what implementations evaluate in different ways.
func lint(root *node) error {
	var err error
	root.walk(func(n *node) {
		if err == nil {
			err = lintNode(n)
		}
	})
	return err
}

func lintNode(n *node) error {
	switch n.kind {
	case kindCall:
		return lintCall(n)
	case kindCompare:
		return lintCompare(n)
	case kindObject:
		if n.right().callsOnNull() {
			return refuse(n.at, textStarCall, hintStarCall)
		}
		return cmp.Or(lintNegated(n), lintStep(n))
	case kindSub:
		return cmp.Or(lintNegated(n), lintStep(n))
	case kindList, kindFilter, kindFlatten:
		return lintNegated(n)
	}
	return nil
}

// lintStep refuses a step into the list that a projection makes, which has no members: all implementations end a
// projection after x.*.y and after a hash or list, so that what follows misses the elements.
func lintStep(n *node) error {
	bracket := n.kind == kindSub && (n.right().kind == kindIndex || n.right().kind == kindSlice)
	if n.left().projects() && !bracket {
		return refuse(n.at, textStepAfterProjection, hintStepAfterProjection)
	}
	return nil
}

func lintCall(n *node) error {
	f := functionNamed(n.name)
	if f == nil {
		return refuse(n.pos, textUnknownFunction(n.name), hintFunctions(n.name))
	}
	if !f.takes(len(n.kids)) {
		return refuse(n.pos, textArity(f, len(n.kids)), "")
	}
	for i, arg := range n.kids {
		wants, is := f.param(i) == typeRef, arg.kind == kindRef
		if wants && !is {
			return refuse(arg.pos, textRefWanted(f, i), hintRefWanted)
		}
		if is && !wants {
			return refuse(arg.pos, textRef, hintRef)
		}
	}
	return nil
}

// lintNegated refuses !a.b, which all implementations read as (!a).b.
func lintNegated(n *node) error {
	if left := n.left(); left.kind == kindNot && !left.paren {
		return refuse(left.pos, textNegated, hintNegated)
	}
	return nil
}

func lintCompare(n *node) error {
	for _, operand := range n.kids {
		if operand.kind == kindLiteral && !exactValue(operand.value) {
			return refuse(operand.pos, textInexactLiteral, hintInexactLiteral)
		}
	}
	return nil
}

// exactValue reports whether every number in a value is one that float64 numbers are compared with exactly.
func exactValue(v any) bool {
	switch v := v.(type) {
	case float64, json.Number:
		f, exact, _ := numberOf(v)
		return exact && math.Abs(f) <= maxExact
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !exactValue(e) })
	case map[string]any:
		for _, e := range v {
			if !exactValue(e) {
				return false
			}
		}
	}
	return true
}

// callsOnNull reports whether a call is evaluated when the node is applied to null. On the right of `*`, go-jmespath
// does so once for each value, and keeps what comes out.
func (n *node) callsOnNull() bool {
	switch n.kind {
	case kindCall:
		return true
	case kindSub:
		return n.left().callsOnNull() || n.right().callsOnNull()
	case kindList, kindObject, kindFilter, kindFlatten:
		return n.left().callsOnNull()
	}
	return false
}
