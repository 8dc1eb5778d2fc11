package transport

import (
	"net/http"
	"strings"

	"github.com/kervan-mcp/kervan/internal/bridge"
)

// An originPattern is an origin that web pages may call from.
type originPattern struct {
	scheme, port string
	host         hostPattern
}

// AllowedOrigins sets the origins of web pages that may call this server, and
// switches CORS on for them: preflights are answered before authentication, with
// the headers that MCP uses. An origin is written https://app.example.com or
// http://localhost:5173; https://*.example.com stands for every host below that
// domain. A port counts, and its absence is the scheme's own port.
//
// Requests without an Origin are always served: they do not come from a web
// page. Without this option, a page may call from a host that is allowed as Host
// over https, or over http too if it is a name of the loopback interface; it then
// needs a proxy that does CORS, since OPTIONS is answered with 405.
func AllowedOrigins(origins ...string) Option {
	return optionFunc(func(o *options) error {
		if len(origins) == 0 {
			return badValue("AllowedOrigins", "empty", "name at least one origin")
		}
		o.origins = nil
		for _, s := range origins {
			p, ok := parseOriginPattern(s)
			if !ok {
				return badValue("AllowedOrigins", s, "give origins as https://app.example.com, http://localhost:5173 or https://*.example.com")
			}
			o.origins = append(o.origins, p)
		}
		return nil
	})
}

func parseOriginPattern(s string) (originPattern, bool) {
	below := strings.Replace(s, "://*.", "://", 1)
	scheme, host, port, ok := splitOrigin(below)
	return originPattern{scheme, port, hostPattern{name: host, all: below != s}}, ok
}

func (p originPattern) matches(scheme, host, port string) bool {
	return scheme == p.scheme && port == p.port && p.host.matches(host)
}

// splitOrigin splits an Origin header, which has a scheme, a host and perhaps a
// port, and nothing else. The scheme's own port is "".
func splitOrigin(s string) (scheme, host, port string, ok bool) {
	scheme, authority, found := strings.Cut(s, "://")
	if !found || !isScheme(scheme) {
		return "", "", "", false
	}
	scheme = strings.ToLower(scheme)
	host, port, ok = splitHost(authority)
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return scheme, host, port, ok
}

func isScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case c >= 'a' && c <= 'z':
		case i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// allowsOrigin reports whether web pages of an origin may call.
func (o *httpOptions) allowsOrigin(origin string) bool {
	scheme, host, port, ok := splitOrigin(origin)
	if !ok {
		return false
	}
	if o.origins == nil {
		return o.hosts.allows(host) && (scheme == "https" || scheme == "http" && isLoopbackName(host))
	}
	for _, p := range o.origins {
		if p.matches(scheme, host, port) {
			return true
		}
	}
	return false
}

// checkOrigin refuses web pages of other origins, and answers preflights
// (rule 3.3).
func (q *request) checkOrigin() *refusal {
	cors := q.h.o.origins != nil
	if cors {
		q.w.Header()["Vary"] = varyOrigin
	}
	origin := q.r.Header["Origin"]
	if origin == nil {
		return nil
	}
	if !q.h.o.allowsOrigin(origin[0]) {
		return refuseOrigin
	}
	if !cors {
		return nil
	}
	header := q.w.Header()
	header.Set("Access-Control-Allow-Origin", origin[0])
	header["Access-Control-Expose-Headers"] = exposedHeaders
	if q.r.Method == http.MethodOptions && q.r.Header.Get("Access-Control-Request-Method") != "" && q.isEndpoint() {
		q.answerPreflight()
		return answered
	}
	return nil
}

var (
	varyOrigin     = []string{"Origin"}
	exposedHeaders = []string{"WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After"}
)

// corsHeaders are the headers that MCP clients send.
const corsHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id"

// preflightAge is how long, in seconds, a browser may remember a preflight.
const preflightAge = "600"

func (q *request) answerPreflight() {
	header := q.w.Header()
	header.Set("Access-Control-Allow-Methods", q.allowed())
	header.Set("Access-Control-Max-Age", preflightAge)
	names := corsHeaders
	for _, name := range bridge.Kervan().HeaderNames(q.h.app) {
		names += ", " + name
	}
	header.Set("Access-Control-Allow-Headers", names)
	header["Vary"] = []string{"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
	q.w.WriteHeader(http.StatusNoContent)
}
