package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seen is what a server saw of a request.
type seen struct {
	host, method, path, body string
	header                   http.Header
}

// redirector redirects as the path says: /STATUS/TARGET; it records requests.
type redirector struct {
	mu   sync.Mutex
	seen []seen
}

func (r *redirector) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.seen = append(r.seen, seen{req.Host, req.Method, req.URL.Path, string(body), req.Header})
	r.mu.Unlock()
	var status int
	if _, err := fmt.Sscanf(req.URL.Path, "/%d", &status); err != nil {
		io.WriteString(w, "end")
		return
	}
	if to, ok := req.URL.Query()["to"]; ok {
		w.Header().Set("Location", to[0])
	}
	w.WriteHeader(status)
	io.WriteString(w, "moved")
}

func (r *redirector) requests() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// redirecting starts a redirector, and a client that reaches it under every
// name.
func redirecting(t *testing.T, max int) (*redirector, *http.Client) {
	r := &redirector{}
	network := newInternet(t, r)
	resolver := newNames(map[string][]string{
		"a.example": {"8.8.8.8"}, "b.example": {"1.1.1.1"}, "c.example": {"9.9.9.9"}, "inside.example": {"10.0.0.7"}, "a.example.": {"8.8.8.8"},
	})
	return r, testClient(t, Policy{Resolver: resolver, MaxRedirects: max}, network.connect)
}

// redirectTo is a URL that redirects.
func redirectTo(host string, status int, target string) string {
	return fmt.Sprintf("http://%s/%d?to=%s", host, status, strings.NewReplacer("?", "%3f", "&", "%26", "=", "%3d", "%", "%25").Replace(target))
}

func TestRule7_4_NotFollowedByDefault(t *testing.T) {
	r, client := redirecting(t, 0)
	resp, err := client.Get(redirectTo("a.example", 302, "/x"))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 302, resp.StatusCode)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "moved", string(body))
	require.Len(t, r.requests(), 1)
}

func TestRule7_4_TooMany(t *testing.T) {
	chain := func(n int) string {
		target := "http://a.example/end"
		for range n {
			target = redirectTo("a.example", 302, target)
		}
		return target
	}
	r, client := redirecting(t, 3)
	body, err := get(client, chain(3))
	require.NoError(t, err)
	require.Equal(t, "end", body)
	require.Len(t, r.requests(), 4)

	r, client = redirecting(t, 3)
	_, err = client.Get(chain(4))
	requireRedirect(t, err, ReasonTooManyRedirects)
	require.Len(t, r.requests(), 4, "the last target is not requested")
}

func requireRedirect(t *testing.T, err error, reason Reason) {
	t.Helper()
	var redirect *RedirectError
	require.ErrorAs(t, err, &redirect)
	require.Equal(t, reason, redirect.Reason)
}

func TestRule7_4_HopsAreJudged(t *testing.T) {
	blocked := map[string]Reason{
		"http://169.254.169.254/latest/": ReasonMetadata, "http://inside.example/": ReasonNotPublic, "http://[::ffff:127.0.0.2]/": ReasonNotPublic,
		"//127.0.0.2/": ReasonNotPublic, "http://127.0.0.1/": ReasonOwnAddress, "http://2130706434/": ReasonInvalidHost, "http://0x7f000002/": ReasonInvalidHost,
		"//[fe80::1]/": ReasonMetadata, "http://unknown.example/": ReasonNoAnswer,
	}
	for target, reason := range blocked {
		r, client := redirecting(t, 5)
		_, err := client.Get(redirectTo("a.example", 302, target))
		requireBlocked(t, err, reason)
		require.Len(t, r.requests(), 1, target)
	}
	for target, reason := range map[string]Reason{
		`/\127.0.0.2/`: ReasonBadLocation, "http://a.example:22/": ReasonPort, "http://u:p@a.example/": ReasonUserinfo, "ftp://a.example/": ReasonScheme,
	} {
		r, client := redirecting(t, 5)
		_, err := client.Get(redirectTo("a.example", 302, target))
		requireRedirect(t, err, reason)
		require.Len(t, r.requests(), 1, target)
	}
}

func TestRule7_4_NoDowngrade(t *testing.T) {
	server, trust := newTLSServer(t, http.RedirectHandler("http://example.com/", http.StatusFound))
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	client := newTestClient(t, Policy{AllowPrivate: true, TLS: trust, MaxRedirects: 5, Resolver: newNames(map[string][]string{"example.com": {"127.0.0.1"}})})
	_, err := client.Get("https://example.com:" + port)
	requireRedirect(t, err, ReasonDowngrade)
}

// A redirect without a Location is an answer, as in net/http.
func TestRule7_4_NoLocation(t *testing.T) {
	r, client := redirecting(t, 5)
	resp, err := client.Get("http://a.example/302")
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, 302, resp.StatusCode)
	for _, status := range []int{300, 304} {
		resp, err := client.Get(redirectTo("a.example", status, "/x"))
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, status, resp.StatusCode)
	}
	require.Len(t, r.requests(), 3)
}

// net/http would work for seconds on such a Location, even if it follows none.
func TestRule7_4_LongTargetHosts(t *testing.T) {
	network := newInternet(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://"+manyRunes(15_000)+"/")
		w.WriteHeader(http.StatusFound)
	}))
	for _, max := range []int{0, 3} {
		start := time.Now()
		_, err := testClient(t, Policy{MaxRedirects: max}, network.connect).Get("http://8.8.8.8/")
		requireRedirect(t, err, ReasonBadLocation)
		require.Less(t, time.Since(start), time.Second)
	}
	r, client := redirecting(t, 1)
	_, err := get(client, redirectTo("a.example", 302, "/"+strings.Repeat("x", 4*maxInput)))
	require.NoError(t, err, "a long path is none of these")
	require.Len(t, r.requests(), 2)
}

// send makes a request with a body and with headers of every kind.
func send(t *testing.T, client *http.Client, method, url string, body io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	require.NoError(t, err)
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "Accept", "User-Agent", "Content-Type", "Content-Language", "Proxy-Authorization", "X-Trace"} {
		req.Header.Set(name, "my "+name)
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	return resp
}

func TestRule7_4_OtherOriginsGetNoHeaders(t *testing.T) {
	for _, target := range []string{
		"http://b.example/end", "http://a.example./end", "http://8.8.8.8/end",
		redirectTo("b.example", 307, "/end"), redirectTo("b.example", 308, "http://c.example/end"), redirectTo("b.example", 302, "http://a.example/end"),
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			r, client := redirecting(t, 5)
			send(t, client, "POST", redirectTo("a.example", status, target), strings.NewReader("body"))
			requests := r.requests()
			require.Greater(t, len(requests), 1)
			require.Equal(t, "body", requests[0].body)
			require.Equal(t, "my X-Api-Key", requests[0].header.Get("X-Api-Key"))
			for _, s := range requests[1:] {
				require.Empty(t, s.body, "%d to %s", status, target)
				s.header.Del("Content-Length") // 0, of a POST without a body
				s.header.Del("Accept-Encoding")
				require.Equal(t, http.Header{"Accept": {"my Accept"}, "User-Agent": {"my User-Agent"}}, s.header, "%d to %s", status, target)
			}
			require.Equal(t, "/end", requests[len(requests)-1].path)
		}
	}
}

func TestRule7_4_SameOriginKeepsHeaders(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
		want   string
		body   string
	}{
		{"POST", 301, "GET", ""}, {"POST", 302, "GET", ""}, {"POST", 303, "GET", ""}, {"POST", 307, "POST", "body"}, {"POST", 308, "POST", "body"},
		{"PUT", 301, "PUT", "body"}, {"PATCH", 302, "PATCH", "body"}, {"DELETE", 303, "GET", ""}, {"PUT", 308, "PUT", "body"},
	} {
		r, client := redirecting(t, 5)
		send(t, client, c.method, redirectTo("a.example", c.status, redirectTo("a.example", 307, "/end")), strings.NewReader("body"))
		requests := r.requests()
		require.Len(t, requests, 3)
		for _, s := range requests[1:] {
			require.Equal(t, c.want, s.method, "%s %d", c.method, c.status)
			require.Equal(t, c.body, s.body, "%s %d", c.method, c.status)
			require.Equal(t, "my X-Api-Key", s.header.Get("X-Api-Key"))
			require.Equal(t, "my Authorization", s.header.Get("Authorization"))
			require.Equal(t, c.body != "", s.header.Get("Content-Type") != "", "%s %d", c.method, c.status)
		}
	}
}

// A body that can be read only once is not sent a second time.
func TestRule7_4_BodyOfOneReading(t *testing.T) {
	for _, status := range []int{301, 307} {
		r, client := redirecting(t, 5)
		resp := send(t, client, "PUT", redirectTo("a.example", status, "/end"), io.MultiReader(bytes.NewBufferString("body")))
		require.Equal(t, status, resp.StatusCode)
		require.Len(t, r.requests(), 1)
	}
}

func TestRule7_4_BodyThatFails(t *testing.T) {
	r, client := redirecting(t, 5)
	req, err := http.NewRequest("PUT", redirectTo("a.example", 301, "/end"), strings.NewReader("body"))
	require.NoError(t, err)
	req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("the file is gone") }
	_, err = client.Do(req)
	require.ErrorContains(t, err, "the file is gone")
	require.Len(t, r.requests(), 1)
}

func TestRule7_4_GetWithoutBody(t *testing.T) {
	r, client := redirecting(t, 5)
	body, err := get(client, redirectTo("a.example", 301, "/end"))
	require.NoError(t, err)
	require.Equal(t, "end", body)
	require.Equal(t, "http://a.example/301?to=/end", r.requests()[1].header.Get("Referer"), "within an origin")
}

// Cookies of a jar belong to their host, and are sent there.
func TestRule7_4_Jar(t *testing.T) {
	r, client := redirecting(t, 5)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client.Jar = jar
	end, err := http.NewRequest("GET", "http://b.example/", nil)
	require.NoError(t, err)
	jar.SetCookies(end.URL, []*http.Cookie{{Name: "of", Value: "b"}})
	_, err = get(client, redirectTo("a.example", 302, "http://b.example/end"))
	require.NoError(t, err)
	require.Equal(t, "of=b", r.requests()[1].header.Get("Cookie"))
}

// A chain over a real socket, in both policies that open the loopback.
func TestRule7_4_RealServers(t *testing.T) {
	r := &redirector{}
	server := httptest.NewServer(r)
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, p := range []Policy{{AllowPrivate: true, MaxRedirects: 2}, {Allow: []string{"127.0.0.1"}, MaxRedirects: 2}} {
		client := newTestClient(t, p)
		body, err := get(client, redirectTo("127.0.0.1:"+port, 302, "/end"))
		require.NoError(t, err)
		require.Equal(t, "end", body)
		before := len(r.requests())
		_, err = client.Get(redirectTo("127.0.0.1:"+port, 302, "http://169.254.169.254:"+port+"/"))
		requireBlocked(t, err, ReasonMetadata)
		require.Len(t, r.requests(), before+1)
	}
}
