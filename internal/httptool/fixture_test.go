package httptool_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jmespath/go-jmespath"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/secret"
	"github.com/kervan-mcp/kervan/internal/template"
)

// host is what tests call their upstream, unless they say otherwise. Every
// name under example.com leads to it.
const host = "api.example.com"

// A fixture is a tool, a runtime, and an upstream over TLS on loopback.
type fixture struct {
	t       testing.TB
	server  *httptest.Server
	port    string
	tool    *httptool.Tool
	rt      *httptool.Runtime
	secrets map[string]string // what the runtime's source knows

	mu     sync.Mutex
	seen   []*seen
	asked  []string // "NAME host:port tool"
	events []httptool.Event
}

// A seen is a request that reached the upstream.
type seen struct {
	*http.Request
	body string
}

type resolver struct{}

func (resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// A splitResolver knows a name that leads to a private network.
type splitResolver struct{ resolver }

func (r splitResolver) LookupNetIP(ctx context.Context, network, name string) ([]netip.Addr, error) {
	if name == "private.example.com" {
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	}
	return r.resolver.LookupNetIP(ctx, network, name)
}

// newFixture serves a handler to a tool that gets / and selects everything.
func newFixture(t testing.TB, handler http.HandlerFunc) *fixture {
	return newFixtureOn(t, handler, (*httptest.Server).StartTLS)
}

// newPlainFixture is a fixture whose upstream has no TLS.
func newPlainFixture(t testing.TB, handler http.HandlerFunc) *fixture {
	return newFixtureOn(t, handler, (*httptest.Server).Start)
}

func newFixtureOn(t testing.TB, handler http.HandlerFunc, start func(*httptest.Server)) *fixture {
	t.Helper()
	f := &fixture{t: t, secrets: map[string]string{}}
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.seen = append(f.seen, &seen{r, string(body)})
		f.mu.Unlock()
		handler(w, r)
	}))
	f.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(f.server)
	t.Cleanup(f.server.Close)
	u, err := url.Parse(f.server.URL)
	require.NoError(t, err)
	f.port = u.Port()
	policy := guard.Policy{AllowPrivate: true, Resolver: resolver{}}
	if u.Scheme == "https" {
		policy.TLS = f.server.Client().Transport.(*http.Transport).TLSClientConfig
	}
	f.tool = &httptool.Tool{Name: "test", Scheme: u.Scheme, Host: host, Port: f.port, Select: "@", Timeout: 20 * time.Second}
	f.rt = &httptool.Runtime{
		Transport: newTransport(t, policy),
		Select:    evaluate,
		Vault:     secret.NewVault(nil),
		Secret:    f.secret,
		Events:    f.record,
	}
	return f
}

func (f *fixture) record(e httptool.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
}

func newTransport(t testing.TB, p guard.Policy) *guard.Transport {
	t.Helper()
	transport, err := guard.NewTransport(p)
	require.NoError(t, err)
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func (f *fixture) secret(_ context.Context, name, host, tool string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, name+" "+host+" "+tool)
	return f.secrets[name], nil
}

// uses gives the tool a secret with a value.
func (f *fixture) uses(name, value string) {
	f.tool.Secrets = append(f.tool.Secrets, name)
	f.secrets[name] = value
}

// at is a host with the upstream's port.
func (f *fixture) at(host string) string { return net.JoinHostPort(host, f.port) }

func (f *fixture) call(args string) (*httptool.Result, error) {
	f.t.Helper()
	return f.tool.Call(f.t.Context(), f.rt, []byte(args))
}

func (f *fixture) ok(args string) *httptool.Result {
	f.t.Helper()
	res, err := f.call(args)
	require.NoError(f.t, err)
	require.NotNil(f.t, res)
	return res
}

// fails returns the message of a call that must fail with an *Error, and
// checks the outcome that its event has.
func (f *fixture) fails(outcome httptool.Outcome, args string) string {
	f.t.Helper()
	res, err := f.call(args)
	require.Nil(f.t, res)
	var e *httptool.Error
	require.ErrorAs(f.t, err, &e)
	require.Equal(f.t, outcome, f.event().Outcome, "%v", err)
	return e.Message
}

// event is that of the last call.
func (f *fixture) event() httptool.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	require.NotEmpty(f.t, f.events)
	return f.events[len(f.events)-1]
}

// requests returns what reached the upstream.
func (f *fixture) requests() []*seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

func (f *fixture) last() *seen {
	f.t.Helper()
	all := f.requests()
	require.NotEmpty(f.t, all)
	return all[len(all)-1]
}

// evaluate is the select of most tests. The expression @ keeps digits and
// order, as the sandbox does for all.
func evaluate(_ context.Context, expression string, data []byte) ([]byte, error) {
	if expression == "@" {
		return data, nil
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	selected, err := jmespath.Search(expression, v)
	if err != nil {
		return nil, errors.New("the expression failed")
	}
	return json.Marshal(selected)
}

func text(t testing.TB, s string) *template.Text {
	t.Helper()
	parsed, err := template.Parse(s)
	require.NoError(t, err)
	return parsed
}

// field is a query or form entry of one value.
func field(t testing.TB, name, value string) template.Field {
	return template.Field{Name: name, Items: []*template.Text{text(t, value)}}
}

func bodyOf(t testing.TB, tree any) *template.Body {
	t.Helper()
	b, err := template.ParseBody(tree)
	require.NoError(t, err)
	return b
}

// respond answers every request with a type and a body.
func respond(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		_, _ = io.WriteString(w, body)
	}
}

func respondJSON(body string) http.HandlerFunc { return respond("application/json", body) }

// transportFunc is a transport without a network.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// offline returns a runtime and a tool whose upstream is a function, for tests
// in a bubble of fake time.
func offline(t testing.TB, upstream transportFunc) *fixture {
	f := &fixture{t: t, secrets: map[string]string{}, port: "443"}
	f.tool = &httptool.Tool{Name: "test", Scheme: "https", Host: host, Select: "@"}
	f.rt = &httptool.Runtime{
		Transport: upstream, Select: evaluate, Vault: secret.NewVault(nil), Secret: f.secret,
		Events: f.record,
	}
	return f
}

// insecureTLS is for upstreams whose certificate is not the matter.
func insecureTLS() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }
