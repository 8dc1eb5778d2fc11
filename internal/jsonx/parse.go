package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// The tree builder finds duplicates in the map it fills, which is cheaper than the reader's own bookkeeping.
var parseOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(false)}

// A parser is a pooled reader with what it has counted.
type parser struct {
	dec      *jsontext.Decoder
	buf      bytes.Buffer
	depth    int
	maxDepth int
	elements int // how many more are allowed; negative means any number
	limit    int
}

var parsers = sync.Pool{New: func() any { return &parser{dec: new(jsontext.Decoder)} }}

// Parse reads one JSON document in one strict pass and returns it as map[string]any, []any, string, json.Number
// (of encoding/json, with the digits as written), bool or nil.
//
// It refuses, with an *Error: whatever is not JSON (a byte order mark included), duplicate members at every level,
// invalid UTF-8 and lone surrogates, data after the value, nesting and numbers of elements beyond the limits, and
// number tokens beyond MaxNumberLength or MaxExponent. The tree does not alias data.
func Parse(data []byte, limits Limits) (any, error) {
	p := parsers.Get().(*parser)
	p.buf = *bytes.NewBuffer(data)
	p.dec.Reset(&p.buf, parseOptions...)
	p.depth, p.maxDepth = 0, limits.Depth
	if p.maxDepth <= 0 {
		p.maxDepth = DefaultDepth
	}
	p.limit, p.elements = limits.Elements, limits.Elements
	if limits.Elements <= 0 {
		p.elements = -1
	}
	tree, err := p.document()
	p.buf = bytes.Buffer{}
	p.dec.Reset(&p.buf)
	parsers.Put(p)
	return tree, err
}

func (p *parser) document() (any, error) {
	tree, err := p.value()
	if err != nil {
		return nil, err
	}
	switch _, err := p.dec.ReadToken(); {
	case errors.Is(err, io.EOF):
		return tree, nil
	default:
		return nil, &Error{Kind: Trailing, Detail: detailTrailing}
	}
}

func (p *parser) value() (any, error) {
	token, err := p.dec.ReadToken()
	if err != nil {
		return nil, syntaxError(err)
	}
	switch token.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return token.String(), nil
	case '0':
		s := token.String()
		if detail := checkNumber(s); detail != "" {
			return nil, p.fault(Number, detail)
		}
		return json.Number(s), nil
	case 't', 'f':
		return token.Bool(), nil
	default:
		return nil, nil
	}
}

func (p *parser) object() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	object := make(map[string]any)
	for p.dec.PeekKind() != '}' {
		token, err := p.dec.ReadToken()
		if err != nil {
			return nil, syntaxError(err)
		}
		name := token.String()
		if _, ok := object[name]; ok {
			return nil, p.fault(Duplicate, detailDuplicate)
		}
		if err := p.count(); err != nil {
			return nil, err
		}
		if object[name], err = p.value(); err != nil {
			return nil, err
		}
	}
	return object, p.leave()
}

func (p *parser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	array := []any{}
	for p.dec.PeekKind() != ']' {
		if err := p.count(); err != nil {
			return nil, err
		}
		element, err := p.value()
		if err != nil {
			return nil, err
		}
		array = append(array, element)
	}
	return array, p.leave()
}

// enter is called after the opening token was read.
func (p *parser) enter() error {
	p.depth++
	if p.depth > p.maxDepth {
		return p.fault(TooDeep, detailTooDeep(p.maxDepth))
	}
	return nil
}

// leave reads the closing token.
func (p *parser) leave() error {
	p.depth--
	if _, err := p.dec.ReadToken(); err != nil {
		return syntaxError(err)
	}
	return nil
}

func (p *parser) count() error {
	if p.elements == 0 {
		return &Error{Kind: TooMany, Pointer: p.container(), Detail: detailTooMany(p.limit)}
	}
	if p.elements > 0 {
		p.elements--
	}
	return nil
}

// container returns the pointer of the array or object being read.
func (p *parser) container() string {
	pointer := p.dec.StackPointer()
	if _, length := p.dec.StackIndex(p.dec.StackDepth()); length > 0 {
		pointer = pointer.Parent()
	}
	return string(pointer)
}

func (p *parser) fault(kind Kind, detail string) error {
	return &Error{Kind: kind, Pointer: string(p.dec.StackPointer()), Detail: detail}
}
