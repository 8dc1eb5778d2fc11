package jmes

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenQuoted
	tokenRaw     // 'text'
	tokenLiteral // `json`
	tokenNumber
	tokenDot
	tokenStar
	tokenComma
	tokenColon
	tokenOpenParen
	tokenCloseParen
	tokenOpenBrace
	tokenCloseBrace
	tokenOpenBracket
	tokenCloseBracket
	tokenFilter  // [?
	tokenFlatten // []
	tokenPipe
	tokenOr
	tokenAnd
	tokenNot
	tokenRef // &
	tokenCurrent
	tokenCompare
)

type token struct {
	kind     tokenKind
	pos, end int
	text     string // the name, the text of a string, the source of anything else
	value    any    // of a literal
}

// lex cuts an expression into tokens. The last one is tokenEnd.
func lex(expression string) ([]token, error) {
	l := &lexer{src: expression}
	var tokens []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == tokenEnd {
			return tokens, nil
		}
	}
}

type lexer struct {
	src string
	pos int
}

func (l *lexer) next() (token, error) {
	for l.pos < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0 {
		l.pos++
	}
	if l.pos == len(l.src) {
		return token{kind: tokenEnd, pos: l.pos, end: l.pos}, nil
	}
	switch c := l.src[l.pos]; {
	case isNameByte(c) && !isDigit(c):
		end := l.pos + 1
		for end < len(l.src) && isNameByte(l.src[end]) {
			end++
		}
		return l.take(tokenName, end), nil
	case isDigit(c), c == '-':
		return l.number()
	case c == '"':
		return l.quoted()
	case c == '\'':
		return l.raw()
	case c == '`':
		return l.literal()
	}
	return l.symbol()
}

// symbols are tried in this order, so the longer ones come first.
var symbols = [...]struct {
	text string
	kind tokenKind
}{
	{"[?", tokenFilter}, {"[]", tokenFlatten}, {"||", tokenOr}, {"&&", tokenAnd},
	{"==", tokenCompare}, {"!=", tokenCompare}, {"<=", tokenCompare}, {">=", tokenCompare},
	{".", tokenDot}, {"*", tokenStar}, {",", tokenComma}, {":", tokenColon}, {"(", tokenOpenParen},
	{")", tokenCloseParen}, {"{", tokenOpenBrace}, {"}", tokenCloseBrace}, {"[", tokenOpenBracket},
	{"]", tokenCloseBracket}, {"|", tokenPipe}, {"!", tokenNot}, {"&", tokenRef}, {"@", tokenCurrent},
	{"<", tokenCompare}, {">", tokenCompare},
}

func (l *lexer) symbol() (token, error) {
	rest := l.src[l.pos:]
	for _, s := range &symbols {
		if strings.HasPrefix(rest, s.text) {
			return l.take(s.kind, l.pos+len(s.text)), nil
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, refuse(l.pos, textUnexpectedCharacter(r), hintCharacter(r))
}

// take returns the token from the current position to end.
func (l *lexer) take(kind tokenKind, end int) token {
	t := token{kind: kind, pos: l.pos, end: end, text: l.src[l.pos:end]}
	l.pos = end
	return t
}

func (l *lexer) number() (token, error) {
	end := l.pos + 1
	for end < len(l.src) && isDigit(l.src[end]) {
		end++
	}
	if l.src[l.pos] == '-' && end == l.pos+1 {
		return token{}, refuse(l.pos, textUnexpectedCharacter('-'), hintCharacter('-'))
	}
	return l.take(tokenNumber, end), nil
}

// enclosed returns the end of what the delimiter at the current position opens. A backslash protects the next byte.
func (l *lexer) enclosed(unclosed string) (int, error) {
	delimiter := l.src[l.pos]
	for i := l.pos + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case delimiter:
			return i + 1, nil
		}
	}
	return 0, refuse(l.pos, unclosed, "")
}

func (l *lexer) quoted() (token, error) {
	end, err := l.enclosed(textUnclosedName)
	if err != nil {
		return token{}, err
	}
	t := l.take(tokenQuoted, end)
	value, fault := decodeText(t.text, 1)
	if fault != nil {
		return token{}, refuse(t.pos+fault.Offset, textBadName(fault.Message), "")
	}
	t.text = value.(string)
	return t, nil
}

func (l *lexer) literal() (token, error) {
	end, err := l.enclosed(textUnclosedLiteral)
	if err != nil {
		return token{}, err
	}
	t := l.take(tokenLiteral, end)
	content := strings.ReplaceAll(t.text[1:len(t.text)-1], "\\`", "`")
	value, fault := decodeText(content, maxNesting)
	if fault != nil {
		return token{}, refuse(t.pos, textBadLiteral(fault.Message), hintLiteral(content))
	}
	t.value = value
	return t, nil
}

// raw reads 'text', in which only \' stands for another character. Where an even number of backslashes stands before
// the quote, implementations do not agree whether it closes the text.
func (l *lexer) raw() (token, error) {
	end, err := l.enclosed(textUnclosedText)
	if err != nil {
		return token{}, err
	}
	t := l.take(tokenRaw, end)
	content := t.text[1 : len(t.text)-1]
	if strings.HasSuffix(content, `\`) {
		return token{}, refuse(t.pos, textBackslashes, hintBackslashes)
	}
	t.text = strings.ReplaceAll(content, `\'`, `'`)
	t.value = t.text
	return t, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}
