package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withURL is a file whose tool has this URL, and any input.
func withURL(url, more string) string {
	return inFile("secrets: [S_TOKEN]\nvars: [V]\n", "input: {type: object}\nhttp:\n  url: "+url+"\n  "+more+
		"\n  headers: {A: \"{{secrets.S_TOKEN}}\", B: \"{{vars.V}}\"}"+rawOutput)
}

func quietOptions() Options {
	return Options{
		Secrets: MapSecrets(map[string]string{"S_TOKEN": "abcdefgh1234"}),
		Vars:    func(string) (string, bool) { return "v", true },
	}
}

func TestRule5_9_URL(t *testing.T) {
	for name, c := range map[string]struct{ url, says string }{
		"template in host":              {"https://{{input.q}}.example.com/", "host or port must be literal"},
		"template as host":              {"https://{{input.q}}/", "host or port must be literal"},
		"template behind the port":      {"http://127.0.0.1:8080{{input.v}}", "host or port must be literal"},
		"template as port":              {"https://h:{{input.p}}/", "host or port must be literal"},
		"template as scheme":            {"{{input.s}}://h/", "scheme must be literal"},
		"template as URL":               {"{{vars.V}}", "must be absolute"},
		"var in host":                   {"https://{{vars.V}}/", "host or port must be literal"},
		"template in query":             {"https://h/?a={{input.q}}", "http.query"},
		"credentials":                   {"https://user:pw@h/", "credentials"},
		"user":                          {"https://user@h/", "credentials"},
		"secret as credentials":         {"https://{{secrets.S_TOKEN}}@h/", "credentials"},
		"two at signs":                  {"https://a@b@h/", "credentials"},
		"backslash before an at sign":   {`https://h\@evil.example/`, `the character \`},
		"backslash":                     {`https://h/a\b`, `\`},
		"fragment":                      {"https://h/#x", "fragment"},
		"empty fragment":                {"https://h/#", "fragment"},
		"fragment behind a query":       {"https://h/?a#b", "fragment"},
		"fragment without a path":       {"https://h#x", "fragment"},
		"relative":                      {"/path", "absolute"},
		"no scheme":                     {"example.com/x", "absolute"},
		"scheme-relative":               {"//example.com/x", "absolute"},
		"one slash":                     {"https:/h/x", "two slashes"},
		"no slashes":                    {"http:h", "two slashes"},
		"ftp":                           {"ftp://h/", "scheme"},
		"file":                          {"file:///etc/passwd", "scheme"},
		"javascript":                    {"javascript://h/", "scheme"},
		"blank in front":                {" https://h/", "scheme"},
		"no host":                       {"https:///x", "no host"},
		"only a port":                   {"https://:80/", "no host"},
		"hexadecimal IPv4":              {"https://0x7f.1/", "no host"},
		"short IPv4":                    {"https://127.1/", "no host"},
		"decimal IPv4":                  {"https://2130706433/", "no host"},
		"octal IPv4":                    {"https://0177.0.0.1/", "no host"},
		"zero":                          {"https://0/", "no host"},
		"leading zeros":                 {"https://127.000.000.001/", "no host"},
		"full-width IPv4":               {"https://１２７.０.０.１/", "no host"},
		"IPv4 with a final dot":         {"https://127.0.0.1./", "no host"},
		"percent in host":               {"https://%31%32%37.0.0.1/", "no host"},
		"underscore":                    {"https://a_b.example/", "no host"},
		"empty label":                   {"https://a..example/", "no host"},
		"label of a hyphen":             {"https://-a.example/", "no host"},
		"blank in host":                 {"https://a b.example/", "no host"},
		"zone":                          {"https://[fe80::1%25eth0]/", "no host"},
		"IPv6 without brackets":         {"https://::1/", "brackets"},
		"IPv4 in brackets":              {"https://[127.0.0.1]/", "no host"},
		"half a bracket":                {"https://[::1/", "no host"},
		"empty port":                    {"https://h:/", "port is missing"},
		"port 0":                        {"https://h:0/", "no port"},
		"port 65536":                    {"https://h:65536/", "no port"},
		"hexadecimal port":              {"https://h:0x50/", "no port"},
		"port with zeros":               {"https://h:0443/", "no port"},
		"negative port":                 {"https://h:-1/", "no port"},
		"port with a sign":              {"https://h:+443/", "no port"},
		"dot segment":                   {"https://h/a/../b", "another path"},
		"encoded dot segment":           {"https://h/a/%2e%2E/b", "another path"},
		"single dot":                    {"https://h/./a", "another path"},
		"bad escape in path":            {"https://h/100%", "%25"},
		"bad escape in query":           {"https://h/?a=100%", "%25"},
		"empty segment":                 {"https://h/a//b", "two slashes"},
		"open template":                 {"https://h/{{input.a", "not closed"},
		"bad template":                  {"https://h/{{input.a|upper}}", "no filters"},
		"text that is not a URL at all": {"nonsense", "absolute"},
	} {
		t.Run(name, func(t *testing.T) {
			text := withURL("«'"+c.url+"'", "timeoutMs: 500")
			refused{name, text, "tools[0].http.url", []string{c.says}}.check(t, quietOptions())
		})
	}
}

func TestRule5_9_URLAccepted(t *testing.T) {
	for url, want := range map[string]target{
		"https://h":                             {scheme: "https", host: "h", port: "443"},
		"HTTPS://API.Example.COM/":              {scheme: "https", host: "api.example.com", port: "443", path: "/"},
		"https://h:8443/a/{{input.id}}/b":       {scheme: "https", host: "h", port: "8443", path: "/a/{{input.id}}/b"},
		"https://h?a=b&c":                       {scheme: "https", host: "h", port: "443", query: "a=b&c"},
		"https://h/a?b=/?x":                     {scheme: "https", host: "h", port: "443", path: "/a", query: "b=/?x"},
		"https://[2001:DB8::1]:99/":             {scheme: "https", host: "2001:db8::1", port: "99", path: "/"},
		"https://192.0.2.1/":                    {scheme: "https", host: "192.0.2.1", port: "443", path: "/"},
		"https://bücher.example/ş":              {scheme: "https", host: "xn--bcher-kva.example", port: "443", path: "/ş"},
		"https://h./":                           {scheme: "https", host: "h.", port: "443", path: "/"},
		"https://h/a@b":                         {scheme: "https", host: "h", port: "443", path: "/a@b"},
		`https://h/\{{x}}`:                      {scheme: "https", host: "h", port: "443", path: `/\{{x}}`},
		"https://ａｐｉ.example/":                  {scheme: "https", host: "api.example", port: "443", path: "/"},
		"https://h/a%2Fb":                       {scheme: "https", host: "h", port: "443", path: "/a%2Fb"},
		"https://h/{{ input.a }}.{{input.b}}":   {scheme: "https", host: "h", port: "443", path: "/{{ input.a }}.{{input.b}}"},
		"https://h/v1/{{vars.V}}/x?key=v&b=%20": {scheme: "https", host: "h", port: "443", path: "/v1/{{vars.V}}/x", query: "key=v&b=%20"},
	} {
		got, fault := parseURL(url)
		require.Empty(t, fault, url)
		assert.Equal(t, want, got, url)
		mustLoad(t, withURL("'"+url+"'", "timeoutMs: 500"), quietOptions())
	}
	assert.Equal(t, "[2001:db8::1]:99", target{host: "2001:db8::1", port: "99"}.origin())
}

// TestRule5_9_PlainHTTP: http needs the file's word and, for a tool that sends
// a secret, the operator's too (rule 6.5).
func TestRule5_9_PlainHTTP(t *testing.T) {
	without := func(more string) string { return inHTTP("url: «http://h/\n" + more) }
	c := refused{"no opt-in", without("timeoutMs: 500"), "tools[0].http.url", []string{"allowInsecureHttp"}}
	c.check(t, Options{})
	text, _, _ := unmark(t, c.text)
	_, err := Load(t.Context(), []byte(text), Options{})
	assert.NotContains(t, err.Error(), "secret")

	insecure := Options{Secrets: quietOptions().Secrets, Vars: quietOptions().Vars, AllowInsecureSecrets: true}
	refused{"secret, no opt-in", withURL("«http://h/", "timeoutMs: 500"), "tools[0].http.url", []string{"S_TOKEN", "write https"}}.check(t, insecure)
	refused{"secret", withURL("«http://h/", "allowInsecureHttp: true"), "tools[0].http.url", []string{"S_TOKEN", "not encrypted"}}.check(t, quietOptions())

	clean, _, _ := unmark(t, without("allowInsecureHttp: true"))
	s := noWarnings(t, clean, Options{})
	assert.Equal(t, "80", s.tools[0].http.Port)
	noWarnings(t, withURL("http://h/", "allowInsecureHttp: true"), insecure)
	noWarnings(t, strings.Replace(clean, "tools:", "defaults:\n  http: {allowInsecureHttp: true}\ntools:", 1), Options{})
	refused{
		"a tool's own word counts", strings.Replace(without("allowInsecureHttp: false"), "tools:", "defaults:\n  http: {allowInsecureHttp: true}\ntools:", 1),
		"tools[0].http.url", nil,
	}.check(t, Options{})
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://h/{{input.a}}", "http://[::1]:8/", "https://u@h", "https://h\\x", "https://0x7f.1", "https://h:1?{{#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, fault := parseURL(text)
		if fault != "" {
			requireVisible(t, fault)
			return
		}
		require.NotContains(t, target.origin(), "{{")
		require.NotContains(t, target.origin(), "@")
		again, fault := parseURL(target.scheme + "://" + target.origin() + "/")
		require.Empty(t, fault)
		require.Equal(t, target.origin(), again.origin())
	})
}
