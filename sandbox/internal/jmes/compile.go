package jmes

import (
	"encoding/json"
	"slices"
)

// A step applies an expression, or a part of one, to a value. It changes neither the value nor what an earlier step gave.
type step func(v any) (any, error)

// A program is an expression that is ready to be applied, to one document at a time. No step changes a value, and so no
// literal: what differs from one document to the next is max and what orders remember.
type program struct {
	root   *node
	step   step
	pieces int // how many engines there are
	orders orders
	max    int // the size of the result, while there is one
}

// apply evaluates the program on a JSON document and returns the result as JSON of at most max bytes.
func (p *program) apply(data []byte, max int) ([]byte, error) {
	document, err := decode(data)
	if err != nil {
		return nil, err
	}
	p.max = max
	defer p.orders.forget()
	result, err := p.step(document)
	if err != nil {
		return nil, err
	}
	return p.encode(result)
}

func (p *program) encode(result any) ([]byte, error) { return encode(result, &p.orders, p.max) }

// compile reads an expression, refuses what lint refuses, and prepares the evaluation.
func compile(expression string) (*program, error) {
	root, err := parse(expression)
	if err != nil {
		return nil, err
	}
	if err := lint(root); err != nil {
		return nil, err
	}
	p := &program{root: root}
	p.orders.collect(root)
	mark(root)
	c := compiler{src: expression, program: p}
	p.step, err = c.step(root)
	return p, err
}

// mark decides for a node and everything in it whether go-jmespath evaluates it as it should be evaluated.
func mark(n *node) {
	n.plain = true
	for _, kid := range n.kids {
		mark(kid)
		n.plain = n.plain && kid.plain
	}
	switch n.kind {
	case kindObject, kindCall, kindRef:
		n.plain = false
	case kindLiteral:
		n.plain = !hasNumber(n.value)
	case kindMultiHash:
		n.plain = n.plain && !n.twin
	case kindCompare:
		// What equals a value without numbers has none either, and an order it does not have.
		n.plain = n.plain && (n.left().kind == kindLiteral || n.right().kind == kindLiteral)
	}
}

func hasNumber(v any) bool {
	switch v := v.(type) {
	case float64, json.Number:
		return true
	case []any:
		return slices.ContainsFunc(v, hasNumber)
	case map[string]any:
		for _, e := range v {
			if hasNumber(e) {
				return true
			}
		}
	}
	return false
}

type compiler struct {
	src     string
	program *program
}

func (c *compiler) step(n *node) (step, error) {
	switch {
	case n.kind == kindCurrent:
		return func(v any) (any, error) { return v, nil }, nil
	case n.kind == kindLiteral:
		return func(any) (any, error) { return n.value, nil }, nil
	case n.kind == kindCall:
		return c.call(n)
	case n.kind == kindSlice:
		return c.slice(n)
	case n.plain && n.standsAlone():
		return c.piece(n)
	}
	kids, err := c.steps(n.kids)
	if err != nil {
		return nil, err
	}
	switch n.kind {
	case kindSub, kindPipe:
		return stepThen(kids[0], kids[1]), nil
	case kindList:
		return stepList(kids[0], kids[1]), nil
	case kindObject:
		return stepObject(kids[0], kids[1]), nil
	case kindFilter:
		return stepFilter(kids[0], kids[1], kids[2]), nil
	case kindFlatten:
		return stepFlatten(kids[0]), nil
	case kindMultiList:
		return stepMultiList(kids), nil
	case kindMultiHash:
		return c.stepMultiHash(n, kids), nil
	case kindOr:
		return stepOr(kids[0], kids[1]), nil
	case kindAnd:
		return stepAnd(kids[0], kids[1]), nil
	case kindNot:
		return stepNot(kids[0]), nil
	case kindCompare:
		return stepCompare(n, kids[0], kids[1]), nil
	}
	return nil, refuse(n.pos, textInternal, "") // kindRef: lint lets it stand nowhere but in calls
}

func (c *compiler) steps(nodes []*node) ([]step, error) {
	steps := make([]step, 0, len(nodes))
	for _, n := range nodes {
		s, err := c.step(n)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}
