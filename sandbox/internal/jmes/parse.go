package jmes

import (
	"strings"
	"unicode/utf8"
)

// maxNesting bounds how deep an expression and the values of its literals nest, and so every recursion over them but
// for chains that grow to the left, which MaxLength bounds.
const maxNesting = 64

// How strongly operators bind, which is the same in all implementations. What binds less than a projection's end is
// applied to its result, anything else to each of its elements.
const (
	powerPipe       = 1
	powerOr         = 2
	powerAnd        = 3
	powerCompare    = 5
	powerFlatten    = 9
	powerProjection = 10
	powerStar       = 20
	powerFilter     = 21
	powerDot        = 40
	powerNot        = 45
	powerBrace      = 50
	powerBracket    = 55
	powerParen      = 60
)

func power(k tokenKind) int {
	switch k {
	case tokenPipe:
		return powerPipe
	case tokenOr:
		return powerOr
	case tokenAnd:
		return powerAnd
	case tokenCompare:
		return powerCompare
	case tokenFlatten:
		return powerFlatten
	case tokenStar:
		return powerStar
	case tokenFilter:
		return powerFilter
	case tokenDot:
		return powerDot
	case tokenNot:
		return powerNot
	case tokenOpenBrace:
		return powerBrace
	case tokenOpenBracket:
		return powerBracket
	case tokenOpenParen:
		return powerParen
	}
	return 0
}

// parse reads an expression. It accepts the grammar of the specification and nothing else.
func parse(expression string) (*node, error) {
	switch {
	case !utf8.ValidString(expression):
		return nil, refuse(-1, textExpressionNotUTF8, "")
	case strings.TrimSpace(expression) == "":
		return nil, refuse(-1, textEmpty, hintEmpty)
	case utf8.RuneCountInString(expression) > MaxLength:
		return nil, refuse(-1, textLong, "")
	}
	tokens, err := lex(expression)
	if err != nil {
		return nil, err
	}
	p := parser{src: expression, tokens: tokens}
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.peek() != tokenEnd {
		return nil, p.unexpected()
	}
	return n, nil
}

type parser struct {
	src    string
	tokens []token
	i      int
	depth  int
}

// peek returns the kind of the next token.
func (p *parser) peek() tokenKind { return p.tokens[p.i].kind }

// next takes a token. The end is never passed.
func (p *parser) next() token {
	t := p.tokens[p.i]
	if t.kind != tokenEnd {
		p.i++
	}
	return t
}

// last returns the end of the token that was taken last.
func (p *parser) last() int {
	if p.i == 0 {
		return 0
	}
	return p.tokens[p.i-1].end
}

func (p *parser) unexpected() error {
	t := p.tokens[p.i]
	if t.kind == tokenEnd {
		return refuse(t.pos, textIncomplete, "")
	}
	return refuse(t.pos, textUnexpected(p.src[t.pos:t.end]), hintUnexpected(t))
}

// expect takes a token of one kind.
func (p *parser) expect(kind tokenKind) error {
	if p.peek() != kind {
		return p.unexpected()
	}
	p.next()
	return nil
}

// expression reads what binds more strongly than bound.
func (p *parser) expression(bound int) (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, refuse(p.tokens[p.i].pos, textNesting, "")
	}
	defer func() { p.depth-- }()
	n, err := p.prefix()
	for err == nil && bound < power(p.peek()) {
		n, err = p.infix(n)
	}
	return n, err
}

// prefix reads an expression that begins here.
func (p *parser) prefix() (*node, error) {
	t := p.next()
	switch t.kind {
	case tokenName:
		if p.peek() == tokenOpenParen {
			return p.call(t)
		}
		return &node{kind: kindField, pos: t.pos, end: t.end, at: t.pos, name: t.text}, nil
	case tokenQuoted:
		if p.peek() == tokenOpenParen {
			return nil, refuse(t.pos, textQuotedCall, hintQuotedCall(t.text))
		}
		return &node{kind: kindField, pos: t.pos, end: t.end, at: t.pos, name: t.text, quoted: true}, nil
	case tokenRaw, tokenLiteral:
		return &node{kind: kindLiteral, pos: t.pos, end: t.end, at: t.pos, value: t.value}, nil
	case tokenCurrent:
		return &node{kind: kindCurrent, pos: t.pos, end: t.end, at: t.pos}, nil
	case tokenStar:
		return p.project(kindObject, current(t.pos), t, powerStar)
	case tokenFilter:
		return p.filter(current(t.pos), t)
	case tokenFlatten:
		return p.flatten(current(t.pos), t)
	case tokenOpenBracket:
		return p.bracket(t)
	case tokenOpenBrace:
		return p.multiHash(t)
	case tokenNot:
		n, err := p.expression(powerNot)
		return p.node(kindNot, t, n), err
	case tokenOpenParen:
		return p.parenthesised(t)
	case tokenRef:
		return nil, refuse(t.pos, textRef, hintRef)
	}
	if t.kind != tokenEnd {
		p.i--
	}
	return nil, p.unexpected()
}

// infix reads what follows the expression left.
func (p *parser) infix(left *node) (*node, error) {
	t := p.next()
	switch t.kind {
	case tokenDot:
		if p.peek() == tokenStar {
			return p.project(kindObject, left, p.next(), powerDot)
		}
		right, err := p.afterDot(powerDot)
		return p.node(kindSub, t, left, right), err
	case tokenPipe:
		return p.binary(kindPipe, t, left)
	case tokenOr:
		return p.binary(kindOr, t, left)
	case tokenAnd:
		return p.binary(kindAnd, t, left)
	case tokenCompare:
		n, err := p.binary(kindCompare, t, left)
		if err == nil {
			n.name = t.text
		}
		return n, err
	case tokenFilter:
		return p.filter(left, t)
	case tokenFlatten:
		return p.flatten(left, t)
	case tokenOpenBracket:
		switch p.peek() {
		case tokenNumber, tokenColon:
			return p.index(left, t)
		case tokenStar:
			return p.star(left, t)
		}
		return nil, refuse(p.tokens[p.i].pos, textBracket, hintBracket)
	case tokenOpenParen:
		return nil, refuse(t.pos, textNotCallable, hintNotCallable)
	}
	p.i--
	return nil, p.unexpected()
}

// node returns a node that ends where the last token did and begins with its first kid, or with t before it.
func (p *parser) node(kind nodeKind, t token, kids ...*node) *node {
	n := &node{kind: kind, pos: t.pos, end: p.last(), at: t.pos, kids: kids}
	if len(kids) > 0 && kids[0] != nil && kids[0].pos < n.pos {
		n.pos = kids[0].pos
	}
	return n
}

func (p *parser) binary(kind nodeKind, t token, left *node) (*node, error) {
	right, err := p.expression(power(t.kind))
	if err != nil {
		return nil, err
	}
	return p.node(kind, t, left, right), nil
}

func (p *parser) parenthesised(open token) (*node, error) {
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(tokenCloseParen); err != nil {
		return nil, err
	}
	n.pos, n.end, n.paren = open.pos, p.last(), true
	return n, nil
}
