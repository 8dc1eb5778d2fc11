package httptool

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/kervan-mcp/kervan/guard"
)

// What is read of a body that nobody wants, so that its connection can serve
// the next request.
const (
	maxDrainBytes = 64 << 10
	maxDrainTime  = 100 * time.Millisecond
)

// An answer is a response whose body is still to be read. It must be closed.
type answer struct {
	*http.Response
	cancel context.CancelFunc
}

// close ends the response. A connection whose body does not end soon is closed
// with it.
func (a *answer) close() {
	timer := time.AfterFunc(maxDrainTime, a.cancel)
	_, _ = io.CopyN(io.Discard, a.Body, maxDrainBytes)
	timer.Stop()
	_ = a.Body.Close()
	a.cancel()
}

// send sends a request and follows redirects as far as the tool allows it.
func (c *call) send(ctx context.Context, req *request) (*answer, error) {
	for hops := 0; ; hops++ {
		a, err := c.exchange(ctx, req)
		if err != nil {
			return nil, err
		}
		if !isRedirect(a.StatusCode) {
			return a, nil
		}
		req, err = c.follow(ctx, req, a, hops)
		a.close()
		if err != nil {
			return nil, err
		}
	}
}

// exchange sends one request and waits for the head of its response.
func (c *call) exchange(ctx context.Context, r *request) (*answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	req := r.http(ctx)
	resp, err := c.rt.Transport.RoundTrip(req)
	if err != nil {
		cancel()
		return nil, networkFailure(r.url, err)
	}
	if err := ctx.Err(); err != nil { // net/http uses a response that comes as its caller leaves
		cancel()
		_ = resp.Body.Close()
		return nil, networkFailure(r.url, err)
	}
	resp.Request = req // not every transport says so
	c.status = resp.StatusCode
	return &answer{resp, cancel}, nil
}

// isRedirect reports whether a status points elsewhere. 304 does not.
func isRedirect(status int) bool {
	return status >= 300 && status <= 399 && status != http.StatusNotModified
}

// follow returns the request that a redirect asks for.
func (c *call) follow(ctx context.Context, r *request, a *answer, hops int) (*request, error) {
	limit := c.tool.FollowRedirects
	if limit <= 0 {
		return nil, &failure{OutcomeStatus, textRedirectNotFollowed(a.StatusCode), nil}
	}
	if hops >= limit {
		return nil, &failure{OutcomeBlocked, textTooManyRedirects(limit), nil}
	}
	hop, err := guard.NextHop(a.Request, a.Response)
	if err != nil {
		return nil, redirectFailure(r.url, a.StatusCode, err)
	}
	target, err := hostPort(hop.URL)
	if err != nil {
		return nil, redirectFailure(r.url, a.StatusCode, err)
	}
	if err := c.allowRedirect(ctx, hop.URL.Scheme, target, hop.SameOrigin); err != nil {
		return nil, err
	}
	return c.tool.redirected(r, a.Response, hop), nil
}
