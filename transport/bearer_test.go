package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	resource     = "https://mcp.example.com/mcp"
	metadataRef  = `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
	wellKnown    = "/.well-known/oauth-protected-resource"
	invalidToken = `Bearer error="invalid_token", error_description="%s", `
)

// tokens are what the verifier of these tests knows.
func tokens() map[string]*auth.TokenInfo {
	ada := func(change func(*auth.TokenInfo)) *auth.TokenInfo {
		info := &auth.TokenInfo{
			UserID:     "ada",
			Scopes:     []string{"read"},
			Expiration: time.Now().Add(time.Hour),
			Extra:      map[string]any{"aud": resource},
		}
		change(info)
		return info
	}
	return map[string]*auth.TokenInfo{
		"good":       ada(func(*auth.TokenInfo) {}),
		"slash":      ada(func(i *auth.TokenInfo) { i.Extra["aud"] = resource + "/" }),
		"list":       ada(func(i *auth.TokenInfo) { i.Extra["aud"] = []any{"https://other.example.com", resource} }),
		"mixed":      ada(func(i *auth.TokenInfo) { i.Extra["aud"] = []any{1, resource} }),
		"claims":     ada(func(i *auth.TokenInfo) { i.Extra["aud"] = claimStrings{resource} }),
		"other":      ada(func(i *auth.TokenInfo) { i.Extra["aud"] = "https://other.example.com/mcp" }),
		"longer":     ada(func(i *auth.TokenInfo) { i.Extra["aud"] = resource + "2" }),
		"id":         ada(func(i *auth.TokenInfo) { i.Extra["aud"] = "api://kervan" }),
		"noaudience": ada(func(i *auth.TokenInfo) { i.Extra = nil }),
		"number":     ada(func(i *auth.TokenInfo) { i.Extra["aud"] = 7 }),
		"noscope":    ada(func(i *auth.TokenInfo) { i.Scopes = nil }),
		"admin":      ada(func(i *auth.TokenInfo) { i.Scopes = []string{"write", "admin", "read"} }),
		"forever":    ada(func(i *auth.TokenInfo) { i.Expiration = time.Time{} }),
		"expired":    ada(func(i *auth.TokenInfo) { i.Expiration = time.Now().Add(-10 * time.Second) }),
	}
}

type claimStrings []string

const secretText = "postgres://admin:hunter2@10.0.0.5"

func verifier() auth.TokenVerifier {
	known := tokens()
	return func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		switch token {
		case "broken":
			return nil, errors.New(secretText)
		case "oauth":
			return nil, fmt.Errorf("%w: %s", auth.ErrOAuth, secretText)
		case "nothing":
			return nil, nil
		case "panics":
			panic(secretText)
		}
		info, ok := known[token]
		if !ok {
			return nil, fmt.Errorf("%s: %w", secretText, auth.ErrInvalidToken)
		}
		return info, nil
	}
}

func bearerServer(t *testing.T, o transport.BearerOptions, opts ...transport.Option) (*httpServer, *bytes.Buffer) {
	t.Helper()
	logged := new(bytes.Buffer)
	box := newToolbox(kervan.WithLogger(slog.New(slog.NewTextHandler(logged, nil))))
	box.Add(kervan.Tool("erase", "Erases.", func(context.Context, none) (string, error) { return "erased", nil }).Scopes("write", "admin"))
	if o.Resource == "" {
		o.Resource = resource
	}
	return newHTTP(t, box.App, append(opts, transport.Bearer(verifier(), o))...), logged
}

func bearerOf(token string) change { return set("Authorization", "Bearer "+token) }

func TestRule3_7_Challenges(t *testing.T) {
	plain := transport.BearerOptions{}
	reading := transport.BearerOptions{Scopes: []string{"read"}}
	for _, tt := range []struct {
		name      string
		opts      transport.BearerOptions
		auth      string // the header; empty: none
		status    int
		challenge string
	}{
		{"no token", plain, "", 401, "Bearer "},
		{"no token, scopes", reading, "", 401, `Bearer scope="read", `},
		{"another scheme", plain, "Basic dXNlcjpwYXNz", 401, "Bearer "},
		{"malformed", plain, "Bearer a b", 401, fmt.Sprintf(invalidToken, "the access token is malformed")},
		{"empty", plain, "Bearer", 401, fmt.Sprintf(invalidToken, "the access token is malformed")},
		{"unknown", reading, "Bearer unknown", 401, fmt.Sprintf(invalidToken, "the access token is not valid") + `scope="read", `},
		{"good", reading, "Bearer good", 200, ""},
		{"scheme in lower case", reading, "bearer good", 200, ""},
		{"audience with a slash", plain, "Bearer slash", 200, ""},
		{"audience in a list", plain, "Bearer list", 200, ""},
		{"audience in a list of another type", plain, "Bearer claims", 200, ""},
		{"another audience", plain, "Bearer other", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"audience with the resource as prefix", plain, "Bearer longer", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"no audience", plain, "Bearer noaudience", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"audience of an impossible type", plain, "Bearer number", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"audience list with a number", plain, "Bearer mixed", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"audience of the issuer's own", transport.BearerOptions{Audiences: []string{"api://kervan"}}, "Bearer id", 200, ""},
		{"and the resource too", transport.BearerOptions{Audiences: []string{"api://kervan"}}, "Bearer good", 200, ""},
		{"audience by a function", transport.BearerOptions{Audience: func(i *auth.TokenInfo) []string { return []string{resource} }}, "Bearer noaudience", 200, ""},
		{"function without audience", transport.BearerOptions{Audience: func(i *auth.TokenInfo) []string { return nil }}, "Bearer good", 401, fmt.Sprintf(invalidToken, "the access token was issued for another resource")},
		{"expired", plain, "Bearer expired", 401, fmt.Sprintf(invalidToken, "the access token has expired")},
		{"expired within the skew", transport.BearerOptions{ClockSkew: time.Minute}, "Bearer expired", 200, ""},
		{"expired beyond the skew", transport.BearerOptions{ClockSkew: 9 * time.Second}, "Bearer expired", 401, fmt.Sprintf(invalidToken, "the access token has expired")},
		{"no expiration", plain, "Bearer forever", 401, fmt.Sprintf(invalidToken, "the access token has no expiration")},
		{"no expiration, allowed", transport.BearerOptions{AllowMissingExpiration: true}, "Bearer forever", 200, ""},
		{"missing scope", reading, "Bearer noscope", 403, `Bearer error="insufficient_scope", error_description="the access token lacks a scope", scope="read", `},
		{"no scope needed", plain, "Bearer noscope", 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := bearerServer(t, tt.opts)
			got := s.call(legacy, "whoami", "{}", header("Authorization", tt.auth))
			require.Equal(t, tt.status, got.status, got.body)
			if tt.status == 200 {
				assert.Contains(t, got.body, "ada")
				assert.Empty(t, got.header["Www-Authenticate"])
				return
			}
			assert.Equal(t, []string{tt.challenge + metadataRef}, got.header["Www-Authenticate"])
			_, message := errorOf(t, got)
			assert.NotContains(t, message, "postgres")
		})
	}
}

func TestRule3_7_VerifierErrorsAreMasked(t *testing.T) {
	for _, token := range []string{"broken", "oauth", "nothing", "panics"} {
		s, logged := bearerServer(t, transport.BearerOptions{})
		got := s.call(legacy, "whoami", "{}", bearerOf(token))
		message := refused(t, got, 500, -32603)
		assert.Regexp(t, `\(ref: [0-9a-f]{8}\)$`, message, token)
		assert.NotContains(t, got.body, "postgres")
		assert.Empty(t, got.header["Www-Authenticate"])
		ref := message[len(message)-9 : len(message)-1]
		assert.Contains(t, logged.String(), ref)
	}
}

func TestRule3_7_ScopesOfATool(t *testing.T) {
	eachEra(t, func(t *testing.T, era string) {
		s, _ := bearerServer(t, transport.BearerOptions{Scopes: []string{"read"}})
		got := s.call(era, "erase", "{}", bearerOf("good"))
		assert.Equal(t, 403, got.status, got.body)
		want := `Bearer error="insufficient_scope", error_description="the access token lacks a scope", scope="read write admin", ` + metadataRef
		assert.Equal(t, []string{want}, got.header["Www-Authenticate"])
		got = s.call(era, "erase", "{}", bearerOf("admin"))
		assert.Equal(t, 200, got.status, got.body)
		assert.Contains(t, got.body, "erased")
	})
}

func TestRule3_7_BodyIsNotReadBefore(t *testing.T) {
	s, _ := bearerServer(t, transport.BearerOptions{})
	body := &countingReader{Reader: strings.NewReader(toolCall("whoami", "{}"))}
	r := s.request("", contents(body), header("Expect", "100-continue"))
	resp, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}).Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 401, resp.StatusCode)
	assert.Zero(t, body.n)
}

type countingReader struct {
	io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestRule3_7_Metadata(t *testing.T) {
	s, _ := bearerServer(t, transport.BearerOptions{
		AuthorizationServers:  []string{"https://auth.example.com"},
		Scopes:                []string{"read"},
		ResourceName:          "Kervan <test>",
		ResourceDocumentation: "https://example.com/docs",
	}, transport.AllowedOrigins("https://app.example.com"))
	const want = `{
		"resource": "https://mcp.example.com/mcp",
		"authorization_servers": ["https://auth.example.com"],
		"scopes_supported": ["read"],
		"bearer_methods_supported": ["header"],
		"resource_name": "Kervan <test>",
		"resource_documentation": "https://example.com/docs"
	}`
	for _, p := range []string{wellKnown, wellKnown + "/", wellKnown + "/mcp", wellKnown + "/mcp/"} {
		got := s.do("", method("GET"), path(p), set("Origin", "https://app.example.com"))
		assert.Equal(t, 200, got.status, p)
		assert.JSONEq(t, want, got.body)
		assert.Equal(t, "application/json", got.header.Get("Content-Type"))
		assert.Equal(t, []string{"*"}, got.header["Access-Control-Allow-Origin"])

		head := s.do("", method("HEAD"), path(p))
		assert.Equal(t, 200, head.status)
		assert.Empty(t, head.body)
		assert.Equal(t, fmt.Sprint(len(got.body)), head.header.Get("Content-Length"))

		assert.Equal(t, 405, s.do("{}", method("POST"), path(p)).status)
		preflight := s.do("", method("OPTIONS"), path(p), set("Origin", "https://app.example.com"), set("Access-Control-Request-Method", "GET"))
		assert.Equal(t, 204, preflight.status)

		assert.Equal(t, 403, s.do("", method("GET"), path(p), host("evil.example")).status, "the Host is checked")
	}
	assert.NotEqual(t, 200, s.do("", method("GET"), path(wellKnown+"/other")).status)
}

func TestRule3_7_MetadataOfARootResource(t *testing.T) {
	for _, r := range []string{"https://mcp.example.com", "https://mcp.example.com/"} {
		s, _ := bearerServer(t, transport.BearerOptions{Resource: r, ScopesSupported: []string{"a"}}, transport.Path("/"))
		got := s.do("", method("GET"), path(wellKnown))
		var v map[string]any
		require.NoError(t, json.Unmarshal([]byte(got.body), &v))
		assert.Equal(t, map[string]any{"resource": r, "scopes_supported": []any{"a"}, "bearer_methods_supported": []any{"header"}}, v)
		got = s.do("", path("/"))
		assert.Equal(t, []string{`Bearer resource_metadata="https://mcp.example.com` + wellKnown + `"`}, got.header["Www-Authenticate"])
	}
}

func TestRule3_7_ResourceIsNotBuiltFromHost(t *testing.T) {
	s, _ := bearerServer(t, transport.BearerOptions{}, transport.AllowedHosts("127.0.0.1", "other.example.com"))
	got := s.do("", method("GET"), path(wellKnown), host("other.example.com"), set("X-Forwarded-Host", "evil.example"))
	assert.Contains(t, got.body, `"resource":"https://mcp.example.com/mcp"`)
	got = s.do("{}", host("other.example.com"))
	assert.Contains(t, got.header.Get("Www-Authenticate"), metadataRef)
}

func TestRule3_7_BearerOptions(t *testing.T) {
	ok := verifier()
	for _, tt := range []struct {
		verify auth.TokenVerifier
		opts   transport.BearerOptions
		want   string
	}{
		{nil, transport.BearerOptions{Resource: resource}, "cannot serve: Bearer has no verifier; give it the function that checks a token"},
		{ok, transport.BearerOptions{}, `cannot serve: Resource of Bearer is ""; give the URL that clients use, such as https://mcp.example.com/mcp`},
		{ok, transport.BearerOptions{Resource: "mcp.example.com"}, `cannot serve: Resource of Bearer is "mcp.example.com"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: "https:///mcp"}, `cannot serve: Resource of Bearer is "https:///mcp"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: "https://u:p@h/"}, `cannot serve: Resource of Bearer is "https://u:p@h/"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: resource + "#x"}, `cannot serve: Resource of Bearer is "` + resource + `#x"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: resource + "?"}, `cannot serve: Resource of Bearer is "` + resource + `?"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: "http://mcp.example.com/mcp"}, `cannot serve: Resource of Bearer is "http://mcp.example.com/mcp"; it must be https, except on loopback`},
		{ok, transport.BearerOptions{Resource: "http://localhost:3000/mcp"}, ""},
		{ok, transport.BearerOptions{Resource: resource, AuthorizationServers: []string{"auth"}}, `cannot serve: AuthorizationServers of Bearer is "auth"; it must be an absolute URL without credentials, query and fragment`},
		{ok, transport.BearerOptions{Resource: resource, Scopes: []string{"a b"}}, `cannot serve: a scope of Bearer is "a b"; a scope is printable ASCII without spaces, quotes and backslashes`},
		{ok, transport.BearerOptions{Resource: resource, ScopesSupported: []string{""}}, `cannot serve: a scope of Bearer is ""; a scope is printable ASCII without spaces, quotes and backslashes`},
		{ok, transport.BearerOptions{Resource: resource, ClockSkew: -1}, `cannot serve: ClockSkew of Bearer is negative; give it a duration such as 30 * time.Second`},
	} {
		_, err := transport.NewHandler(kervan.NewApp("test", "1"), transport.Bearer(tt.verify, tt.opts))
		if tt.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, tt.want)
		}
	}
}
