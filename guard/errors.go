package guard

// A Reason says in a word why something was refused, and never which address
// was.
type Reason string

// Reasons of a [BlockedError].
const (
	// ReasonInvalidHost: the host of the URL is neither a name nor an address in
	// its usual spelling, or its port is none. Nothing was looked up.
	ReasonInvalidHost Reason = "invalid_host"

	// ReasonResolverFailed: the resolver failed or timed out.
	ReasonResolverFailed Reason = "resolver_failed"

	// ReasonNoAnswer: there is no such name, or it has no address.
	ReasonNoAnswer Reason = "no_answer"

	// ReasonInvalidAddress: an answer is not an address, or has a zone.
	ReasonInvalidAddress Reason = "invalid_address"

	// ReasonMetadata: an address is, or carries, that of a cloud's metadata
	// service, or a link-local one.
	ReasonMetadata Reason = "metadata"

	// ReasonDenied: Policy.Deny lists an address, or one that it carries.
	ReasonDenied Reason = "denied"

	// ReasonOwnAddress: an address is this machine's own.
	ReasonOwnAddress Reason = "own_address"

	// ReasonNotPublic: an address is not a public unicast address.
	ReasonNotPublic Reason = "not_public"

	// ReasonUndecided: it could not be found out whether an address is this
	// machine's own.
	ReasonUndecided Reason = "undecided"

	// ReasonPeerMismatch: the connection leads to another address than the one
	// that was judged.
	ReasonPeerMismatch Reason = "peer_mismatch"
)

// Reasons of a [RedirectError]; ReasonInvalidHost is one too.
const (
	// ReasonNotRedirect: the answer is not a 301, 302, 303, 307 or 308.
	ReasonNotRedirect Reason = "not_redirect"

	// ReasonEmptyLocation: the answer has no Location, or an empty one.
	ReasonEmptyLocation Reason = "empty_location"

	// ReasonBadLocation: the Location is no URL, is one that programs read
	// differently, or there are several.
	ReasonBadLocation Reason = "bad_location"

	// ReasonScheme: the target is neither http nor https.
	ReasonScheme Reason = "scheme"

	// ReasonDowngrade: the target is http, after https.
	ReasonDowngrade Reason = "downgrade"

	// ReasonUserinfo: the target names a user or a password.
	ReasonUserinfo Reason = "userinfo"

	// ReasonPort: the target has another port than 443 and that of the first
	// request.
	ReasonPort Reason = "port"

	// ReasonTooManyRedirects: there are more than Policy.MaxRedirects.
	ReasonTooManyRedirects Reason = "too_many_redirects"
)

// A BlockedError is a request that was not sent because of where it would have
// gone. It is found with errors.As, also in the *url.Error of an http.Client.
// Its text gives host and reason; it never shows an address that a name
// resolved to. What it wraps, such as a *net.DNSError, may show one.
type BlockedError struct {
	// Host is the host of the URL, in its normal form if it has one. It may hold
	// any character if Reason is ReasonInvalidHost.
	Host string

	// Reason is why.
	Reason Reason

	cause error
}

// Error returns host and reason in words.
func (e *BlockedError) Error() string { return textBlocked(e.Host, e.Reason) }

// Unwrap returns the error of the resolver or of the system, if there was one.
func (e *BlockedError) Unwrap() error { return e.cause }

// A RedirectError is a redirect that was not followed.
type RedirectError struct {
	// Reason is why.
	Reason Reason

	cause error
}

// Error returns the reason in words, and the host if it is invalid.
func (e *RedirectError) Error() string { return textRedirect(e.Reason, e.cause) }

// Unwrap returns the *BlockedError of a target whose host is invalid.
func (e *RedirectError) Unwrap() error { return e.cause }
