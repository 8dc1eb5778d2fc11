package guard

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var normalHosts = map[string]string{
	"example.com":           "example.com",
	"EXAMPLE.Com":           "example.com",
	"example.com.":          "example.com.",
	"localhost":             "localhost",
	"localhost.":            "localhost.",
	"a":                     "a",
	"1.2.3.com":             "1.2.3.com",
	"127.0.0.1.example.com": "127.0.0.1.example.com",
	"0x7f.example":          "0x7f.example",
	"4chan.org":             "4chan.org",
	"1e100.net":             "1e100.net",
	"0xcafe-bar":            "0xcafe-bar",
	"0xyz":                  "0xyz",
	"r3---sn-abc5.gvt1.com": "r3---sn-abc5.gvt1.com",
	"bücher.example":        "xn--bcher-kva.example",
	"BÜCHER.example":        "xn--bcher-kva.example",
	"bu\u0308cher.example":  "xn--bcher-kva.example",
	"xn--bcher-kva.example": "xn--bcher-kva.example",
	"XN--BCHER-KVA.example": "xn--bcher-kva.example",
	"straße.example":        "xn--strae-oqa.example",
	"ｅｘａｍｐｌｅ.com":           "example.com",
	"example。com":           "example.com",
	"пример.рф":             "xn--e1afmkfd.xn--p1ai",
	"例え.テスト":                "xn--r8jz45g.xn--zckzah",
	"8.8.8.8":               "8.8.8.8",
	"0.0.0.0":               "0.0.0.0",
	"255.255.255.255":       "255.255.255.255",
	"::1":                   "::1",
	"[::1]":                 "::1",
	"0:0:0:0:0:0:0:1":       "::1",
	"2606:4700:0:0::1111":   "2606:4700::1111",
	"2606:4700::ABCD":       "2606:4700::abcd",
	"::ffff:127.0.0.1":      "::ffff:127.0.0.1",
	"::ffff:7f00:1":         "::ffff:127.0.0.1",
	"64:ff9b::1.2.3.4":      "64:ff9b::102:304",
	strings.Repeat("a", 63): strings.Repeat("a", 63),
	longName(253):           longName(253),
	longName(253) + ".":     longName(253) + ".",
	"::":                    "::",
}

var invalidHosts = []string{
	"", ".", "..", ".example.com", "example..com", "example.com..", "a. .b", " ", "%", "\x00",
	// Spellings that inet_aton and browsers read as an IPv4 address.
	"2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.1", "0", "1", "127.0.0.1.", "127.000.000.001", "0300.0250.0.1",
	"0xC0A80001", "0XC0A80001", "0x7f.1", "127.0x1", "127.0.1", "1.2.3", "1.2.3.4.5", "08.08.08.08", "0x", "127.0.0.0x", "3405803785",
	"4294967296", "99999999999999999999", "256.1.1.1", "1.2.3.256", "1.2.3.4.", "0.", "0x7f000001", "0x7f000001.", "017700000001",
	"example.0x1", "example.com.1", "example.127", "foo.0xdead",
	"１２７.０.０.１", "１２７。０。０。１", "127。0。0。1", "127．0．0．1", "①②⑦.⓪.⓪.①", "⑯⑨.②⑤④.⑯⑨.②⑤④", "𝟙𝟚𝟟.𝟘.𝟘.𝟙", "0ｘ7f.1", "127.0.0.１",
	"%31%32%37.0.0.1", "127%2e0.0.1",
	// Not one plain address or name.
	" 8.8.8.8", "8.8.8.8 ", "8.8.8.8/32", "8.8.8.8:80", "127.0.0.1\n", "+1.2.3.4", "-1.2.3.4", "1.2.3.-4",
	"fe80::1%eth0", "[fe80::1%eth0]", "2606:4700::1%1", "::1%lo", "fe80::1%25eth0", "[127.0.0.1]", "[::1", "::1]", "[[::1]]", "[]",
	"[example.com]", "::ffff:127.1", "1::2::3", ":::", "12345::1", "::1:", "[::1]:80", "0x::1", "::ffff:127.0.0.01",
	// Not names.
	"a_b.example.com", "_dmarc.example.com", "foo_.example", "exa mple.com", "example.com/x", "user@example.com", "example.com:80",
	"example.com?", "example.com#x", `example.com\x`, "exam\tple.com", "exam\x7fple.com", "*.example.com", "a,b.example", "a'b.example",
	"-a.example", "a-.example", "-", "a.-.b", "a!b", "exa$mple", "(a)", "<a>", "a|b", "a=b", "a;b", "a&b", "a~b", "`", "{a}", "^",
	"xn--", "xn--.example", "xn--a", "xn---", "xn--a.example", "xn--\u00fc", "xn--abc", "xn--0.pt", "xn--80ak6aa92e\u00fc.com",
	"℀.example", "a／b.example", "a＠b.example", "a：b", "a？b", "ex\u202eample.com", "a\ufffdb", "\xff\xfe.example", "a\u2028b",
	"\u200c.example", "a\u200d.example", "אa.example", "\u0300a.example", "\u00ad", "\u00ad.example",
	strings.Repeat("a", 64), strings.Repeat("a", 64) + ".example", longName(254), strings.Repeat("ü", 60),
}

// longName is a name of n characters.
func longName(n int) string {
	return strings.Repeat(strings.Repeat("a", 49)+".", 6)[:n/50*50] + strings.Repeat("b", n-n/50*50)
}

func TestRule5_9_NormalizeHost(t *testing.T) {
	for host, want := range normalHosts {
		got, err := NormalizeHost(host)
		require.NoError(t, err, "%q", host)
		require.Equal(t, want, got, "%q", host)
		again, err := NormalizeHost(got)
		require.NoError(t, err, "%q", got)
		require.Equal(t, got, again)
	}
}

func TestRule5_9_NormalizeHostRefuses(t *testing.T) {
	for _, host := range invalidHosts {
		got, err := NormalizeHost(host)
		require.Empty(t, got, "%q", host)
		blocked := requireBlocked(t, err, ReasonInvalidHost)
		require.Equal(t, host, blocked.Host)
	}
}

// The profile refuses other characters already; its tables change with Unicode.
func TestRule5_9_Labels(t *testing.T) {
	for _, label := range []string{"a_b", "A", "a b", "é", "a/b", "a:b", "a@b", "a%b", "\x00"} {
		require.False(t, validLabel(label), "%q", label)
	}
	require.True(t, validLabel("a-0"))
}

// Punycode takes time that grows with the square of the length: without a bound
// a host of 60 KB costs seconds.
func TestRule5_9_LongHosts(t *testing.T) {
	start := time.Now()
	for _, host := range []string{
		manyRunes(20_000), manyRunes(20_000) + ".example", strings.Repeat("a", 1<<20), "xn--" + strings.Repeat("a", 1<<20), strings.Repeat("[", 1<<20),
	} {
		_, err := NormalizeHost(host)
		blocked := requireBlocked(t, err, ReasonInvalidHost)
		require.Less(t, len(blocked.Error()), 1000)
	}
	require.Less(t, time.Since(start), time.Second)
}

// manyRunes is a name of n different letters.
func manyRunes(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune(0x4e00 + i))
	}
	return b.String()
}
