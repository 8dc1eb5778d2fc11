package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// A Policy says what a [Transport] or a client may reach. The zero Policy
// reaches public addresses, found with net.DefaultResolver. It is read once, by
// [NewTransport] and [NewClient]; what is changed later has no effect.
type Policy struct {
	// AllowPrivate accepts every unicast address, this machine's own included,
	// but for those of metadata services and of Deny.
	AllowPrivate bool

	// Allow lists addresses and CIDR prefixes that are accepted although they
	// are not public or are this machine's own. It opens neither metadata
	// services nor what Deny lists.
	Allow []string

	// Deny lists addresses and CIDR prefixes that are refused. An IPv4 entry
	// also refuses IPv6 addresses that carry one of its addresses, as in
	// ::ffff:203.0.113.9 or 64:ff9b::203.0.113.9.
	Deny []string

	// NAT64 judges an address in 64:ff9b::/96 by the IPv4 address it carries,
	// for machines that reach the IPv4 internet through DNS64 and NAT64 only.
	// Without it the whole prefix is refused.
	NAT64 bool

	// Resolver resolves names; nil is net.DefaultResolver. It is asked once for
	// each new connection.
	Resolver Resolver

	// MaxRedirects is how many redirects a client of NewClient follows, from 0
	// (the default: a 3xx answer is returned as it is) to 10. A Transport never
	// follows any.
	MaxRedirects int

	// Proxy chooses a proxy for a request, as http.Transport.Proxy does. A
	// request for which it returns one is sent there, wherever there is, and the
	// proxy alone decides what is reached: the guard only checks how the host is
	// spelled. A request for which it returns nil is guarded as usual. Nil, the
	// default, uses no proxy; the environment is never asked.
	Proxy func(*http.Request) (*url.URL, error)

	// TLS configures connections to https servers, such as the authorities they
	// may use; nil is the default of crypto/tls. It is cloned.
	TLS *tls.Config

	// Now is the clock of the cache of this machine's addresses; nil is
	// time.Now.
	Now func() time.Time
}

// A Resolver finds the addresses of a name. *net.Resolver is one. It must be
// safe for concurrent use and give up when the context ends.
type Resolver interface {
	// LookupNetIP returns the addresses of host; network is always "ip". The
	// guard treats an error, and an empty list, as a refusal.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxRedirects is the ceiling of Policy.MaxRedirects.
const maxRedirects = 10

// newJudge reads what a policy says of addresses, and reports all malformed
// entries together.
func newJudge(p Policy) (*judge, error) {
	allow, allowErr := parseEntries("Allow", p.Allow)
	deny, denyErr := parseEntries("Deny", p.Deny)
	if err := errors.Join(allowErr, denyErr); err != nil {
		return nil, err
	}
	now := p.Now
	if now == nil {
		now = time.Now
	}
	return &judge{
		allowPrivate: p.AllowPrivate,
		nat64:        p.NAT64,
		allow:        allow,
		deny:         deny,
		own:          &ownAddresses{list: net.InterfaceAddrs, now: now},
	}, nil
}

// parseEntries reads addresses and CIDR prefixes.
func parseEntries(list string, entries []string) (prefixes, error) {
	var parsed prefixes
	var errs []error
	for _, entry := range entries {
		prefix, ok := parseEntry(entry)
		if !ok {
			errs = append(errs, errors.New(textEntry(list, entry)))
			continue
		}
		parsed = append(parsed, prefix)
	}
	return parsed, errors.Join(errs...)
}

// parseEntry reads one address or prefix. A prefix with bits beyond its length,
// such as 10.0.0.1/8, is not one: it may mean the address as well as the net. An
// IPv4-mapped entry is that of the IPv4 address, which is what is compared.
func parseEntry(entry string) (netip.Prefix, bool) {
	if !strings.Contains(entry, "/") {
		addr, err := netip.ParseAddr(entry)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, false
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	prefix, err := netip.ParsePrefix(entry)
	if err != nil || prefix != prefix.Masked() {
		return netip.Prefix{}, false
	}
	if prefix.Addr().Is4In6() {
		const mappedBits = 96 // fewer bits leave no such address
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-mappedBits)
	}
	return prefix, true
}

// prefixes is a set of addresses.
type prefixes []netip.Prefix

func (p prefixes) contains(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

func (p prefixes) containsAny(addrs []netip.Addr) bool {
	for _, a := range addrs {
		if p.contains(a) {
			return true
		}
	}
	return false
}
