package docs

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func staticKeys(keyOfAda, keyOfCI string) transport.Option {
	return transport.APIKeys("X-API-Key", map[string]*auth.TokenInfo{
		keyOfAda: {UserID: "ada", Scopes: []string{"orders:read", "orders:write"}},
		keyOfCI:  {UserID: "ci", Scopes: []string{"orders:read"}},
	})
}

type keyStore map[string]string // user by key, instead of a table of hashes

func (s keyStore) userOf(_ context.Context, key string) (string, error) {
	user, ok := s[key]
	if !ok {
		return "", sql.ErrNoRows
	}
	return user, nil
}

func storedKeys(store keyStore) transport.Option {
	return transport.APIKeyFunc("Authorization", func(ctx context.Context, key string) (*auth.TokenInfo, error) {
		user, err := store.userOf(ctx, key)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil, nil // 401
		case err != nil:
			return nil, err // 500, and the log has the error
		}
		return &auth.TokenInfo{UserID: user}, nil
	})
}

func bearer(verify auth.TokenVerifier) transport.Option {
	return transport.Bearer(verify, transport.BearerOptions{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://login.example.com"},
		Scopes:               []string{"orders:read"},
		ScopesSupported:      []string{"orders:read", "orders:write"},
		ClockSkew:            30 * time.Second,
	})
}

func byProxy() transport.Option {
	return transport.Authenticate(func(r *http.Request) (*auth.TokenInfo, error) {
		user := r.Header.Get("X-Verified-User") // set by the proxy, which drops the client's own
		if user == "" {
			return nil, &transport.Refusal{Status: http.StatusUnauthorized, Message: "Unauthorized: log in first"}
		}
		return &auth.TokenInfo{UserID: user}, nil
	})
}

func cancelOrder(ctx context.Context, _ kervan.None) (string, error) {
	caller := kervan.CallFromContext(ctx).Auth() // nil for an anonymous caller
	if caller == nil {
		return "", kervan.ToolErrorf("log in to cancel orders")
	}
	return "cancelled by " + caller.UserID, nil
}

func TestAuthPage(t *testing.T) {
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if token != "token" {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{
			UserID: "ada", Scopes: []string{"orders:read"}, Expiration: time.Now().Add(time.Hour),
			Extra: map[string]any{"aud": "https://mcp.example.com/mcp"},
		}, nil
	}
	const keyOfAda, keyOfCI = "0123456789abcdef", "fedcba9876543210"
	for _, tt := range []struct {
		name          string
		opt           transport.Option
		header, value string
		status        int
		body          string
	}{
		{"key of Ada", staticKeys(keyOfAda, keyOfCI), "X-API-Key", keyOfAda, 200, "cancelled by ada"},
		{"key without the scope", staticKeys(keyOfAda, keyOfCI), "X-API-Key", keyOfCI, 403, "scope"},
		{"no key", staticKeys(keyOfAda, keyOfCI), "X-Other", "x", 401, "API key"},
		{"stored key", storedKeys(keyStore{keyOfAda: "ada"}), "Authorization", "Bearer " + keyOfAda, 403, "scope"},
		{"key that is not stored", storedKeys(keyStore{keyOfAda: "ada"}), "Authorization", "Bearer " + keyOfCI, 401, "API key"},
		{"token", bearer(verify), "Authorization", "Bearer token", 403, "scope"},
		{"bad token", bearer(verify), "Authorization", "Bearer x", 401, "not valid"},
		{"proxy", byProxy(), "X-Verified-User", "ada", 403, "scope"},
		{"without proxy", byProxy(), "X-Other", "ada", 401, "log in first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			app := kervan.NewApp("orders", "1")
			app.Add(kervan.Tool("cancel_order", "Cancels the latest order.", cancelOrder).Scopes("orders:write"))
			status, body := callTool(handlerOf(t, app, tt.opt), "cancel_order", tt.header, tt.value)
			if status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}
