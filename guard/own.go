package guard

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownAddressesAge is how long a list of this machine's addresses is believed.
const ownAddressesAge = 5 * time.Second

var errOwnAddresses = errors.New(textOwnAddresses)

// ownAddresses knows the addresses of this machine's interfaces. A service that
// listens on all of them is reached through its public address as well as
// through the loopback one. It is safe for concurrent use.
type ownAddresses struct {
	list func() ([]net.Addr, error)
	now  func() time.Time

	mu     sync.Mutex
	known  map[netip.Addr]struct{} // nil: never listed
	listed time.Time
}

// contain reports whether a is one of them, or that this cannot be told.
func (o *ownAddresses) contain(a netip.Addr) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	// A clock that was set back must not keep a list alive.
	if age := now.Sub(o.listed); o.known == nil || age < 0 || age >= ownAddressesAge {
		addrs, err := o.list()
		if err != nil {
			return false, err
		}
		known, err := plainAddresses(addrs)
		if err != nil {
			return false, err
		}
		o.known, o.listed = known, now
	}
	_, own := o.known[a]
	return own, nil
}

// plainAddresses reads a list of interface addresses. One that it cannot read,
// and an empty list, which no machine that can dial has, are errors.
func plainAddresses(addrs []net.Addr) (map[netip.Addr]struct{}, error) {
	plain := make(map[netip.Addr]struct{}, len(addrs))
	for _, addr := range addrs {
		var ip net.IP
		switch addr := addr.(type) {
		case *net.IPNet:
			ip = addr.IP
		case *net.IPAddr:
			ip = addr.IP
		}
		a, ok := netip.AddrFromSlice(ip)
		if !ok {
			return nil, errOwnAddresses
		}
		plain[a.Unmap()] = struct{}{}
	}
	if len(plain) == 0 {
		return nil, errOwnAddresses
	}
	return plain, nil
}
