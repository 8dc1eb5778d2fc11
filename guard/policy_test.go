package guard

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRule7_5_Entries(t *testing.T) {
	for entry, want := range map[string]string{
		"127.0.0.1":                "127.0.0.1/32",
		"127.0.0.1/32":             "127.0.0.1/32",
		"10.0.0.0/8":               "10.0.0.0/8",
		"0.0.0.0/0":                "0.0.0.0/0",
		"::1":                      "::1/128",
		"::/0":                     "::/0",
		"fd00::/8":                 "fd00::/8",
		"FD00::/8":                 "fd00::/8",
		"::ffff:10.0.0.1":          "10.0.0.1/32",
		"::ffff:10.0.0.0/104":      "10.0.0.0/8",
		"::ffff:0.0.0.0/96":        "0.0.0.0/0",
		"::ffff:203.0.113.9/128":   "203.0.113.9/32",
		"0:0:0:0:0:ffff:a00:1":     "10.0.0.1/32",
		"2606:4700:0:0:0:0:0:0/32": "2606:4700::/32",
	} {
		got, ok := parseEntry(entry)
		require.True(t, ok, entry)
		require.Equal(t, netip.MustParsePrefix(want), got, entry)
	}
}

func TestRule7_5_MalformedEntries(t *testing.T) {
	for _, entry := range []string{
		"", " ", "not-an-ip", "example.com", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "/8", "10.0.0.0/08", "10.0.0.0/+8",
		"10.0.0.1/8", "127.0.0.1/8", "fd00::1/8", "::ffff:10.0.0.1/104", "::ffff:0.0.0.0/90", "10.0.0/8", "10/8", "010.0.0.1", "10.0.0.1 ",
		" 10.0.0.1", "10.0.0.1,10.0.0.2", "10.0.0.0-10.0.0.9", "fe80::1%eth0", "fe80::%eth0/64", "[::1]", "::1/129", "2130706433",
		"0x7f000001", "127.1", "10.0.0.0/255.0.0.0", "*", "0.0.0.0/0/0", "10.0.0.0 /8",
	} {
		for list, p := range map[string]Policy{"Allow": {Allow: []string{"10.0.0.1", entry}}, "Deny": {Deny: []string{entry}}} {
			_, err := NewTransport(p)
			require.ErrorContains(t, err, "guard: "+list+" entry "+quote(entry)+" is malformed", "%q", entry)
			_, err = NewClient(p)
			require.Error(t, err)
		}
	}
	_, err := NewTransport(Policy{Allow: []string{"first-bad"}, Deny: []string{"second-bad", "third-bad"}})
	for _, bad := range []string{"first-bad", "second-bad", "third-bad"} {
		require.ErrorContains(t, err, bad)
	}
}

func TestRule7_4_MaxRedirectsRange(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: true, 1: true, 10: true, 11: false} {
		_, err := NewClient(Policy{MaxRedirects: n})
		require.Equal(t, ok, err == nil, n)
	}
}

// What a caller changes after NewTransport has no effect.
func TestRule7_5_PolicyIsCopied(t *testing.T) {
	net := newInternet(t, says("reached"))
	deny := []string{"8.8.8.8"}
	resolver := newNames(map[string][]string{"a.example": {"8.8.8.8"}})
	p := Policy{Deny: deny, Resolver: resolver}
	client := testClient(t, p, net.connect)
	deny[0] = "9.9.9.9"
	_, err := client.Get("http://a.example/")
	requireBlocked(t, err, ReasonDenied)
	require.IsType(t, &Transport{}, client.Transport)
	var _ http.RoundTripper = client.Transport
}
