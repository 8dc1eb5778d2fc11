package httptool_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/internal/httptool"
)

// redirector sends / to a location, and answers everything else.
func redirector(status int, location func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header()["Location"] = []string{location()}
			w.WriteHeader(status)
			return
		}
		respondJSON(`"arrived"`)(w, r)
	}
}

// redirecting is a fixture whose tool follows one redirect to a location, in
// which PORT stands for the upstream's port.
func redirecting(t *testing.T, status int, location string) *fixture {
	var f *fixture
	f = newFixture(t, redirector(status, func() string { return strings.ReplaceAll(location, "PORT", f.port) }))
	f.tool.FollowRedirects = 1
	return f
}

func TestRule7_4_FollowedWithinTheOrigin(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{"/next", "next?x=1", "https://api.example.com:PORT/next", "//api.example.com:PORT/next", "https://API.example.COM:PORT/next"} {
			f := redirecting(t, status, location)
			f.tool.Headers = []httptool.Header{{Name: "X-Custom", Value: text(t, "1")}}
			require.Equal(t, `"arrived"`, f.ok(`{}`).Text, "%d to %s", status, location)
			require.Equal(t, "1", f.last().Header.Get("X-Custom"))
			require.Equal(t, f.at(host), f.last().Host)
		}
	}
}

func TestRule7_4_MethodAndBody(t *testing.T) {
	for _, c := range []struct {
		status      int
		method      string
		wantMethod  string
		wantBody    string
		wantHeaders bool
	}{
		{301, "POST", "GET", "", false}, {302, "POST", "GET", "", false}, {303, "POST", "GET", "", false},
		{303, "PUT", "GET", "", false}, {301, "PUT", "PUT", `"x"`, true}, {302, "PATCH", "PATCH", `"x"`, true},
		{307, "POST", "POST", `"x"`, true}, {308, "POST", "POST", `"x"`, true}, {307, "DELETE", "DELETE", `"x"`, true},
	} {
		f := redirecting(t, c.status, "/next")
		f.tool.Method, f.tool.Body = c.method, bodyOf(t, "x")
		f.tool.Headers = []httptool.Header{{Name: "Content-Language", Value: text(t, "tr")}, {Name: "X-Custom", Value: text(t, "1")}}
		f.ok(`{}`)
		r := f.last()
		require.Equal(t, c.wantMethod, r.Method, "%+v", c)
		require.Equal(t, c.wantBody, r.body, "%+v", c)
		require.Equal(t, c.wantHeaders, r.Header.Get("Content-Type") != "", "%+v", c)
		require.Equal(t, c.wantHeaders, r.Header.Get("Content-Language") != "", "%+v", c)
		require.Equal(t, "1", r.Header.Get("X-Custom"), "%+v", c)
	}
}

func TestRule7_4_AnotherOriginLearnsNothing(t *testing.T) {
	for _, status := range []int{301, 303, 307, 308} {
		f := redirecting(t, status, "https://other.example.com:PORT/next")
		f.tool.Method, f.tool.Body = "POST", bodyOf(t, "private")
		f.tool.Headers = []httptool.Header{
			{Name: "X-Custom", Value: text(t, "1")}, {Name: "Cookie", Value: text(t, "a=b")}, {Name: "Authorization", Value: text(t, "Basic x")},
			{Name: "X-Key", Value: text(t, "k")}, {Name: "Referer", Value: text(t, "https://r/")}, {Name: "Accept", Value: text(t, "text/csv")}, {Name: "User-Agent", Value: text(t, "mine")},
		}
		f.ok(`{}`)
		r := f.last()
		require.Equal(t, f.at("other.example.com"), r.Host)
		require.Empty(t, r.body)
		r.Header.Del("Content-Length")
		require.Equal(t, http.Header{"Accept": {"text/csv"}, "User-Agent": {"mine"}, "Accept-Encoding": {"gzip, deflate, br"}}, r.Header)
	}
}

// What was dropped on the way is not back when the chain returns.
func TestRule7_4_HeadersAreNotRegained(t *testing.T) {
	var f *fixture
	f = newFixture(t, func(w http.ResponseWriter, r *http.Request) {
		next := map[string]string{"/": "https://other.example.com:" + f.port + "/there", "/there": "https://api.example.com:" + f.port + "/back"}[r.URL.Path]
		if next != "" {
			http.Redirect(w, r, next, http.StatusTemporaryRedirect)
			return
		}
		respondJSON(`1`)(w, r)
	})
	f.tool.FollowRedirects = 5
	f.tool.Method, f.tool.Body = "POST", bodyOf(t, "private")
	f.tool.Headers = []httptool.Header{{Name: "X-Custom", Value: text(t, "1")}}
	f.ok(`{}`)
	require.Equal(t, "/back", f.last().URL.Path)
	require.Empty(t, f.last().Header.Get("X-Custom"))
	require.Empty(t, f.last().body)
}

// secretive gives the tool a secret that may also go to other.example.com.
func secretive(f *fixture) {
	f.uses("KEY", apiKey)
	f.tool.Hosts = map[string][]string{"KEY": {f.at(host), f.at("other.example.com")}}
}

func TestRule7_4a_NoSecretLeavesTheOrigin(t *testing.T) {
	f := redirecting(t, 307, "https://other.example.com:PORT/next")
	secretive(f)
	f.tool.Headers = []httptool.Header{
		{Name: "Authorization", Value: text(t, "Bearer {{secrets.KEY}}")},
		{Name: "user-agent", Value: text(t, "mine {{secrets.KEY}}")},
		{Name: "ACCEPT", Value: text(t, "application/json;v={{secrets.KEY}}")},
	}
	f.ok(`{}`)
	require.Contains(t, f.requests()[0].Header.Get("User-Agent"), apiKey)
	r := f.last()
	require.Equal(t, f.at("other.example.com"), r.Host)
	require.NotContains(t, fmt.Sprint(r.Header), apiKey)
	require.Equal(t, "kervan/1", r.Header.Get("User-Agent"))
	require.Equal(t, "application/json, */*;q=0.1", r.Header.Get("Accept"))
	require.Equal(t, []string{"KEY " + f.at(host) + " test", "KEY " + f.at("other.example.com") + " test"}, f.asked, "the source agrees to each host")
}

func TestRule6_4_RedirectsAreChecked(t *testing.T) {
	for _, location := range []string{
		"https://evil.example.com:PORT/next", "https://api.example.com.:PORT/next", "https://example.com:PORT/next", "https://127.0.0.1:PORT/next",
		"https://evil.example.com:PORT/?k=" + apiKey,
	} {
		for _, place := range []string{"header", "path"} {
			f := redirecting(t, 302, location)
			secretive(f)
			if place == "header" {
				places[place](t, f.tool)
			}
			message := f.fails(httptool.OutcomeBlocked, `{}`)
			require.Contains(t, message, "KEY", location)
			require.NotContains(t, message, "evil", "the target is the upstream's text")
			require.Len(t, f.requests(), 1, location)
			require.Len(t, f.asked, 1, location)
		}
	}
}

func TestRule6_4_RedirectsWithoutAnEntry(t *testing.T) {
	f := redirecting(t, 302, "https://other.example.com:PORT/next")
	f.uses("KEY", apiKey)
	require.Contains(t, f.fails(httptool.OutcomeBlocked, `{}`), "KEY")
	require.Len(t, f.requests(), 1)
	f = redirecting(t, 302, "/next")
	f.uses("KEY", apiKey)
	f.ok(`{}`)
}

func TestRule6_4_TheSourceMustAgreeToRedirects(t *testing.T) {
	for name, refusal := range map[string]error{"empty": nil, "error": errors.New("no")} {
		f := redirecting(t, 302, "https://other.example.com:PORT/next")
		secretive(f)
		f.rt.Secret = func(_ context.Context, _, target, _ string) (string, error) {
			if target == f.at(host) {
				return apiKey, nil
			}
			return "", refusal
		}
		require.Contains(t, f.fails(httptool.OutcomeSecret, `{}`), f.at("other.example.com"), name)
		require.Len(t, f.requests(), 1, name)
	}
}

// A redirect from http to http needs the development option all the way.
func TestRule6_5_RedirectsOverPlainHTTP(t *testing.T) {
	var f *fixture
	f = newPlainFixture(t, redirector(302, func() string { return "http://other.example.com:" + f.port + "/next" }))
	f.tool.FollowRedirects = 1
	secretive(f)
	f.tool.AllowInsecureSecrets = true
	f.ok(`{}`)
	require.Equal(t, f.at("other.example.com"), f.last().Host)
}

func TestRule7_4_Refused(t *testing.T) {
	for _, c := range []struct{ location, want string }{
		{"http://api.example.com:PORT/next", "https to http"},
		{"https://u:p@api.example.com:PORT/next", "user name"},
		{"https://u@api.example.com:PORT/next", "user name"},
		{"ftp://api.example.com/next", "neither http nor https"},
		{"javascript:alert(1)", "neither http nor https"},
		{"data:application/json,1", "neither http nor https"},
		{"", "target"},
		{" ", "target"},
		{"https://", "URL"},
		{"https://[::1", "URL"},
		{"%zz", "URL"},
		{"https://api.example.com:1/next", "port"},
		{"https://other.example.com:80/next", "port"},
		{"https://2130706434:PORT/", "no valid host"},
		{"https://0x7f000002:PORT/", "no valid host"},
		{"https://127.1:PORT/", "no valid host"},
		{"https://a_b.example.com:PORT/", "no valid host"},
		{`/\127.0.0.2/`, "URL"},
	} {
		f := redirecting(t, 302, c.location)
		message := f.fails(httptool.OutcomeBlocked, `{}`)
		require.Contains(t, message, c.want, "%q", c.location)
		require.Contains(t, message, f.at(host), "%q", c.location)
		require.Len(t, f.requests(), 1, "%q", c.location)
	}
}

func TestRule7_4_TargetsAreJudged(t *testing.T) {
	for _, target := range []string{"169.254.169.254", "10.0.0.7", "[::ffff:127.0.0.2]", "[::1]", "127.0.0.2", "private.example.com"} {
		f := redirecting(t, 302, "https://"+target+":PORT/next")
		// Only the upstream's own address is accepted.
		f.rt.Transport = newTransport(t, guard.Policy{Allow: []string{"127.0.0.1"}, Resolver: splitResolver{}, TLS: insecureTLS()})
		message := f.fails(httptool.OutcomeBlocked, `{}`)
		require.Contains(t, message, "blocked", target)
		require.Len(t, f.requests(), 1, target)
	}
	f := redirecting(t, 302, "//127.0.0.2:PORT/next")
	f.rt.Transport = newTransport(t, guard.Policy{Allow: []string{"127.0.0.1"}, Resolver: splitResolver{}, TLS: insecureTLS()})
	require.Contains(t, f.fails(httptool.OutcomeBlocked, `{}`), "blocked")
}

func TestRule7_4_Count(t *testing.T) {
	newChain := func(hops int) *fixture {
		return newFixture(t, func(w http.ResponseWriter, r *http.Request) {
			n := 0
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
			if n < hops {
				http.Redirect(w, r, fmt.Sprintf("/%d", n+1), http.StatusFound)
				return
			}
			respondJSON(`"end"`)(w, r)
		})
	}
	f := newChain(3)
	f.tool.FollowRedirects = 3
	require.Equal(t, `"end"`, f.ok(`{}`).Text)
	f = newChain(4)
	f.tool.FollowRedirects = 3
	require.Equal(t, "Upstream redirected more than 3 times.", f.fails(httptool.OutcomeBlocked, `{}`))
	require.Len(t, f.requests(), 4)
	f = newChain(2)
	f.tool.FollowRedirects = 1
	require.Equal(t, "Upstream redirected more than 1 time.", f.fails(httptool.OutcomeBlocked, `{}`))
}

// The ports that count are 443 and that of the first request, however long the
// chain is.
func TestRule7_4a_PortOfTheFirstRequest(t *testing.T) {
	next := map[string]string{"/": "https://api.example.com/a", "/a": "https://api.example.com:8443/b", "/b": "https://api.example.com/c"}
	var visited []string
	f := offline(t, func(r *http.Request) (*http.Response, error) {
		visited = append(visited, r.URL.String())
		if to := next[r.URL.Path]; to != "" {
			return &http.Response{StatusCode: 302, Header: http.Header{"Location": {to}}, Body: http.NoBody}, nil
		}
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	})
	f.tool.Port, f.tool.FollowRedirects = "8443", 5
	f.ok(`{}`)
	require.Equal(t, []string{"https://api.example.com:8443/", "https://api.example.com/a", "https://api.example.com:8443/b", "https://api.example.com/c"}, visited)
	next["/a"] = "https://api.example.com:9443/b"
	require.Contains(t, f.fails(httptool.OutcomeBlocked, `{}`), "port")
}

func TestRule7_4_NotFollowed(t *testing.T) {
	for status, want := range map[int]string{
		300: "300 Multiple Choices", 301: "301 Moved Permanently", 302: "302 Found", 303: "303 See Other", 305: "305 Use Proxy",
		306: "306", 307: "307 Temporary Redirect", 308: "308 Permanent Redirect", 399: "399",
	} {
		f := redirecting(t, status, "/next")
		f.tool.FollowRedirects = 0
		require.Equal(t, "Upstream returned "+want+", a redirect, which was not followed.", f.fails(httptool.OutcomeStatus, `{}`))
		require.Len(t, f.requests(), 1)
		if status == 300 || status == 305 || status == 306 || status == 399 {
			f.tool.FollowRedirects = 5
			require.Contains(t, f.fails(httptool.OutcomeStatus, `{}`), "was not followed", "%d is not one to follow", status)
			require.Len(t, f.requests(), 2)
		}
	}
}

func TestRule7_4_NotModifiedIsNoRedirect(t *testing.T) {
	f := redirecting(t, 304, "/next")
	require.Equal(t, "null", f.ok(`{}`).Text)
	require.Len(t, f.requests(), 1)
	f.tool.Raw, f.tool.Select = true, ""
	require.Empty(t, f.ok(`{}`).Text)
}

// The body that came with a redirect is read, so that the connection serves the
// next hop.
func TestRule7_3_RedirectsReuseTheConnection(t *testing.T) {
	f := newFixture(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Location", "/next")
			w.WriteHeader(http.StatusFound)
			_, _ = w.Write(make([]byte, 10_000))
			return
		}
		respondJSON(`1`)(w, r)
	})
	f.tool.FollowRedirects = 1
	f.ok(`{}`)
	require.Equal(t, f.requests()[0].RemoteAddr, f.last().RemoteAddr)
}
