package guard

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRule7_1_TheZeroPolicyStaysOutside(t *testing.T) {
	asked := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	client := newTestClient(t, Policy{})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "localhost"} {
		_, err := client.Get("http://" + host + ":" + port)
		requireBlocked(t, err, ReasonOwnAddress)
		var outer *url.Error
		require.ErrorAs(t, err, &outer)
	}
	_, err := client.Get("http://127.0.0.2:" + port)
	requireBlocked(t, err, ReasonNotPublic)
	_, err = client.Get("http://169.254.169.254/latest/meta-data/")
	requireBlocked(t, err, ReasonMetadata)
	require.Zero(t, asked.Load())
}

func TestRule7_1_AllowedLoopback(t *testing.T) {
	server := httptest.NewServer(says("reached"))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, p := range []Policy{{AllowPrivate: true}, {Allow: []string{"127.0.0.1/32"}}} {
		client := newTestClient(t, p)
		for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]"} {
			body, err := get(client, "http://"+host+":"+port)
			require.NoError(t, err)
			require.Equal(t, "reached", body)
		}
	}
	client := newTestClient(t, Policy{Allow: []string{"127.0.0.1/32"}})
	_, err := client.Get("http://127.0.0.2:" + port)
	requireBlocked(t, err, ReasonNotPublic)
	client = newTestClient(t, Policy{AllowPrivate: true, Deny: []string{"127.0.0.0/8"}})
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]"} {
		_, err = client.Get("http://" + host + ":" + port)
		requireBlocked(t, err, ReasonDenied)
	}
}

func TestRule7_1_IPv6Loopback(t *testing.T) {
	listener, err := net.Listen("tcp6", "[::1]:0")
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(says("reached"))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	defer server.Close()
	_, err = newTestClient(t, Policy{}).Get(server.URL)
	requireBlocked(t, err, ReasonOwnAddress)
	for _, p := range []Policy{{AllowPrivate: true}, {Allow: []string{"::1"}}} {
		body, err := get(newTestClient(t, p), server.URL)
		require.NoError(t, err)
		require.Equal(t, "reached", body)
	}
}

func TestRule5_9_InvalidHostsSendNothing(t *testing.T) {
	resolver := newNames(nil)
	client := testClient(t, Policy{Resolver: resolver, AllowPrivate: true}, noConnect(t))
	for _, host := range invalidHosts {
		for _, u := range []*url.URL{{Scheme: "http", Host: host, Path: "/"}, {Scheme: "https", Host: host + ":8080", Path: "/"}} {
			if _, err := NormalizeHost(u.Hostname()); err == nil {
				continue // brackets or a port that belong to the URL
			}
			body := &closable{Reader: strings.NewReader("body")}
			_, err := client.Transport.RoundTrip(&http.Request{Method: "POST", URL: u, Header: http.Header{}, Body: body})
			requireBlocked(t, err, ReasonInvalidHost)
			require.True(t, body.closed, "a RoundTripper closes the body")
		}
	}
	require.Empty(t, resolver.lookups())
}

type closable struct {
	io.Reader
	closed bool
}

func (c *closable) Close() error {
	c.closed = true
	return nil
}

func TestRule7_2_ThroughTheTransport(t *testing.T) {
	network := newInternet(t, says("reached"))
	resolver := newNames(map[string][]string{
		"good.example": {"2606:4700::1", "8.8.8.8"}, "mixed.example": {"8.8.8.8", "192.168.0.1"}, "empty.example": {}, "intranet": {"10.0.0.7"},
	})
	client := testClient(t, Policy{Resolver: resolver}, network.connect)
	body, err := get(client, "http://good.example/")
	require.NoError(t, err)
	require.Equal(t, "reached", body)
	for host, reason := range map[string]Reason{
		"mixed.example": ReasonNotPublic, "intranet": ReasonNotPublic, "empty.example": ReasonNoAnswer, "unknown.example": ReasonNoAnswer,
	} {
		_, err := client.Get("http://" + host + "/")
		requireBlocked(t, err, reason)
	}
	require.EqualValues(t, 1, network.dials.Load())
	_, err = client.Transport.RoundTrip(&http.Request{})
	require.ErrorContains(t, err, textNoURL)
	_, err = client.Get("ftp://good.example/")
	require.ErrorContains(t, err, "unsupported protocol scheme")
}

// A server that answers on another address than the judged one sees no request.
func TestRule7_2_PeerMismatchSendsNothing(t *testing.T) {
	asked := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	client := testClient(t, Policy{}, func(ctx context.Context, _ netip.AddrPort, _ func(string) error) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	})
	_, err := client.Post("http://8.8.8.8/", "text/plain", strings.NewReader("secret"))
	requireBlocked(t, err, ReasonPeerMismatch)
	require.Zero(t, asked.Load())
}

func TestRule7_3_EnvironmentProxyIsIgnored(t *testing.T) {
	proxied := atomic.Int64{}
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	network := newInternet(t, says("direct"))
	client := testClient(t, Policy{Resolver: newNames(map[string][]string{"a.example": {"8.8.8.8"}})}, network.connect)
	body, err := get(client, "http://a.example/")
	require.NoError(t, err)
	require.Equal(t, "direct", body)
	transport := client.Transport.(*Transport)
	require.Nil(t, transport.direct.Proxy)
	require.Nil(t, transport.proxied)
	require.Zero(t, proxied.Load())
}

func TestRule7_3_ProxyOfThePolicy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "proxied ", r.URL) }))
	defer proxy.Close()
	proxyURL, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	resolver := newNames(map[string][]string{"direct.example": {"8.8.8.8"}, "inside.example": {"10.0.0.1"}})
	network := newInternet(t, says("direct"))
	calls := atomic.Int64{}
	client := testClient(t, Policy{Resolver: resolver, Proxy: func(r *http.Request) (*url.URL, error) {
		calls.Add(1)
		switch {
		case r.URL.Host == "broken.example":
			return nil, fmt.Errorf("no proxy today")
		case strings.HasPrefix(r.URL.Host, "proxied."):
			return proxyURL, nil
		}
		return nil, nil
	}}, network.connect)

	body, err := get(client, "http://proxied.example/x")
	require.NoError(t, err)
	require.Equal(t, "proxied http://proxied.example/x", body)
	require.EqualValues(t, 1, calls.Load(), "asked once a request")
	require.Empty(t, resolver.lookups(), "the proxy resolves")

	body, err = get(client, "http://direct.example/")
	require.NoError(t, err)
	require.Equal(t, "direct", body)
	_, err = client.Get("http://inside.example/")
	requireBlocked(t, err, ReasonNotPublic)
	_, err = client.Get("http://0x7f.1/")
	requireBlocked(t, err, ReasonInvalidHost)
	_, err = client.Get("http://broken.example/")
	require.ErrorContains(t, err, "no proxy today")
}

func TestRule7_3_HTTP2(t *testing.T) {
	server, trust := newTLSServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	resolver := newNames(map[string][]string{"example.com": {"127.0.0.1"}})
	client := newTestClient(t, Policy{AllowPrivate: true, Resolver: resolver, TLS: trust})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for range 3 {
		body, err := get(client, "https://example.com:"+port)
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0", body)
	}
	require.Len(t, resolver.lookups(), 1, "one connection")

	_, err := newTestClient(t, Policy{AllowPrivate: true, Resolver: resolver}).Get("https://example.com:" + port)
	var untrusted *tls.CertificateVerificationError
	require.ErrorAs(t, err, &untrusted, "certificates are checked")

	require.Empty(t, trust.NextProtos, "the caller's configuration is not changed")
}

func TestRule7_3_ConnectionsAreReused(t *testing.T) {
	network := newInternet(t, says("reached"))
	resolver := newNames(map[string][]string{"a.example": {"8.8.8.8"}, "b.example": {"8.8.8.8"}})
	p := Policy{Resolver: resolver}
	client := testClient(t, p, network.connect)
	for range 5 {
		_, err := get(client, "http://a.example/")
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, network.dials.Load())
	require.Len(t, resolver.lookups(), 1)

	_, err := get(client, "http://b.example/")
	require.NoError(t, err)
	require.EqualValues(t, 2, network.dials.Load(), "not shared between hosts")

	_, err = get(testClient(t, p, network.connect), "http://a.example/")
	require.NoError(t, err)
	require.EqualValues(t, 3, network.dials.Load(), "not shared between policies")

	client.CloseIdleConnections()
	_, err = get(client, "http://a.example/")
	require.NoError(t, err)
	require.EqualValues(t, 4, network.dials.Load())
	require.LessOrEqual(t, client.Transport.(*Transport).direct.IdleConnTimeout, 30*time.Second)
}

// Nothing is decompressed: who reads the body counts its bytes first.
func TestRule8_1_NoTransparentCompression(t *testing.T) {
	network := newInternet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprintf(w, "%q", r.Header.Get("Accept-Encoding"))
	}))
	client := testClient(t, Policy{}, network.connect)
	body, err := get(client, "http://8.8.8.8/")
	require.NoError(t, err)
	require.Equal(t, `""`, body)
}

func TestRule7_3_LargeHeadersAreRefused(t *testing.T) {
	network := newInternet(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", 2*maxResponseHeader))
	}))
	_, err := testClient(t, Policy{}, network.connect).Get("http://8.8.8.8/")
	require.Error(t, err)
}

// A request that ends while its host is resolved, or connected to, ends that
// too, although net/http would go on.
func TestRule7_2_Cancellation(t *testing.T) {
	stages := map[string]func(started, stopped chan struct{}) (Resolver, connectFunc){
		"resolving": func(started, stopped chan struct{}) (Resolver, connectFunc) {
			return resolverFunc(func(ctx context.Context, _ string) ([]netip.Addr, error) {
				close(started)
				<-ctx.Done()
				close(stopped)
				return nil, ctx.Err()
			}), nil
		},
		"connecting": func(started, stopped chan struct{}) (Resolver, connectFunc) {
			return newNames(map[string][]string{"a.example": {"8.8.8.8"}}), func(ctx context.Context, _ netip.AddrPort, _ func(string) error) (net.Conn, error) {
				close(started)
				<-ctx.Done()
				close(stopped)
				return nil, ctx.Err()
			}
		},
	}
	for name, stage := range stages {
		t.Run(name, func(t *testing.T) {
			started, stopped := make(chan struct{}), make(chan struct{})
			resolver, connect := stage(started, stopped)
			client := testClient(t, Policy{Resolver: resolver}, connect)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example/", nil)
			require.NoError(t, err)
			_, err = client.Do(req)
			require.ErrorIs(t, err, context.Canceled)
			select {
			case <-stopped:
			case <-time.After(10 * time.Second):
				t.Fatal("it goes on")
			}
		})
	}
}

// A host that does not resolve holds up no other.
func TestRule7_2_NoGlobalQueue(t *testing.T) {
	network := newInternet(t, says("reached"))
	release := make(chan struct{})
	resolver := resolverFunc(func(ctx context.Context, host string) ([]netip.Addr, error) {
		if host == "slow.example" {
			<-release
		}
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	})
	client := testClient(t, Policy{Resolver: resolver}, network.connect)
	var slow sync.WaitGroup
	for range 20 {
		slow.Go(func() {
			_, err := get(client, "http://slow.example/")
			if err != nil {
				t.Error(err)
			}
		})
	}
	body, err := get(client, "http://fast.example/")
	require.NoError(t, err)
	require.Equal(t, "reached", body)
	close(release)
	slow.Wait()
}

func TestRule7_2_ConcurrentUse(t *testing.T) {
	network := newInternet(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	resolver := newNames(map[string][]string{"a.example": {"8.8.8.8", "2606:4700::1"}, "b.example": {"1.1.1.1"}, "bad.example": {"8.8.8.8", "10.0.0.1"}})
	client := testClient(t, Policy{Resolver: resolver, MaxRedirects: 3}, network.connect)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for _, host := range []string{"a.example", "b.example"} {
				want := fmt.Sprintf("%s %d", host, i)
				resp, err := client.Post("http://"+host+"/", "text/plain", bytes.NewBufferString(want))
				if err != nil {
					t.Error(err)
					return
				}
				got, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(got) != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			if _, err := client.Get("http://bad.example/"); err == nil {
				t.Error("bad.example is reached")
			}
			client.CloseIdleConnections()
		})
	}
	all.Wait()
}

// The response's request is the caller's, as http.RoundTripper has it.
func TestResponseRequest(t *testing.T) {
	network := newInternet(t, says(""))
	client := testClient(t, Policy{}, network.connect)
	req, err := http.NewRequest(http.MethodGet, "http://8.8.8.8/", nil)
	require.NoError(t, err)
	resp, err := client.Transport.RoundTrip(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.Same(t, req, resp.Request)
}

func TestRule7_1_CheckHost(t *testing.T) {
	for _, tt := range []struct {
		host   string
		policy Policy
		want   Reason // "" is accepted, or not known without a look-up
	}{
		{"127.0.0.1", Policy{}, ReasonOwnAddress},
		{"localhost", Policy{}, ReasonOwnAddress},
		{"db.localhost", Policy{}, ReasonOwnAddress},
		{"10.1.2.3", Policy{}, ReasonNotPublic},
		{"[fd00::1]", Policy{}, ReasonNotPublic},
		{"169.254.169.254", Policy{AllowPrivate: true}, ReasonMetadata},
		{"203.0.113.9", Policy{AllowPrivate: true, Deny: []string{"203.0.113.0/24"}}, ReasonDenied},
		{"0x7f.1", Policy{AllowPrivate: true}, ReasonInvalidHost},
		{"127.0.0.1", Policy{AllowPrivate: true}, ""},
		{"localhost", Policy{Allow: []string{"127.0.0.1"}}, ""},
		{"8.8.8.8", Policy{}, ""},
		{"example.com", Policy{}, ""},
		{"localhost.example.com", Policy{}, ""},
	} {
		transport, err := NewTransport(tt.policy)
		require.NoError(t, err)
		err = transport.CheckHost(tt.host)
		if tt.want == "" {
			require.NoError(t, err, tt.host)
			continue
		}
		var blocked *BlockedError
		require.ErrorAs(t, err, &blocked, tt.host)
		require.Equal(t, tt.want, blocked.Reason, tt.host)
	}
}
