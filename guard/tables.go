package guard

import "net/netip"

// A block is a row of a registry: addresses that no public service has.
type block struct {
	prefix netip.Prefix
	name   string
	source string // the document or registry that says so
	date   string // when it was set aside, year and month; empty where no registry says
}

func row(prefix, name, source, date string) block {
	return block{netip.MustParsePrefix(prefix), name, source, date}
}

// special4 is the IANA IPv4 Special-Purpose Address Registry, row by row, and
// what the IPv4 Address Space Registry sets aside beside it. Rows that the
// registry calls globally reachable are anycast services of the network itself
// (AS112, AMT, PCP, TURN), which serve no HTTP.
var special4 = []block{
	row("0.0.0.0/8", "this network", "RFC 791", "1981-09"),
	row("0.0.0.0/32", "this host on this network", "RFC 1122", "1981-09"),
	row("10.0.0.0/8", "private use", "RFC 1918", "1996-02"),
	row("100.64.0.0/10", "shared address space", "RFC 6598", "2012-04"),
	row("127.0.0.0/8", "loopback", "RFC 1122", "1981-09"),
	row("169.254.0.0/16", "link-local", "RFC 3927", "2005-05"),
	row("172.16.0.0/12", "private use", "RFC 1918", "1996-02"),
	row("192.0.0.0/24", "IETF protocol assignments", "RFC 6890", "2010-01"),
	row("192.0.0.0/29", "IPv4 service continuity", "RFC 7335", "2011-06"),
	row("192.0.0.8/32", "IPv4 dummy address", "RFC 7600", "2015-03"),
	row("192.0.0.9/32", "port control protocol anycast", "RFC 7723", "2015-10"),
	row("192.0.0.10/32", "TURN anycast", "RFC 8155", "2017-02"),
	row("192.0.0.170/32", "NAT64 and DNS64 discovery", "RFC 8880", "2013-02"),
	row("192.0.0.171/32", "NAT64 and DNS64 discovery", "RFC 8880", "2013-02"),
	row("192.0.2.0/24", "documentation", "RFC 5737", "2010-01"),
	row("192.31.196.0/24", "AS112", "RFC 7535", "2014-12"),
	row("192.52.193.0/24", "AMT", "RFC 7450", "2014-12"),
	row("192.88.99.0/24", "6to4 relay anycast, deprecated", "RFC 7526", "2001-06"),
	row("192.88.99.2/32", "6a44 relay anycast", "RFC 6751", "2012-10"),
	row("192.168.0.0/16", "private use", "RFC 1918", "1996-02"),
	row("192.175.48.0/24", "AS112, direct delegation", "RFC 7534", "1996-01"),
	row("198.18.0.0/15", "benchmarking", "RFC 2544", "1999-03"),
	row("198.51.100.0/24", "documentation", "RFC 5737", "2010-01"),
	row("203.0.113.0/24", "documentation", "RFC 5737", "2010-01"),
	row("224.0.0.0/4", "multicast", "RFC 5771", ""),
	row("240.0.0.0/4", "reserved", "RFC 1112", "1989-08"),
	row("255.255.255.255/32", "limited broadcast", "RFC 919", "1984-10"),
}

// globalUnicast6 is all that IANA assigns public IPv6 addresses from.
var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// special6 is the IANA IPv6 Special-Purpose Address Registry, row by row, and
// what the IPv6 Address Space Registry sets aside beside it. Rows outside
// globalUnicast6 would be refused without being listed; they are for the reader
// who compares.
var special6 = []block{
	row("::1/128", "loopback", "RFC 4291", "2006-02"),
	row("::/128", "unspecified", "RFC 4291", "2006-02"),
	row("::/96", "IPv4-compatible, deprecated", "RFC 4291", ""),
	row("::ffff:0:0/96", "IPv4-mapped", "RFC 4291", "2006-02"),
	row("::ffff:0:0:0/96", "IPv4-translated", "RFC 2765", ""),
	row("64:ff9b::/96", "IPv4-IPv6 translation", "RFC 6052", "2010-10"),
	row("64:ff9b:1::/48", "IPv4-IPv6 translation, local use", "RFC 8215", "2017-06"),
	row("100::/64", "discard only", "RFC 6666", "2012-06"),
	row("100:0:0:1::/64", "dummy prefix", "RFC 9780", "2025-04"),
	row("2001::/23", "IETF protocol assignments", "RFC 2928", "2000-09"),
	row("2001::/32", "Teredo", "RFC 4380", "2006-01"),
	row("2001:1::1/128", "port control protocol anycast", "RFC 7723", "2015-10"),
	row("2001:1::2/128", "TURN anycast", "RFC 8155", "2017-02"),
	row("2001:1::3/128", "DNS-SD service registration anycast", "RFC 9665", "2024-04"),
	row("2001:2::/48", "benchmarking", "RFC 5180", "2008-04"),
	row("2001:3::/32", "AMT", "RFC 7450", "2014-12"),
	row("2001:4:112::/48", "AS112", "RFC 7535", "2014-12"),
	row("2001:10::/28", "ORCHID, deprecated", "RFC 4843", "2007-03"),
	row("2001:20::/28", "ORCHIDv2", "RFC 7343", "2014-07"),
	row("2001:30::/28", "drone remote ID", "RFC 9374", "2022-12"),
	row("2001:db8::/32", "documentation", "RFC 3849", "2004-07"),
	row("2002::/16", "6to4", "RFC 3056", "2001-02"),
	row("2620:4f:8000::/48", "AS112, direct delegation", "RFC 7534", "2011-05"),
	row("3ffe::/16", "6bone and the first Teredo, returned", "RFC 3701", "2006-06"),
	row("3fff::/20", "documentation", "RFC 9637", "2024-07"),
	row("5f00::/16", "segment routing identifiers", "RFC 9602", "2024-04"),
	row("fc00::/7", "unique local", "RFC 4193", "2005-10"),
	row("fe80::/10", "link-local", "RFC 4291", "2006-02"),
	row("fec0::/10", "site-local, deprecated", "RFC 3879", "2004-09"),
	row("ff00::/8", "multicast", "RFC 4291", ""),
}

// metadata is where clouds serve credentials and configuration to whoever asks
// from inside: no policy opens it.
var metadata = prefixes{
	netip.MustParsePrefix("169.254.0.0/16"),         // link-local: AWS, Google, Azure, OpenStack and most others
	netip.MustParsePrefix("fe80::/10"),              // link-local: OpenStack
	netip.MustParsePrefix("100.100.100.200/32"),     // Alibaba
	netip.MustParsePrefix("168.63.129.16/32"),       // Azure WireServer, in public space
	netip.MustParsePrefix("192.0.0.192/32"),         // Oracle
	netip.MustParsePrefix("fd00:ec2::/32"),          // AWS: metadata, pod identity, DNS, time
	netip.MustParsePrefix("fd20:ce::254/128"),       // Google
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), // Oracle
	netip.MustParsePrefix("fd00:42::42/128"),        // Scaleway
	netip.MustParsePrefix("fd00:a9fe:a9fe::1/128"),  // Akamai
	netip.MustParsePrefix("fd00:100::100:200/128"),  // Alibaba
	netip.MustParsePrefix("100.96.0.96/32"),         // Volcano Engine
}

// inBlocks reports whether a row covers the address.
func inBlocks(blocks []block, a netip.Addr) bool {
	for i := range blocks {
		if blocks[i].prefix.Contains(a) {
			return true
		}
	}
	return false
}
