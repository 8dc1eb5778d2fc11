package kerventest

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An API is a fake HTTP API on the loopback interface, for tools that call
// one. It answers from a table and records what it is sent. It is safe for
// concurrent use.
//
//	api := kerventest.Upstream(t)
//	api.JSON("GET /users/7", `{"name":"Ada"}`)
//	// … call a tool that requests api.URL() + "/users/7" …
//	if got := api.Last().Header.Get("Accept"); got != "application/json" {
//		t.Error(got)
//	}
//
// The guard of packages spec and guard refuses loopback addresses unless its
// policy allows them: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()}.
type API struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	answers  map[string]http.HandlerFunc
	requests []Request
}

// A Request is what an [API] was sent.
type Request struct {
	Method   string
	Path     string // percent-encoded, as it was sent
	RawQuery string
	Header   http.Header
	Body     string
}

// An Answer is what an [API] sends back. The zero value is 200 without a body.
type Answer struct {
	Status int // 0 means 200
	Header http.Header
	Body   string
}

// Upstream starts an API over plain HTTP until the test ends. A request that
// nothing was set for gets 404.
func Upstream(t testing.TB) *API {
	t.Helper()
	a := &API{t: t, answers: map[string]http.HandlerFunc{}}
	a.server = httptest.NewServer(a)
	t.Cleanup(a.server.Close)
	return a
}

// UpstreamTLS is [Upstream] over HTTPS, with a certificate for 127.0.0.1 that
// clients with [API.TLS] trust.
func UpstreamTLS(t testing.TB) *API {
	t.Helper()
	a := &API{t: t, answers: map[string]http.HandlerFunc{}}
	a.server = httptest.NewTLSServer(a)
	t.Cleanup(a.server.Close)
	return a
}

// URL returns where the API is, such as http://127.0.0.1:41234, without a
// final slash.
func (a *API) URL() string { return a.server.URL }

// Host returns the address and the port of the API.
func (a *API) Host() string { return a.server.Listener.Addr().String() }

// TLS returns a configuration that trusts the API's certificate; nil for one
// over plain HTTP.
func (a *API) TLS() *tls.Config {
	certificate := a.server.Certificate()
	if certificate == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return &tls.Config{RootCAs: roots}
}

// Answer sets what a route answers from now on. A route is a method and a
// path, percent-encoded and without a query, as in "GET /users/7"; a path
// alone answers every method that has no answer of its own, and "*" whatever
// nothing else answers.
func (a *API) Answer(route string, answer Answer) {
	a.Handle(route, func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		if answer.Status != 0 {
			w.WriteHeader(answer.Status)
		}
		_, _ = io.WriteString(w, answer.Body) // a client that is gone is no fault of the API
	})
}

// JSON has a route answer 200 with this JSON.
func (a *API) JSON(route, body string) {
	a.Answer(route, Answer{Header: http.Header{"Content-Type": {"application/json"}}, Body: body})
}

// Handle has a function answer a route. The request is recorded before; its
// body can be read again. A function that waits must end with the request's
// context.
func (a *API) Handle(route string, handler http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[route] = handler
}

// Requests returns what was sent so far, in the order in which it came.
func (a *API) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// Last returns the latest request, and fails the test if none came.
func (a *API) Last() Request {
	a.t.Helper()
	requests := a.Requests()
	if len(requests) == 0 {
		a.t.Fatal("kerventest: the upstream got no request")
	}
	return requests[len(requests)-1]
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client broke off
	}
	path := r.URL.EscapedPath()
	a.mu.Lock()
	a.requests = append(a.requests, Request{
		Method: r.Method, Path: path, RawQuery: r.URL.RawQuery, Header: r.Header.Clone(), Body: string(body),
	})
	answer := http.NotFound
	for _, route := range []string{"*", path, r.Method + " " + path} {
		if set := a.answers[route]; set != nil {
			answer = set
		}
	}
	a.mu.Unlock()
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	answer(w, r)
}
