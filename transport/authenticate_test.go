package transport_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func hookHandler(t *testing.T, app *kervan.App, hook func(*http.Request) (*auth.TokenInfo, error), opts ...transport.Option) *transport.Handler {
	t.Helper()
	h, err := transport.NewHandler(app, append(opts, transport.Authenticate(hook))...)
	require.NoError(t, err)
	return h
}

func TestRule3_7_Authenticate(t *testing.T) {
	who := rpc("9", "tools/call", `{"name":"whoami"}`)
	t.Run("known", func(t *testing.T) {
		h := hookHandler(t, newToolbox().App, func(r *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: r.Header.Get("X-User")}, nil
		})
		assert.Contains(t, record(t, h, who, set("X-User", "ada")).body, "ada 9")
	})
	t.Run("anonymous", func(t *testing.T) {
		h := hookHandler(t, newToolbox().App, func(*http.Request) (*auth.TokenInfo, error) { return nil, nil })
		assert.Contains(t, record(t, h, who).body, "anonymous 9")
	})
	t.Run("path values", func(t *testing.T) {
		h := hookHandler(t, newToolbox().App, func(r *http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: r.PathValue("user")}, nil
		})
		mux := http.NewServeMux()
		mux.Handle("/u/{user}", h)
		assert.Contains(t, record(t, mux, who, path("/u/bob")).body, "bob 9")
	})
}

func TestRule3_7_Refusal(t *testing.T) {
	for _, tt := range []struct {
		name         string
		err          error
		status, code int
		message      string
	}{
		{"empty", &transport.Refusal{}, 401, -32600, "Unauthorized"},
		{"shaped", &transport.Refusal{Status: 403, Code: -31999, Message: "not you"}, 403, -31999, "not you"},
		{"wrapped", fmt.Errorf("secret: %w", &transport.Refusal{Status: 402, Message: "pay"}), 402, -32600, "pay"},
		{"unavailable", &transport.Refusal{Status: 503}, 503, -32000, "Service Unavailable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := hookHandler(t, newToolbox().App, func(*http.Request) (*auth.TokenInfo, error) { return nil, tt.err })
			r := record(t, h, ping)
			assert.Equal(t, tt.message, refused(t, r, tt.status, tt.code))
		})
	}
	t.Run("headers", func(t *testing.T) {
		h := hookHandler(t, newToolbox().App, func(*http.Request) (*auth.TokenInfo, error) {
			return nil, &transport.Refusal{Header: http.Header{
				"www-authenticate": {"Bearer", "Basic"}, "Content-Type": {"text/html"}, "Content-Length": {"1"}, "Cache-Control": {"public"}, "Vary": {"Cookie"},
			}}
		}, transport.AllowedOrigins("https://a.example"))
		r := record(t, h, ping)
		refused(t, r, 401, -32600)
		assert.Equal(t, []string{"Bearer", "Basic"}, r.header.Values("WWW-Authenticate"))
		assert.Equal(t, []string{"Origin", "Cookie"}, r.header.Values("Vary"))
	})
	assert.EqualError(t, &transport.Refusal{Message: "m"}, "refused with 401: m")
}

func TestRule3_7_OtherErrors(t *testing.T) {
	for name, hook := range map[string]func(*http.Request) (*auth.TokenInfo, error){
		"error": func(*http.Request) (*auth.TokenInfo, error) { return nil, errors.New("db at 10.0.0.5: hunter2") },
		"panic": func(*http.Request) (*auth.TokenInfo, error) { panic("hunter2") },
		"with info": func(*http.Request) (*auth.TokenInfo, error) {
			return &auth.TokenInfo{UserID: "x"}, errors.New("hunter2")
		},
		"nil refusal": func(*http.Request) (*auth.TokenInfo, error) {
			return nil, fmt.Errorf("hunter2 %w", (*transport.Refusal)(nil))
		},
		"bad status": func(*http.Request) (*auth.TokenInfo, error) {
			return nil, &transport.Refusal{Status: 200, Message: "hunter2"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log syncBuffer
			app := kervan.NewApp("test", "1", kervan.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			r := record(t, hookHandler(t, app, hook), ping)
			message := refused(t, r, 500, -32603)
			ref := regexp.MustCompile(`^Internal error \(ref: ([0-9a-f]{8})\)$`).FindStringSubmatch(message)
			require.NotNil(t, ref, message)
			assert.Contains(t, log.String(), "ref="+ref[1])
			assert.NotContains(t, r.body, "hunter2")
		})
	}
}

func TestRule3_7_Scopes(t *testing.T) {
	app := newToolbox().App
	app.Add(kervan.Tool("admin", "Needs scopes.", func(context.Context, none) (string, error) { return "done", nil }).Scopes("read", "write"))
	var info *auth.TokenInfo
	h := hookHandler(t, app, func(*http.Request) (*auth.TokenInfo, error) { return info, nil })
	for _, tt := range []struct {
		name string
		info *auth.TokenInfo
		ok   bool
	}{
		{"anonymous", nil, false},
		{"none", &auth.TokenInfo{}, false},
		{"one", &auth.TokenInfo{Scopes: []string{"read"}}, false},
		{"similar", &auth.TokenInfo{Scopes: []string{"read", "write2", "WRITE"}}, false},
		{"both", &auth.TokenInfo{Scopes: []string{"write", "other", "read"}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info = tt.info
			for _, r := range []reply{
				record(t, h, toolCall("admin", "{}")),
				record(t, h, inModern(toolCall("admin", "{}")), modernHeaders("tools/call", "admin")),
			} {
				if tt.ok {
					assert.Contains(t, r.body, "done")
					continue
				}
				refused(t, r, 403, -32600)
				assert.Contains(t, r.body, `"id":1,`)
			}
			assert.Equal(t, 200, record(t, h, toolCall("add", `{"a":1,"b":2}`)).status, "a tool without scopes")
		})
	}
}
