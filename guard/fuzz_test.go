package guard

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/idna"
)

// FuzzJudge holds the classifier against the standard library and against its
// own laws.
func FuzzJudge(f *testing.F) {
	for _, a := range acceptedAddresses {
		f.Add(a)
	}
	for _, addrs := range refusedAddresses {
		for _, a := range addrs {
			f.Add(a)
		}
	}
	f.Add("fe80::1%eth0")
	strict, nat64 := testJudge(f, Policy{}), testJudge(f, Policy{NAT64: true})
	private := testJudge(f, Policy{AllowPrivate: true})
	all := testJudge(f, Policy{Allow: []string{"0.0.0.0/0", "::/0"}, AllowPrivate: true, NAT64: true})
	f.Fuzz(func(t *testing.T, s string) {
		a, err := netip.ParseAddr(s)
		if err != nil {
			a = addressFrom(s)
		}
		_, reason := strict.verdict(a)
		if reason == "" {
			plain := a.Unmap()
			if a.Zone() != "" || !plain.IsGlobalUnicast() || plain.IsPrivate() || plain.IsLoopback() || plain.IsLinkLocalUnicast() ||
				plain.IsMulticast() || plain.IsUnspecified() || plain.Is6() && !netip.MustParsePrefix("2000::/3").Contains(plain) {
				t.Errorf("%s is accepted", a)
			}
			for name, j := range map[string]*judge{"NAT64": nat64, "AllowPrivate": private, "all": all} {
				if _, reason := j.verdict(a); reason != "" {
					t.Errorf("%s is accepted, but with %s refused: %s", a, name, reason)
				}
			}
		}
		for name, j := range map[string]*judge{"strict": strict, "NAT64": nat64, "AllowPrivate": private, "all": all} {
			sameForms(t, name, j, a)
			metadataStaysOut(t, name, j, a)
		}
	})
}

// addressFrom makes an address of any input, so that few are wasted.
func addressFrom(s string) netip.Addr {
	var b [16]byte
	n := copy(b[:], s)
	if n <= 4 {
		return netip.AddrFrom4([4]byte(b[:4]))
	}
	return netip.AddrFrom16(b)
}

// sameForms: an IPv4 address and its mapped form have one verdict and are
// dialled alike; what is accepted is dialled as it was judged.
func sameForms(t *testing.T, name string, j *judge, a netip.Addr) {
	dialled, reason := j.verdict(a)
	if reason == "" && dialled != a.Unmap() {
		t.Errorf("%s: %s is dialled as %s", name, a, dialled)
	}
	if !a.Is4() {
		return
	}
	if d, r := j.verdict(netip.AddrFrom16(a.As16())); r != reason || d != dialled {
		t.Errorf("%s: %s is %q, its mapped form %q", name, a, reason, r)
	}
}

// metadataStaysOut wraps metadata addresses, and the address if it is one, in
// every form, and takes what the input leaves free from the input.
func metadataStaysOut(t *testing.T, name string, j *judge, a netip.Addr) {
	v4 := [4]byte{169, 254, 169, 254}
	if plain := a.Unmap(); plain.Is4() && metadata.contains(plain) {
		v4 = plain.As4()
	}
	free := a.As16()
	not := [4]byte{^v4[0], ^v4[1], ^v4[2], ^v4[3]}
	for form, b := range map[string][]byte{
		"mapped":          slices.Concat(make([]byte, 10), []byte{0xff, 0xff}, v4[:]),
		"compatible":      slices.Concat(make([]byte, 12), v4[:]),
		"translated":      slices.Concat(make([]byte, 8), []byte{0xff, 0xff, 0, 0}, v4[:]),
		"NAT64":           slices.Concat([]byte{0, 0x64, 0xff, 0x9b}, make([]byte, 8), v4[:]),
		"local NAT64 /96": slices.Concat([]byte{0, 0x64, 0xff, 0x9b, 0, 1}, free[6:12], v4[:]),
		"local NAT64 /64": slices.Concat([]byte{0, 0x64, 0xff, 0x9b, 0, 1}, free[6:8], []byte{0}, v4[:], free[13:]),
		"local NAT64 /56": slices.Concat([]byte{0, 0x64, 0xff, 0x9b, 0, 1}, free[6:7], v4[:1], []byte{0}, v4[1:], free[12:]),
		"local NAT64 /48": slices.Concat([]byte{0, 0x64, 0xff, 0x9b, 0, 1}, v4[:2], []byte{0}, v4[2:], free[11:]),
		"6to4":            slices.Concat([]byte{0x20, 2}, v4[:], free[6:]),
		"Teredo server":   slices.Concat([]byte{0x20, 1, 0, 0}, v4[:], free[8:]),
		"Teredo client":   slices.Concat([]byte{0x20, 1, 0, 0}, free[4:12], not[:]),
	} {
		wrapped := netip.AddrFrom16([16]byte(b))
		if _, reason := j.verdict(wrapped); reason != ReasonMetadata {
			t.Errorf("%s: %s, %s of %v, is %q", name, wrapped, form, v4, reason)
		}
	}
	if free[0] == 0xff {
		return // multicast
	}
	isatap := netip.AddrFrom16([16]byte(slices.Concat(free[:8], []byte{0, 0, 0x5e, 0xfe}, v4[:])))
	if _, reason := j.verdict(isatap); reason != ReasonMetadata {
		t.Errorf("%s: %s, ISATAP of %v, is %q", name, isatap, v4, reason)
	}
}

// FuzzNormalizeHost: the normal form is a fixed point, an address exactly if it
// is written like one, and what net/http would look up.
func FuzzNormalizeHost(f *testing.F) {
	for host := range normalHosts {
		f.Add(host)
	}
	for _, host := range invalidHosts {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		got, err := NormalizeHost(host)
		if err != nil {
			if got != "" {
				t.Errorf("%q: %q with an error", host, got)
			}
			return
		}
		if again, err := NormalizeHost(got); err != nil || again != got {
			t.Errorf("%q is %q, which is %q: %v", host, got, again, err)
		}
		if a, err := netip.ParseAddr(got); err == nil {
			inner := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
			if given, err := netip.ParseAddr(inner); err != nil || given != a || a.String() != got || a.Zone() != "" {
				t.Errorf("%q became the address %q", host, got)
			}
			return
		}
		if strings.Trim(got, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Contains(got, "..") {
			t.Errorf("%q became %q", host, got)
		}
		// net/http leaves ASCII as it is and maps everything else with Lookup.
		if looked, err := idna.Lookup.ToASCII(host); err == nil && looked != got {
			t.Errorf("%q is %q here and %q for net/http", host, got, looked)
		}
		last := strings.TrimSuffix(got, ".")
		last = last[strings.LastIndexByte(last, '.')+1:]
		if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" {
			t.Errorf("%q became %q, which some read as an address", host, got)
		}
	})
}
