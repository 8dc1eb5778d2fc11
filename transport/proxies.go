package transport

import (
	"net/http"
	"net/netip"
	"strings"
)

// TrustedProxies names the reverse proxies in front of the server, as addresses
// ("10.1.2.3") or prefixes ("10.0.0.0/8", "fd00::/8"). What they report in
// X-Forwarded-For then counts as the client's address, for the rate limit and
// the bound of streams: of the addresses in it, read from the right, the first
// that is no trusted proxy.
//
// Name only proxies that append to the header, as most do, and through which
// every request comes that has an address of theirs: whoever can send from a
// trusted address can pretend to be any client. A malformed prefix is an error,
// and so is one that holds every address. Forwarded and X-Real-IP never count.
//
// Default: none, so the header does not count; the first request that has it is
// logged as a warning, which TrustedProxies without arguments silences.
func TrustedProxies(prefixes ...string) Option {
	return optionFunc(func(o *options) error {
		trusted := make(proxies, 0, len(prefixes))
		for _, s := range prefixes {
			p, err := parseProxy(s)
			if err != nil {
				return err
			}
			trusted = append(trusted, p)
		}
		r := rateOf(o)
		r.proxies = trusted
		o.client = r.clientKey
		return nil
	})
}

const (
	headerForwardedFor = "X-Forwarded-For"

	hintProxy      = "give an address such as 10.1.2.3 or a prefix such as 10.0.0.0/8"
	hintAllProxies = "that trusts everybody, and anybody could pretend to be any client; name your proxies"
)

// proxies are the addresses that may speak for others.
type proxies []netip.Prefix

func parseProxy(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		a, errAddr := netip.ParseAddr(s)
		if errAddr != nil || a.Zone() != "" {
			return p, badValue("an entry of TrustedProxies", s, hintProxy)
		}
		p = netip.PrefixFrom(a, a.BitLen())
	}
	if mapped := 128 - 32; p.Addr().Is4In6() && p.Bits() >= mapped {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	if p.Bits() == 0 {
		return p, badValue("an entry of TrustedProxies", s, hintAllProxies)
	}
	return p.Masked(), nil
}

// trust reports whether a is a proxy.
func (p proxies) trust(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address that a request comes from, as far as it is known
// for sure. It is invalid for a peer that has no IP address, such as one on a
// Unix socket.
func (p proxies) client(r *http.Request) netip.Addr {
	addr := peer(r)
	if !p.trust(addr) {
		return addr
	}
	// Each hop appends the address it was called from, so the right-most entry
	// was written by the peer. An entry counts only if a proxy wrote it.
	lines := r.Header.Values(headerForwardedFor)
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var entry string
			rest, entry, more = cutLast(rest)
			hop, ok := parseHop(entry)
			if !ok {
				return addr // what stands to the left of nonsense is not worth more
			}
			if addr = hop; !p.trust(addr) {
				return addr
			}
		}
	}
	return addr
}

// cutLast parts the last entry off a list.
func cutLast(list string) (rest, entry string, more bool) {
	if i := strings.LastIndexByte(list, ','); i >= 0 {
		return list[:i], list[i+1:], true
	}
	return "", list, false
}

// parseHop reads an entry of X-Forwarded-For: an address, and with some proxies
// its port.
func parseHop(entry string) (netip.Addr, bool) {
	entry = strings.Trim(entry, " \t")
	if a, err := netip.ParseAddr(entry); err == nil {
		return plain(a), true
	}
	if ap, err := netip.ParseAddrPort(entry); err == nil {
		return plain(ap.Addr()), true
	}
	return netip.Addr{}, false
}

// peer returns the address at the other end of the connection.
func peer(r *http.Request) netip.Addr {
	if ap, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return plain(ap.Addr())
	}
	a, _ := netip.ParseAddr(r.RemoteAddr)
	return plain(a)
}

func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// addressKey is what a client counts under: its IPv4 address, or the /64 of
// its IPv6 address, all of which one client usually has.
func addressKey(a netip.Addr) string {
	if a.Is6() {
		p, _ := a.Prefix(64) // never fails for an IPv6 address
		return p.String()
	}
	return a.String()
}
