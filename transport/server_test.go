package transport_test

import (
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

func listenLocal(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// notStarted asserts that serving ends with an error, at once.
func notStarted(t *testing.T, want string, opts ...transport.Option) {
	t.Helper()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { done <- transport.ServeHTTP(ctx, kervan.NewApp("test", "1"), opts...) }()
	select {
	case err := <-done:
		if assert.Error(t, err) {
			assert.Contains(t, err.Error(), want)
			assert.NotContains(t, err.Error(), "\n")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("serving has begun")
	}
}

func TestRule3_2_NoStartOffLoopbackWithoutHosts(t *testing.T) {
	t.Setenv("HOST", "mcp.example.com") // changes nothing
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.10:3000", "example.invalid:3000", "0:3000"} {
		t.Run(addr, func(t *testing.T) {
			shown := addr
			notStarted(t, "cannot serve on "+shown+": other machines can reach this address, so name the hosts that they use: transport.AllowedHosts(", transport.Addr(addr))
		})
	}
	t.Run("environment", func(t *testing.T) {
		t.Setenv("KERVAN_ADDR", "0.0.0.0:3000")
		notStarted(t, "cannot serve on 0.0.0.0:3000: ")
	})
	t.Run("flag", func(t *testing.T) {
		fs := flag.NewFlagSet("test", flag.ContinueOnError)
		bound := transport.BindFlags(fs)
		require.NoError(t, fs.Parse([]string{"--host", "0.0.0.0"}))
		notStarted(t, "cannot serve on 0.0.0.0:3000: ", bound)
	})
}

// serving serves until the returned function is called, which returns the
// error.
func serving(t *testing.T, app *kervan.App, opts ...transport.Option) (addr string, stop func() error) {
	t.Helper()
	listening := make(chan net.Addr, 1)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		done <- transport.ServeHTTP(ctx, app, append(opts, transport.OnListen(func(a net.Addr) { listening <- a }))...)
	}()
	select {
	case a := <-listening:
		addr = a.String()
	case err := <-done:
		t.Fatal(err)
	}
	return addr, func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(15 * time.Second):
			t.Fatal("serving does not end")
			return nil
		}
	}
}

func post(t *testing.T, url, body string) reply {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

func TestRule3_13_Address(t *testing.T) {
	free := func() string {
		l := listenLocal(t)
		defer l.Close()
		return l.Addr().String()
	}
	portOf := func(addr string) string { return strings.TrimPrefix(addr, "127.0.0.1:") }
	option, env, other := free(), free(), free()
	for _, tt := range []struct {
		name, kervanAddr, port, args string
		opts                         []transport.Option
		want                         string
	}{
		{"option", env, "1", "", []transport.Option{transport.Addr(option)}, option},
		{"environment", env, "1", "", nil, env},
		{"port of the platform", "", portOf(other), "", nil, other},
		{"a flag before the option", env, "", "--port " + portOf(other), []transport.Option{transport.Addr(option)}, other},
		{"host flag with the environment's port", "192.0.2.1:" + portOf(env), "", "--host 127.0.0.1", nil, env},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KERVAN_ADDR", tt.kervanAddr)
			t.Setenv("PORT", tt.port)
			t.Setenv("HOST", "0.0.0.0")
			fs := flag.NewFlagSet("test", flag.ContinueOnError)
			opts := append(tt.opts, transport.BindFlags(fs))
			require.NoError(t, fs.Parse(strings.Fields(tt.args)))
			addr, stop := serving(t, kervan.NewApp("test", "1"), opts...)
			assert.Equal(t, tt.want, addr)
			assert.NoError(t, stop())
		})
	}
	t.Run("IPv6", func(t *testing.T) {
		addr, stop := serving(t, kervan.NewApp("test", "1"), transport.Addr("[::1]:0"))
		assert.True(t, netip.MustParseAddrPort(addr).Addr().IsLoopback())
		assert.Equal(t, 200, post(t, "http://"+addr+"/mcp", rpc("1", "ping", "{}")).status)
		assert.NoError(t, stop())
	})
	t.Run("all interfaces with hosts", func(t *testing.T) {
		addr, stop := serving(t, kervan.NewApp("test", "1"), transport.Addr(":0"), transport.AllowedHosts("mcp.example.com", "127.0.0.1"))
		_, port, _ := net.SplitHostPort(addr)
		assert.Equal(t, 200, post(t, "http://127.0.0.1:"+port+"/mcp", rpc("1", "ping", "{}")).status)
		assert.NoError(t, stop())
	})
}

func TestRule3_13_BadAddress(t *testing.T) {
	for _, tt := range []struct{ name, kervanAddr, port, want string }{
		{"no port", "127.0.0.1", "", "cannot serve on 127.0.0.1: the address is not host:port; correct KERVAN_ADDR"},
		{"bad port", "", "http", "cannot serve over HTTP: PORT is not a port"},
		{"large port", "", "65536", "cannot serve over HTTP: PORT is not a port"},
		{"unknown port", "127.0.0.1:nonsense", "", "cannot serve on 127.0.0.1:nonsense: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("KERVAN_ADDR", tt.kervanAddr)
			t.Setenv("PORT", tt.port)
			notStarted(t, tt.want)
		})
	}
	notStarted(t, "address already in use", transport.Addr(listenLocal(t).Addr().String()))
	notStarted(t, `cannot serve: Addr is "localhost"; it must be host:port`, transport.Addr("localhost"))
}

func TestRule3_13_PathOfTheEndpoint(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		opts       []transport.Option
		want       string
	}{
		{"default", "", nil, "/mcp"},
		{"option", "", []transport.Option{transport.Path("/a/b")}, "/a/b"},
		{"flag", "--path /c", []transport.Option{transport.Path("/a")}, "/c"},
		{"root", "--path /", nil, "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fs := flag.NewFlagSet("test", flag.ContinueOnError)
			opts := append(tt.opts, transport.BindFlags(fs), transport.Addr("127.0.0.1:0"))
			require.NoError(t, fs.Parse(strings.Fields(tt.args)))
			addr, stop := serving(t, kervan.NewApp("test", "1"), opts...)
			assert.Equal(t, 200, post(t, "http://"+addr+tt.want, rpc("1", "ping", "{}")).status)
			refused(t, post(t, "http://"+addr+"/other", rpc("1", "ping", "{}")), 404, -32600)
			assert.NoError(t, stop())
		})
	}
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	bound := transport.BindFlags(fs)
	require.NoError(t, fs.Parse([]string{"--path", "mcp"}))
	notStarted(t, `cannot serve: --path is "mcp"; it must begin with /`, bound)
}

func TestServeHTTPReturnsWhenTheListenerFails(t *testing.T) {
	h, err := transport.NewHandler(kervan.NewApp("test", "1"))
	require.NoError(t, err)
	l := listenLocal(t)
	done := make(chan error, 1)
	go func() { done <- h.ServeListener(t.Context(), l) }()
	require.NoError(t, l.Close())
	select {
	case err := <-done:
		assert.ErrorContains(t, err, "cannot serve on "+l.Addr().String()+": ")
	case <-time.After(10 * time.Second):
		t.Fatal("serving does not end")
	}
}

func TestBadHTTPOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []transport.Option
		want string
	}{
		{"path", []transport.Option{transport.Path("mcp")}, `cannot serve: Path is "mcp"; it must begin with /`},
		{"path with a wildcard", []transport.Option{transport.Path("/{id}/mcp")}, `cannot serve: Path is "/{id}/mcp"`},
		{"health", []transport.Option{transport.HealthPath("/")}, `cannot serve: HealthPath is "/"`},
		{"same paths", []transport.Option{transport.Path("/mcp"), transport.HealthPath("/mcp/")}, "Path and HealthPath are the same"},
		{"body", []transport.Option{transport.MaxBody(0)}, "cannot serve: MaxBody is 0; it must be positive"},
		{"in flight", []transport.Option{transport.WithMaxInFlight(0)}, "cannot serve: WithMaxInFlight is 0; it must be positive"},
		{"drain delay", []transport.Option{transport.DrainDelay(-1)}, "cannot serve: DrainDelay is"},
		{"hosts", []transport.Option{transport.AllowedHosts()}, "cannot serve: AllowedHosts is"},
		{"host with scheme", []transport.Option{transport.AllowedHosts("https://a.example")}, "give host names"},
		{"host with port", []transport.Option{transport.AllowedHosts("a.example:443")}, "give host names"},
		{"any host", []transport.Option{transport.AllowedHosts("*")}, "AllowedHostFunc can decide otherwise"},
		{"star inside", []transport.Option{transport.AllowedHosts("a.*.example")}, "give host names"},
		{"host function", []transport.Option{transport.AllowedHostFunc(nil)}, "AllowedHostFunc"},
		{"origins", []transport.Option{transport.AllowedOrigins()}, "cannot serve: AllowedOrigins is"},
		{"any origin", []transport.Option{transport.AllowedOrigins("*")}, "give origins as"},
		{"null origin", []transport.Option{transport.AllowedOrigins("null")}, "give origins as"},
		{"origin with path", []transport.Option{transport.AllowedOrigins("https://a.example/")}, "give origins as"},
		{"authenticate", []transport.Option{transport.Authenticate(nil)}, "cannot serve: Authenticate is"},
		{"resolver", []transport.Option{transport.ResolveRegistry(nil)}, "cannot serve: ResolveRegistry is"},
		{"share alone", []transport.Option{transport.SharePromptsAndResources()}, "together with ResolveRegistry only"},
		{"sessions", []transport.Option{transport.WithSessions(transport.SessionOptions{Max: -1})}, "SessionOptions.Max is -1"},
		{"idle sessions", []transport.Option{transport.WithSessions(transport.SessionOptions{IdleTimeout: -1})}, "SessionOptions.IdleTimeout is -1ns"},
		{"nil", []transport.Option{nil}, "an option is nil"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := transport.NewHandler(kervan.NewApp("test", "1"), tt.opts...)
			assert.ErrorContains(t, err, tt.want)
			if err != nil {
				assert.NotContains(t, err.Error(), "\n")
			}
		})
	}
	_, err := transport.NewHandler(nil)
	assert.ErrorContains(t, err, "the app is nil")
	app := kervan.NewApp("", "1")
	_, err = transport.NewHandler(app)
	assert.ErrorContains(t, err, "INVALID_APP_OPTIONS")
	assert.ErrorContains(t, transport.ServeHTTP(t.Context(), app), "INVALID_APP_OPTIONS")
}
