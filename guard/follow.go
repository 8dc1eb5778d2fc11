package guard

import (
	"net/http"
	"slices"
)

// checkRedirect returns the CheckRedirect of a client that follows up to limit
// redirects. net/http has built the next request by then, by laxer rules: it
// keeps custom headers and names the last URL as Referer, also to other hosts,
// and turns every method but HEAD into GET.
func checkRedirect(limit int) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		switch {
		case limit == 0:
			return http.ErrUseLastResponse
		case len(via) > limit:
			return &RedirectError{Reason: ReasonTooManyRedirects}
		}
		last := via[len(via)-1]
		hop, err := NextHop(last, next.Response)
		if err != nil {
			return err
		}
		next.URL, next.Method = hop.URL, hop.Method
		if leftOrigin(next, via) {
			keepOnly(next.Header, "Accept", "User-Agent")
			dropBody(next)
			return nil
		}
		if !hop.KeepBody {
			dropBody(next)
			return nil
		}
		return carryBody(next, last)
	}
}

// leftOrigin reports whether a chain of requests has ever left the origin that
// it began with. net/http copies the headers of the first request to every hop,
// so coming back to where another origin pointed must not restore them either.
func leftOrigin(next *http.Request, via []*http.Request) bool {
	first := originOf(via[0].URL)
	return originOf(next.URL) != first || slices.ContainsFunc(via, func(r *http.Request) bool {
		return originOf(r.URL) != first
	})
}

// keepOnly deletes all headers but those.
func keepOnly(h http.Header, names ...string) {
	for name := range h {
		if !slices.Contains(names, name) {
			delete(h, name)
		}
	}
}

// bodyHeaders describe a body, and go where it goes.
var bodyHeaders = []string{"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"}

// dropBody makes a request one without a body.
func dropBody(next *http.Request) {
	if next.Body != nil {
		next.Body.Close()
	}
	next.Body, next.GetBody, next.ContentLength = nil, nil, 0
	for _, name := range bodyHeaders {
		next.Header.Del(name)
	}
}

// carryBody gives a request the body of the one before it. If that cannot be
// read again, the redirect itself is the answer, as net/http does it for 307.
func carryBody(next, last *http.Request) error {
	if last.GetBody == nil {
		if last.Body == nil || last.Body == http.NoBody {
			return nil
		}
		return http.ErrUseLastResponse
	}
	if next.Body != nil {
		next.Body.Close()
	}
	body, err := last.GetBody()
	if err != nil {
		return err
	}
	next.Body, next.GetBody, next.ContentLength = body, last.GetBody, last.ContentLength
	for _, name := range bodyHeaders {
		if values, ok := last.Header[name]; ok {
			next.Header[name] = values
		}
	}
	return nil
}
