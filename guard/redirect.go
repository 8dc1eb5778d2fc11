package guard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Hop is the request that a redirect asks for.
type Hop struct {
	// URL is the absolute target; its host is in its normal form.
	URL *url.URL

	// Method is the method to use: GET where a 303 or a 301 or 302 of a POST
	// says so, else that of the request. A HEAD stays one.
	Method string

	// KeepBody reports whether the body of the request goes along, with the
	// headers that describe it. Never to another origin.
	KeepBody bool

	// SameOrigin reports whether scheme, host and port stay. If they do not, no
	// header but Accept and User-Agent may go along, and a later hop that comes
	// back may not get them again.
	SameOrigin bool
}

// NextHop judges a redirect for whoever follows redirects by itself: resp is
// the answer to req. The request that began a chain is found through
// Request.Response, as net/http sets it. An error is a *[RedirectError]; with
// [ReasonInvalidHost] it wraps a *[BlockedError].
//
// Refused are answers other than 301, 302, 303, 307 and 308; a Location that is
// missing, empty, repeated, not a URL or not read alike by all programs; schemes
// other than http and https, and http after https; user names; and ports other
// than 443 and that of the first request. NextHop looks nothing up: the addresses
// of the target are judged when the next request is sent. How many hops are
// enough is the caller's decision.
func NextHop(req *http.Request, resp *http.Response) (*Hop, error) {
	if !slices.Contains(redirects, resp.StatusCode) {
		return nil, &RedirectError{Reason: ReasonNotRedirect}
	}
	target, err := parseLocation(req.URL, resp.Header.Values("Location"))
	if err != nil {
		return nil, err
	}
	if err := checkTarget(req, target); err != nil {
		return nil, err
	}
	host, err := NormalizeHost(target.Hostname())
	if err != nil {
		return nil, &RedirectError{Reason: ReasonInvalidHost, cause: err}
	}
	setHost(target, host)
	method := nextMethod(req.Method, resp.StatusCode)
	sameOrigin := originOf(target) == originOf(req.URL)
	return &Hop{
		URL:        target,
		Method:     method,
		KeepBody:   sameOrigin && method == methodOf(req) && resp.StatusCode != http.StatusSeeOther,
		SameOrigin: sameOrigin,
	}, nil
}

// redirects are the statuses that are followed.
var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
	http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// parseLocation returns the absolute target of a Location. Backslashes in front
// of the query, and two slashes without a host, are refused: browsers look for a
// host after them, net/url reads a path.
func parseLocation(base *url.URL, locations []string) (*url.URL, error) {
	if len(locations) > 1 {
		return nil, &RedirectError{Reason: ReasonBadLocation}
	}
	if len(locations) == 0 || strings.TrimSpace(locations[0]) == "" {
		return nil, &RedirectError{Reason: ReasonEmptyLocation}
	}
	location := locations[0]
	path := location[:strings.IndexAny(location+"?", "?#")]
	rest, slashes := strings.CutPrefix(path, "//")
	noHost := slashes && (rest == "" || rest[0] == '/')
	target, err := base.Parse(location)
	if err != nil || noHost || strings.Contains(path, `\`) {
		return nil, &RedirectError{Reason: ReasonBadLocation}
	}
	return target, nil
}

// checkLocation refuses a redirect to a host that is too long to be one. An
// http.Client converts the host to ASCII before it asks whether to follow, in
// time that grows with the square of the length.
func checkLocation(resp *http.Response) error {
	location := resp.Header.Get("Location")
	if len(location) <= maxInput || !slices.Contains(redirects, resp.StatusCode) {
		return nil
	}
	if target, err := url.Parse(location); err == nil && len(target.Host) > maxInput {
		return &RedirectError{Reason: ReasonBadLocation}
	}
	return nil
}

// checkTarget refuses a target for its scheme, its form, its user or its port.
func checkTarget(req *http.Request, target *url.URL) error {
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return &RedirectError{Reason: ReasonScheme}
	case target.Scheme == "http" && req.URL.Scheme == "https":
		return &RedirectError{Reason: ReasonDowngrade}
	case target.User != nil:
		return &RedirectError{Reason: ReasonUserinfo}
	case target.Opaque != "" || target.Hostname() == "":
		return &RedirectError{Reason: ReasonBadLocation}
	}
	if port := portOf(target); port != portHTTPS && port != portOf(firstOf(req).URL) {
		return &RedirectError{Reason: ReasonPort}
	}
	return nil
}

// firstOf returns the request that a chain of redirects began with.
func firstOf(req *http.Request) *http.Request {
	for req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}

func methodOf(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// nextMethod is the method after a redirect, by RFC 9110, 15.4.
func nextMethod(method string, status int) string {
	switch status {
	case http.StatusSeeOther:
		if method != http.MethodHead {
			return http.MethodGet
		}
	case http.StatusMovedPermanently, http.StatusFound:
		if method == http.MethodPost {
			return http.MethodGet
		}
	}
	if method == "" {
		return http.MethodGet
	}
	return method
}

const (
	portHTTP  = "80"
	portHTTPS = "443"
)

// portOf is the port that a URL leads to, without zeros in front.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return strings.TrimLeft(u.Port(), "0")
	case u.Scheme == "https":
		return portHTTPS
	}
	return portHTTP
}

// setHost gives a URL a host in its normal form.
func setHost(u *url.URL, host string) {
	explicit := u.Port() != ""
	port := portOf(u)
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if explicit {
		u.Host += ":" + port
	}
}

// An origin is what credentials belong to.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) origin {
	host, err := NormalizeHost(u.Hostname())
	if err != nil {
		host = u.Host // no request to it is ever sent
	}
	return origin{u.Scheme, host, portOf(u)}
}
