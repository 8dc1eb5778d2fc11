package secret

import (
	"encoding/base64"
	"strings"
)

// A coding writes bytes as characters of a few bits each.
type coding struct {
	bits   int
	phases int         // characters after which it begins a byte again
	values *[256]uint8 // what each character means
}

var (
	base64Coding = coding{6, 4, &base64Values}
	hexCoding    = coding{4, 2, &hexValues}
)

// hexValues are what hexadecimal digits mean, base64Values what the characters of
// base64 and base64url do.
var (
	hexValues    = values(decimal+"abcdef", decimal+"ABCDEF")
	base64Values = values(upper+lower+decimal+"+/", upper+lower+decimal+"-_")
)

// notInCoding is the value of a character that has none.
const notInCoding = 0xFF

// values numbers the characters of alphabets.
func values(alphabets ...string) (t [256]uint8) {
	for i := range t {
		t[i] = notInCoding
	}
	for _, alphabet := range alphabets {
		for i, c := range []byte(alphabet) {
			t[c] = uint8(i)
		}
	}
	return t
}

// inBase64 returns the characters of base64 and base64url that a text decides, at
// each place where it can begin in a group of them. They stand in every encoding
// that the text is in, and in what a cut leaves of it.
func inBase64(text string) []string {
	var all []string
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", before) + text))
		decided := encoded[(before*8+5)/6 : (before+len(text))*8/6]
		all = append(all, decided)
		if strings.ContainsAny(decided, "+/") {
			all = append(all, toBase64URL.Replace(decided))
		}
	}
	return all
}

var toBase64URL = strings.NewReplacer("+", "-", "/", "_")

// appendBase64 appends what characters of base64 mean after some that are missing,
// which count as zero. A last byte that is not whole is left out.
func appendBase64(dst, chars []byte, missing int) []byte {
	v := &base64Values
	if missing > 0 {
		var group [4]byte
		n := copy(group[copy(group[:], "AAA"[:missing]):], chars)
		dst = appendBase64(dst, group[:missing+n], 0)
		chars = chars[n:]
	}
	for ; len(chars) >= 4; chars = chars[4:] {
		w := uint32(v[chars[0]])<<18 | uint32(v[chars[1]])<<12 | uint32(v[chars[2]])<<6 | uint32(v[chars[3]])
		dst = append(dst, byte(w>>16), byte(w>>8), byte(w))
	}
	if len(chars) >= 2 {
		dst = append(dst, v[chars[0]]<<2|v[chars[1]]>>4)
	}
	if len(chars) == 3 {
		dst = append(dst, v[chars[1]]<<4|v[chars[2]]>>2)
	}
	return dst
}

// appendHex appends what pairs of hexadecimal digits mean.
func appendHex(dst, digits []byte) []byte {
	for ; len(digits) >= 2; digits = digits[2:] {
		dst = append(dst, hexValues[digits[0]]<<4|hexValues[digits[1]])
	}
	return dst
}

// An origin says which characters bytes were made of: those of a head, if any, and
// of a tail but for its first ones.
type origin struct {
	coding
	head, tail *run
	skip       int // characters of the tail that are left out
	first      int // the character at which the bytes begin; characters before 0 are missing and zero
	bytes      int // bytes that are left out
}

func (o *origin) length() int {
	n := len(o.tail.chars) - o.skip
	if o.head != nil {
		n += len(o.head.chars)
	}
	return n
}

// locate returns the run of a character and its index there.
func (o *origin) locate(i int) (*run, int) {
	if o.head == nil {
		return o.tail, i
	}
	if n := len(o.head.chars); i >= n {
		return o.tail, i - n + o.skip
	}
	return o.head, i
}

func (o *origin) char(i int) byte {
	r, i := o.locate(i)
	return r.chars[i]
}

// value returns what a character means.
func (o *origin) value(i int) uint8 {
	if i < 0 {
		return 0
	}
	return o.values[o.char(i)]
}

// index returns the character that a bit belongs to.
func (o *origin) index(bit int) int { return o.first + bit/o.bits }

// span returns where some of the bytes stand: every character that has a bit of
// theirs.
func (o *origin) span(bytes span) span {
	return o.chars(max(0, o.index(8*(o.bytes+bytes.start))), o.index(8*(o.bytes+bytes.end)-1))
}

// chars returns where the characters from one up to and including another stand.
func (o *origin) chars(first, last int) span {
	from, i := o.locate(first)
	to, j := o.locate(last)
	return span{from.at(i).start, to.at(j).end}
}
