package transport

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// What clients read when a request is refused. None of it repeats anything of
// the request.
var (
	refuseRepeated  = &refusal{status: http.StatusBadRequest, message: "Bad Request: a header is repeated that may be sent once only"}
	refuseHost      = &refusal{status: http.StatusForbidden, message: "Forbidden: this Host is not served here; the server's operator allows hosts with transport.AllowedHosts"}
	refuseOrigin    = &refusal{status: http.StatusForbidden, message: "Forbidden: web pages of this Origin may not call; the server's operator allows origins with transport.AllowedOrigins"}
	refusePath      = &refusal{status: http.StatusNotFound, message: "Not Found: there is no MCP endpoint at this path"}
	refuseMethod    = &refusal{status: http.StatusMethodNotAllowed, message: "Method Not Allowed: see the Allow header"}
	refuseRate      = &refusal{status: http.StatusTooManyRequests, message: "Too Many Requests: try again after the seconds in Retry-After"}
	refuseType      = &refusal{status: http.StatusUnsupportedMediaType, message: "Unsupported Media Type: Content-Type must be application/json, without Content-Encoding"}
	refuseSize      = &refusal{status: http.StatusRequestEntityTooLarge, message: "Content Too Large: the body is over the server's limit"}
	refuseSlow      = &refusal{status: http.StatusRequestTimeout, message: "Request Timeout: the body did not arrive in time"}
	refuseBody      = &refusal{status: http.StatusBadRequest, message: "Bad Request: the body could not be read"}
	refuseDraining  = &refusal{status: http.StatusServiceUnavailable, message: "Service Unavailable: the server is shutting down"}
	refuseBusy      = &refusal{status: http.StatusServiceUnavailable, message: "Service Unavailable: too many calls in flight, try again later"}
	refuseStreams   = &refusal{status: http.StatusServiceUnavailable, message: "Service Unavailable: too many streams are open"}
	refuseForbidden = &refusal{status: http.StatusForbidden, message: "Forbidden"}
	refuseScope     = &refusal{status: http.StatusForbidden, message: "Forbidden: the credentials lack a scope that this tool needs"}
	refuseServer    = &refusal{status: http.StatusNotFound, message: "Not Found: there is no MCP server at this address"}
	refuseSession   = &refusal{status: http.StatusNotFound, message: "Not Found: there is no such session; initialize a new one"}
	refuseNoSession = &refusal{status: http.StatusBadRequest, message: "Bad Request: the Mcp-Session-Id header is missing"}
	refuseConflict  = &refusal{status: http.StatusConflict, message: "Conflict: this session has a stream already"}
	refuseSessions  = &refusal{status: http.StatusServiceUnavailable, message: "Service Unavailable: too many sessions are open"}
	refuseNoMethod  = &refusal{status: http.StatusOK, code: wire.CodeMethodNotFound, message: "Method not found"}
	refuseAccepted  = &refusal{status: http.StatusAccepted}

	refuseVersion       = &refusal{status: http.StatusBadRequest, code: mcp.CodeUnsupportedProtocolVersion, message: "Unsupported protocol version"}
	refuseNoMeta        = &refusal{status: http.StatusBadRequest, code: wire.CodeInvalidParams, message: `Invalid params: missing or invalid _meta field "io.modelcontextprotocol/protocolVersion"`}
	refuseNoName        = &refusal{status: http.StatusBadRequest, code: wire.CodeInvalidParams, message: "Invalid params: the name is missing"}
	mismatchNoVersion   = mismatch("the Mcp-Protocol-Version header is missing")
	mismatchVersion     = mismatch("the Mcp-Protocol-Version header and _meta disagree")
	mismatchNoMethod    = mismatch("the Mcp-Method header is missing")
	mismatchMethod      = mismatch("the Mcp-Method header and the body disagree")
	mismatchNoName      = mismatch("the Mcp-Name header is missing")
	mismatchName        = mismatch("the Mcp-Name header and the body disagree")
	mismatchNoParam     = mismatch("an Mcp-Param header of this tool is missing")
	mismatchParam       = mismatch("an Mcp-Param header of this tool and the body disagree")
	mismatchParamAbsent = mismatch("an Mcp-Param header was sent for an argument that is absent or null")
)

func mismatch(what string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: mcp.CodeHeaderMismatch, message: "Header mismatch: " + what}
}

const (
	bodyHealthy  = `{"status":"ok"}`
	bodyDraining = `{"status":"draining"}`

	// reasonEnding is in the cancellation that ends a stream.
	reasonEnding = "the server ends this stream; open a new one"
)

func textInternal(ref string) string { return "Internal error (ref: " + ref + ")" }

// What the log says.
const (
	logHost      = "a request for a Host that is not allowed was refused; if it should be served, name it with transport.AllowedHosts"
	logAuth      = "authentication failed with an error that is no refusal"
	logRefusal   = "authentication returned a Refusal without a status from 400 to 599"
	logResolve   = "resolving the registry of a request failed"
	logServer    = "the server of a registry could not be made"
	logCancelled = "calls were cancelled because the server shuts down"
	logListening = "serving MCP over HTTP"
)

// What people read of options.
var (
	errSamePath   = errors.New("cannot serve over HTTP: Path and HealthPath are the same; choose two")
	errShareAlone = errors.New("cannot serve over HTTP: SharePromptsAndResources has an effect together with ResolveRegistry only; leave it out")
	errBadPort    = errors.New("cannot serve over HTTP: PORT is not a port; set it to a number from 0 to 65535, or leave it out")
)

func badValue(name string, value any, hint string) error {
	return fmt.Errorf("cannot serve: %s is %q; %s", name, fmt.Sprint(value), hint)
}

func publicLists(with string) error {
	return fmt.Errorf("cannot serve over HTTP: PublicLists lets caches share lists that depend on the caller because of %s; leave one of the two out", with)
}

// serveError names the address and what to do.
func serveError(addr, what string) error {
	return fmt.Errorf("cannot serve on %s: %s", addr, what)
}

const (
	needHosts = `other machines can reach this address, so name the hosts that they use: transport.AllowedHosts("mcp.example.com")`
	badAddr   = "the address is not host:port; correct KERVAN_ADDR, transport.Addr or --host and --port"
)

// What people read of the rate limit.
var (
	errNilRateKey = errors.New("cannot serve: RateLimitKey is nil; leave it out or give it a function")
	errNilLimiter = errors.New("cannot serve: SharedLimiter is nil; leave it out or give it a limiter")
)

// Log messages of the rate limit.
const (
	logForwardedFor  = "X-Forwarded-For is ignored, so all clients behind a reverse proxy share one rate limit; name the proxies with TrustedProxies"
	logSharedLimiter = "the shared limiter failed; this process limits by itself meanwhile"
	logRateKey       = "the function of RateLimitKey panicked; the request counts by its address"
)

// What people read of Bearer.
var (
	errNoVerifier   = errors.New("cannot serve: Bearer has no verifier; give it the function that checks a token")
	errNegativeSkew = errors.New("cannot serve: ClockSkew of Bearer is negative; give it a duration such as 30 * time.Second")
	errNoTokenInfo  = errors.New("the token verifier returned neither token info nor an error")
)

const (
	hintScope    = "a scope is printable ASCII without spaces, quotes and backslashes"
	hintResource = "give the URL that clients use, such as https://mcp.example.com/mcp"
	hintURL      = "it must be an absolute URL without credentials, query and fragment"
	hintHTTPS    = "it must be https, except on loopback"
)

// What a client reads in a challenge.
const (
	codeInvalidToken      = "invalid_token"
	codeInsufficientScope = "insufficient_scope"

	textMalformedToken = "the access token is malformed"
	textInvalidToken   = "the access token is not valid"
	textOtherAudience  = "the access token was issued for another resource"
	textNoExpiration   = "the access token has no expiration"
	textExpiredToken   = "the access token has expired"
	textNeedsToken     = "Unauthorized: a bearer token is required"
	textMissingScopes  = "the access token lacks a scope"
	textTokenRefusal   = "Unauthorized: "
	textScopeRefusal   = "Forbidden: "
)

// What people and clients read of API keys.
var (
	errNoKeys    = errors.New("cannot serve: APIKeys has no keys; give at least one, or use APIKeyFunc")
	errNoUser    = errors.New("cannot serve: APIKeys has a key without UserID, which tells callers apart; give it one")
	errShortKey  = fmt.Errorf("cannot serve: APIKeys has a key of fewer than %d characters; make keys of random bytes", minKeyLen)
	errBadKey    = errors.New("cannot serve: APIKeys has a key that no header can hold; use printable ASCII without spaces")
	errNoToken   = errors.New("cannot serve: APIKeys has a key that no bearer token can be; use letters, digits and -._~+/ only")
	errNoLookup  = errors.New("cannot serve: APIKeyFunc has no function; give it one that finds a key")
	errAnonymous = errors.New("the function of APIKeyFunc returned token info without UserID, which tells callers apart")
)

const (
	textNeedsKey    = "Unauthorized: an API key is required"
	textUnknownKey  = "Unauthorized: the API key is not valid"
	textRepeatedKey = "Bad Request: the API key is repeated"
)
