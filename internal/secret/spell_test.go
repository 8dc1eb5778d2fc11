package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A speller writes a text in one of the encodings of rule 6.3, in a spelling that
// it chooses at random.
type speller struct {
	name  string
	spell func(rng *rand.Rand, s string) string
	block bool // hex or base64
}

var spellers = []speller{
	{"percent", spellPercent, false},
	{"form", spellForm, false},
	{"json", spellJSON, false},
	{"html", spellHTML, false},
	{"hex", spellHex, true},
	{"base64", spellBase64, true},
}

// often returns a coin for the characters of one text: never, seldom, mostly or always.
func often(rng *rand.Rand) func() bool {
	p := []float64{0, 0.2, 0.8, 1}[rng.IntN(4)]
	return func() bool { return rng.Float64() < p }
}

func mixCase(rng *rand.Rand, s string) string {
	b := []byte(s)
	for i := range b {
		if rng.IntN(2) == 0 {
			b[i] = strings.ToUpper(string(b[i]))[0]
		}
	}
	return string(b)
}

func spellPercent(rng *rand.Rand, s string) string {
	var b strings.Builder
	escape := often(rng)
	for _, c := range []byte(s) {
		if c == '%' || escape() {
			b.WriteString("%" + mixCase(rng, fmt.Sprintf("%02x", c)))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func spellForm(rng *rand.Rand, s string) string {
	var b strings.Builder
	escape := often(rng)
	for _, c := range []byte(s) {
		switch {
		case c == ' ':
			b.WriteByte('+')
		case c == '+' || c == '%' || escape():
			b.WriteString("%" + mixCase(rng, fmt.Sprintf("%02x", c)))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func spellJSON(rng *rand.Rand, s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	var b strings.Builder
	escape := often(rng)
	for _, c := range s {
		must := c < ' ' || c == '"' || c == '\\'
		switch {
		case short[c] != "" && (must && rng.IntN(3) > 0 || !must && escape()):
			b.WriteString(short[c])
		case must || escape():
			for _, u := range utf16.Encode([]rune{c}) {
				b.WriteString(`\u` + mixCase(rng, fmt.Sprintf("%04x", u)))
			}
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func spellHTML(rng *rand.Rand, s string) string {
	named := map[rune][]string{
		'&': {"amp", "AMP"}, '<': {"lt", "LT"}, '>': {"gt"}, '"': {"quot", "QUOT"}, '\'': {"apos"}, '+': {"plus"}, '/': {"sol"},
		'=': {"equals"}, '_': {"lowbar", "UnderBar"}, '%': {"percnt"}, '\\': {"bsol"}, ' ': nil, 'é': {"eacute"}, 'ş': {"scedil"},
		'!': {"excl"}, '#': {"num"}, '$': {"dollar"}, '.': {"period"}, ':': {"colon"}, ';': {"semi"}, '@': {"commat"}, '*': {"ast", "midast"},
		'(': {"lpar"}, ')': {"rpar"}, '[': {"lsqb", "lbrack"}, ']': {"rsqb", "rbrack"}, '{': {"lcub", "lbrace"}, '}': {"rcub"}, '|': {"vert"},
		'?': {"quest"}, ',': {"comma"}, '^': {"Hat"}, '`': {"grave"}, '\n': {"NewLine"}, '\t': {"Tab"}, '€': {"euro"},
	}
	var b strings.Builder
	escape := often(rng)
	runes := []rune(s)
	for i, c := range runes {
		if c != '&' && !escape() {
			b.WriteRune(c)
			continue
		}
		zeros := strings.Repeat("0", rng.IntN(2)*rng.IntN(9))
		entity := fmt.Sprintf("&#%s%d", zeros, c)
		switch names := named[c]; {
		case len(names) > 0 && rng.IntN(2) == 0:
			b.WriteString("&" + names[rng.IntN(len(names))] + ";")
			continue
		case rng.IntN(2) == 0:
			entity = fmt.Sprintf("&#%s%s%s", []string{"x", "X"}[rng.IntN(2)], zeros, mixCase(rng, fmt.Sprintf("%x", c)))
		}
		b.WriteString(entity)
		if next := append(runes, 'a')[i+1]; rng.IntN(2) == 0 || next == ';' || next < utf8.RuneSelf && has(byte(next), isHex) {
			b.WriteByte(';')
		}
	}
	return b.String()
}

func spellHex(rng *rand.Rand, s string) string {
	digits := fmt.Sprintf("%x", s)
	switch rng.IntN(3) {
	case 0:
		digits = strings.ToUpper(digits)
	case 1:
		digits = mixCase(rng, digits)
	}
	return wrap(rng, digits)
}

func spellBase64(rng *rand.Rand, s string) string {
	before, after := rng.IntN(7), rng.IntN(7)
	encodings := []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding}
	encoded := encodings[rng.IntN(4)].EncodeToString([]byte(filler(rng, before) + s + filler(rng, after)))
	if rng.IntN(4) == 0 { // cut to what the text decides
		encoded = encoded[(before*8+5)/6 : (before+len(s))*8/6]
	}
	return wrap(rng, encoded)
}

func wrap(rng *rand.Rand, s string) string {
	width, end := []int{4, 11, 64, 76}[rng.IntN(4)], []string{"\n", "\r\n"}[rng.IntN(2)]
	if rng.IntN(2) == 0 {
		return s
	}
	var lines []string
	for ; len(s) > width; s = s[width:] {
		lines = append(lines, s[:width])
	}
	return strings.Join(append(lines, s), end)
}

// filler is text to stand beside a secret: letters, or what may confuse a decoder.
func filler(rng *rand.Rand, n int) string {
	alphabet := []string{"abcdefXYZ0123456789 ", `{}":,\%&;#=+/-_ n0aAxXu` + "\n"}[rng.IntN(2)]
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

// anySecret makes a secret of one of several kinds.
func anySecret(rng *rand.Rand) string {
	alphabet := []rune([]string{
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
		"0123456789abcdef",
		`aZ09+/=_-!"#$%&'()*,.:;<>?@[\]^{|}~ ` + "`",
		`\%&+u0041;x2famp#n"`,
		"abşçğıéüß€日本語😀👍 x/+",
		"01234567890123456789abc_\n",
	}[rng.IntN(6)])
	for {
		runes := make([]rune, 8+rng.IntN(30)*rng.IntN(2))
		for i := range runes {
			runes[i] = alphabet[rng.IntN(len(alphabet))]
		}
		if s := string(runes); !tooShort(s) {
			return s
		}
	}
}
