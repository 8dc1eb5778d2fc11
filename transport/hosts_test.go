package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// record runs a request without a socket, so that it can have what no client
// sends.
func record(t *testing.T, h http.Handler, body string, changes ...change) reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	for _, c := range changes {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Result().Header, w.Body.String()}
}

// raw sends bytes and returns all that comes back until the server closes, or
// the first response and no more.
func (s *httpServer) raw(request string) (reply, error) {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.Listener.Addr().String())
	require.NoError(s.t, err)
	defer conn.Close()
	require.NoError(s.t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(s.t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if resp.Close {
		resp.Header.Set("Connection", "close") // net/http took it out
	}
	return reply{resp.StatusCode, resp.Header, string(data)}, err
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestRule3_2_Host(t *testing.T) {
	loopback := []transport.Option(nil)
	named := []transport.Option{transport.AllowedHosts("mcp.example.com", "10.0.0.7", "[2001:db8::1]")}
	below := []transport.Option{transport.AllowedHosts("*.example.com")}
	ask := []transport.Option{transport.AllowedHostFunc(func(h string) bool {
		if h == "panic" {
			panic("h")
		}
		return h == "asked.example"
	})}
	for _, tt := range []struct {
		host string
		opts []transport.Option
		ok   bool
	}{
		{"localhost", loopback, true},
		{"localhost:3000", loopback, true},
		{"LOCALHOST:1", loopback, true},
		{"localhost.", loopback, true},
		{"127.0.0.1", loopback, true},
		{"127.0.0.1:65535", loopback, true},
		{"[::1]", loopback, true},
		{"[::1]:3000", loopback, true},
		{"[0:0:0:0:0:0:0:1]:3000", loopback, true},

		{"", loopback, false},
		{"evil.example", loopback, false},
		{"evil.example:3000", loopback, false},
		{"localhost.evil.example", loopback, false},
		{"evil-localhost", loopback, false},
		{"localhost..", loopback, false},
		{".localhost", loopback, false},
		{"localhost:", loopback, false},
		{"localhost:0", loopback, false},
		{"localhost:00080", loopback, false},
		{"localhost:65536", loopback, false},
		{"localhost:99999999999999999999", loopback, false},
		{"localhost:80:80", loopback, false},
		{"localhost:-1", loopback, false},
		{"localhost:+80", loopback, false},
		{"localhost:80a", loopback, false},
		{"localhost:８０", loopback, false},
		{"evil.example@localhost", loopback, false},
		{"localhost@evil.example", loopback, false},
		{"localhost/evil", loopback, false},
		{"localhost#", loopback, false},
		{"localhost?x", loopback, false},
		{"localhost,evil.example", loopback, false},
		{"localhost evil.example", loopback, false},
		{" localhost", loopback, false},
		{"localhost\t", loopback, false},
		{"localhost\x00", loopback, false},
		{"lｏcalhost", loopback, false},
		{"ⓛocalhost", loopback, false},
		{"127.1", loopback, false},
		{"127.0.0.2", loopback, false},
		{"0x7f.0.0.1", loopback, false},
		{"2130706433", loopback, false},
		{"0177.0.0.1", loopback, false},
		{"0.0.0.0", loopback, false},
		{"::1", loopback, false},
		{"[::1", loopback, false},
		{"::1]", loopback, false},
		{"[::1]3000", loopback, false},
		{"[::1]:", loopback, false},
		{"[::1%25lo]:3000", loopback, false},
		{"[::1%lo]:3000", loopback, false},
		{"[::ffff:127.0.0.1]", loopback, false},
		{"[127.0.0.1]", loopback, false},
		{"[localhost]", loopback, false},
		{"[[::1]]", loopback, false},
		{"[::]", loopback, false},

		{"mcp.example.com", named, true},
		{"mcp.example.com:8443", named, true},
		{"MCP.Example.COM.", named, true},
		{"10.0.0.7:80", named, true},
		{"[2001:DB8::1]:80", named, true},
		{"localhost", named, false},
		{"example.com", named, false},
		{"x.mcp.example.com", named, false},
		{"mcp.example.com.evil.example", named, false},
		{"mcpxexample.com", named, false},

		{"a.example.com", below, true},
		{"a.b.example.com:443", below, true},
		{"example.com", below, false},
		{".example.com", below, false},
		{"evilexample.com", below, false},
		{"a.example.com.evil.example", below, false},
		{"localhost", below, false},

		{"asked.example:1", ask, true},
		{"ASKED.example.", ask, true},
		{"localhost", ask, false},
		{"panic", ask, false},
	} {
		t.Run(fmt.Sprintf("%q", tt.host), func(t *testing.T) {
			h, err := transport.NewHandler(kervan.NewApp("test", "1"), tt.opts...)
			require.NoError(t, err)
			r := record(t, h, ping, host(tt.host))
			if tt.ok {
				assert.Equal(t, 200, r.status, r.body)
				return
			}
			message := refused(t, r, 403, -32600)
			assert.Contains(t, message, "transport.AllowedHosts")
			if len(tt.host) > 3 && !strings.Contains("this Host is not served here", tt.host) {
				assert.NotContains(t, r.body, tt.host)
			}
		})
	}
}

func TestRule3_2_HostOfTheOldProtocol(t *testing.T) {
	s := newHTTP(t, kervan.NewApp("test", "1"))
	r, err := s.raw("POST /mcp HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	require.NoError(t, err)
	refused(t, r, 403, -32600)
}

func TestRule3_2_OneLogLineForRefusedHosts(t *testing.T) {
	var log bytes.Buffer
	h, err := transport.NewHandler(kervan.NewApp("test", "1", kervan.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
	require.NoError(t, err)
	for range 3 {
		refused(t, record(t, h, ping, host("evil.example\n")), 403, -32600)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	assert.Len(t, lines, 1)
	assert.Contains(t, lines[0], "transport.AllowedHosts")
}

func TestRule3_1_RepeatedHeaders(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"))
	require.NoError(t, err)
	for _, name := range []string{"Authorization", "Content-Type", "Origin", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Param-Region", "mcp-param-x"} {
		value := map[string]string{"Content-Type": "application/json", "Origin": "http://localhost", "Mcp-Method": "ping", "Mcp-Protocol-Version": legacy}[name]
		if value == "" {
			value = "x"
		}
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, 200, record(t, h, ping, set(name, value)).status)
			refused(t, record(t, h, ping, set(name, value), header(name, value)), 400, -32600)
		})
	}
	t.Run("Host", func(t *testing.T) {
		s := newHTTP(t, kervan.NewApp("test", "1"))
		r, err := s.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
		require.NoError(t, err)
		assert.Equal(t, 400, r.status)
		refused(t, record(t, h, ping, header("Host", "evil.example")), 400, -32600) // HTTP/2 with :authority
	})
	assert.Equal(t, 200, record(t, h, ping, header("Accept", "application/json"), header("Accept", "text/event-stream")).status)
}

func TestRule3_3_Origin(t *testing.T) {
	public := []transport.Option{transport.AllowedHosts("localhost", "mcp.example.com", "*.apps.example")}
	listed := []transport.Option{transport.AllowedOrigins("https://app.example.com", "http://localhost:5173", "https://*.web.example", "https://other.example:8443", "vscode-webview://abc")}
	for _, tt := range []struct {
		origin string
		opts   []transport.Option
		ok     bool
	}{
		{"http://localhost:5173", nil, true},
		{"https://localhost", nil, true},
		{"http://127.0.0.1:8080", nil, true},
		{"http://[::1]:8080", nil, true},
		{"HTTP://LOCALHOST", nil, true},
		{"null", nil, false},
		{"", nil, false},
		{"https://evil.example", nil, false},
		{"http://localhost.evil.example", nil, false},
		{"http://evil-localhost", nil, false},
		{"http://127.0.0.1@evil.example", nil, false},
		{"http://evil.example@localhost", nil, false},
		{"http://localhost/", nil, false},
		{"http://localhost?", nil, false},
		{"http://localhost#evil.example", nil, false},
		{"http://localhost\\evil.example", nil, false},
		{"http://localhost:", nil, false},
		{"http://localhost:0", nil, false},
		{"http://localhost, http://evil.example", nil, false},
		{"http://localhost http://evil.example", nil, false},
		{"//localhost", nil, false},
		{"localhost", nil, false},
		{"file://", nil, false},
		{"file://localhost", nil, false},
		{"ftp://localhost", nil, false},
		{"http:localhost", nil, false},
		{"http://", nil, false},
		{"http://[::1", nil, false},
		{"http://2130706433", nil, false},
		{"chrome-extension://localhost", nil, false},

		{"https://mcp.example.com", public, true},
		{"https://mcp.example.com:8443", public, true},
		{"https://x.apps.example", public, true},
		{"http://localhost:3000", public, true},
		{"http://mcp.example.com", public, false},
		{"https://evil-mcp.example.com", public, false},
		{"https://mcp.example.com.evil.example", public, false},
		{"https://apps.example", public, false},

		{"https://app.example.com", listed, true},
		{"https://app.example.com:443", listed, true},
		{"http://localhost:5173", listed, true},
		{"https://a.web.example", listed, true},
		{"https://other.example:8443", listed, true},
		{"vscode-webview://abc", listed, true},
		{"http://app.example.com", listed, false},
		{"https://app.example.com:8443", listed, false},
		{"http://localhost:5174", listed, false},
		{"http://localhost", listed, false},
		{"https://web.example", listed, false},
		{"https://a.web.example.evil.example", listed, false},
		{"https://other.example", listed, false},
		{"null", listed, false},
	} {
		t.Run(fmt.Sprintf("%q", tt.origin), func(t *testing.T) {
			h, err := transport.NewHandler(kervan.NewApp("test", "1"), tt.opts...)
			require.NoError(t, err)
			r := record(t, h, ping, func(r *http.Request) { r.Header["Origin"] = []string{tt.origin} })
			if tt.ok {
				assert.Equal(t, 200, r.status, r.body)
			} else {
				refused(t, r, 403, -32600)
				assert.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
			}
			assert.Equal(t, 200, record(t, h, ping).status, "without an Origin")
		})
	}
}

func TestRule3_3_CORS(t *testing.T) {
	app := kervan.NewApp("test", "1")
	app.Add(kervan.RawTool("region", "Has a mirrored argument.", kervan.Schema(`{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}`),
		func(context.Context, *kervan.Call) (*kervan.Result, error) {
			return kervan.ResultOf(kervan.Text("")), nil
		}))
	reject := func(*http.Request) (*auth.TokenInfo, error) { return nil, &transport.Refusal{} }
	s := newHTTP(t, app, transport.AllowedOrigins("https://app.example.com"), transport.Authenticate(reject), transport.Path("/mcp"))
	preflight := []change{method(http.MethodOptions), set("Origin", "https://app.example.com"), set("Access-Control-Request-Method", "POST"), set("Access-Control-Request-Headers", "mcp-name")}

	r := s.do("", preflight...)
	assert.Equal(t, 204, r.status)
	assert.Empty(t, r.body)
	assert.Equal(t, "https://app.example.com", r.header.Get("Access-Control-Allow-Origin"))
	assert.Empty(t, r.header.Get("Access-Control-Allow-Credentials"))
	assert.Equal(t, "POST, OPTIONS", r.header.Get("Access-Control-Allow-Methods"))
	assert.Contains(t, r.header.Get("Vary"), "Origin")
	allowed := strings.Split(r.header.Get("Access-Control-Allow-Headers"), ", ")
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID", "Authorization", "Content-Type", "Mcp-Param-Region"} {
		assert.True(t, slices.Contains(allowed, name), name)
	}
	for _, name := range []string{"WWW-Authenticate", "Mcp-Session-Id", "Mcp-Protocol-Version"} {
		assert.Contains(t, r.header.Get("Access-Control-Expose-Headers"), name)
	}

	r = s.do(ping, set("Origin", "https://app.example.com"))
	refused(t, r, 401, -32600)
	assert.Equal(t, "https://app.example.com", r.header.Get("Access-Control-Allow-Origin"), "the page must be able to read why")
	assert.Equal(t, "Origin", r.header.Get("Vary"))
	assert.Equal(t, "Origin", s.do(ping).header.Get("Vary"))

	refused(t, s.do("", append(preflight, set("Origin", "https://evil.example"))...), 403, -32600)
	refused(t, s.do("", append(preflight, path("/other"))...), 404, -32600)
	r = s.do("", method(http.MethodOptions), set("Origin", "https://app.example.com"))
	refused(t, r, 405, -32600)
	assert.Equal(t, "POST, OPTIONS", r.header.Get("Allow"))

	off := newHTTP(t, kervan.NewApp("test", "1"))
	r = off.do("", method(http.MethodOptions), set("Origin", "http://localhost"), set("Access-Control-Request-Method", "POST"))
	refused(t, r, 405, -32600)
	assert.Equal(t, "POST", r.header.Get("Allow"))
	assert.Empty(t, r.header.Get("Access-Control-Allow-Origin"))
}
