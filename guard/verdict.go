package guard

import "net/netip"

// A judge decides about addresses. It is safe for concurrent use.
type judge struct {
	allowPrivate, nat64 bool
	allow, deny         prefixes
	own                 *ownAddresses
}

// verdict decides about one address, in the order of the package comment. It
// returns the address to dial, in its plain form, and an empty reason if it is
// accepted.
func (j *judge) verdict(answer netip.Addr) (netip.Addr, Reason) {
	if !answer.IsValid() || answer.Zone() != "" {
		return netip.Addr{}, ReasonInvalidAddress
	}
	a := answer.Unmap()
	if !unicast(a) {
		return a, ReasonNotPublic
	}
	var room [1 + maxEmbedded]netip.Addr
	forms := appendEmbedded(append(room[:0], a), a)
	subject := j.subject(a)
	switch {
	case metadata.containsAny(forms):
		return a, ReasonMetadata
	case j.deny.containsAny(forms):
		return a, ReasonDenied
	case j.allow.contains(a), j.allow.contains(subject):
		return a, ""
	case j.allowPrivate:
		return a, ""
	}
	own, err := j.own.contain(subject)
	switch {
	case err != nil:
		return a, ReasonUndecided
	case own:
		return a, ReasonOwnAddress
	case !public(subject):
		return a, ReasonNotPublic
	}
	return a, ""
}

// subject is the address that a stands for.
func (j *judge) subject(a netip.Addr) netip.Addr {
	if j.nat64 && nat64WellKnown.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// unicast reports whether a can be the address of one host. An unspecified
// address is not: it is dialled as this machine's loopback address, past what
// Policy.Deny says of that.
func unicast(a netip.Addr) bool {
	broadcast := netip.AddrFrom4([4]byte{255, 255, 255, 255})
	return !a.IsUnspecified() && !a.IsMulticast() && a != broadcast
}

// public reports whether IANA's registries leave a to the public internet. An
// address that carries one which is not public isn't either.
func public(a netip.Addr) bool {
	if a.Is4() {
		return !inBlocks(special4, a)
	}
	if !globalUnicast6.Contains(a) || inBlocks(special6, a) {
		return false
	}
	var room [maxEmbedded]netip.Addr
	for _, carried := range appendEmbedded(room[:0], a) {
		if inBlocks(special4, carried) {
			return false
		}
	}
	return true
}
