package transport_test

import (
	"log/slog"
	"net/http"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func TestRule3_6_TooManyRequests(t *testing.T) { // case 98
	quiet := kervan.WithLogger(slog.New(slog.DiscardHandler))
	s := newHTTP(t, newToolbox(quiet).App, transport.RateLimit(2))
	for i, want := range []int{200, 200, 429, 429} {
		got := s.call(legacy, "add", `{"a":1,"b":2}`, set("X-Forwarded-For", "203.0.113."+strconv.Itoa(i)))
		require.Equal(t, want, got.status, got.body)
		if want == 429 {
			refused(t, got, 429, -32000)
			seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
			assert.NoError(t, err)
			assert.InDelta(t, 60, seconds, 5)
		}
	}
}

func TestRule3_6_RefusedBeforeAuthentication(t *testing.T) {
	asked := 0
	s := newHTTP(t, newToolbox().App, transport.RateLimit(1), transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) {
		asked++
		return nil, &transport.Refusal{}
	}))
	refused(t, s.do("{}"), 401, -32600)
	refused(t, s.do("{}"), 429, -32000)
	assert.Equal(t, 1, asked)
}

func TestRule3_6_LimitOfAUser(t *testing.T) {
	s := newHTTP(t, newToolbox().App, transport.RateLimit(2), transport.APIKeys("X-API-Key", keyring()),
		transport.RateLimitKey(func(_ *http.Request, info *auth.TokenInfo) string { return info.UserID }))
	for _, key := range []string{keyAda, keyBen} {
		for _, want := range []int{200, 200, 429} {
			assert.Equal(t, want, s.call(modern, "add", `{"a":1,"b":2}`, set("X-API-Key", key)).status)
		}
	}
	for _, want := range []int{401, 401, 429} {
		assert.Equal(t, want, s.call(modern, "add", `{"a":1,"b":2}`, set("X-API-Key", "0123456789abcdef")).status)
	}
}
