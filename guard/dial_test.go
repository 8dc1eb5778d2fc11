package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// noConnect fails a test that connects.
func noConnect(t *testing.T) connectFunc {
	return func(_ context.Context, target netip.AddrPort, _ func(string) error) (net.Conn, error) {
		t.Errorf("connects to %s", target)
		return nil, errors.New("no")
	}
}

func TestRule7_2_EveryAnswerMustPass(t *testing.T) {
	resolver := newNames(map[string][]string{
		"mixed.example":       {"8.8.8.8", "10.0.0.1"},
		"mixed-late.example":  {"8.8.8.8", "1.1.1.1", "2606:4700::1", "127.0.0.2"},
		"mixed-v6.example":    {"8.8.8.8", "fd00::1"},
		"mapped.example":      {"::ffff:10.0.0.1"},
		"nat64.example":       {"64:ff9b::8.8.8.8"},
		"metadata.example":    {"8.8.8.8", "169.254.169.254"},
		"metadata-v6.example": {"64:ff9b::a9fe:a9fe"},
		"own.example":         {"93.184.216.99"},
		"denied.example":      {"9.9.9.9"},
		"zone.example":        {"2606:4700::1%eth0"},
		"mixed-zone.example":  {"8.8.8.8", "::1%lo"},
		"no-ip.example":       {""},
		"mixed-no-ip.example": {"8.8.8.8", ""},
		"empty.example":       {},
		"unspecified.example": {"0.0.0.0"},
	})
	d := testDialer(t, Policy{Resolver: resolver, Deny: []string{"9.9.9.9"}}, noConnect(t))
	for host, reason := range map[string]Reason{
		"mixed.example": ReasonNotPublic, "mixed-late.example": ReasonNotPublic, "mixed-v6.example": ReasonNotPublic,
		"mapped.example": ReasonNotPublic, "nat64.example": ReasonNotPublic, "metadata.example": ReasonMetadata,
		"metadata-v6.example": ReasonMetadata, "own.example": ReasonOwnAddress, "denied.example": ReasonDenied,
		"zone.example": ReasonInvalidAddress, "mixed-zone.example": ReasonInvalidAddress, "no-ip.example": ReasonInvalidAddress,
		"mixed-no-ip.example": ReasonInvalidAddress, "empty.example": ReasonNoAnswer, "unknown.example": ReasonNoAnswer,
		"unspecified.example": ReasonNotPublic,
		"127.0.0.1":           ReasonOwnAddress, "::ffff:127.0.0.2": ReasonNotPublic, "169.254.169.254": ReasonMetadata, "fe80::1": ReasonMetadata,
	} {
		_, err := d.dial(t.Context(), "tcp", net.JoinHostPort(host, "443"))
		require.Equal(t, host, requireBlocked(t, err, reason).Host)
	}
	require.NotContains(t, resolver.lookups(), "127.0.0.1")
}

func TestRule7_2_ResolverFails(t *testing.T) {
	broken := map[string]resolverFunc{
		"error": func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("server 10.0.0.53 failed") },
		"answers and error": func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, errors.New("cut")
		},
		"timeout": func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "i/o timeout", Server: "10.0.0.53:53", IsTimeout: true}
		},
		"panic": func(context.Context, string) ([]netip.Addr, error) { panic("resolver") },
	}
	for name, resolver := range broken {
		d := testDialer(t, Policy{Resolver: resolver}, noConnect(t))
		_, err := d.dial(t.Context(), "tcp", "a.example:443")
		require.Error(t, requireBlocked(t, err, ReasonResolverFailed).Unwrap(), name)
		require.NotContains(t, err.Error(), "10.0.0.53")
	}
}

func TestRule5_9_NoLookupOfInvalidHosts(t *testing.T) {
	resolver := newNames(nil)
	d := testDialer(t, Policy{Resolver: resolver, AllowPrivate: true}, noConnect(t))
	for _, host := range invalidHosts {
		if strings.ContainsAny(host, "[]") {
			continue // in "host:port" they belong to the pair
		}
		_, err := d.dial(t.Context(), "tcp", net.JoinHostPort(host, "443"))
		requireBlocked(t, err, ReasonInvalidHost)
	}
	for _, address := range []string{"a.example", "a.example:", "a.example:http", "a.example:65536", "a.example:-1", "a.example:0x50", "", ":443"} {
		_, err := d.dial(t.Context(), "tcp", address)
		requireBlocked(t, err, ReasonInvalidHost)
	}
	require.Empty(t, resolver.lookups())
}

// A name that resolves to something else the next time leads nowhere else: the
// first answer is dialled, and the second is judged again.
func TestRule7_2_Rebinding(t *testing.T) {
	network := newInternet(t, says("reached"))
	resolver := newNames(map[string][]string{"rebind.example": {"8.8.8.8"}})
	resolver.then("rebind.example", "127.0.0.1")
	d := testDialer(t, Policy{Resolver: resolver}, network.connect)

	conn, err := d.dial(t.Context(), "tcp", "rebind.example:80")
	require.NoError(t, err)
	conn.Close()
	require.Equal(t, netip.MustParseAddrPort("8.8.8.8:80"), network.last.Load())
	require.Len(t, resolver.lookups(), 1, "one lookup for one dial")

	_, err = d.dial(t.Context(), "tcp", "rebind.example:80")
	requireBlocked(t, err, ReasonOwnAddress)
	require.EqualValues(t, 1, network.dials.Load())
}

// Only literal addresses that were judged are dialled, in their plain form.
func TestRule7_2_DialsLiterals(t *testing.T) {
	network := newInternet(t, says(""))
	resolver := newNames(map[string][]string{"a.example": {"::ffff:8.8.8.8"}, "xn--bcher-kva.example": {"2606:4700::1"}, "dot.example.": {"1.1.1.1"}})
	d := testDialer(t, Policy{Resolver: resolver}, network.connect)
	for address, want := range map[string]string{
		"a.example:80": "8.8.8.8:80", "A.Example:443": "8.8.8.8:443", "bücher.example:8443": "[2606:4700::1]:8443",
		"dot.example.:80": "1.1.1.1:80", "9.9.9.9:80": "9.9.9.9:80", "[2001:4860:4860::8888]:53": "[2001:4860:4860::8888]:53",
	} {
		conn, err := d.dial(t.Context(), "tcp", address)
		require.NoError(t, err, address)
		conn.Close()
		require.Equal(t, netip.MustParseAddrPort(want), network.last.Load())
	}
}

func TestRule7_2_PeerMismatch(t *testing.T) {
	peers := map[string]net.Addr{
		"other address": &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443},
		"other port":    &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80},
		"zone":          &net.TCPAddr{IP: net.ParseIP("fe80::1"), Port: 443, Zone: "eth0"},
		"not TCP":       &net.UnixAddr{Name: "/run/x"},
		"none":          nil,
	}
	for name, peer := range peers {
		closed := false
		connect := func(context.Context, netip.AddrPort, func(string) error) (net.Conn, error) {
			here, there := net.Pipe()
			there.Close()
			return &peerConn{Conn: here, peer: peer, closed: func() { closed = true }}, nil
		}
		d := testDialer(t, Policy{Resolver: newNames(map[string][]string{"a.example": {"8.8.8.8", "1.1.1.1"}})}, connect)
		_, err := d.dial(t.Context(), "tcp", "a.example:443")
		requireBlocked(t, err, ReasonPeerMismatch)
		require.True(t, closed, name)
	}
}

// The socket's own address is judged right before it connects.
func TestRule7_2_JudgedAgain(t *testing.T) {
	target := netip.MustParseAddrPort("8.8.8.8:443")
	d := testDialer(t, Policy{}, nil)
	require.NoError(t, d.recheck("a.example", target, "8.8.8.8:443"))
	require.NoError(t, d.recheck("a.example", target, "[::ffff:8.8.8.8]:443"))
	for _, address := range []string{"10.0.0.1:443", "8.8.8.8:80", "8.8.4.4:443", "", "8.8.8.8", "a.example:443", "[fe80::1%eth0]:443"} {
		requireBlocked(t, d.recheck("a.example", target, address), ReasonPeerMismatch)
	}
	requireBlocked(t, d.recheck("a.example", netip.MustParseAddrPort("10.0.0.1:443"), "10.0.0.1:443"), ReasonNotPublic)
}

// What is no longer accepted when the socket connects is refused, by the control
// function of a real socket.
func TestRule7_2_JudgedAgainBySocket(t *testing.T) {
	accepted := make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		defer close(accepted)
		if conn, err := listener.Accept(); err == nil {
			t.Error("the listener sees a connection")
			conn.Close()
		}
	}()
	d := testDialer(t, Policy{AllowPrivate: true}, nil)
	d.connect = func(ctx context.Context, target netip.AddrPort, check func(string) error) (net.Conn, error) {
		d.judge.allowPrivate = false
		return connectTCP(ctx, target, check)
	}
	_, err = d.dial(t.Context(), "tcp", listener.Addr().String())
	requireBlocked(t, err, ReasonOwnAddress)
	listener.Close()
	<-accepted
}

func TestRule8_4_DialErrorsNameTheHost(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	listener.Close()
	d := testDialer(t, Policy{AllowPrivate: true, Resolver: newNames(map[string][]string{"closed.example": {"127.0.0.1"}})}, connectTCP)
	_, err = d.dial(t.Context(), "tcp", "closed.example:"+port)
	require.ErrorContains(t, err, "dial tcp closed.example:"+port)
	require.NotContains(t, err.Error(), "127.0.0.1")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	require.Equal(t, "tcp", op.Addr.Network())
}

func TestRule8_4_BlockedTextsShowNoAddress(t *testing.T) {
	reasons := []Reason{
		ReasonInvalidHost, ReasonResolverFailed, ReasonNoAnswer, ReasonInvalidAddress, ReasonMetadata, ReasonDenied, ReasonOwnAddress,
		ReasonNotPublic, ReasonUndecided, ReasonPeerMismatch, ReasonNotRedirect, ReasonEmptyLocation, ReasonBadLocation, ReasonScheme,
		ReasonDowngrade, ReasonUserinfo, ReasonPort, ReasonTooManyRedirects,
	}
	seen := map[string]bool{}
	for _, reason := range reasons {
		text := (&BlockedError{Host: "a.example", Reason: reason, cause: errors.New("10.0.0.1")}).Error()
		require.Contains(t, text, `"a.example"`)
		require.NotRegexp(t, `\d+\.\d+`, text)
		require.NotEqual(t, string(reason), textReason(reason), "a text of its own")
		require.False(t, seen[text], "two reasons have one text: %s", text)
		seen[text] = true
	}
	require.Equal(t, `host "a\x1b]52;c;\a\u202e" is blocked: news`, (&BlockedError{Host: "a\x1b]52;c;\x07\u202e", Reason: "news"}).Error())
}

// attempts records when addresses were dialled in fake time.
type attempts struct {
	mu    sync.Mutex
	start time.Time
	made  []string
	took  map[string]time.Duration // until it fails, or succeeds if in good
	good  map[string]bool
	open  int
}

func (a *attempts) connect(ctx context.Context, target netip.AddrPort, _ func(string) error) (net.Conn, error) {
	addr := target.Addr().String()
	a.mu.Lock()
	a.made = append(a.made, addr+" after "+time.Since(a.start).String())
	a.mu.Unlock()
	select {
	case <-time.After(a.took[addr]):
	case <-ctx.Done():
		if !a.good[addr] {
			return nil, ctx.Err()
		}
	}
	if !a.good[addr] {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(target), Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	there.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open++
	return &peerConn{Conn: here, peer: net.TCPAddrFromAddrPort(target), closed: func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.open--
	}}, nil
}

// run dials a name in fake time, and returns how long it took.
func (a *attempts) run(t *testing.T, addrs ...string) (net.Conn, time.Duration, error) {
	d := testDialer(t, Policy{Resolver: newNames(map[string][]string{"a.example": addrs})}, a.connect)
	a.start = time.Now()
	conn, err := d.dial(t.Context(), "tcp", "a.example:443")
	return conn, time.Since(a.start), err
}

func TestRule7_2_FallbackOrder(t *testing.T) {
	const hour = time.Hour
	cases := map[string]struct {
		addrs []string
		took  map[string]time.Duration
		good  []string
		made  []string
		total time.Duration
		fails bool
	}{
		"the first answers": {
			addrs: []string{"2606:4700::1", "8.8.8.8"}, good: []string{"2606:4700::1", "8.8.8.8"}, made: []string{"2606:4700::1 after 0s"},
		},
		"families alternate, and a failure starts the next at once": {
			addrs: []string{"2606:4700::1", "2606:4700::2", "8.8.8.8", "1.1.1.1"}, good: []string{"1.1.1.1"},
			made: []string{"2606:4700::1 after 0s", "8.8.8.8 after 0s", "2606:4700::2 after 0s", "1.1.1.1 after 0s"},
		},
		"a silent family costs one delay": {
			addrs: []string{"2606:4700::1", "2606:4700::2", "8.8.8.8"}, good: []string{"8.8.8.8"},
			took:  map[string]time.Duration{"2606:4700::1": hour, "2606:4700::2": hour},
			made:  []string{"2606:4700::1 after 0s", "8.8.8.8 after 250ms"},
			total: attemptDelay,
		},
		"a slow first wins over a slower second": {
			addrs: []string{"8.8.8.8", "1.1.1.1"}, good: []string{"8.8.8.8", "1.1.1.1"},
			took:  map[string]time.Duration{"8.8.8.8": 300 * time.Millisecond, "1.1.1.1": 200 * time.Millisecond},
			made:  []string{"8.8.8.8 after 0s", "1.1.1.1 after 250ms"},
			total: 300 * time.Millisecond,
		},
		"all fail": {
			addrs: []string{"8.8.8.8", "1.1.1.1"}, made: []string{"8.8.8.8 after 0s", "1.1.1.1 after 0s"}, fails: true,
		},
		"all are silent": {
			addrs: []string{"8.8.8.8"}, took: map[string]time.Duration{"8.8.8.8": hour}, made: []string{"8.8.8.8 after 0s"},
			total: dialTimeout, fails: true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &attempts{took: c.took, good: map[string]bool{}}
				for _, g := range c.good {
					a.good[g] = true
				}
				conn, took, err := a.run(t, c.addrs...)
				synctest.Wait()
				require.Equal(t, c.fails, err != nil, err)
				require.Equal(t, c.made, a.made)
				require.Equal(t, c.total, took)
				if conn != nil {
					require.Equal(t, 1, a.open, "those that lost are closed")
					conn.Close()
				}
				require.Zero(t, a.open)
			})
		})
	}
}

func TestRule7_2_DialIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &attempts{took: map[string]time.Duration{"8.8.8.8": time.Hour, "1.1.1.1": time.Hour}}
		d := testDialer(t, Policy{Resolver: newNames(map[string][]string{"a.example": {"8.8.8.8", "1.1.1.1"}})}, a.connect)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := d.dial(ctx, "tcp", "a.example:443")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestRule7_2_Interleave(t *testing.T) {
	for _, c := range [][2][]string{
		{{"1.1.1.1"}, {"1.1.1.1"}},
		{{"1.1.1.1", "1.1.1.2"}, {"1.1.1.1", "1.1.1.2"}},
		{{"::1", "::2", "::3", "1.1.1.1"}, {"::1", "1.1.1.1", "::2", "::3"}},
		{{"1.1.1.1", "::1", "::2", "::3"}, {"1.1.1.1", "::1", "::2", "::3"}},
		{{"1.1.1.1", "1.1.1.2", "::1", "::2"}, {"1.1.1.1", "::1", "1.1.1.2", "::2"}},
	} {
		var in []netip.Addr
		for _, a := range c[0] {
			in = append(in, netip.MustParseAddr(a))
		}
		before := slices.Clone(in)
		var out []string
		for _, a := range interleave(in) {
			out = append(out, a.String())
		}
		require.Equal(t, c[1], out)
		require.Equal(t, before, in)
	}
}
