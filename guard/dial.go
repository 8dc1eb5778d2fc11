package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

const (
	// dialTimeout bounds the resolution of a host and all attempts to connect.
	dialTimeout = 30 * time.Second

	// attemptDelay is how long an attempt to connect has before another address
	// is tried beside it: the connection attempt delay of RFC 8305.
	attemptDelay = 250 * time.Millisecond
)

// A dialer connects to hosts whose addresses all pass. It is safe for
// concurrent use.
type dialer struct {
	judge    *judge
	resolver Resolver

	// connect opens a TCP connection to target and calls check with the address
	// that the socket is about to connect to.
	connect func(ctx context.Context, target netip.AddrPort, check func(address string) error) (net.Conn, error)
}

// connectTCP is the connect of every dialer outside tests.
func connectTCP(ctx context.Context, target netip.AddrPort, check func(address string) error) (net.Conn, error) {
	d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error { return check(address) }}
	return d.DialContext(ctx, "tcp", target.String())
}

// dial is a DialContext: it resolves the host of address once, judges what it
// resolved to, and connects to that. Its errors name the host, not the address.
func (d *dialer) dial(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	given, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &BlockedError{Host: address, Reason: ReasonInvalidHost, cause: err}
	}
	host, err := NormalizeHost(given)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, &BlockedError{Host: host, Reason: ReasonInvalidHost, cause: err}
	}
	addrs, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	conn, err := d.race(ctx, host, interleave(addrs), uint16(port))
	if err != nil {
		return nil, withoutAddress(err, net.JoinHostPort(host, portText))
	}
	return conn, nil
}

// An attempt is the outcome of one connection attempt.
type attempt struct {
	conn net.Conn
	err  error
}

// race connects to the addresses in their order, each when the one before it
// failed or has taken attemptDelay, and returns the first connection. A refusal
// ends it: an address that does not lead where it was judged to lead casts doubt
// on all.
func (d *dialer) race(ctx context.Context, host string, addrs []netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // attempts that lost close what they opened
	attempts := make(chan attempt)
	next := time.NewTimer(0)
	defer next.Stop()
	running := 0
	var first error
	for len(addrs) > 0 || running > 0 {
		turn := next.C
		if len(addrs) == 0 {
			turn = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-turn:
			go d.try(ctx, host, netip.AddrPortFrom(addrs[0], port), attempts)
			addrs = addrs[1:]
			running++
			next.Reset(attemptDelay)
		case done := <-attempts:
			running--
			if done.err == nil {
				return done.conn, nil
			}
			if blocked, ok := errors.AsType[*BlockedError](done.err); ok {
				return nil, blocked
			}
			if first == nil {
				first = done.err
			}
			next.Reset(0)
		}
	}
	return nil, first
}

// try makes one attempt and hands it over, unless nobody waits for it any more.
func (d *dialer) try(ctx context.Context, host string, target netip.AddrPort, attempts chan<- attempt) {
	conn, err := d.connectTo(ctx, host, target)
	select {
	case attempts <- attempt{conn, err}:
	case <-ctx.Done():
		if conn != nil {
			conn.Close()
		}
	}
}

// connectTo connects to an address that was judged. It is judged again right
// before the socket connects, and the connection's peer must be it.
func (d *dialer) connectTo(ctx context.Context, host string, target netip.AddrPort) (net.Conn, error) {
	conn, err := d.connect(ctx, target, func(address string) error {
		return d.recheck(host, target, address)
	})
	if err != nil {
		return nil, err
	}
	if peer, ok := conn.RemoteAddr().(*net.TCPAddr); !ok || !same(peer.AddrPort(), target) {
		conn.Close()
		return nil, &BlockedError{Host: host, Reason: ReasonPeerMismatch}
	}
	return conn, nil
}

// recheck judges the address that a socket is about to connect to.
func (d *dialer) recheck(host string, target netip.AddrPort, address string) error {
	actual, err := netip.ParseAddrPort(address)
	if err != nil || !same(actual, target) {
		return &BlockedError{Host: host, Reason: ReasonPeerMismatch, cause: err}
	}
	if _, reason := d.judge.verdict(actual.Addr()); reason != "" {
		return &BlockedError{Host: host, Reason: reason}
	}
	return nil
}

// same compares addresses with their ports; an IPv4-mapped address is the IPv4
// address.
func same(a, b netip.AddrPort) bool {
	return a.Addr().Unmap() == b.Addr().Unmap() && a.Port() == b.Port()
}

// hostPort is the net.Addr of a host that was dialled.
type hostPort string

func (hostPort) Network() string  { return "tcp" }
func (h hostPort) String() string { return string(h) }

// withoutAddress replaces the address in an error of package net by the host.
func withoutAddress(err error, host string) error {
	op, ok := err.(*net.OpError)
	if !ok {
		return err
	}
	return &net.OpError{Op: op.Op, Net: op.Net, Addr: hostPort(host), Err: op.Err}
}
