package main

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/transport"
)

func good() claims {
	return claims{Issuer: issuer, Subject: "ada", Audience: audience{resource}, Scope: "secrets:read", Expires: time.Now().Add(time.Hour).Unix()}
}

func changed(change func(*claims)) claims {
	c := good()
	change(&c)
	return c
}

func TestTokens(t *testing.T) {
	test, stranger := newTestIssuer(), newTestIssuer()
	url := start(t, test)
	const invalid = `Bearer error="invalid_token", error_description="the access token `
	for _, tt := range []struct {
		name, tool, token string
		status            int
		want              string // the body at 200, else the challenge
	}{
		{"none", "whoami", "", 401, `Bearer scope="secrets:read", resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"`},
		{"good", "whoami", test.token(good()), 200, `{\"user\":\"ada\",\"scopes\":[\"secrets:read\"]}`},
		{"among several audiences", "whoami", test.token(changed(func(c *claims) { c.Audience = audience{"x", resource} })), 200, "ada"},
		{"of another issuer's key", "whoami", stranger.token(good()), 401, invalid + "is not valid"},
		{"of another issuer", "whoami", test.token(changed(func(c *claims) { c.Issuer = "https://evil.example" })), 401, invalid + "is not valid"},
		{"for another resource", "whoami", test.token(changed(func(c *claims) { c.Audience = audience{"https://other.example"} })), 401, invalid + "was issued for another resource"},
		{"expired", "whoami", test.token(changed(func(c *claims) { c.Expires = time.Now().Add(-time.Minute).Unix() })), 401, invalid + "has expired"},
		{"without expiration", "whoami", test.token(changed(func(c *claims) { c.Expires = 0 })), 401, invalid + "has no expiration"},
		{"tampered", "whoami", tampered(test.token(good())), 401, invalid + "is not valid"},
		{"unsigned", "whoami", unsigned(), 401, invalid + "is not valid"},
		{"no JWT", "whoami", "abc", 401, invalid + "is not valid"},
		{"missing scope", "whoami", test.token(changed(func(c *claims) { c.Scope = "secrets:write" })), 403, `Bearer error="insufficient_scope", error_description="the access token lacks a scope", scope="secrets:read"`},
		{"missing scope of the tool", "rotate", test.token(good()), 403, `scope="secrets:read secrets:write"`},
		{"scope of the tool", "rotate", test.token(changed(func(c *claims) { c.Scope = "secrets:read secrets:write" })), 200, "db is rotated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, body := call(t, url, tt.tool, tt.token)
			require.Equal(t, tt.status, resp.StatusCode, body)
			if tt.status == 200 {
				assert.Contains(t, body, tt.want)
			} else {
				assert.Contains(t, resp.Header.Get("WWW-Authenticate"), tt.want)
			}
		})
	}
}

// tampered replaces the claims and keeps the signature.
func tampered(token string) string {
	parts := strings.Split(token, ".")
	parts[1] = encode(changed(func(c *claims) { c.Subject = "root" }))
	return strings.Join(parts, ".")
}

func unsigned() string {
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	return none + "." + encode(good()) + "."
}

func TestMetadata(t *testing.T) {
	url := start(t, newTestIssuer())
	resp, err := http.Get(url + "/.well-known/oauth-protected-resource/mcp")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"resource":"http://127.0.0.1:3000/mcp","authorization_servers":["http://127.0.0.1:9000"],
		"scopes_supported":["secrets:read","secrets:write"],"bearer_methods_supported":["header"]}`, string(body))
}

func start(t *testing.T, test *testIssuer) (url string) {
	t.Helper()
	h, err := transport.NewHandler(newApp(), transport.Path("/mcp"), authentication(test.public))
	require.NoError(t, err)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		assert.NoError(t, h.Shutdown(context.Background()))
		s.Close()
	})
	return s.URL
}

func call(t *testing.T, url, tool, token string) (*http.Response, string) {
	t.Helper()
	arguments := `{}`
	if tool == "rotate" {
		arguments = `{"name":"db"}`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(data)
}
