package transport

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// BearerOptions say which tokens [Bearer] accepts, and where clients get them.
// Only Resource is required.
type BearerOptions struct {
	// Resource is the URL of the MCP endpoint as clients know it, such as
	// "https://mcp.example.com/mcp". Tokens must be issued for it, and the
	// metadata names it. It is https, or http on loopback, without query and
	// fragment. It is never taken from a request.
	Resource string
	// AuthorizationServers are the issuers that clients get tokens from, as
	// URLs. Without any, clients are told that a token is needed but not where
	// to get one.
	AuthorizationServers []string
	// Scopes are those that every request needs; more for some tools only
	// are set by kervan.ToolDef.Scopes. Default: none.
	Scopes []string
	// ScopesSupported are the scopes that the metadata lists. Default: Scopes.
	ScopesSupported []string
	// ResourceName is what clients show to people, in the metadata.
	ResourceName string
	// ResourceDocumentation is the URL of a page for developers, in the
	// metadata.
	ResourceDocumentation string

	// Audiences are accepted in place of Resource, for issuers that put their
	// own identifiers into tokens. A token needs one of them or Resource,
	// where a final slash makes no difference.
	Audiences []string
	// Audience reads the audience of a verified token. A token without one is
	// refused. Default: Extra["aud"], a string or a list of strings.
	Audience func(*auth.TokenInfo) []string
	// ClockSkew is for how long a token counts after its expiration. Default:
	// zero.
	ClockSkew time.Duration
	// AllowMissingExpiration accepts tokens without an expiration, for
	// verifiers that ask the issuer at each request.
	AllowMissingExpiration bool
}

// Bearer authenticates requests with OAuth bearer tokens (RFC 6750) and serves
// the metadata by which clients find out where to get one (RFC 9728), at the
// well-known path of the root and at that of the resource's path. It takes the
// place of [Authenticate].
//
// verifier checks signature and issuer of a token; audience, expiration and
// scopes are checked here. If it returns an error that is [auth.ErrInvalidToken]
// the answer is 401; any other error is answered with 500 and a reference to the
// log, never with its text. No request is anonymous.
//
// Mistakes in opts are errors of [NewHandler] and its relatives.
func Bearer(verifier auth.TokenVerifier, opts BearerOptions) Option {
	return optionFunc(func(o *options) error {
		b, err := newBearer(verifier, opts)
		if err != nil {
			return err
		}
		if err := Authenticate(b.authenticate).apply(o); err != nil {
			return err
		}
		o.challenge = b.insufficientScope
		o.extra = b.routes()
		return nil
	})
}

// bearer is the checked form of BearerOptions.
type bearer struct {
	BearerOptions
	verify      auth.TokenVerifier
	resource    *url.URL
	metadataURL string
}

func newBearer(verifier auth.TokenVerifier, opts BearerOptions) (*bearer, error) {
	if verifier == nil {
		return nil, errNoVerifier
	}
	if opts.ClockSkew < 0 {
		return nil, errNegativeSkew
	}
	resource, err := parseIdentifier("Resource", opts.Resource)
	if err != nil {
		return nil, err
	}
	for _, issuer := range opts.AuthorizationServers {
		if _, err := parseIdentifier("AuthorizationServers", issuer); err != nil {
			return nil, err
		}
	}
	for _, scope := range slices.Concat(opts.Scopes, opts.ScopesSupported) {
		if !isScope(scope) {
			return nil, badValue("a scope of Bearer", scope, hintScope)
		}
	}
	if opts.ScopesSupported == nil {
		opts.ScopesSupported = opts.Scopes
	}
	if opts.Audience == nil {
		opts.Audience = audienceOf
	}
	b := &bearer{BearerOptions: opts, verify: verifier, resource: resource}
	b.metadataURL = resource.Scheme + "://" + resource.Host + b.metadataPath()
	return b, nil
}

// parseIdentifier reads a URL that identifies a resource or an issuer.
func parseIdentifier(field, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil, badValue(field+" of Bearer", s, hintResource)
	case err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "?#"):
		return nil, badValue(field+" of Bearer", s, hintURL)
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopbackName(u.Hostname())):
		return nil, badValue(field+" of Bearer", s, hintHTTPS)
	}
	return u, nil
}

// isScope reports the scope-token of RFC 6749.
func isScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '"' || r == '\\'
	})
}

// audienceOf reads the audience where verifiers of JWTs usually leave it. It
// takes list types of other packages too.
func audienceOf(info *auth.TokenInfo) []string {
	v := reflect.ValueOf(info.Extra["aud"])
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Slice:
		var all []string
		for _, e := range v.Seq2() {
			if e.Kind() == reflect.Interface {
				e = e.Elem()
			}
			if e.Kind() != reflect.String {
				return nil
			}
			all = append(all, e.String())
		}
		return all
	}
	return nil
}

// authenticate is the function for Authenticate.
func (b *bearer) authenticate(r *http.Request) (*auth.TokenInfo, error) {
	token, present := bearerToken(r.Header.Get(headerAuthorization))
	switch {
	case !present:
		return nil, b.unauthorized(textNeedsToken, nil)
	case token == "":
		return nil, b.invalid(textMalformedToken)
	}
	info, err := b.verify(r.Context(), token, r)
	switch {
	case errors.Is(err, auth.ErrInvalidToken):
		return nil, b.invalid(textInvalidToken)
	case err != nil:
		return nil, err
	case info == nil:
		return nil, errNoTokenInfo
	}
	if problem := b.problem(info); problem != "" {
		return nil, b.invalid(problem)
	}
	if !holdsAll(info.Scopes, b.Scopes) {
		return nil, &Refusal{
			Status:  http.StatusForbidden,
			Header:  b.insufficientScope(nil),
			Message: textScopeRefusal + textMissingScopes,
		}
	}
	return info, nil
}

// problem says why a genuine token does not count here.
func (b *bearer) problem(info *auth.TokenInfo) string {
	audience := b.Audience(info)
	accepted := oauthex.MatchesResource(audience, b.Resource) ||
		slices.ContainsFunc(b.Audiences, func(a string) bool { return slices.Contains(audience, a) })
	switch {
	case !accepted:
		return textOtherAudience
	case info.Expiration.IsZero() && !b.AllowMissingExpiration:
		return textNoExpiration
	case !info.Expiration.IsZero() && !time.Now().Before(info.Expiration.Add(b.ClockSkew)):
		return textExpiredToken
	}
	return ""
}

func holdsAll(have, need []string) bool {
	for _, s := range need {
		if !slices.Contains(have, s) {
			return false
		}
	}
	return true
}

// invalid refuses a token.
func (b *bearer) invalid(description string) *Refusal {
	return b.unauthorized(textTokenRefusal+description, []param{{"error", codeInvalidToken}, {"error_description", description}})
}

func (b *bearer) unauthorized(message string, params []param) *Refusal {
	return &Refusal{
		Status:  http.StatusUnauthorized,
		Header:  b.challenge(params, b.Scopes),
		Message: message,
	}
}

// insufficientScope is the header of a 403. It asks for the scopes that every
// request needs as well, since a client gets a new token with just those that
// it is told.
func (b *bearer) insufficientScope(need []string) http.Header {
	scopes := slices.Clone(b.Scopes)
	for _, s := range need {
		if !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return b.challenge([]param{{"error", codeInsufficientScope}, {"error_description", textMissingScopes}}, scopes)
}

// challenge makes a WWW-Authenticate header.
func (b *bearer) challenge(params []param, scopes []string) http.Header {
	if len(scopes) > 0 {
		params = append(params, param{"scope", strings.Join(scopes, " ")})
	}
	params = append(params, param{"resource_metadata", b.metadataURL})
	return http.Header{headerAuthenticate: {challenge(schemeBearer, params)}}
}
