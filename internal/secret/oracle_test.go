package secret

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// shows reports whether a secret, or the characters of base64 that it decides, can
// be read from a text by decoding it, in any order, up to so many times. It shares
// nothing with the redactor: it decodes whole copies and looks into them.
func shows(text, secret string, depth int) bool {
	wanted := []string{secret}
	for before := range 3 {
		s := base64.RawURLEncoding.EncodeToString([]byte("\xff\xff\xff"[:before] + secret))
		s = s[[]int{0, 2, 3}[before]:]
		if (before+len(secret))%3 > 0 {
			s = s[:len(s)-1]
		}
		wanted = append(wanted, s)
	}
	copies := map[string]bool{text: true}
	last := []string{text}
	for ; ; depth-- {
		var next []string
		for _, c := range last {
			if strings.Contains(c, wanted[0]) {
				return true
			}
			joined := toURL.Replace(c)
			if slices.ContainsFunc(wanted[1:], func(w string) bool { return strings.Contains(joined, w) }) {
				return true
			}
			if depth == 0 {
				continue
			}
			for _, d := range decodings(c) {
				if len(d) >= len(secret) && !copies[d] {
					copies[d] = true
					next = append(next, d)
				}
			}
		}
		if len(next) == 0 {
			return false
		}
		last = next
	}
}

var (
	percentEscape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	base64Run     = regexp.MustCompile(`[A-Za-z0-9+/_-](?:[\r\n]*[A-Za-z0-9+/_-]){9,}`)
	hexRun        = regexp.MustCompile(`[0-9A-Fa-f](?:[\r\n]*[0-9A-Fa-f]){14,}`)
	toURL         = strings.NewReplacer("+", "-", "/", "_", "\r", "", "\n", "")
)

func decodings(s string) []string {
	out := []string{unpercent(s), unpercent(strings.ReplaceAll(s, "+", " ")), html.UnescapeString(s), unjson(s)}
	for _, run := range base64Run.FindAllString(s, -1) {
		run = toURL.Replace(run)
		for first := range 4 {
			chars := run[first:]
			if len(chars)%4 == 1 {
				chars = chars[:len(chars)-1]
			}
			if b, err := base64.RawURLEncoding.DecodeString(chars); err == nil {
				out = append(out, string(b))
			}
		}
	}
	for _, run := range hexRun.FindAllString(s, -1) {
		run = toURL.Replace(run)
		for first := range 2 {
			chars := run[first:]
			if b, err := hex.DecodeString(chars[:len(chars)/2*2]); err == nil {
				out = append(out, string(b))
			}
		}
	}
	return out
}

func unpercent(s string) string {
	return percentEscape.ReplaceAllStringFunc(s, func(e string) string {
		b, _ := hex.DecodeString(e[1:])
		return string(b)
	})
}

// unjson undoes the escapes of JSON and leaves what is none.
func unjson(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		if at := strings.IndexByte(`"\/bfnrt`, s[i+1]); at >= 0 {
			out = append(out, "\"\\/\b\f\n\r\t"[at])
			i++
			continue
		}
		c, ok := unicodeAt(s, i)
		if !ok {
			out = append(out, s[i])
			continue
		}
		i += 5
		if low, ok := unicodeAt(s, i+1); ok && utf16.DecodeRune(c, low) != utf8.RuneError {
			c = utf16.DecodeRune(c, low)
			i += 6
		}
		out = utf8.AppendRune(out, c)
	}
	return string(out)
}

func unicodeAt(s string, i int) (rune, bool) {
	if len(s) < i+6 || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	b, err := hex.DecodeString(s[i+2 : i+6])
	if err != nil {
		return 0, false
	}
	return rune(b[0])<<8 | rune(b[1]), true
}

func TestOracle(t *testing.T) {
	const secret = `p"s/w rd1`
	for _, text := range []string{
		`x p"s/w rd1`, `p%22s%2fw+rd1`, `p\"s\/w\u0020rd1`, `p&quot;s&#x2F;w&#32rd1`, "7022732F7720726431", "eHAicy93IHJkMQ", "eHAicy93\r\nIHJkMQ==",
		`%70%2522s%2fw+rd1`,
	} {
		require.True(t, shows(text, secret, 2), text)
	}
	require.False(t, shows(`p"s/w rd2 cCJzL3cgcmQy`, secret, 3))
}
