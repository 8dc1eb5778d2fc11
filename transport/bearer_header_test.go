package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRule3_7_AuthorizationHeader(t *testing.T) {
	for header, want := range map[string]struct {
		token   string
		present bool
	}{
		"":                     {"", false},
		"Basic dXNlcjpwYXNz":   {"", false},
		"Bearerabc":            {"", false},
		"abc":                  {"", false},
		" Bearer abc":          {"", false},
		"Bearer abc":           {"abc", true},
		"bearer abc":           {"abc", true},
		"BEARER abc":           {"abc", true},
		"Bearer   abc":         {"abc", true},
		"Bearer abc  \t":       {"abc", true},
		"Bearer a-._~+/Z9==":   {"a-._~+/Z9==", true},
		"Bearer eyJ.eyJ.sig_-": {"eyJ.eyJ.sig_-", true},
		"Bearer":               {"", true},
		"Bearer ":              {"", true},
		"Bearer ==":            {"", true},
		"Bearer a=b":           {"", true},
		"Bearer a b":           {"", true},
		"Bearer a,b":           {"", true},
		"Bearer \tabc":         {"", true},
		"Bearer \"abc\"":       {"", true},
		"Bearer ab\x00c":       {"", true},
		"Bearer ß":             {"", true},
		"Bearer abc, Bearer d": {"", true},
	} {
		token, present := bearerToken(header)
		assert.Equal(t, want.token, token, "%q", header)
		assert.Equal(t, want.present, present, "%q", header)
	}
}

func TestRule3_7_QuotedString(t *testing.T) {
	for s, want := range map[string]string{
		"":            `""`,
		"read write":  `"read write"`,
		`a"b\c`:       `"a\"b\\c"`,
		"a\r\nSet: b": `"a??Set: b"`,
		"\x7fçay":     `"??ay"`,
	} {
		assert.Equal(t, want, quoted(s))
	}
	assert.Equal(t, `Bearer a="1", b="x\""`, challenge("Bearer", []param{{"a", "1"}, {"b", `x"`}}))
	assert.Equal(t, "Bearer", challenge("Bearer", nil))
}

// FuzzAuthorizationHeader: a token that is found is made of the characters of
// tokens, stands alone in the header, and is found again; and nothing that is
// put into a challenge ends its quoted string.
func FuzzAuthorizationHeader(f *testing.F) {
	for _, s := range []string{"", "Bearer", "Bearer abc==", "bearer  a.b.c ", "Basic abc", "Bearer a b", `Bearer "x"`, "Bearer a\r\nX: y", "ßearer x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, present := bearerToken(header)
		if token != "" {
			if !present || strings.Trim(token, tokenCharacters+"=") != "" || token[0] == '=' {
				t.Fatalf("%q: token %q, present %v", header, token, present)
			}
			rest := strings.Trim(strings.TrimSuffix(strings.TrimRight(header, " \t"), token), " ")
			if !strings.EqualFold(rest, "Bearer") {
				t.Fatalf("%q: token %q, and %q beside it", header, token, rest)
			}
			if again, _ := bearerToken("Bearer " + token); again != token {
				t.Fatalf("%q: %q became %q", header, token, again)
			}
		}
		inside := quoted(header)
		inside = strings.NewReplacer(`\\`, "", `\"`, "").Replace(inside[1 : len(inside)-1])
		if strings.ContainsAny(inside, `"\`) || strings.ContainsFunc(inside, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q is quoted as %s", header, quoted(header))
		}
	})
}
