package guard

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Every text of this package that a person or a model reads stands here.

const (
	textOwnAddresses  = "the addresses of this machine cannot be read"
	textResolverPanic = "the resolver panicked"
	textNoURL         = "guard: the request has no URL"

	maxHostInText = 128 // runes of a host that someone else wrote
)

func textMaxRedirects(n int) string {
	return fmt.Sprintf("guard: MaxRedirects is %d; use 0 to %d", n, maxRedirects)
}

func textEntry(list, entry string) string {
	return fmt.Sprintf("guard: %s entry %s is malformed: use an address such as 192.0.2.1 or a prefix such as 192.0.2.0/24, with no bits set beyond its length", list, quote(entry))
}

func textBlocked(host string, reason Reason) string {
	outcome := "is blocked"
	if reason == ReasonNoAnswer || reason == ReasonResolverFailed {
		outcome = "is not found"
	}
	return fmt.Sprintf("host %s %s: %s", quote(host), outcome, textReason(reason))
}

func textRedirect(reason Reason, cause error) string {
	if cause != nil {
		return "redirect refused: " + cause.Error()
	}
	return "redirect refused: " + textReason(reason)
}

func textReason(reason Reason) string {
	switch reason {
	case ReasonInvalidHost:
		return "it is neither a host name nor an IP address in its usual spelling"
	case ReasonResolverFailed:
		return "looking it up failed"
	case ReasonNoAnswer:
		return "it has no address"
	case ReasonInvalidAddress:
		return "its address is malformed"
	case ReasonMetadata:
		return "its address is link-local or belongs to a metadata service"
	case ReasonDenied:
		return "its address is on the deny list"
	case ReasonOwnAddress:
		return "its address is one of this machine"
	case ReasonNotPublic:
		return "its address is not public"
	case ReasonUndecided:
		return "it cannot be decided whether its address is one of this machine"
	case ReasonPeerMismatch:
		return "the connection led to another address than the checked one"
	case ReasonNotRedirect:
		return "the answer is not a redirect"
	case ReasonEmptyLocation:
		return "it names no target"
	case ReasonBadLocation:
		return "its target is not a plain URL"
	case ReasonScheme:
		return "its target is neither http nor https"
	case ReasonDowngrade:
		return "it leads from https to http"
	case ReasonUserinfo:
		return "its target holds a user name or password"
	case ReasonPort:
		return "its target has a port that is neither 443 nor that of the first request"
	case ReasonTooManyRedirects:
		return "there were too many before it"
	}
	return string(reason)
}

// quote quotes s with invisible characters escaped, cut to a length for reading.
func quote(s string) string {
	if utf8.RuneCountInString(s) > maxHostInText {
		s = string([]rune(s)[:maxHostInText]) + "…"
	}
	return strconv.Quote(s)
}
