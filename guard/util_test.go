package guard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interfaces returns a list function for ownAddresses.
func interfaces(addrs ...string) func() ([]net.Addr, error) {
	return func() ([]net.Addr, error) {
		var list []net.Addr
		for _, a := range addrs {
			list = append(list, &net.IPNet{IP: net.ParseIP(a), Mask: net.CIDRMask(24, 32)})
		}
		return list, nil
	}
}

// testJudge is the judge of a policy on a machine with a loopback, a private
// and a public address.
func testJudge(t testing.TB, p Policy) *judge {
	t.Helper()
	j, err := newJudge(p)
	require.NoError(t, err)
	j.own.list = interfaces("127.0.0.1", "::1", "10.9.9.9", "93.184.216.99", "2606:4700::99")
	return j
}

// verdictOf is the reason for which the judge refuses an address.
func verdictOf(j *judge, address string) Reason {
	_, reason := j.verdict(netip.MustParseAddr(address))
	return reason
}

// names is a Resolver with fixed answers: each lookup of a name takes the next
// list, and the last one stays.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	asked   []string
}

func newNames(answers map[string][]string) *names {
	n := &names{answers: map[string][][]netip.Addr{}}
	for name, addrs := range answers {
		n.then(name, addrs...)
	}
	return n
}

// then adds a later answer; "" is an answer that is not an address.
func (n *names) then(name string, addrs ...string) {
	parsed := []netip.Addr{}
	for _, a := range addrs {
		addr, _ := netip.ParseAddr(a)
		parsed = append(parsed, addr)
	}
	n.answers[name] = append(n.answers[name], parsed)
}

func (n *names) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, host)
	if network != "ip" {
		return nil, errors.New("asked for network " + network)
	}
	lists, ok := n.answers[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "192.0.2.53:53", IsNotFound: true}
	}
	if len(lists) > 1 {
		n.answers[host] = lists[1:]
	}
	return lists[0], nil
}

func (n *names) lookups() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string{}, n.asked...)
}

// resolverFunc is a Resolver.
type resolverFunc func(ctx context.Context, host string) ([]netip.Addr, error)

func (f resolverFunc) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return f(ctx, host)
}

// peerConn is a connection that says it leads to peer.
type peerConn struct {
	net.Conn
	peer   net.Addr
	closed func()
}

func (c *peerConn) RemoteAddr() net.Addr { return c.peer }

func (c *peerConn) Close() error {
	if c.closed != nil {
		c.closed()
	}
	return c.Conn.Close()
}

type connectFunc = func(context.Context, netip.AddrPort, func(string) error) (net.Conn, error)

// internet is a stand-in for the network: every address leads to one loopback
// server, and seems to lead where it was dialled to.
type internet struct {
	server string
	dials  atomic.Int64
	last   atomic.Value // netip.AddrPort
}

func (i *internet) connect(ctx context.Context, target netip.AddrPort, check func(string) error) (net.Conn, error) {
	i.dials.Add(1)
	i.last.Store(target)
	if err := check(target.String()); err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(target), Err: err}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", i.server)
	if err != nil {
		return nil, err
	}
	return &peerConn{Conn: conn, peer: net.TCPAddrFromAddrPort(target)}, nil
}

// newInternet starts a server behind an internet.
func newInternet(t testing.TB, h http.Handler) *internet {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &internet{server: server.Listener.Addr().String()}
}

// testDialer is a dialer of a policy with a replaced connect.
func testDialer(t testing.TB, p Policy, connect connectFunc) *dialer {
	return &dialer{judge: testJudge(t, p), resolver: p.Resolver, connect: connect}
}

// testClient is NewClient with a replaced connect.
func testClient(t testing.TB, p Policy, connect connectFunc) *http.Client {
	t.Helper()
	transport := newTransport(p, testDialer(t, p, connect))
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect(p.MaxRedirects)}
}

// newTestClient is NewClient, closed at the end of the test.
func newTestClient(t testing.TB, p Policy) *http.Client {
	t.Helper()
	client, err := NewClient(p)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// get returns the body of an answer.
func get(client *http.Client, url string) (string, error) {
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// requireBlocked asserts that err is a BlockedError for a reason.
func requireBlocked(t testing.TB, err error, reason Reason) *BlockedError {
	t.Helper()
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, reason, blocked.Reason)
	return blocked
}

// says is a handler that answers with a text.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
}

// newTLSServer starts an https server, and returns what a client needs to trust
// it.
func newTLSServer(t testing.TB, h http.Handler) (*httptest.Server, *tls.Config) {
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return server, &tls.Config{RootCAs: pool}
}

// clock is a fake clock.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_000_000, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }
