package transport

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func trusting(t testing.TB, prefixes ...string) proxies {
	t.Helper()
	o := new(options)
	require.NoError(t, TrustedProxies(prefixes...).apply(o))
	return rateOf(o).proxies
}

func from(remote string, forwarded ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.RemoteAddr = remote
	if forwarded != nil {
		r.Header[headerForwardedFor] = forwarded
	}
	return r
}

func TestRule3_6_ClientKey(t *testing.T) {
	trusted := []string{"10.0.0.0/8", "127.0.0.1", "fd00::/8"}
	for _, tt := range []struct {
		name      string
		proxies   []string // nil: no option
		remote    string
		forwarded []string
		want      string
	}{
		{"socket address", nil, "192.0.2.7:4711", nil, "192.0.2.7"},
		{"unmapped", nil, "[::ffff:192.0.2.7]:4711", nil, "192.0.2.7"},
		{"IPv6 by /64", nil, "[2001:db8:1:2:3:4:5:6]:4711", nil, "2001:db8:1:2::/64"},
		{"the zone is no part", nil, "[fe80::1%eth0]:4711", nil, "fe80::/64"},
		{"no address", nil, "@", nil, "invalid IP"},
		{"the header does not count without the option", nil, "10.0.0.1:1", []string{"192.0.2.7"}, "10.0.0.1"},
		{"nor without prefixes", []string{}, "10.0.0.1:1", []string{"192.0.2.7"}, "10.0.0.1"},
		{"nor from elsewhere", trusted, "192.0.2.1:1", []string{"192.0.2.7"}, "192.0.2.1"},
		{"one proxy", trusted, "10.0.0.1:1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"mapped proxy", trusted, "[::ffff:10.0.0.1]:1", []string{"192.0.2.7"}, "192.0.2.7"},
		{"right-most untrusted", trusted, "10.0.0.1:1", []string{"203.0.113.9, 192.0.2.7, 10.2.2.2,127.0.0.1"}, "192.0.2.7"},
		{"several lines are one list", trusted, "10.0.0.1:1", []string{"203.0.113.9", "192.0.2.7, 10.2.2.2", "10.3.3.3"}, "192.0.2.7"},
		{"a client cannot hide behind a trusted address", trusted, "10.0.0.1:1", []string{"10.9.9.9, 192.0.2.7"}, "192.0.2.7"},
		{"IPv6 client", trusted, "[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::/64"},
		{"with port", trusted, "10.0.0.1:1", []string{"192.0.2.7:5000"}, "192.0.2.7"},
		{"IPv6 with port", trusted, "10.0.0.1:1", []string{"[2001:db8::1]:5000"}, "2001:db8::/64"},
		{"all are proxies", trusted, "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"nonsense ends the list", trusted, "10.0.0.1:1", []string{"192.0.2.7, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"nonsense at once", trusted, "10.0.0.1:1", []string{"192.0.2.7,"}, "10.0.0.1"},
		{"empty", trusted, "10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"no header", trusted, "10.0.0.1:1", nil, "10.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p proxies
			if tt.proxies != nil {
				p = trusting(t, tt.proxies...)
			}
			assert.Equal(t, tt.want, addressKey(p.client(from(tt.remote, tt.forwarded...))))
		})
	}
}

func TestRule3_6_TrustedProxiesOption(t *testing.T) {
	for _, bad := range []string{"", "10.0.0.0/33", "10.0.0", "proxy.example.com", "fe80::1%eth0", "10.0.0.1:80", "*"} {
		err := TrustedProxies("10.0.0.1", bad).apply(new(options))
		require.Error(t, err, bad)
		assert.Contains(t, err.Error(), `cannot serve: an entry of TrustedProxies is "`+bad+`"; give an address`)
	}
	for _, all := range []string{"0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"} {
		assert.ErrorContains(t, TrustedProxies(all).apply(new(options)), "trusts everybody", all)
	}
	assert.Equal(t, proxies{netip.MustParsePrefix("10.0.0.0/8")}, trusting(t, "10.1.2.3/8"))
	assert.Equal(t, proxies{netip.MustParsePrefix("10.0.0.0/8")}, trusting(t, "::ffff:10.1.2.3/104"))
	assert.Equal(t, proxies{netip.MustParsePrefix("2001:db8::1/128")}, trusting(t, "2001:db8::1"))
}

// FuzzForwardedFor: the client is the peer or an address of the header, a
// trusted proxy speaks only for addresses to its left, and what stands further
// left than the client changes nothing.
func FuzzForwardedFor(f *testing.F) {
	for _, s := range []string{"192.0.2.7", "203.0.113.9, 10.0.0.2", "unknown, 10.0.0.2", "[2001:db8::1]:80,", ",", "10.0.0.1,10.0.0.2", "::ffff:1.2.3.4", "1.2.3.4%x"} {
		f.Add(s)
	}
	trusted := trusting(f, "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, list string) {
		got := trusted.client(from("10.0.0.1:1", list))
		if !got.IsValid() || got.Zone() != "" || got.Is4In6() {
			t.Fatalf("%q: %v", list, got)
		}
		if got != netip.MustParseAddr("10.0.0.1") {
			found := false
			for entry := range strings.SplitSeq(list, ",") {
				hop, ok := parseHop(entry)
				found = found || ok && hop == got
			}
			if !found {
				t.Fatalf("%q: %v is not in it", list, got)
			}
		}
		if !trusted.trust(got) && got != trusted.client(from("10.0.0.1:1", "198.51.100.1,"+list)) {
			t.Fatalf("%q: what a client writes itself counts", list)
		}
	})
}
