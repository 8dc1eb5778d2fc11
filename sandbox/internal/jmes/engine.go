package jmes

import (
	"strconv"
	"strings"

	"github.com/jmespath/go-jmespath"
)

// piece hands the node's source text to go-jmespath.
func (c *compiler) piece(n *node) (step, error) { return c.engine(c.src[n.pos:n.end], n.pos) }

// slice lets go-jmespath slice the positions of a list, since it leaves null out of a slice that is not a part of more.
func (c *compiler) slice(n *node) (step, error) {
	engine, err := c.piece(n)
	if err != nil {
		return nil, err
	}
	return func(v any) (any, error) {
		list, ok := v.([]any)
		if !ok {
			return nil, nil
		}
		positions := make([]any, len(list))
		for i := range positions {
			positions[i] = i
		}
		v, err := engine(positions)
		if err != nil {
			return nil, err
		}
		sliced := v.([]any)
		for i, position := range sliced {
			sliced[i] = list[position.(int)]
		}
		return sliced, nil
	}, nil
}

// engine returns the step that go-jmespath takes for an expression. Its errors are dropped, for they show data.
func (c *compiler) engine(expression string, at int) (step, error) {
	engine, err := jmespath.Compile(expression)
	if err != nil {
		return nil, refuse(at, textInternal, "")
	}
	c.program.pieces++
	return func(v any) (any, error) {
		result, err := engine.Search(v)
		if err != nil {
			return nil, fail(at, textInternal)
		}
		return result, nil
	}, nil
}

// engineText returns the expression that computes a function from the list of its arguments. What is ordered is a list
// of pairs of key and element.
func engineText(f *function, args int) string {
	switch f.name {
	case "sort", "sort_by":
		return "map(&[1], sort_by(@, &[0]))"
	case "max", "max_by":
		return "max_by(@, &[0])[1]"
	case "min", "min_by":
		return "min_by(@, &[0])[1]"
	}
	list := make([]string, args)
	for i := range list {
		list[i] = "@[" + strconv.Itoa(i) + "]"
	}
	return f.name + "(" + strings.Join(list, ", ") + ")"
}
