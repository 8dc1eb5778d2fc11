package guard

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

var acceptedAddresses = []string{
	"8.8.8.8", "1.1.1.1", "93.184.216.34", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
	"126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
	"191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255",
	"192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0",
	"198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
	"223.255.255.255", "168.63.129.15", "168.63.129.17",
	"::ffff:8.8.8.8", "::ffff:808:808",
	"2606:4700:4700::1111", "2001:4860:4860::8888", "2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1",
	"2003::1", "2620:4f:7fff::1", "2620:4f:8001::1", "2a00:1450:4001:80b::200e", "3ffd::1", "3fff:1000::1",
	"2001:470::5efe:8.8.8.8", "2606:4700::1:5efe:a9fe:a9fe",
}

var refusedAddresses = map[Reason][]string{
	ReasonNotPublic: {
		"0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.0.0.7", "10.255.255.255",
		"100.64.0.0", "100.64.1.1", "100.127.255.255", "127.0.0.2", "127.255.255.255",
		"172.16.0.0", "172.20.1.1", "172.31.255.255", "192.0.0.0", "192.0.0.8", "192.0.0.9", "192.0.0.170", "192.0.0.255",
		"192.0.2.0", "192.0.2.255", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.88.99.2", "192.168.0.0", "192.168.1.1",
		"192.168.255.255", "192.175.48.1", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.9",
		"224.0.0.0", "224.0.0.251", "239.255.255.255", "240.0.0.0", "240.0.0.1", "255.255.255.254", "255.255.255.255",
		"::ffff:0.0.0.0", "::ffff:127.0.0.2", "::ffff:10.0.0.7", "::ffff:c0a8:101", "::ffff:100.64.0.1",
		"::", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8", "::1:0:0:1", "0:0:0:1::1", "1::1", "64:ff9a:ffff::1",
		"64:ff9b::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:0:1::1", "64:ff9b:1::1", "64:ff9b:1::8.8.8.8",
		"100::1", "100:0:0:1::1", "100:0:0:2::1", "200::1", "1fff:ffff::1",
		"2001::1", "2001:0:53aa:64c::80ff:fffe", "2001:1::1", "2001:1::2", "2001:1::3", "2001:2::1", "2001:3::1", "2001:4:112::1",
		"2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff:ffff::1",
		"2002::1", "2002:7f00:1::", "2002:808:808::1", "2620:4f:8000::1", "3ffe::1", "3ffe:831f::1",
		"3fff::1", "3fff:fff:ffff::1", "4000::1", "5f00::1", "6000::1", "8000::1", "c000::1", "e000::1",
		"fc00::1", "fd00::1", "fd12:3456:789a::1", "fe00::1", "fe7f::1", "fec0::1", "feff:ffff::1", "ff00::1", "ff02::1", "ff0e::1",
		"2001:470::5efe:10.0.0.1", "2001:470::200:5efe:127.0.0.1",
	},
	ReasonMetadata: {
		"169.254.169.254", "169.254.0.0", "169.254.170.2", "169.254.255.255", "100.100.100.200", "168.63.129.16", "192.0.0.192",
		"100.96.0.96", "::ffff:169.254.169.254", "::ffff:6464:64c8", "::ffff:168.63.129.16",
		"fe80::1", "fe80::a9fe:a9fe", "febf:ffff::1", "fd00:ec2::254", "fd00:ec2::23", "fd00:ec2:1::1", "fd20:ce::254",
		"fd00:c1::a9fe:a9fe", "fd00:42::42", "fd00:a9fe:a9fe::1", "fd00:100::100:200",
		"64:ff9b::a9fe:a9fe", "64:ff9b::6464:64c8", "64:ff9b::a83f:8110", "64:ff9b::c000:c0", "64:ff9b:1::a9fe:a9fe",
		"64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:ffa9:fe:a9fe::", "64:ff9b:1:0:a9:fea9:fe00::", "64:ff9b:1:2:3::a9fe:a9fe",
		"2002:a9fe:a9fe::1", "2002:6464:64c8::", "2002:a83f:8110:5::1", "::a9fe:a9fe", "::6464:64c8", "::ffff:0:a9fe:a9fe",
		"2001:0:a9fe:a9fe::1", "2001::5601:5601", "2001:0:808:808:0:0:9b9b:9b37", "3ffe:831f:a9fe:a9fe::1",
		"2001:470::5efe:a9fe:a9fe", "2001:470::200:5efe:a9fe:a9fe", "2001:470::300:5efe:a83f:8110", "fd00::5efe:a9fe:a9fe",
	},
	ReasonOwnAddress: {
		"127.0.0.1", "::ffff:127.0.0.1", "::1", "10.9.9.9", "::ffff:10.9.9.9", "93.184.216.99", "::ffff:93.184.216.99", "2606:4700::99",
	},
}

func TestRule7_1_Verdicts(t *testing.T) {
	j := testJudge(t, Policy{})
	count := len(acceptedAddresses)
	for _, a := range acceptedAddresses {
		require.Empty(t, verdictOf(j, a), a)
	}
	for reason, addrs := range refusedAddresses {
		count += len(addrs)
		for _, a := range addrs {
			require.Equal(t, reason, verdictOf(j, a), a)
		}
	}
	require.Greater(t, count, 150)
}

func TestRule7_1_NotAPlainAddress(t *testing.T) {
	for _, p := range []Policy{{}, {AllowPrivate: true}, {Allow: []string{"0.0.0.0/0", "::/0"}}} {
		j := testJudge(t, p)
		_, reason := j.verdict(netip.Addr{})
		require.Equal(t, ReasonInvalidAddress, reason)
		for _, a := range []string{"fe80::1%eth0", "2606:4700::1%1", "::1%lo", "::ffff:8.8.8.8%1"} {
			require.Equal(t, ReasonInvalidAddress, verdictOf(j, a), a)
		}
		for _, a := range []string{"0.0.0.0", "::", "::ffff:0.0.0.0", "255.255.255.255", "224.0.0.1", "ff02::1", "ff05::2"} {
			require.Equal(t, ReasonNotPublic, verdictOf(j, a), a)
		}
	}
}

// Metadata addresses are out of reach of every option.
func TestRule7_1_Metadata(t *testing.T) {
	all := []string{"0.0.0.0/0", "::/0"}
	policies := []Policy{
		{AllowPrivate: true},
		{Allow: all},
		{Allow: []string{"169.254.169.254", "fe80::/10", "168.63.129.16", "100.100.100.200/32", "fd00:ec2::254", "64:ff9b::/96", "2002::/16"}},
		{AllowPrivate: true, Allow: all, NAT64: true},
	}
	for _, p := range policies {
		j := testJudge(t, p)
		for _, a := range refusedAddresses[ReasonMetadata] {
			require.Equal(t, ReasonMetadata, verdictOf(j, a), "%s under %+v", a, p)
		}
	}
}

func TestRule7_1_DenyBeatsAllow(t *testing.T) {
	deny := []string{"203.0.113.0/24", "10.0.0.0/8", "8.8.4.4", "2606:4700::/32", "::ffff:198.51.100.0/120"}
	for _, p := range []Policy{
		{Deny: deny},
		{Deny: deny, Allow: deny},
		{Deny: deny, Allow: []string{"0.0.0.0/0", "::/0"}},
		{Deny: deny, AllowPrivate: true, NAT64: true},
	} {
		j := testJudge(t, p)
		for _, a := range []string{
			"203.0.113.9", "::ffff:203.0.113.9", "64:ff9b::cb00:7109", "64:ff9b:1::203.0.113.9", "64:ff9b:1:cb00:71:900::",
			"2002:cb00:7109::1", "::203.0.113.9", "::ffff:0:203.0.113.9", "2001:0:cb00:7109::1", "2001::34ff:8ef6",
			"2001:470::5efe:203.0.113.9", "10.1.2.3", "10.9.9.9", "8.8.4.4", "64:ff9b::8.8.4.4", "2606:4700::1", "2606:4700::99",
			"198.51.100.3", "::ffff:198.51.100.3",
		} {
			require.Equal(t, ReasonDenied, verdictOf(j, a), "%s under %+v", a, p)
		}
	}
	j := testJudge(t, Policy{Deny: []string{"::/0"}})
	require.Empty(t, verdictOf(j, "8.8.8.8"), "a prefix of IPv6 says nothing of IPv4")
	require.Empty(t, verdictOf(j, "::ffff:8.8.8.8"))
	require.Equal(t, ReasonDenied, verdictOf(j, "2606:4700:4700::1111"))
}

func TestRule7_1_Allow(t *testing.T) {
	j := testJudge(t, Policy{Allow: []string{"127.0.0.1/32", "10.1.0.0/16", "fd00::/8", "93.184.216.99", "2606:4700::99", "::ffff:172.16.0.1"}})
	for _, a := range []string{
		"127.0.0.1", "::ffff:127.0.0.1", "10.1.2.3", "fd12::1", "93.184.216.99", "2606:4700::99", "172.16.0.1", "::ffff:172.16.0.1", "8.8.8.8",
	} {
		require.Empty(t, verdictOf(j, a), a)
	}
	for a, reason := range map[string]Reason{
		"127.0.0.2": ReasonNotPublic, "10.2.0.1": ReasonNotPublic, "172.16.0.2": ReasonNotPublic, "::1": ReasonOwnAddress,
		"fc00::1": ReasonNotPublic, "64:ff9b::10.1.2.3": ReasonNotPublic, "fd00:ec2::254": ReasonMetadata,
	} {
		require.Equal(t, reason, verdictOf(j, a), a)
	}
}

func TestRule7_1_AllowPrivate(t *testing.T) {
	j := testJudge(t, Policy{AllowPrivate: true})
	for _, a := range []string{
		"127.0.0.1", "127.0.0.2", "::1", "10.0.0.7", "10.9.9.9", "192.168.1.1", "100.64.0.1", "fd00::1", "93.184.216.99", "8.8.8.8", "203.0.113.9",
	} {
		require.Empty(t, verdictOf(j, a), a)
	}
}

func TestRule7_4b_NAT64(t *testing.T) {
	on := testJudge(t, Policy{NAT64: true})
	for a, reason := range map[string]Reason{
		"64:ff9b::8.8.8.8": "", "64:ff9b::10.0.0.7": ReasonNotPublic, "64:ff9b::127.0.0.1": ReasonOwnAddress,
		"64:ff9b::93.184.216.99": ReasonOwnAddress, "64:ff9b::169.254.169.254": ReasonMetadata, "64:ff9b::0.0.0.0": ReasonNotPublic,
		"64:ff9b::224.0.0.1": ReasonNotPublic, "64:ff9b:1::8.8.8.8": ReasonNotPublic, "64:ff9b:0:0:1::8.8.8.8": ReasonNotPublic,
		"2002:808:808::1": ReasonNotPublic, "::8.8.8.8": ReasonNotPublic, "2606:4700:4700::1111": "",
	} {
		require.Equal(t, reason, verdictOf(on, a), a)
	}
	require.Equal(t, ReasonNotPublic, verdictOf(testJudge(t, Policy{}), "64:ff9b::8.8.8.8"))

	allowed := testJudge(t, Policy{NAT64: true, Allow: []string{"10.0.0.7"}})
	require.Empty(t, verdictOf(allowed, "64:ff9b::10.0.0.7"))
	require.Equal(t, ReasonNotPublic, verdictOf(allowed, "64:ff9b::10.0.0.8"))
}

// The address to dial is the plain one: an IPv4-mapped answer is dialled as
// IPv4.
func TestRule7_1_PlainForm(t *testing.T) {
	j := testJudge(t, Policy{})
	for answer, dialled := range map[string]string{
		"::ffff:8.8.8.8": "8.8.8.8", "8.8.8.8": "8.8.8.8", "2606:4700::1": "2606:4700::1",
	} {
		a, reason := j.verdict(netip.MustParseAddr(answer))
		require.Empty(t, reason)
		require.Equal(t, dialled, a.String())
	}
}

func TestRule7_1_Embedded(t *testing.T) {
	for address, want := range map[string][]string{
		"1.2.3.4":                    nil,
		"::1":                        nil,
		"2606:4700::1":               nil,
		"::ffff:1.2.3.4":             {"1.2.3.4"},
		"::1.2.3.4":                  {"1.2.3.4"},
		"::ffff:0:1.2.3.4":           {"1.2.3.4"},
		"64:ff9b::1.2.3.4":           {"1.2.3.4"},
		"64:ff9b:1:102:3:400:5:607":  {"0.5.6.7", "1.2.3.4", "2.3.4.0", "3.4.0.0"},
		"2002:102:304:5::6":          {"1.2.3.4"},
		"2001:0:102:304::fafa:f8f7":  {"1.2.3.4", "5.5.7.8"},
		"3ffe:831f:102:304::fafa:0":  {"1.2.3.4", "5.5.255.255"},
		"2001:470::5efe:1.2.3.4":     {"1.2.3.4"},
		"2001:470::200:5efe:1.2.3.4": {"1.2.3.4"},
		"2001:470::400:5efe:1.2.3.4": nil,
		"2002:102:304::5efe:5.6.7.8": {"1.2.3.4", "5.6.7.8"},
	} {
		var got []string
		for _, a := range appendEmbedded(nil, netip.MustParseAddr(address)) {
			got = append(got, a.String())
		}
		require.Equal(t, want, got, address)
	}
}
