package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tricky is a secret whose own characters look like escapes, and some beyond ASCII.
const tricky = `s3cr/t&"x+%41 \n<ş😀>=_z`

// hidden asserts that a text is redacted to nothing but the Mark.
func hidden(t *testing.T, r *Redactor, text string) {
	t.Helper()
	got, n := r.Text("[" + text + "]")
	require.Equal(t, "["+Mark+"]", got, "%q", text)
	require.Equal(t, 1, n)
}

// every spells each byte of a text with a format.
func every(format, s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func everyRune(format, s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func TestRule6_3_Escapes(t *testing.T) {
	r := redactorOf(tricky)
	for name, text := range map[string]string{
		"raw":                      tricky,
		"percent, upper":           url.PathEscape(tricky),
		"percent, lower":           strings.ToLower(url.PathEscape(tricky)),
		"percent, every byte":      every("%%%02x", tricky),
		"double percent":           url.PathEscape(url.PathEscape(tricky)),
		"double percent, partly":   strings.ReplaceAll(url.PathEscape(tricky), "%2", "%252"),
		"triple percent":           every("%%2525%02X", tricky),
		"form":                     url.QueryEscape(tricky),
		"form of form":             url.QueryEscape(url.QueryEscape(tricky)),
		"json":                     `s3cr\/t&\"x+%41 \\n<ş😀>=_z`,
		"json of Go":               `s3cr/t\u0026\"x+%41 \\n\u003cş😀\u003e=_z`,
		"json, all escaped":        `\u0073\u0033\u0063\u0072\u002F\u0074\u0026\u0022\u0078\u002b\u0025\u0034\u0031\u0020\u005c\u006e\u003c\u015f\ud83D\uDE00\u003e\u003d\u005f\u007a`,
		"json, two deep":           `s3cr\\/t&\\\"x+%41 \\\\n<ş\\ud83d\\ude00>=_z`,
		"json, three deep":         `s3cr/t\\\\u0026\\\\\\\"x+%41 \\\\\\\\n<\\\\u015f\\\\uD83D\\\\uDE00>=_z`,
		"json, the u escaped":      `s3cr/t&\\\u0022x+%41 \\\u005cn<\\\u0075015F\u005cud83d\u005cu005cudE00>=_z`,
		"html":                     html.EscapeString(tricky),
		"html, decimal":            everyRune("&#%d;", tricky),
		"html, hex":                everyRune("&#x%x;", tricky),
		"html, HEX":                everyRune("&#X%X;", tricky),
		"html, zeros":              everyRune("&#x000000000000000000000000000%x;", tricky),
		"html, no semicolon":       `s3cr&#47t&amp&quot;x&#43%41 &#x5cn&lt&#351&#128512&gt&#61_z`,
		"html, names":              `s3cr&sol;t&AMP;&QUOT;x&plus;&percnt;41 &bsol;n&LT;&scedil;😀&GT&equals;&lowbar;z`,
		"html, other names":        `s3cr&sol;t&amp;&quot;x&plus;%41 &bsol;n&lt;ş😀&gt;&equals;&UnderBar;z`,
		"html of html":             html.EscapeString(html.EscapeString(tricky)),
		"escapes of Go":            `s3cr/t&\"x+%41 \\n<\u015f\U0001f600>=\x5fz`,
		"each in another way":      `%73\u0033&#99;r&sol;%74&amp;\"%78&#x2b;\u002541+\\n&lt;%C5%9F` + "\xf0%9f" + `%98%80&#62=&#x5F;z`,
		"percent of json":          url.PathEscape(`s3cr\/t&\"x+%41 \\n<ş😀>=_z`),
		"percent of html":          url.PathEscape(html.EscapeString(tricky)),
		"json of html":             `s3cr/t\u0026amp;\u0026#34;x+%41 \\n\u0026lt;ş😀\u0026gt;=_z`,
		"html of json":             html.EscapeString(`s3cr\/t&\"x+%41 \\n<ş😀>=_z`),
		"html of percent":          html.EscapeString(url.QueryEscape(tricky)),
		"percent of json, partly":  `s3cr/t&%5C"x+%41 \%5Cn<ş😀>=_z`,
		"json of percent":          `\u002573\u0025\u00333cr%2\u0066t&\"x%2b%2541 %5c\u006e<%c5%9f😀>=_z`,
		"json cubed of percent":    `s3cr\\\\u00252ft&\\\\u002522x+%41 \\\\\\\\n<ş😀>=_z`,
		"surrogates, mixed spells": `s3cr/t&\"x+%41 \\n<ş\ud83d&#92;ude00>=_z`,
	} {
		t.Run(name, func(t *testing.T) { hidden(t, r, text) })
	}
}

// TestRule6_3_AnyOffset: what stands in front of a spelling must not put the
// reader off.
func TestRule6_3_AnyOffset(t *testing.T) {
	r := redactorOf(tricky, "hunter2-hunter2")
	for _, before := range []string{`\`, `\\`, `%`, `%2`, `&`, `&#`, `&#x`, `&am`, `\u`, `\u00`, `%5`, `+`, "=", "/", "a", "\r", "\xff", "\xf0\x9f"} {
		for _, text := range []string{
			`s3cr\/t\u0026\"x+%41 \\n<ş\uD83d\uDE00>=_z`, url.QueryEscape(tricky), html.EscapeString(tricky), "hunter2%2dhunter2",
		} {
			got, n := r.Text(before + text)
			require.Equal(t, 1, n, "%q", before+text)
			require.LessOrEqual(t, len(got), len(before+Mark))
			require.True(t, strings.HasSuffix(got, Mark), "%q became %q", before+text, got)
		}
	}
}

func TestRule6_3_EveryNamedCharacter(t *testing.T) {
	for name, e := range entities {
		require.Equal(t, e.value, html.UnescapeString("&"+name+";"), name)
		if e.bare {
			require.Equal(t, e.value, html.UnescapeString("&"+name), name)
		}
		hidden(t, redactorOf("hunter2"+e.value+"hunter2"), "hunter2&"+name+";hunter2")
	}
	for c := rune(1); c < 0x2400; c++ {
		text := fmt.Sprintf("&#%d;", c)
		if meaning := html.UnescapeString(text); c >= 0x80 && c < 0xA0 {
			hidden(t, redactorOf("hunter2"+meaning+"hunter2"), "hunter2"+text+"hunter2")
		}
	}
	hidden(t, redactorOf("hunter2≂̸hunter2"), "hunter2&NotEqualTilde;hunter2")
	hidden(t, redactorOf("şifre∳şifre"), "&scedil;ifre&CounterClockwiseContourIntegral;%C5%9Fifre")
}

func TestRule6_3_Hex(t *testing.T) {
	r := redactorOf(tricky)
	lower := hex.EncodeToString([]byte(tricky))
	for name, text := range map[string]string{
		"lower":          lower,
		"upper":          strings.ToUpper(lower),
		"mixed":          strings.ToUpper(lower[:9]) + lower[9:],
		"line ends":      lower[:20] + "\n" + lower[20:33] + "\r\n" + lower[33:],
		"json line ends": lower[:20] + `\n` + lower[20:33] + `\r\n` + lower[33:],
		"percent":        every("%%%02x", lower),
	} {
		t.Run(name, func(t *testing.T) { hidden(t, r, text) })
	}
	got, _ := r.Text("0x" + lower + "ff")
	require.Equal(t, "0x"+Mark+"ff", got)
	got, _ = r.Text("a" + lower + "b")
	require.Equal(t, "a"+Mark+"b", got, "at an odd digit")
}

func TestRule6_3_Base64(t *testing.T) {
	r := redactorOf(tricky)
	wrapped := func(s, end string) string {
		return s[:4] + end + s[4:15] + end + s[15:]
	}
	for encodingName, encoding := range map[string]*base64.Encoding{
		"std": base64.StdEncoding, "raw std": base64.RawStdEncoding, "url": base64.URLEncoding, "raw url": base64.RawURLEncoding,
	} {
		s := encoding.EncodeToString([]byte(tricky))
		for name, text := range map[string]string{
			"plain":            s,
			"LF":               wrapped(s, "\n"),
			"CRLF":             wrapped(s, "\r\n"),
			"JSON CRLF":        wrapped(s, `\r\n`),
			"JSON JSON LF":     wrapped(s, `\\n`),
			"JSON code LF":     wrapped(s, `\u000A`),
			"percent CRLF":     wrapped(s, "%0D%0a"),
			"HTML LF":          wrapped(s, "&NewLine;"),
			"HTML number LF":   wrapped(s, "&#10;"),
			"folded":           s[:12] + "\r\n  " + s[12:],
			"percent":          url.QueryEscape(s),
			"percent, all":     every("%%%02X", s),
			"double percent":   url.QueryEscape(url.QueryEscape(s)),
			"JSON":             strings.NewReplacer("/", `\/`, "+", `\u002b`, "=", `\u003D`).Replace(s),
			"HTML":             strings.NewReplacer("/", "&sol;", "+", "&plus;", "=", "&equals;", "_", "&lowbar;").Replace(s),
			"HTML, numbers":    every("&#%d;", s),
			"base64 of it":     base64.StdEncoding.EncodeToString([]byte(s)),
			"base64 twice":     base64.URLEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s)))),
			"hex of it":        hex.EncodeToString([]byte(s)),
			"of the hex":       encoding.EncodeToString([]byte(hex.EncodeToString([]byte(tricky)))),
			"of the percent":   encoding.EncodeToString([]byte(url.QueryEscape(tricky))),
			"of the JSON":      encoding.EncodeToString([]byte(`s3cr\/t\u0026\"x+%41 \\n<ş\uD83d\uDE00>=_z`)),
			"of the HTML":      encoding.EncodeToString([]byte(html.EscapeString(tricky))),
			"of double":        encoding.EncodeToString([]byte(url.QueryEscape(url.QueryEscape(tricky)))),
			"percent, of JSON": url.QueryEscape(encoding.EncodeToString([]byte(`s3cr\/t\u0026\"x+%41 \\n<ş😀>=_z`))),
		} {
			t.Run(encodingName+"/"+name, func(t *testing.T) { hidden(t, r, text) })
		}
	}
}

// TestRule6_3_Base64Alignments: at each alignment, and whatever stands beside the
// secret, every character that has a bit of it goes, and no other.
func TestRule6_3_Base64Alignments(t *testing.T) {
	const secret = "hunter2-hunter2"
	r := redactorOf(secret)
	for before := range 7 {
		for after := range 7 {
			plain := strings.Repeat("u", before) + secret + strings.Repeat("v", after)
			s := base64.RawStdEncoding.EncodeToString([]byte(plain))
			first, last := before*8/6, ((before+len(secret))*8-1)/6
			for _, front := range []string{"", "z", "/z", "z-z", "="} {
				got, n := r.Text(front + s)
				require.Equal(t, 1, n, plain)
				require.Equal(t, front+s[:first]+Mark+s[last+1:], got, plain)
			}
		}
	}
}

// TestRule6_3_Base64Cut: the characters that the secret decides are enough, whatever
// stands beside them.
func TestRule6_3_Base64Cut(t *testing.T) {
	for _, secret := range []string{"hunter2-", "hunter2-h", "hunter2-hu", "hunter2-hunter2", tricky, "\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf\xc3\xbf"} {
		r := redactorOf(secret)
		for before := range 3 {
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
				s := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret + "\x00\x00"))
				s = s[(before*8+5)/6 : (before+len(secret))*8/6]
				hidden(t, r, s)
				for _, beside := range []string{"A", "z/", "_-8", "QUFB"} {
					got, n := r.Text("<" + beside + s + beside + ">")
					require.Equal(t, 1, n, s)
					require.NotContains(t, got, s[2:len(s)-2])
				}
				got, n := r.Text("\n" + s[:4] + "\r\n" + s[4:] + " ")
				require.Equal(t, 1, n, got)
				hidden(t, r, every("%%%02x", s))
				for _, stray := range []string{`\n`, `\r`, `%`, `\u`, `\`} {
					got, n := r.Text(stray + s)
					require.Equal(t, 1, n, "%q became %q", stray+s, got)
					require.NotContains(t, got, s[2:len(s)-2])
				}
			}
		}
	}
}

// TestRule6_3_NothingOfTheSecretStays: what is left must not depend on the secret.
func TestRule6_3_NothingOfTheSecretStays(t *testing.T) {
	a, b := "hunter2-hunter2", "Zq9~|}{xyz\"\\<&%"
	r := redactorOf(a, b)
	for name, spell := range map[string]func(string) string{
		"raw":     func(s string) string { return s },
		"percent": func(s string) string { return every("%%%02X", s) },
		"json":    func(s string) string { return everyRune(`\u%04x`, s) },
		"html":    func(s string) string { return everyRune("&#%d;", s) },
		"hex":     func(s string) string { return "0" + hex.EncodeToString([]byte("u:"+s+"z")) },
		"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s + "z")) },
		"base64 of base64": func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte("u:" + base64.StdEncoding.EncodeToString([]byte("v"+s+"zz"))))
		},
		"base64 of percent": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u" + every("%%%02X", s))) },
	} {
		t.Run(name, func(t *testing.T) {
			textA, _ := r.Text("x " + spell(a) + " y")
			textB, _ := r.Text("x " + spell(b) + " y")
			require.Equal(t, textA, textB)
			require.Contains(t, textA, Mark)
		})
	}
}

func TestRule6_3_SeveralLines(t *testing.T) {
	lines := []string{"-----BEGIN KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQ", "ab==", "-----END KEY-----"}
	for name, secret := range map[string]string{"LF": strings.Join(lines, "\n"), "CRLF": strings.Join(lines, "\r\n"), "CR": strings.Join(lines, "\r"), "a last line end": strings.Join(lines, "\n") + "\n"} {
		t.Run(name, func(t *testing.T) {
			r := redactorOf(secret)
			for _, text := range []string{
				strings.Join(lines, "\n"), strings.Join(lines, "\r\n"), strings.Join(lines, ""), strings.Join(lines, `\n`), strings.Join(lines, `\\r\\n`),
				strings.Join(lines, "%0A"), url.QueryEscape(strings.Join(lines, "\n")), lines[0], lines[1], lines[2], lines[4],
				base64.StdEncoding.EncodeToString([]byte(strings.Join(lines, "\r\n"))), hex.EncodeToString([]byte(lines[1])),
			} {
				hidden(t, r, text)
			}
			got, n := r.Text("a short line: ab==")
			require.Zero(t, n, got)
		})
	}
	hidden(t, redactorOf("  indented secret\n\tsecond line  "), "indented secret")
	hidden(t, redactorOf("  indented secret\n\tsecond line  "), "second line")
	hidden(t, redactorOf("\t surrounding blanks \t"), "surrounding blanks")
}

func TestRule6_3_OverlapsLeaveNoRemainder(t *testing.T) {
	for _, c := range []struct {
		secrets    []string
		text, want string
	}{
		{[]string{"abcdefgh1", "gh1ijklmn"}, "abcdefgh1ijklmn", Mark},
		{[]string{"abcdefgh1", "gh1ijklmn"}, "xabcdefgh1ijklmny", "x" + Mark + "y"},
		{[]string{"abcdefgh", "abcdefghijkl", "cdefghij"}, "abcdefghijk abcdefghijkl", Mark + "k " + Mark},
		{[]string{"abcdefgh", "ijklmnop"}, "abcdefghijklmnop", Mark},
		{[]string{"aaaaaaaa"}, "aaaaaaaaaaaaaaab", Mark + "b"},
		{[]string{"abcdefgh1", "gh1ijklmn"}, base64.StdEncoding.EncodeToString([]byte("abcdefgh1ijklmn")), Mark},
		{[]string{"abcdefgh1", "gh1ijklmn"}, every("%%%x", "abcdefgh1ijklmn"), Mark},
		{[]string{"abcdefgh1", "gh1ijklmn"}, "abcdef%67%681ijkl%6dn", Mark},
		{[]string{"abcdefgh1", "616263646566"}, "616263646566676831", Mark},
	} {
		got, _ := redactorOf(c.secrets...).Text(c.text)
		require.Equal(t, c.want, got, "%q", c.text)
	}
}

func TestRule6_3_TwoDeepInAnyOrder(t *testing.T) {
	header := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+tricky))
	r := redactorOf(tricky)
	for n := range 12 {
		user := strings.Repeat("u", n)
		got, count := r.Text("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+tricky)))
		require.Equal(t, 1, count)
		require.False(t, shows(got, tricky, 3))
		require.False(t, shows(got, tricky[1:len(tricky)-1], 3), "not even without its ends")
	}
	v := NewVault(nil)
	v.Add("S", tricky)
	v.AddRendered(header)
	out, _, err := v.Redactor().JSON([]byte(`{"headers":{"Authorization":"` + header + `"}}`))
	require.NoError(t, err)
	require.Equal(t, `{"headers":{"Authorization":"[redacted]"}}`, string(out))
}

// TestRule6_3_StrayEscapesInFront: what begins an escape may just stand in front
// of hex or base64, whose first characters then seem to belong to it.
func TestRule6_3_StrayEscapesInFront(t *testing.T) {
	const secret = "qkLZNyAv-qkLZ"
	r := redactorOf(secret)
	digits := hex.EncodeToString([]byte(secret))
	wrapped := digits[:8] + "\n" + digits[8:16] + "\r\n" + digits[16:]
	inBase64 := base64.StdEncoding.EncodeToString([]byte("~" + secret))[1:]
	for _, text := range []string{
		digits, wrapped, strings.ReplaceAll(wrapped, "\n", `\n`), every("%%%02x", digits), every("&#%d", digits[:1]) + ";" + digits[1:], digits[:3] + every(`\u%04x`, digits[3:]),
		inBase64[:8] + "\n" + inBase64[8:], inBase64[:8] + `\r\n` + inBase64[8:],
	} {
		for _, before := range []string{"%", `\`, "&#", "&", `\u`, "%%", `\%`, "&#x", `\x`, "abc%", "68%"} {
			got, n := r.Text(before + text)
			require.False(t, shows(got, secret[1:], 3), "%q became %q", before+text, got)
			require.Equal(t, 1, n, "%q became %q", before+text, got)
		}
	}
}

// TestRule6_3_EntitiesThatMayGoOn: without its semicolon an entity may or may not
// take an escape after it.
func TestRule6_3_EntitiesThatMayGoOn(t *testing.T) {
	for _, c := range []struct{ secret, text string }{
		{"A;bcdefgh", "&#65%3Bbcdefgh"}, {"Abcdefgh", "&#65%3Bbcdefgh"}, {"&;bcdefgh", "&amp%3Bbcdefgh"}, {"&bcdefgh", "&amp%3Bbcdefgh"},
		{"A5bcdefgh", "&#65%35bcdefgh"}, {"\u028bbcdefgh", "&#65%31bcdefgh"}, {"A5bcdefgh", "&#65&#53;bcdefgh"}, {"A;bcdefgh", "&#65&semi;bcdefgh"},
	} {
		hidden(t, redactorOf(c.secret), c.text)
	}
	const secret = "hunter2-hunter2"
	digits := hex.EncodeToString([]byte(secret))
	for _, end := range []string{"&#10", "&#13&#10", "&#xA"} {
		hidden(t, redactorOf(secret), digits[:8]+end+every("%%%02x", digits[8:]))
	}
}
