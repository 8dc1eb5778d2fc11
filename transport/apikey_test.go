package transport_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	keyAda   = "ada-0123456789abcdef"
	keyBen   = "ben-0123456789abcdef"
	keyStale = "old-0123456789abcdef"
)

func keyring() map[string]*auth.TokenInfo {
	return map[string]*auth.TokenInfo{
		keyAda:   {UserID: "ada"},
		keyBen:   {UserID: "ben", Expiration: time.Now().Add(time.Hour)},
		keyStale: {UserID: "old", Expiration: time.Now().Add(-time.Second)},
	}
}

func TestRule3_7_APIKeys(t *testing.T) {
	own := newHTTP(t, newToolbox().App, transport.APIKeys("X-API-Key", keyring()))
	bearer := newHTTP(t, newToolbox().App, transport.APIKeys("authorization", keyring()))
	const ownChallenge = `ApiKey header="X-Api-Key"`
	for _, tt := range []struct {
		name      string
		s         *httpServer
		header    change
		who       string // empty: refused
		challenge string
	}{
		{"first", own, set("X-API-Key", keyAda), "ada", ""},
		{"second", own, set("x-api-key", keyBen), "ben", ""},
		{"missing", own, set("X-Other", "x"), "", ownChallenge},
		{"empty", own, func(r *http.Request) { r.Header["X-Api-Key"] = []string{""} }, "", ownChallenge},
		{"unknown", own, set("X-API-Key", keyAda+"x"), "", ownChallenge},
		{"a part", own, set("X-API-Key", keyAda[:16]), "", ownChallenge},
		{"short", own, set("X-API-Key", "x"), "", ownChallenge},
		{"expired", own, set("X-API-Key", keyStale), "", ownChallenge},
		{"in the wrong header", own, bearerOf(keyAda), "", ownChallenge},
		{"as a bearer token", bearer, bearerOf(keyAda), "ada", ""},
		{"bearer in lower case", bearer, set("Authorization", "bearer "+keyBen), "ben", ""},
		{"no bearer token", bearer, set("X-API-Key", keyAda), "", "Bearer"},
		{"without scheme", bearer, set("Authorization", keyAda), "", "Bearer"},
		{"unknown bearer token", bearer, bearerOf(keyAda + "x"), "", `Bearer error="invalid_token"`},
		{"malformed bearer token", bearer, bearerOf(keyAda + " x"), "", `Bearer error="invalid_token"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.s.call(legacy, "whoami", "{}", tt.header)
			if tt.who != "" {
				assert.Equal(t, 200, got.status, got.body)
				assert.Contains(t, got.body, tt.who)
				return
			}
			message := refused(t, got, 401, -32600)
			assert.Contains(t, message, "Unauthorized: ")
			assert.NotContains(t, got.body, keyAda)
			assert.Equal(t, []string{tt.challenge}, got.header["Www-Authenticate"])
		})
	}
	repeated := own.call(legacy, "whoami", "{}", header("X-API-Key", keyAda), header("X-API-Key", keyBen))
	refused(t, repeated, 400, -32600)
}

func TestRule3_7_APIKeyFunc(t *testing.T) {
	logged := new(bytes.Buffer)
	box := newToolbox(kervan.WithLogger(slog.New(slog.NewTextHandler(logged, nil))))
	s := newHTTP(t, box.App, transport.APIKeyFunc("X-API-Key", func(_ context.Context, key string) (*auth.TokenInfo, error) {
		switch key {
		case keyAda:
			return &auth.TokenInfo{UserID: "ada"}, nil
		case keyBen:
			return nil, errors.New(secretText)
		case keyStale:
			return &auth.TokenInfo{}, nil
		case "short":
			t.Error("asked for a short key")
		}
		return nil, nil
	}))
	assert.Contains(t, s.call(legacy, "whoami", "{}", set("X-API-Key", keyAda)).body, "ada")
	refused(t, s.call(legacy, "whoami", "{}", set("X-API-Key", "0123456789abcdef")), 401, -32600)
	refused(t, s.call(legacy, "whoami", "{}", set("X-API-Key", "short")), 401, -32600)
	for _, key := range []string{keyBen, keyStale} {
		got := s.call(legacy, "whoami", "{}", set("X-API-Key", key))
		assert.NotContains(t, refused(t, got, 500, -32603), "postgres")
	}
	assert.Contains(t, logged.String(), "without UserID")
}

func TestRule3_7_APIKeyOptions(t *testing.T) {
	key := func(k string, info *auth.TokenInfo) map[string]*auth.TokenInfo {
		return map[string]*auth.TokenInfo{k: info}
	}
	ada := &auth.TokenInfo{UserID: "ada"}
	for _, tt := range []struct {
		opt  transport.Option
		want string
	}{
		{transport.APIKeys("", keyring()), `cannot serve: the header of APIKeys is ""; it must be the name of a header, such as X-API-Key`},
		{transport.APIKeys("X API Key", keyring()), `cannot serve: the header of APIKeys is "X API Key"; it must be the name of a header, such as X-API-Key`},
		{transport.APIKeys("X-API-Key", nil), "cannot serve: APIKeys has no keys; give at least one, or use APIKeyFunc"},
		{transport.APIKeys("X-API-Key", key("0123456789abcde", ada)), "cannot serve: APIKeys has a key of fewer than 16 characters; make keys of random bytes"},
		{transport.APIKeys("X-API-Key", key("0123456789abcdef\n", ada)), "cannot serve: APIKeys has a key that no header can hold; use printable ASCII without spaces"},
		{transport.APIKeys("Authorization", key("0123456789abcdef,", ada)), "cannot serve: APIKeys has a key that no bearer token can be; use letters, digits and -._~+/ only"},
		{transport.APIKeys("X-API-Key", key("0123456789abcdef,", ada)), ""},
		{transport.APIKeys("X-API-Key", key(keyAda, nil)), "cannot serve: APIKeys has a key without UserID, which tells callers apart; give it one"},
		{transport.APIKeys("X-API-Key", key(keyAda, &auth.TokenInfo{})), "cannot serve: APIKeys has a key without UserID, which tells callers apart; give it one"},
		{transport.APIKeyFunc("X-API-Key", nil), "cannot serve: APIKeyFunc has no function; give it one that finds a key"},
	} {
		_, err := transport.NewHandler(kervan.NewApp("test", "1"), tt.opt)
		if tt.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, tt.want)
		}
	}
}
