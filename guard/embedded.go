package guard

import "net/netip"

// Prefixes whose addresses carry an IPv4 address.
var (
	nat64WellKnown = netip.MustParsePrefix("64:ff9b::/96")    // RFC 6052
	nat64LocalUse  = netip.MustParsePrefix("64:ff9b:1::/48")  // RFC 8215
	sixToFour      = netip.MustParsePrefix("2002::/16")       // RFC 3056
	teredo         = netip.MustParsePrefix("2001::/32")       // RFC 4380
	teredoFirst    = netip.MustParsePrefix("3ffe:831f::/32")  // before RFC 4380
	translated     = netip.MustParsePrefix("::ffff:0:0:0/96") // RFC 2765
	compatible     = netip.MustParsePrefix("::/96")           // RFC 4291, 2.5.5.1
)

// maxEmbedded is the most addresses that appendEmbedded appends.
const maxEmbedded = 5

// appendEmbedded appends the IPv4 addresses that an IPv6 address carries in a
// form that some translator, tunnel or kernel unwraps on the way. Where a form
// may be read in several ways it appends every reading.
func appendEmbedded(dst []netip.Addr, a netip.Addr) []netip.Addr {
	if !a.Is6() {
		return dst
	}
	b := a.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case a == netip.IPv6Loopback():
		// In the range of compatible, but no such address.
	case a.Is4In6(), compatible.Contains(a), translated.Contains(a), nat64WellKnown.Contains(a):
		dst = append(dst, last)
	case nat64LocalUse.Contains(a):
		// The operator chooses the length of the prefix; RFC 6052, 2.2, has
		// where the address lies for each. Byte 8 is never part of it.
		dst = append(dst, last,
			netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]}),  // /48
			netip.AddrFrom4([4]byte{b[7], b[9], b[10], b[11]}), // /56
			netip.AddrFrom4([4]byte(b[9:])))                    // /64
	case sixToFour.Contains(a):
		dst = append(dst, netip.AddrFrom4([4]byte(b[2:])))
	case teredo.Contains(a), teredoFirst.Contains(a):
		client := [4]byte{^b[12], ^b[13], ^b[14], ^b[15]}
		dst = append(dst, netip.AddrFrom4([4]byte(b[4:])), netip.AddrFrom4(client))
	}
	// ISATAP (RFC 5214) is a form of the interface identifier, under any prefix.
	// Two bits of its first byte vary.
	if b[8]&^3 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		dst = append(dst, last)
	}
	return dst
}
