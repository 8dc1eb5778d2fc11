package jmes

import (
	"slices"
	"strconv"
)

// maxIndex is the largest number in an index or a slice. go-jmespath adds a step to an index without a look at overflow.
const maxIndex = 1_000_000_000

// current returns the node for what is not written: the value that an expression is applied to.
func current(pos int) *node { return &node{kind: kindCurrent, pos: pos, end: pos, at: pos} }

// project returns the projection of what follows on the elements or values of left.
func (p *parser) project(kind nodeKind, left *node, t token, bound int) (*node, error) {
	right, err := p.projected(bound)
	if err != nil {
		return nil, err
	}
	return p.node(kind, t, left, right), nil
}

// projected reads the right side of a projection, which may be nothing.
func (p *parser) projected(bound int) (*node, error) {
	switch kind := p.peek(); {
	case power(kind) < powerProjection:
		return current(p.last()), nil
	case kind == tokenOpenBracket, kind == tokenFilter:
		return p.expression(bound)
	case kind == tokenDot:
		p.next()
		return p.afterDot(bound)
	}
	return nil, p.unexpected()
}

// afterDot reads what may stand after a dot. A hash or list ends the right side of a projection.
func (p *parser) afterDot(bound int) (*node, error) {
	switch p.peek() {
	case tokenName, tokenQuoted, tokenStar:
		return p.expression(bound)
	case tokenOpenBracket:
		return p.multiList(p.next())
	case tokenOpenBrace:
		return p.multiHash(p.next())
	}
	return nil, p.unexpected()
}

// filter reads what follows [?.
func (p *parser) filter(left *node, t token) (*node, error) {
	condition, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokenCloseBracket); err != nil {
		return nil, err
	}
	right, err := p.projected(powerFilter)
	if err != nil {
		return nil, err
	}
	return p.node(kindFilter, t, left, right, condition), nil
}

func (p *parser) flatten(left *node, t token) (*node, error) {
	return p.project(kindList, p.node(kindFlatten, t, left), t, powerFlatten)
}

// bracket reads what follows a [ at the beginning of an expression.
func (p *parser) bracket(t token) (*node, error) {
	switch p.peek() {
	case tokenNumber, tokenColon:
		return p.index(current(t.pos), t)
	case tokenStar:
		if p.tokens[p.i+1].kind == tokenCloseBracket {
			return p.star(current(t.pos), t)
		}
	}
	return p.multiList(t)
}

// star reads *] after a [.
func (p *parser) star(left *node, t token) (*node, error) {
	p.next()
	if err := p.expect(tokenCloseBracket); err != nil {
		return nil, err
	}
	return p.project(kindList, left, t, powerStar)
}

// index reads an index or a slice after a [.
func (p *parser) index(left *node, t token) (*node, error) {
	colons, step := 0, 1
	for p.peek() != tokenCloseBracket {
		switch p.peek() {
		case tokenColon:
			if colons++; colons > 2 {
				return nil, p.unexpected()
			}
			step = 1
			p.next()
			continue
		case tokenNumber:
			n := p.next()
			value, err := strconv.Atoi(n.text)
			if err != nil || value > maxIndex || value < -maxIndex {
				return nil, refuse(n.pos, textBigIndex, "")
			}
			step = value
			if p.peek() == tokenColon || p.peek() == tokenCloseBracket {
				continue
			}
		}
		return nil, p.unexpected()
	}
	p.next()
	if colons == 0 {
		return p.node(kindSub, t, left, p.node(kindIndex, t)), nil
	}
	if colons == 2 && step == 0 {
		return nil, refuse(t.pos, textStep, "")
	}
	return p.project(kindList, p.node(kindSub, t, left, p.node(kindSlice, t)), t, powerStar)
}

func (p *parser) multiList(open token) (*node, error) {
	kids, err := p.list(tokenCloseBracket, func() (*node, error) { return p.expression(0) })
	return p.node(kindMultiList, open, kids...), err
}

func (p *parser) multiHash(open token) (*node, error) {
	var keys []string
	kids, err := p.list(tokenCloseBrace, func() (*node, error) {
		t := p.tokens[p.i]
		if t.kind != tokenName && t.kind != tokenQuoted {
			return nil, p.unexpected()
		}
		if slices.Contains(keys, t.text) {
			return nil, refuse(t.pos, textKeyTwice(t.text), "")
		}
		keys = append(keys, t.text)
		p.next()
		if err := p.expect(tokenColon); err != nil {
			return nil, err
		}
		return p.expression(0)
	})
	n := p.node(kindMultiHash, open, kids...)
	n.keys = keys
	return n, err
}

func (p *parser) call(name token) (*node, error) {
	p.next()
	n := p.node(kindCall, name)
	n.name = name.text
	if p.peek() == tokenCloseParen {
		p.next()
		n.end = p.last()
		return n, nil
	}
	kids, err := p.list(tokenCloseParen, p.argument)
	n.kids, n.end = kids, p.last()
	return n, err
}

func (p *parser) argument() (*node, error) {
	if p.peek() != tokenRef {
		return p.expression(0)
	}
	t := p.next()
	n, err := p.expression(0)
	return p.node(kindRef, t, n), err
}

// list reads elements with commas between them, at least one, and the token that ends them.
func (p *parser) list(end tokenKind, element func() (*node, error)) ([]*node, error) {
	var nodes []*node
	for {
		n, err := element()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		switch p.peek() {
		case end:
			p.next()
			return nodes, nil
		case tokenComma:
			p.next()
		default:
			return nil, p.unexpected()
		}
	}
}
