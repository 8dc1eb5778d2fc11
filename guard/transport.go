package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// What connections may hold and take.
const (
	idleTimeout         = 30 * time.Second // a name that moves is seen after at most that
	maxIdle             = 256
	maxIdlePerHost      = 32
	tlsHandshakeTimeout = 10 * time.Second
	continueTimeout     = time.Second
	maxResponseHeader   = 64 << 10
)

// A Transport is an http.RoundTripper that reaches what its [Policy] accepts. A
// request that it refuses is a *[BlockedError], and is not sent.
//
// It keeps connections for later requests, idle for at most 30 seconds, speaks
// HTTP/2 with servers that do, and neither asks for nor undoes a content
// encoding. A response header is at most 64 KiB. It sets no other limit of time
// or size to a response: the context of the request does, and its reader.
//
// What a server sends past the end of a response, net/http writes to the standard
// log; a program that must not show it sets that log's output.
//
// It is safe for concurrent use. Transports share nothing, so that connections
// made for one policy never serve another.
type Transport struct {
	judge   *judge
	direct  *http.Transport
	proxied *http.Transport // nil without a Policy.Proxy
	proxy   func(*http.Request) (*url.URL, error)
}

// NewTransport returns a Transport for a policy. It fails if an entry of
// Policy.Allow or Policy.Deny is malformed, naming all that are.
func NewTransport(p Policy) (*Transport, error) {
	judge, err := newJudge(p)
	if err != nil {
		return nil, err
	}
	d := &dialer{judge: judge, resolver: p.Resolver, connect: connectTCP}
	if d.resolver == nil {
		d.resolver = net.DefaultResolver
	}
	return newTransport(p, d), nil
}

func newTransport(p Policy, d *dialer) *Transport {
	t := &Transport{judge: d.judge, direct: newPool(p), proxy: p.Proxy}
	t.direct.DialContext = untilRequestEnds(d.dial)
	if p.Proxy != nil {
		t.proxied = newPool(p)
		t.proxied.Proxy = func(req *http.Request) (*url.URL, error) { return callOf(req.Context()).proxy, nil }
		t.proxied.DialContext = untilRequestEnds((&net.Dialer{Timeout: dialTimeout}).DialContext)
	}
	return t
}

// newPool returns a pool of connections that does not know yet how to dial.
func newPool(p Policy) *http.Transport {
	return &http.Transport{
		TLSClientConfig:        p.TLS.Clone(),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    tlsHandshakeTimeout,
		ExpectContinueTimeout:  continueTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

// NewClient returns a client over a new Transport. It follows up to
// Policy.MaxRedirects redirects by the rules of [NextHop]; one that breaks them
// is a *[RedirectError]. To another origin it carries only Accept and
// User-Agent, and no body, and later hops get back nothing that was dropped. A
// redirect without a Location is returned as it is.
//
// It fails as NewTransport does, and if Policy.MaxRedirects is out of range. The
// client's Timeout and Jar may be set before its first use.
func NewClient(p Policy) (*http.Client, error) {
	if p.MaxRedirects < 0 || p.MaxRedirects > maxRedirects {
		return nil, errors.New(textMaxRedirects(p.MaxRedirects))
	}
	t, err := NewTransport(p)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t, CheckRedirect: checkRedirect(p.MaxRedirects)}, nil
}

// RoundTrip sends a request if the policy accepts every address of its host. A
// host that [NormalizeHost] refuses is refused before any lookup. An answer that
// redirects to a host longer than any name is a *[RedirectError].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := &call{ctx: req.Context()}
	pool, err := t.choose(req, c)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := pool.RoundTrip(req.WithContext(context.WithValue(c.ctx, callKey{}, c)))
	if err != nil {
		return nil, err
	}
	if err := checkLocation(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	resp.Request = req
	return resp, nil
}

// choose checks the host of a request and returns the pool that serves it.
func (t *Transport) choose(req *http.Request, c *call) (*http.Transport, error) {
	if req.URL == nil {
		return nil, errors.New(textNoURL)
	}
	if _, err := NormalizeHost(req.URL.Hostname()); err != nil {
		return nil, err
	}
	if t.proxy == nil {
		return t.direct, nil
	}
	proxy, err := t.proxy(req)
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		return t.direct, nil
	}
	c.proxy = proxy
	return t.proxied, nil
}

// CheckHost tells early, without a look-up, that requests to a host will be
// refused: for a spelling that [NormalizeHost] refuses, and for an address, or a
// localhost name, that the policy does not accept. The error is a
// *[BlockedError]. Other names are judged when they are resolved, and with a
// Policy.Proxy no address is judged here.
func (t *Transport) CheckHost(host string) error {
	normal, err := NormalizeHost(host)
	if err != nil || t.proxy != nil {
		return err
	}
	addr, err := netip.ParseAddr(normal)
	switch {
	case err == nil:
	case normal == "localhost" || strings.HasSuffix(normal, ".localhost"): // RFC 6761, section 6.3
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		return nil
	}
	if _, reason := t.judge.verdict(addr); reason != "" {
		return &BlockedError{Host: normal, Reason: reason}
	}
	return nil
}

// CloseIdleConnections closes the connections that no request uses. Those in
// use are not interrupted.
func (t *Transport) CloseIdleConnections() {
	t.direct.CloseIdleConnections()
	if t.proxied != nil {
		t.proxied.CloseIdleConnections()
	}
}

// A call is what a dial must know of the request that it is made for.
type call struct {
	ctx   context.Context // the request's own
	proxy *url.URL        // nil: none
}

type callKey struct{}

// callOf returns the call of a context that RoundTrip made.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// untilRequestEnds makes a dial end with the request that it is made for.
// net/http lets it go on, for the sake of later requests, but a resolver or a
// server that does not answer should be asked no longer than someone waits.
func untilRequestEnds(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(callOf(ctx).ctx, cancel)()
		return dial(ctx, network, address)
	}
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)
