package secret

// A class is a set of the roles that a byte can have in a spelling.
type class uint16

const (
	isLead      class = 1 << iota // may begin an escape
	isHex                         // a hexadecimal digit
	isDigit                       // a decimal digit
	isName                        // a letter or digit of an entity's name
	isSharp                       // # of a numeric entity
	isX                           // x or X of a hexadecimal entity
	isSemicolon                   // ends an entity
	isBackslash                   // begins an escape of JSON
	isUnicode                     // u after a backslash
	isCoded                       // stands after a backslash and before digits
	isEscaped                     // stands after a backslash and is none
	isBlock                       // a character of base64 or base64url, hence also of hex
	isWrap                        // ends a line inside base64 or hex
	isIndent                      // begins a line inside base64 or hex
	isPad                         // ends base64
)

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	decimal = "0123456789"

	escapedLetters = `"'/abfnrtuvxU` // of JSON, and those that Go and JavaScript add
	escapedMeaning = "\"'/\a\b\f\n\r\tu\vxU"
)

// classes is the roles of every byte.
var classes = func() (t [256]class) {
	for role, members := range map[class]string{
		isLead:      `%&\`,
		isHex:       decimal + "abcdefABCDEF",
		isDigit:     decimal,
		isName:      upper + lower + decimal,
		isSharp:     "#",
		isX:         "xX",
		isSemicolon: ";",
		isBackslash: `\`,
		isUnicode:   "u",
		isCoded:     "uxU",
		isEscaped:   escapedLetters,
		isBlock:     upper + lower + decimal + "+/-_",
		isWrap:      "\r\n",
		isIndent:    " \t",
		isPad:       "=",
	} {
		for _, c := range []byte(members) {
			t[c] |= role
		}
	}
	return t
}()

// nearBlock are the bytes of a run of base64 or hex with its line ends and
// escapes.
var nearBlock = members(isBlock | isWrap | isLead | isSharp | isSemicolon)

var hexDigits = members(isHex)

func members(of class) (set [256]bool) {
	for c := range set {
		set[c] = has(byte(c), of)
	}
	return set
}

func has(c byte, want class) bool { return classes[c]&want != 0 }
