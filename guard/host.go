package guard

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// Limits of RFC 1035 for names in their ASCII form.
	maxName  = 253
	maxLabel = 63

	// maxInput bounds names in Unicode: Punycode takes quadratic time.
	maxInput = maxName * utf8.UTFMax
)

// hostProfile maps a name for lookup as UTS 46 says. Unlike idna.Lookup it lets
// hyphens stand in the third and fourth place, as in real host names.
var hostProfile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.BidiRule(),
	idna.CheckJoiners(true),
	idna.CheckHyphens(false),
)

// NormalizeHost returns the one spelling of a host by which hosts are compared,
// for a host as url.URL.Hostname returns it. A name is returned in its IDNA
// lookup form, in lower case; an address in its canonical form, without the
// brackets that may stand around an IPv6 address. A final dot of a name stays:
// with it, it is another host.
//
// Any other host is a *[BlockedError] with [ReasonInvalidHost]: an address in
// another spelling, which some resolvers read as one (127.1, 0x7f000001,
// 2130706433, 010.0.0.1, full-width digits, a final dot), an address with a
// zone, a name with an empty label, an underscore, or any other character that
// host names do not have, or one that is too long.
//
// It looks nothing up.
func NormalizeHost(host string) (string, error) {
	if literal, ok := normalizeAddress(host); ok {
		return literal, nil
	}
	if len(host) > maxInput || !utf8.ValidString(host) {
		return "", &BlockedError{Host: host, Reason: ReasonInvalidHost}
	}
	name, err := hostProfile.ToASCII(host)
	if err != nil || !validName(name) || endsInNumber(name) {
		return "", &BlockedError{Host: host, Reason: ReasonInvalidHost}
	}
	return name, nil
}

// normalizeAddress returns the canonical form of an IP address without a zone.
func normalizeAddress(host string) (string, bool) {
	inner, bracketed := strings.CutPrefix(host, "[")
	if bracketed {
		inner, bracketed = strings.CutSuffix(inner, "]")
		if !bracketed {
			return "", false
		}
	}
	a, err := netip.ParseAddr(inner)
	if err != nil || a.Zone() != "" || (bracketed && a.Is4()) {
		return "", false
	}
	return a.String(), true
}

// validName checks the form of a name that is ASCII and in lower case.
func validName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	if len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if !validLabel(label) {
			return false
		}
	}
	return true
}

func validLabel(label string) bool {
	if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, c := range []byte(label) {
		if (c < 'a' || c > 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// endsInNumber reports whether the last label is a decimal or hexadecimal
// number, which makes the name an IPv4 address for inet_aton and for browsers.
func endsInNumber(name string) bool {
	name = strings.TrimSuffix(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	digits, hex := strings.CutPrefix(last, "0x")
	for _, c := range []byte(digits) {
		if !isDigit(c) && (!hex || c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
