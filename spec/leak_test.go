package spec_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
)

// The secrets of these tests: an ordinary one, one of which every escape makes
// another text, one that may come as a number, and one of several lines.
const (
	plainKey  = "sk-live-4f9Qz7Lm2Xc8"
	trickyKey = `s3cr&t/"ş" +9%<w>`
	digitsKey = "820461937520"
	linesKey  = "-BEGIN KEY-\nMIIEow7IBAAK\nq8/Zt+3uVvXy\n-END KEY-"
)

// leak looks for a secret, or eight characters of it in a row, in a text and in
// what comes of decoding it up to so many times. It returns the copy that shows
// them, or nothing.
func leak(text, secret string, depth int) string {
	var parts []string
	for runes := []rune(secret); len(runes) >= 8; runes = runes[1:] {
		parts = append(parts, string(runes[:8]))
	}
	last, known := []string{text, strings.Join(read(text, 4), "\x00")}, map[string]bool{}
	for ; ; depth-- {
		var next []string
		for _, c := range last {
			for _, part := range parts {
				if strings.Contains(c, part) {
					return fmt.Sprintf("%q shows %q of %q", c, part, secret)
				}
			}
			if depth == 0 || known[c] {
				continue
			}
			known[c] = true
			next = append(next, decodings(c)...)
		}
		if len(next) == 0 {
			return ""
		}
		last = next
	}
}

// read returns the strings, keys and integers of a JSON text, and those of JSON
// in its strings.
func read(text string, depth int) []string {
	var tree any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if depth < 0 || d.Decode(&tree) != nil {
		return nil
	}
	var found []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				walk(key)
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		case json.Number:
			if f, ok := new(big.Rat).SetString(v.String()); ok {
				found = append(found, f.FloatString(0))
			}
		case string:
			found = append(append(found, v), read(v, depth-1)...)
		}
	}
	walk(tree)
	return found
}

var (
	percents = regexp.MustCompile(`(?i)%[0-9a-f]{2}`)
	units    = regexp.MustCompile(`(?i)\\u[0-9a-f]{4}(\\u[0-9a-f]{4})*|\\.`)
)

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// decodings are the copies of a text that one step of decoding makes, if any.
func decodings(s string) []string {
	unpercent := func(s string) string {
		return percents.ReplaceAllStringFunc(s, func(e string) string { b, _ := hex.DecodeString(e[1:]); return string(b) })
	}
	unescape := units.ReplaceAllStringFunc(s, func(e string) string {
		var out string
		if json.Unmarshal([]byte(`"`+e+`"`), &out) != nil {
			return e
		}
		return out
	})
	copies := []string{unpercent(s), unpercent(strings.ReplaceAll(s, "+", " ")), html.UnescapeString(s), unescape, strings.NewReplacer("~1", "/", "~0", "~").Replace(s)}
	joined := strings.NewReplacer("\r", "", "\n", "", "+", "-", "/", "_").Replace(s)
	var blocks [4][]byte // by where the first character stands in its group
	for _, run := range strings.FieldsFunc(joined, func(r rune) bool { return !strings.ContainsRune(base64Alphabet, r) }) {
		for first := 0; first < 4 && len(run)-first > 10; first++ {
			block := run[first:]
			if len(block)%4 == 1 {
				block = block[:len(block)-1]
			}
			decoded, _ := base64.RawURLEncoding.DecodeString(block)
			blocks[first] = append(append(blocks[first], decoded...), 0)
		}
	}
	for _, run := range strings.FieldsFunc(joined, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }) {
		for first := 0; first < 2 && len(run)-first > 15; first++ {
			decoded, _ := hex.DecodeString(run[first : first+(len(run)-first)&^1])
			copies = append(copies, string(decoded))
		}
	}
	for _, block := range blocks {
		copies = append(copies, string(block))
	}
	return slices.DeleteFunc(copies, func(c string) bool { return c == s || len(c) < 8 })
}

// byteEscapes write one byte, or one UTF-16 unit or character, of a text.
var byteEscapes = map[string]func(r rune) string{
	"pct":    func(r rune) string { return eachByte(r, "%%%02x") },
	"PCT":    func(r rune) string { return eachByte(r, "%%%02X") },
	"2pct":   func(r rune) string { return eachByte(r, "%%25%02x") },
	"u":      func(r rune) string { return eachUnit(r, `\u%04x`) },
	"U":      func(r rune) string { return eachUnit(r, `\u%04X`) },
	"dec":    func(r rune) string { return fmt.Sprintf("&#%d;", r) },
	"hexent": func(r rune) string { return fmt.Sprintf("&#x%x;", r) },
	"0HEX":   func(r rune) string { return fmt.Sprintf("&#X00%X;", r) },
}

func eachByte(r rune, format string) (s string) {
	for _, b := range []byte(string(r)) {
		s += fmt.Sprintf(format, b)
	}
	return s
}

func eachUnit(r rune, format string) (s string) {
	for _, u := range utf16.Encode([]rune{r}) {
		s += fmt.Sprintf(format, u)
	}
	return s
}

// mustEscape are the characters that no escape leaves as they are.
const mustEscape = "%&\\\"+ \n"

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func wrap(s string, width int, end string) (out string) {
	for ; len(s) > width; s = s[width:] {
		out += s[:width] + end
	}
	return out + s
}

// spellings are the forms of rule 6.3 in which an upstream sends a secret.
func spellings(secret string) map[string]string {
	all := map[string]string{
		"raw": secret, "form": url.QueryEscape(secret), "path": url.PathEscape(secret), "2form": url.QueryEscape(url.QueryEscape(secret)),
		"json": quote(secret), "2json": quote(quote(secret)), "3json": quote(quote(quote(secret))), "inner": `{"a":` + quote(`{"b":`+quote(secret)+`}`) + `}`,
		"slash": strings.ReplaceAll(quote(secret), "/", `\/`), "html": html.EscapeString(secret), "hex": hex.EncodeToString([]byte(secret)),
		"HEX": strings.ToUpper(hex.EncodeToString([]byte("x" + secret))), "hexwrap": wrap(hex.EncodeToString([]byte(secret)), 16, "\r\n"),
		"64pct": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret + "?"))), "jsonhtml": html.EscapeString(quote(secret)),
		"json64": base64.StdEncoding.EncodeToString([]byte(`{"k":` + quote(secret) + `}`)), "pctjson": strings.ReplaceAll(url.QueryEscape(secret), "%", `\u0025`),
	}
	for name, escape := range byteEscapes {
		for which, escaped := range map[string]func(i int) bool{
			"all": func(int) bool { return true }, "none": func(int) bool { return false }, "even": func(i int) bool { return i%2 == 0 },
			"odd": func(i int) bool { return i%2 == 1 }, "one": func(i int) bool { return i == 3 },
		} {
			spelled := ""
			for i, r := range []rune(secret) {
				if escaped(i) || strings.ContainsRune(mustEscape, r) {
					spelled += escape(r)
				} else {
					spelled += string(r)
				}
			}
			all[name+which] = spelled
		}
	}
	for before := range 13 {
		user := "administrator"[:before]
		all[fmt.Sprint("basic", before)] = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+secret))
		if before < 3 {
			all[fmt.Sprint("64u", before)] = base64.URLEncoding.EncodeToString([]byte(user + secret + user))
			all[fmt.Sprint("64r", before)] = base64.RawStdEncoding.EncodeToString([]byte(user + secret + "~"))
			all[fmt.Sprint("64w", before)] = wrap(base64.StdEncoding.EncodeToString([]byte(user+secret)), 4+5*before, []string{"\n", "\r\n"}[before%2])
		}
	}
	if lines := strings.Split(secret, "\n"); len(lines) > 1 {
		all["crlf"], all["joined"] = strings.Join(lines, "\r\n"), strings.Join(lines, "")
		for i, line := range lines {
			all[fmt.Sprint("line", i)] = line
		}
	}
	return all
}

// documents are JSON texts that hold a secret in all its forms.
func documents(secret string) map[string]string {
	values := spellings(secret)
	keys, list, escaped := map[string]any{}, []any{}, "["
	for name, spelled := range values {
		keys[spelled] = name
		list = append(list, []any{"before " + spelled + " after", "<" + spelled + ">"})
		escaped += `"`
		for _, r := range spelled {
			escaped += eachUnit(r, `\u%04x`)
		}
		escaped += `",`
	}
	text := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	all := map[string]string{"values": text(values), "keys and list": text([]any{keys, list}), "escaped": escaped + "0]"}
	all["nested"] = text(map[string]any{"a": text(map[string]any{"b": text(map[string]any{secret: secret})})})
	if secret == digitsKey {
		all["numbers"] = `[820461937520,-820461937520,9820461937520,8.20461937520e11,820461937520.0,82046193752.0E1,{"n":1820461937520.5}]`
	}
	return all
}

func TestRule6_3_TheSearcherFinds(t *testing.T) {
	for _, secret := range []string{plainKey, trickyKey, digitsKey, linesKey} {
		for name, spelled := range spellings(secret) {
			assert.NotEmpty(t, leak(spelled, secret, 3), "%s: %s", name, spelled)
			assert.Empty(t, leak(strings.ReplaceAll(spelled, spelled, "[redacted]"), secret, 3))
		}
		for name, document := range documents(secret) {
			assert.NotEmpty(t, leak(document, secret, 3), "%s", name)
		}
	}
}
