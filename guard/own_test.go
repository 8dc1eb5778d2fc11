package guard

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRule7_1_OwnAddresses(t *testing.T) {
	var time clock
	listed := 0
	addrs := []string{"127.0.0.1", "::1", "198.51.100.4"}
	own := &ownAddresses{now: time.now, list: func() ([]net.Addr, error) {
		listed++
		return interfaces(addrs...)()
	}}
	has := func(a string) bool {
		is, err := own.contain(netip.MustParseAddr(a))
		require.NoError(t, err)
		return is
	}
	require.True(t, has("198.51.100.4"))
	require.True(t, has("::1"))
	require.False(t, has("198.51.100.5"))

	addrs = []string{"198.51.100.5"}
	time.advance(ownAddressesAge - 1)
	require.False(t, has("198.51.100.5"))
	require.Equal(t, 1, listed, "a list is believed for five seconds")
	time.advance(1)
	require.True(t, has("198.51.100.5"))
	require.False(t, has("198.51.100.4"))
	require.Equal(t, 2, listed)

	addrs = []string{"198.51.100.6"}
	time.advance(-ownAddressesAge)
	require.True(t, has("198.51.100.6"), "a clock that goes back does not keep a list")
}

func TestRule7_1_OwnAddressesUnknown(t *testing.T) {
	broken := map[string]func() ([]net.Addr, error){
		"error":        func() ([]net.Addr, error) { return nil, errors.New("netlink") },
		"empty":        func() ([]net.Addr, error) { return nil, nil },
		"unknown kind": func() ([]net.Addr, error) { return []net.Addr{&net.UnixAddr{Name: "/x"}}, nil },
		"no address":   func() ([]net.Addr, error) { return []net.Addr{&net.IPNet{}}, nil },
	}
	for name, list := range broken {
		j := testJudge(t, Policy{Allow: []string{"1.1.1.1"}, Deny: []string{"9.9.9.9"}})
		j.own.list = list
		for a, reason := range map[string]Reason{
			"8.8.8.8": ReasonUndecided, "2606:4700::1": ReasonUndecided, "10.0.0.1": ReasonUndecided, "1.1.1.1": "",
			"9.9.9.9": ReasonDenied, "169.254.169.254": ReasonMetadata,
		} {
			require.Equal(t, reason, verdictOf(j, a), "%s: %s", name, a)
		}
		private := testJudge(t, Policy{AllowPrivate: true})
		private.own.list = list
		require.Empty(t, verdictOf(private, "8.8.8.8"), "own addresses are accepted anyway")
	}
}

// A list that cannot be renewed is not believed any longer.
func TestRule7_1_OwnAddressesExpire(t *testing.T) {
	var time clock
	j := testJudge(t, Policy{Now: time.now})
	require.Empty(t, verdictOf(j, "8.8.8.8"))
	j.own.list = func() ([]net.Addr, error) { return nil, errors.New("netlink") }
	require.Empty(t, verdictOf(j, "8.8.8.8"))
	time.advance(ownAddressesAge)
	require.Equal(t, ReasonUndecided, verdictOf(j, "8.8.8.8"))
}

func TestRule7_1_OwnAddressesOfThisMachine(t *testing.T) {
	own := &ownAddresses{list: net.InterfaceAddrs, now: time.Now}
	is, err := own.contain(netip.MustParseAddr("127.0.0.1"))
	require.NoError(t, err)
	require.True(t, is)
	plain, err := plainAddresses([]net.Addr{&net.IPAddr{IP: net.IPv4(10, 0, 0, 1)}})
	require.NoError(t, err)
	require.Contains(t, plain, netip.MustParseAddr("10.0.0.1"))
}
