package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// addresses returns the addresses to dial for a host in its normal form. One
// that is refused refuses the host: whoever mixes good and bad answers waits for
// the dial that takes the bad one.
func (d *dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	answers, err := d.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	judged := make([]netip.Addr, len(answers))
	for i, answer := range answers {
		a, reason := d.judge.verdict(answer)
		if reason != "" {
			return nil, &BlockedError{Host: host, Reason: reason}
		}
		judged[i] = a
	}
	return judged, nil
}

// lookUp resolves a host, at least to one address. An IP address is its own
// answer.
func (d *dialer) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	answers, err := ask(ctx, d.resolver, host)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isNotFound(err):
		return nil, &BlockedError{Host: host, Reason: ReasonNoAnswer, cause: err}
	case err != nil:
		return nil, &BlockedError{Host: host, Reason: ReasonResolverFailed, cause: err}
	case len(answers) == 0:
		return nil, &BlockedError{Host: host, Reason: ReasonNoAnswer}
	}
	return answers, nil
}

// ask asks the resolver. It runs in a goroutine of net/http, where a panic of
// the policy's own resolver would end the process.
func ask(ctx context.Context, resolver Resolver, host string) (answers []netip.Addr, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", textResolverPanic, r)
		}
	}()
	return resolver.LookupNetIP(ctx, "ip", host)
}

func isNotFound(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}

// interleave alternates between the address families, beginning with that of
// the first address, as RFC 8305 advises: a family that is broken here costs one
// attempt, not all. It keeps the order within a family.
func interleave(addrs []netip.Addr) []netip.Addr {
	var preferred, other []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			preferred = append(preferred, a)
		} else {
			other = append(other, a)
		}
	}
	mixed := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(preferred), len(other)) {
		mixed = append(mixed, preferred[min(i, len(preferred)):min(i+1, len(preferred))]...)
		mixed = append(mixed, other[min(i, len(other)):min(i+1, len(other))]...)
	}
	return mixed
}
