package secret

import (
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The lengths of the longest names of entities.
const (
	maxEntityName  = len("CounterClockwiseContourIntegral")
	maxEntityASCII = len("DiacriticalGrave")
	maxBare        = len("Aacute") // of those that are accepted without a semicolon
	maxBareASCII   = len("quot")
)

// longest returns one of two lengths, by whether a pattern needs names beyond ASCII.
func (r *reader) longest(ascii, all int) int {
	if r.beyondASCII {
		return all
	}
	return ascii
}

// entity reads &#65; &#x41; and &amp;, the semicolon missing where browsers do
// without it.
func (r *reader) entity(lead reading, limit uint8) {
	r.namedEntity(entityName{}, lead.end, lead.weight, limit)
	r.parts(lead.end, limit, isSharp, func(sharp part) {
		weight := max(lead.weight, sharp.weight)
		r.numericEntity(sharp.end, 10, 0, weight, limit)
		r.parts(sharp.end, limit, isX, func(x part) {
			r.numericEntity(x.end, 16, 0, max(weight, x.weight), limit)
		})
	})
}

// numericEntity reads the digits of a numeric entity, of which there may be any
// number of zeros. Before a digit that is itself an escape, the entity may also
// have ended.
func (r *reader) numericEntity(at int, base, value rune, weight, limit uint8) {
	want := isDigit
	if base == 16 {
		want = isHex
	}
	for more := true; more && value <= utf8.MaxRune && r.work > 0; {
		r.work--
		if at < len(r.text) && has(r.text[at], want) {
			value = value*base + rune(hexValues[r.text[at]])
			at++
			continue
		}
		if weight == 1 && has(r.text[at-1], want) && at < len(r.text) && r.text[at] == '&' {
			// No decoder undoes the second of two plain entities before the first.
			r.pushEntity(value, at, weight, limit)
			return
		}
		r.numericEnd(value, at, weight, limit)
		before, heavy := value, weight
		more = false
		r.parts(at, limit, want, func(p part) {
			with := before*base + rune(hexValues[p.byte])
			if more {
				r.numericEntity(p.end, base, with, max(heavy, p.weight), limit)
				return
			}
			at, value, weight, more = p.end, with, max(heavy, p.weight), true
		})
	}
}

// numericEnd adds a numeric entity that ends here, with and without a semicolon.
func (r *reader) numericEnd(value rune, at int, weight, limit uint8) {
	bare := true
	r.parts(at, limit, isSemicolon, func(p part) {
		r.pushEntity(value, p.end, max(weight, p.weight), limit)
		bare = bare && p.weight > 1
	})
	if bare {
		r.pushEntity(value, at, weight, limit)
	}
}

// pushEntity adds what a numeric entity means, as browsers have it.
func (r *reader) pushEntity(value rune, end int, heaviest, limit uint8) {
	switch {
	case value == 0 || utf16.IsSurrogate(value):
		return
	case value >= 0x80 && value < 0xA0:
		value = windows1252[value-0x80]
	}
	r.pushRune(value, end, escape(heaviest), limit)
}

// windows1252 is what the numbers from 128 to 159 mean to browsers.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ")

// An entityName is the name of an entity as far as it has been read.
type entityName struct {
	letters [maxEntityName + 1]byte
	n       int
}

func (e *entityName) text() []byte { return e.letters[:e.n] }

// namedEntity reads on in the name of an entity. With a semicolon it is any that
// HTML knows, without it one of those that browsers accept bare, whatever follows.
func (r *reader) namedEntity(name entityName, at int, weight, limit uint8) {
	for {
		r.namedEnd(&name, at, weight, limit)
		if r.work--; r.work <= 0 || name.n == r.longest(maxEntityASCII, maxEntityName) {
			return
		}
		if at == len(r.text) || !has(r.text[at], isName) {
			break
		}
		name.letters[name.n] = r.text[at]
		name.n++
		at++
	}
	n := name.n
	name.n++
	r.parts(at, limit, isName, func(p part) {
		name.letters[n] = p.byte
		r.namedEntity(name, p.end, max(weight, p.weight), limit)
	})
}

// namedEnd adds what an entity means if its name ends here.
func (r *reader) namedEnd(name *entityName, at int, weight, limit uint8) {
	if name.n < 2 {
		return
	}
	bare, ok := r.bareEntity(name.text())
	r.parts(at, limit, isSemicolon, func(p part) {
		if value, known := r.entityValue(name.text()); known {
			r.push([]byte(value), p.end, escape(max(weight, p.weight)), limit)
			ok = ok && p.weight > 1
		}
	})
	if ok {
		r.pushRune(bare, at, escape(weight), limit)
	}
}

// bareEntity returns what an entity without a semicolon means.
func (r *reader) bareEntity(name []byte) (rune, bool) {
	if len(name) > r.longest(maxBareASCII, maxBare) {
		return 0, false
	}
	e, ok := entities[string(name)]
	if !ok || !e.bare {
		return 0, false
	}
	c, _ := utf8.DecodeRuneInString(e.value)
	return c, true
}

// entityValue returns what an entity that ends in a semicolon means. Only secrets
// beyond ASCII need those that package html alone knows.
func (r *reader) entityValue(name []byte) (string, bool) {
	if e, ok := entities[string(name)]; ok {
		return e.value, true
	}
	if !r.beyondASCII {
		return "", false
	}
	text := "&" + string(name) + ";"
	value := html.UnescapeString(text)
	return value, value != text && !strings.HasSuffix(value, ";")
}

type entity struct {
	value string
	bare  bool // browsers accept it without a semicolon
}

// entities has every name that means an ASCII character, and those that are
// accepted bare.
var entities = func() map[string]entity {
	table := map[string]entity{"fjlig": {"fj", false}, "COPY": {"©", true}, "REG": {"®", true}}
	for value, names := range map[string]string{
		"\t": "Tab", "\n": "NewLine", "!": "excl", `"`: "quot QUOT", "#": "num", "$": "dollar", "%": "percnt", "&": "amp AMP",
		"'": "apos", "(": "lpar", ")": "rpar", "*": "ast midast", "+": "plus", ",": "comma", ".": "period", "/": "sol",
		":": "colon", ";": "semi", "<": "lt LT", "=": "equals", ">": "gt GT", "?": "quest", "@": "commat", "[": "lsqb lbrack",
		`\`: "bsol", "]": "rsqb rbrack", "^": "Hat", "_": "lowbar UnderBar", "`": "grave DiacriticalGrave", "{": "lcub lbrace",
		"|": "verbar vert VerticalLine", "}": "rcub rbrace",
	} {
		for name := range strings.FieldsSeq(names) {
			table[name] = entity{value, strings.Contains(`"&<>`, value)}
		}
	}
	for i, name := range strings.Fields(latin1Names) {
		table[name] = entity{string(rune(0xA0 + i)), true}
	}
	return table
}()

// latin1Names are the names of U+00A0 to U+00FF, in order.
const latin1Names = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute " +
	"micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
	"Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute " +
	"Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute " +
	"icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
