package transport

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/kervan-mcp/kervan"
)

// Defaults of the options for HTTP.
const (
	defaultAddr        = "127.0.0.1:3000"
	defaultPath        = "/mcp"
	defaultMaxBody     = 4 << 20
	defaultMaxInFlight = 1000
	defaultHTTPDrain   = 10 * time.Second
)

// httpOptions are the options that matter to HTTP only.
type httpOptions struct {
	indirect bool // for tests: no direct calls

	addr     string // empty: from the environment
	path     string // empty: any path for a Handler, /mcp for ServeHTTP
	health   string
	onListen func(net.Addr)

	hosts   hostRules
	origins []originPattern

	maxBody     int64
	maxInFlight int
	drainDelay  time.Duration
	finish      bool // calls of older clients go on when the client is gone

	authenticate func(*http.Request) (*auth.TokenInfo, error)
	resolve      func(context.Context, *Request) (kervan.Registry, error)
	share        bool // prompts and resources, with a resolver
	publicTTL    time.Duration
	sessions     *SessionOptions

	rate rateLimiter // nil: the default
	// challenge, if set, makes the headers of a refusal for missing scopes.
	challenge func(need []string) http.Header
	// extra are fixed GET paths, such as well-known metadata.
	extra []route
	// client, if set, names the machine that sends a request.
	client func(*http.Request) string
}

// A rateLimiter decides whether a request may go on, and if not, when to try
// again. It is asked before authentication, when info is nil. One that has the
// method allowAuthenticated too is asked again after it.
type rateLimiter interface {
	allow(r *http.Request, info *auth.TokenInfo) (retryAfter time.Duration, ok bool)
}

// authenticatedLimiter is the optional second part of a rateLimiter.
type authenticatedLimiter interface {
	allowAuthenticated(r *http.Request, info *auth.TokenInfo) (retryAfter time.Duration, ok bool)
}

// A route is a path that is answered by something else than MCP, once Host and
// Origin were checked and without authentication.
type route struct {
	path    string
	handler http.Handler
}

func defaultHTTPOptions() httpOptions {
	return httpOptions{maxBody: defaultMaxBody, maxInFlight: defaultMaxInFlight}
}

// Addr sets the address that [ServeHTTP] and [Serve] listen on, as host:port.
// Without it the environment variable KERVAN_ADDR counts, else the port in PORT
// on 127.0.0.1, else 127.0.0.1:3000. Port 0 takes a free one, see [OnListen].
//
// An address that other machines can reach needs [AllowedHosts].
func Addr(addr string) Option {
	return optionFunc(func(o *options) error {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return badValue("Addr", addr, "it must be host:port")
		}
		o.addr = addr
		return nil
	})
}

// Path sets the path of the endpoint, which counts with and without a final
// slash; every other path is answered with 404. The default of [ServeHTTP] is
// /mcp. A [Handler] without it serves every path that it is given, which is
// right for one that is mounted in a router.
func Path(path string) Option {
	return optionFunc(func(o *options) error {
		p, ok := cleanPath(path)
		if !ok {
			return badValue("Path", path, "it must begin with / and have no ?, # or wildcard")
		}
		o.path = p
		return nil
	})
}

// HealthPath answers GET and HEAD of a path with 200, and with 503 once the
// server is shutting down. It is answered before every check, so a probe needs
// neither an allowed Host nor credentials. Default: none.
func HealthPath(path string) Option {
	return optionFunc(func(o *options) error {
		p, ok := cleanPath(path)
		if !ok || p == "/" {
			return badValue("HealthPath", path, "it must begin with /, name something, and have no ?, # or wildcard")
		}
		o.health = p
		return nil
	})
}

// cleanPath returns path without its final slash.
func cleanPath(path string) (string, bool) {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#{}*\\") {
		return "", false
	}
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	return path, true
}

// samePath reports whether path is want, with or without a final slash.
func samePath(path, want string) bool {
	return path == want || len(path) == len(want)+1 && path[len(want)] == '/' && path[:len(want)] == want
}

// OnListen has f called once with the address that the server listens on,
// before it serves the first request.
func OnListen(f func(net.Addr)) Option {
	return optionFunc(func(o *options) error {
		o.onListen = f
		return nil
	})
}

// MaxBody bounds the body of a request, in bytes; a longer one is answered with
// 413. The default is 4 MiB; it must be positive.
func MaxBody(bytes int64) Option {
	return optionFunc(func(o *options) error {
		if bytes <= 0 {
			return badOption("MaxBody", bytes)
		}
		o.maxBody = bytes
		return nil
	})
}

// WithMaxInFlight bounds the calls that run at the same time; one more is
// answered with 503 and Retry-After. The default is 1,000; it must be positive.
// Streams of subscriptions have a bound of their own: 1,000, and 16 a client.
func WithMaxInFlight(calls int) Option {
	return optionFunc(func(o *options) error {
		if calls <= 0 {
			return badOption("WithMaxInFlight", calls)
		}
		o.maxInFlight = calls
		return nil
	})
}

// DrainDelay is how long a server that shuts down still accepts connections,
// answering new calls and health checks with 503, so that a load balancer can
// notice. The default is 0; it must not be negative.
func DrainDelay(d time.Duration) Option {
	return optionFunc(func(o *options) error {
		if d < 0 {
			return badValue("DrainDelay", d, "it must not be negative")
		}
		o.drainDelay = d
		return nil
	})
}

// FinishAfterDisconnect lets calls of clients older than protocol 2026-07-28
// run on to their deadline when the client is gone, for tools that must not stop
// half-way. Their answer cannot be delivered. By default, and for newer clients
// in any case, such a call is cancelled.
func FinishAfterDisconnect() Option {
	return optionFunc(func(o *options) error {
		o.finish = true
		return nil
	})
}

// PublicLists lets shared caches keep lists of tools, prompts and resources for
// ttl, which is rounded down to milliseconds. It is an error where a list can
// depend on the caller: with [Authenticate], [ResolveRegistry] or
// [kervan.WithVisibility]. By default lists are private and stale at once.
func PublicLists(ttl time.Duration) Option {
	return optionFunc(func(o *options) error {
		if ttl < time.Millisecond {
			return badValue("PublicLists", ttl, "it must be at least a millisecond")
		}
		o.publicTTL = ttl
		return nil
	})
}
