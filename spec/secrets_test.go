package spec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// boundTo is a file with a secret for these hosts, used in a header of a tool
// that calls the URL.
func boundTo(hosts, url string) string {
	return inFile("secrets:\n  - name: S_TOKEN\n    hosts: ["+hosts+"]\n", "http:\n  url: "+url+"\n  headers: {A: \"{{secrets.S_TOKEN}}\"}"+rawOutput)
}

func TestRule6_4_Bindings(t *testing.T) {
	runRefused(t, quietOptions(), []refused{
		{"another host", boundTo("api.example.com", "«https://attacker.example.net/"), "tools[0].http.url", []string{"api.example.com:443", "attacker.example.net:443", "S_TOKEN"}},
		{"another port", boundTo("api.example.com", "«https://api.example.com:8443/"), "tools[0].http.url", []string{"api.example.com:8443"}},
		{"port given, not called", boundTo("'api.example.com:8443'", "«https://api.example.com/"), "tools[0].http.url", nil},
		{"sub-domain", boundTo("example.com", "«https://api.example.com/"), "tools[0].http.url", nil},
		{"final dot", boundTo("api.example.com", "«https://api.example.com./"), "tools[0].http.url", nil},
		{"longer name", boundTo("api.example.com", "«https://api.example.com.evil.example/"), "tools[0].http.url", nil},
		{"look-alike", boundTo("api.example.com", "«https://аpi.example.com/"), "tools[0].http.url", nil},
	})
	for _, c := range [][2]string{
		{"API.Example.COM", "https://api.example.com/"},
		{"'api.example.com:443'", "https://API.example.com/"},
		{"ａｐｉ.example.com", "https://api.example.com/"},
		{"other.example, api.example.com", "https://api.example.com:443/"},
		{"'[2001:DB8::1]:99'", "'https://[2001:db8:0::1]:99/'"},
		{"'[2001:db8::1]'", "'https://[2001:db8::1]/'"},
		{"bücher.example", "https://xn--bcher-kva.example/"},
		{"api.example.com.", "https://api.example.com./"},
	} {
		s := mustLoad(t, boundTo(c[0], c[1]), quietOptions())
		assert.Contains(t, s.tools[0].http.Hosts["S_TOKEN"], s.tools[0].origin)
	}
}

// TestRule6_4_EveryPlace: a secret counts wherever it stands.
func TestRule6_4_EveryPlace(t *testing.T) {
	for name, http := range map[string]string{
		"path":        "url: «'https://h/{{secrets.S_TOKEN}}'",
		"query":       "url: «https://h/\n  query: {q: 'x{{secrets.S_TOKEN}}'}",
		"query list":  "url: «https://h/\n  query: {q: [a, '{{secrets.S_TOKEN}}']}",
		"header":      "url: «https://h/\n  headers: {A: 'Bearer {{secrets.S_TOKEN}}'}",
		"body":        "url: «https://h/\n  method: POST\n  body: {a: [{b: '{{ secrets.S_TOKEN }}'}]}",
		"form":        "url: «https://h/\n  method: POST\n  form: {a: '{{secrets.S_TOKEN}}'}",
		"second name": "url: «https://h/\n  headers: {A: '{{secrets.OTHER_TOKEN}}{{secrets.S_TOKEN}}'}",
	} {
		text := inFile("secrets:\n  - {name: S_TOKEN, hosts: [api.example.com]}\n  - OTHER_TOKEN\n", "http:\n  "+http+rawOutput)
		refused{name, text, "tools[0].http.url", []string{"S_TOKEN", "api.example.com:443"}}.check(t, quietOptions())
	}
}

func TestRule6_4_Hosts(t *testing.T) {
	for _, host := range []string{
		"*.example.com", "*", "https://h", "h/v1", "h:65536", "h:0", "h:", ":443", "h:443:1", "u@h", "h?x", "h#x", "127.1", "0x7f000001", "a_b", "a..b", "h:x",
		"{{input.h}}", "{{vars.V}}", "[::1", "::1", "[1.2.3.4]", "a b", "h\\x", "[fe80::1%25lo]",
	} {
		refused{host, boundTo("«'"+host+"'", "https://h/"), "secrets[0].hosts[0]", nil}.check(t, quietOptions())
	}
	refused{"empty", boundTo("«''", "https://h/"), "secrets[0].hosts[0]", []string{"blank"}}.check(t, quietOptions())
}

// asks records what a source of secrets is asked.
type asks struct {
	list  []string
	value string
	err   error
}

func (a *asks) Get(_ context.Context, name, host, tool string) (string, error) {
	a.list = append(a.list, name+" for "+host+" by "+tool)
	return a.value, a.err
}

const twoTools = head + `secrets: [S_TOKEN]
tools:
  - name: one
    description: d
    http: {url: "https://API.example.com/a", headers: {A: "{{secrets.S_TOKEN}}"}, query: {a: "{{secrets.S_TOKEN}}"}}
    output: {raw: true}
  - name: two
    description: d
    http: {url: "https://api.example.com/b", headers: {A: "{{secrets.S_TOKEN}}"}}
    output: {raw: true}
  - name: three
    description: d
    http: {url: "https://api.example.com:8443/", headers: {A: "{{secrets.S_TOKEN}}"}}
    output: {raw: true}
`

// TestRule6_1_AskedOnce: once for each name and host, with both normalised.
func TestRule6_1_AskedOnce(t *testing.T) {
	source := &asks{value: "abcdefgh"}
	noWarnings(t, twoTools, Options{Secrets: source})
	assert.Equal(t, []string{"S_TOKEN for api.example.com:443 by one", "S_TOKEN for api.example.com:8443 by three"}, source.list)
	source = &asks{value: "abcdefgh"}
	mustLoad(t, inFile("secrets: [S_TOKEN]\n", plainHTTP), Options{Secrets: source})
	assert.Empty(t, source.list, "nobody sends it")
}

func TestRule6_1_Missing(t *testing.T) {
	s := mustLoad(t, twoTools, Options{Secrets: &asks{}})
	require.Len(t, s.Warnings(), 2)
	w := s.Warnings()[0]
	assert.Equal(t, Issue{Path: "tools[0].http.url", Line: 8, Column: 17, Severity: SeverityWarning, Message: w.Message}, w)
	assert.Contains(t, w.Message, "S_TOKEN has no value for api.example.com:443")

	_, err := Load(t.Context(), []byte(twoTools), Options{Secrets: &asks{}, RequireSecrets: true})
	var e *LoadError
	require.True(t, errors.As(err, &e))
	require.Len(t, e.Issues, 2)
	assert.Equal(t, "tools[0].http.url", e.Issues[0].Path)
	assert.Equal(t, "tools[2].http.url", e.Issues[1].Path)
	assert.Equal(t, SeverityError, e.Issues[0].Severity)
}

// TestRule6_2_Unusable: a value that cannot be a secret stops the load, and is
// not shown.
func TestRule6_2_Unusable(t *testing.T) {
	for name, c := range map[string]struct{ value, says string }{
		"short":           {"hunter2", "vars"},
		"seven runes":     {"şşşşşşş"[:7], ""},
		"not UTF-8":       {"hunter2\xffhunter", ""},
		"not substituted": {"${HUNTER2_TOKEN}", "${"},
	} {
		t.Run(name, func(t *testing.T) {
			text := inFile("secrets: [«S_TOKEN]\n", "http: {url: https://h/, headers: {A: \"{{secrets.S_TOKEN}}\"}}"+rawOutput)
			refused{name, text, "secrets[0]", []string{c.says}}.check(t, Options{Secrets: &asks{value: c.value}})
			clean, _, _ := unmark(t, text)
			_, err := Load(t.Context(), []byte(clean), Options{Secrets: &asks{value: c.value}})
			assert.NotContains(t, strings.ToLower(err.Error()), "hunter")
		})
	}
}

// TestRule6_1_SourceRefuses: what the source says is for the operator, without
// the values that are known.
func TestRule6_1_SourceRefuses(t *testing.T) {
	text := inFile("secrets: [A_TOKEN, B_TOKEN]\n", "http: {url: «https://h/, headers: {A: \"{{secrets.A_TOKEN}}{{secrets.B_TOKEN}}\"}}"+rawOutput)
	source := SecretFunc(func(_ context.Context, name, host, _ string) (string, error) {
		if name == "A_TOKEN" {
			return "abcdefgh-known", nil
		}
		return "", errors.New("vault: \x1b[31mabcdefgh-known\ndenied for " + host)
	})
	refused{"error", text, "tools[0].http.url", []string{"B_TOKEN", "denied for h:443", "[redacted]"}}.check(t, Options{Secrets: source})
	clean, _, _ := unmark(t, text)
	_, err := Load(t.Context(), []byte(clean), Options{Secrets: source})
	assert.NotContains(t, err.Error(), "abcdefgh-known")
}

func TestVars(t *testing.T) {
	text := inFile("vars: [A, «B]\n", "http: {url: 'https://h/{{vars.A}}', query: {b: '{{vars.B}}'}}"+rawOutput)
	clean, line, column := unmark(t, text)
	values := map[string]string{"A": "", "B": "b"}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	s := noWarnings(t, clean, Options{Vars: lookup})
	assert.Equal(t, values, s.runtime.http.Vars)
	assert.Equal(t, []string{"A", "B"}, s.tools[0].http.Vars)

	delete(values, "B")
	s = mustLoad(t, clean, Options{Vars: lookup})
	require.Len(t, s.Warnings(), 1)
	assert.Equal(t, [2]int{line, column}, [2]int{s.Warnings()[0].Line, s.Warnings()[0].Column})
	refused{"required", text, "vars[1]", []string{"B is not set"}}.check(t, Options{Vars: lookup, RequireSecrets: true})
	values["B"] = "\xff"
	refused{"not UTF-8", text, "vars[1]", []string{"not UTF-8"}}.check(t, Options{Vars: lookup})
}

func TestRule6_5_Production(t *testing.T) {
	for _, o := range []Options{{AllowInsecureSecrets: true}, {}} {
		o.Network.AllowPrivate = !o.AllowInsecureSecrets
		for mode, allowed := range map[string]bool{"": true, "development": true, "staging": true, "production": false, "Production": false, " PRODUCTION\n": false} {
			t.Setenv("KERVAN_ENV", mode)
			s, err := Load(t.Context(), []byte(whole), o)
			if !allowed {
				assert.ErrorContains(t, err, "KERVAN_ENV is production")
				assert.Nil(t, s)
				continue
			}
			require.NoError(t, err, mode)
			require.NoError(t, s.Close())
		}
	}
	t.Setenv("KERVAN_ENV", "production")
	noWarnings(t, whole, Options{})
}

func TestRule7_5_MalformedNetwork(t *testing.T) {
	for _, entry := range []string{"not-an-ip", "10.0.0.0/33", "", "10.0.0.1 "} {
		var o Options
		o.Network.Deny = []string{entry}
		s, err := Load(t.Context(), []byte(whole), o)
		require.Error(t, err, entry)
		require.Nil(t, s)
	}
}
