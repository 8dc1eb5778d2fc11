package transport

import (
	"net/netip"
	"strings"
	"testing"
)

// FuzzHost checks that a Host header that is accepted means one host only, in
// one spelling.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost", "localhost:3000", "[::1]:80", "127.0.0.1.", "a@b", "a:b:c", "[::1%25x]", "x\x00", "ａ", "..", ":1", "[", "]:["} {
		f.Add(s)
	}
	var rules hostRules
	below := hostPattern{name: "example.com", all: true}
	f.Fuzz(func(t *testing.T, s string) {
		host, port, ok := splitHost(s)
		if !ok {
			return
		}
		again := host
		if strings.Contains(host, ":") {
			again = "[" + host + "]"
		}
		if port != "" {
			again += ":" + port
		}
		host2, port2, ok := splitHost(again)
		if !ok || host2 != host || port2 != port {
			t.Fatalf("%q is %q %q, and that is %q %q %v", s, host, port, host2, port2, ok)
		}
		if host == "" || strings.ContainsAny(host, "/@#?\\ ,[]") || host != strings.ToLower(host) || strings.HasSuffix(host, ".") {
			t.Fatalf("%q has the host %q", s, host)
		}
		if addr, err := netip.ParseAddr(host); strings.Contains(host, ":") && (err != nil || addr.String() != host) {
			t.Fatalf("%q has the address %q", s, host)
		}
		if rules.allows(host) && host != "localhost" && host != "127.0.0.1" && host != "::1" {
			t.Fatalf("%q is served by default", s)
		}
		if below.matches(host) != strings.HasSuffix(host, ".example.com") {
			t.Fatalf("%q: %v for the pattern", host, below.matches(host))
		}
	})
}

// FuzzOrigin checks that web pages of the loopback interface, and no others,
// may call by default.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"http://localhost:5173", "https://[::1]", "null", "http://localhost@evil.example", "http://localhost.evil", "HTTP://LOCALHOST.", "x://localhost", "http://localhost/"} {
		f.Add(s)
	}
	o := defaultHTTPOptions()
	f.Fuzz(func(t *testing.T, s string) {
		if !o.allowsOrigin(s) {
			return
		}
		rest, ok := strings.CutPrefix(strings.ToLower(s), "http://")
		if !ok {
			rest, ok = strings.CutPrefix(strings.ToLower(s), "https://")
		}
		host, _, valid := splitHost(rest)
		if !ok || !valid || !isLoopbackName(host) || strings.ContainsAny(rest, "/@#?\\ ,") {
			t.Fatalf("web pages of %q may call", s)
		}
	})
}

// FuzzHeaderValue checks that decoding a header value never changes a plain one.
func FuzzHeaderValue(f *testing.F) {
	for _, s := range []string{"add", "=?base64?YWRk?=", "=?base64?YW!k?=", "=?base64?=", "=?base64??="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		decoded, ok := decodeHeader(s)
		encoded := strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix) && len(s) >= len(encodedPrefix)+len(encodedSuffix)
		if !encoded && (!ok || decoded != s) {
			t.Fatalf("%q became %q, %v", s, decoded, ok)
		}
	})
}
