package guard

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// answerTo makes a request and a redirect that answers it.
func answerTo(t *testing.T, method, from string, status int, locations ...string) (*http.Request, *http.Response) {
	req, err := http.NewRequest(method, from, nil)
	require.NoError(t, err)
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Request: req}
	for _, l := range locations {
		resp.Header.Add("Location", l)
	}
	return req, resp
}

func TestRule7_4_Targets(t *testing.T) {
	const from = "https://api.example:8443/v1/items?a=b"
	for location, want := range map[string]struct {
		url        string
		sameOrigin bool
	}{
		"/v2":                            {"https://api.example:8443/v2", true},
		"v2":                             {"https://api.example:8443/v1/v2", true},
		"?page=2":                        {"https://api.example:8443/v1/items?page=2", true},
		"../up":                          {"https://api.example:8443/up", true},
		"https://api.example:8443/x":     {"https://api.example:8443/x", true},
		"https://API.Example:08443/x":    {"https://api.example:8443/x", true},
		"HTTPS://api.example:8443/x":     {"https://api.example:8443/x", true},
		"//api.example:8443/x":           {"https://api.example:8443/x", true},
		"//api.example/x":                {"https://api.example/x", false},
		"https://api.example/x":          {"https://api.example/x", false},
		"https://api.example:443/x":      {"https://api.example:443/x", false},
		"https://api.example.:8443/x":    {"https://api.example.:8443/x", false},
		"https://other.example/x":        {"https://other.example/x", false},
		"https://other.example:8443/x":   {"https://other.example:8443/x", false},
		"https://bücher.example/x":       {"https://xn--bcher-kva.example/x", false},
		"https://[2606:4700:0::1]/x":     {"https://[2606:4700::1]/x", false},
		"https://[2606:4700::1]:8443/x":  {"https://[2606:4700::1]:8443/x", false},
		"https://127.0.0.2/x":            {"https://127.0.0.2/x", false}, // judged when it is dialled
		"//169.254.169.254/":             {"https://169.254.169.254/", false},
		`/x?path=C:\dir`:                 {`https://api.example:8443/x?path=C:\dir`, true},
		"https://other.example:/x":       {"https://other.example/x", false},
		"https://other.example/a b":      {"https://other.example/a%20b", false},
		"https://other.example?to=//x.y": {"https://other.example?to=//x.y", false},
	} {
		req, resp := answerTo(t, "GET", from, 302, location)
		hop, err := NextHop(req, resp)
		require.NoError(t, err, location)
		require.Equal(t, want.url, hop.URL.String(), location)
		require.Equal(t, want.sameOrigin, hop.SameOrigin, location)
		require.Equal(t, from, req.URL.String(), "the request is not changed")
	}
}

func TestRule7_4_RefusedTargets(t *testing.T) {
	const from = "https://api.example:8443/v1/items"
	refused := map[Reason][]string{
		ReasonEmptyLocation: {"", " "},
		ReasonBadLocation: {
			"http://[::1", "https://a b.example/", "https://%zz/", "%zz", `/\127.0.0.2`, `\\127.0.0.2`, `\/127.0.0.2/x`, `https:\\127.0.0.2`,
			`https://a.example\@b.example/`, "///127.0.0.2", "////127.0.0.2/", "https:///127.0.0.2", "https:127.0.0.2", "https:/127.0.0.2", "https://",
			"https:", "/\t/127.0.0.2", "//", "https://a.example:x/", "https://?x", ":", "https://%31%32%37.0.0.1/", "https://[127.0.0.1]/", "https://:8443/x",
		},
		ReasonScheme: {
			"ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "gopher://127.0.0.1:6379/_", "ws://a.example/",
			"unix:///run/docker.sock", "httpss://a.example/", "mailto:a@b.example",
		},
		ReasonDowngrade:   {"http://api.example:8443/", "http://api.example/", "http://a.example:443/", "HTTP://a.example/"},
		ReasonUserinfo:    {"https://user@a.example/", "https://user:pass@a.example/", "//user@a.example/", "https://@a.example/", "https://a.example@169.254.169.254/"},
		ReasonPort:        {"https://api.example:22/", "https://a.example:80/", "//a.example:6379/", "https://a.example:0/", "https://a.example:99999/", "https://a.example:8444/"},
		ReasonInvalidHost: {"https://2130706434/", "https://0x7f000002/", "//127.1/", "//0177.0.0.1", "https://１２７.０.０.１/", "https://127.0.0.1./", "https://a_b.example/", "https://a..b/", "https://[fe80::1%25eth0]/"},
	}
	for reason, locations := range refused {
		for _, location := range locations {
			req, resp := answerTo(t, "GET", from, 302, location)
			hop, err := NextHop(req, resp)
			require.Nil(t, hop, location)
			var redirect *RedirectError
			require.ErrorAs(t, err, &redirect, location)
			require.Equal(t, reason, redirect.Reason, location)
			require.Contains(t, err.Error(), textReason(reason))
			if reason == ReasonInvalidHost {
				requireBlocked(t, err, ReasonInvalidHost)
			}
		}
	}
	for reason, locations := range map[Reason][]string{ReasonEmptyLocation: nil, ReasonBadLocation: {"/a", "/b"}} {
		req, resp := answerTo(t, "GET", from, 302, locations...)
		_, err := NextHop(req, resp)
		require.Equal(t, &RedirectError{Reason: reason}, err)
	}
}

// Every port but 443 and that of the first request is refused, along a chain.
func TestRule7_4a_Ports(t *testing.T) {
	for _, c := range []struct {
		chain []string
		ok    bool
	}{
		{[]string{"http://a.example", "http://b.example"}, true},
		{[]string{"http://a.example", "https://a.example"}, true},
		{[]string{"http://a.example", "http://a.example:8080"}, false},
		{[]string{"http://a.example:8080", "http://a.example"}, false},
		{[]string{"http://a.example:8080", "https://a.example"}, true},
		{[]string{"http://a.example:8080", "http://a.example:443"}, true},
		{[]string{"http://a.example:8080", "https://a.example:8080"}, true},
		{[]string{"https://a.example:8443", "https://b.example", "https://a.example:8443"}, true},
		{[]string{"https://a.example:8443", "https://b.example", "https://a.example:9443"}, false},
		{[]string{"https://a.example", "https://b.example", "https://a.example:8443"}, false},
	} {
		var last *http.Response
		var err error
		for i, u := range c.chain[:len(c.chain)-1] {
			req, resp := answerTo(t, "GET", u, 302, c.chain[i+1])
			req.Response = last
			_, err = NextHop(req, resp)
			last = resp
		}
		require.Equal(t, c.ok, err == nil, "%v: %v", c.chain, err)
	}
}

func TestRule7_4_Methods(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
		want   string
		body   bool
	}{
		{"", 301, "GET", true}, {"GET", 302, "GET", true}, {"GET", 303, "GET", false}, {"GET", 307, "GET", true}, {"", 303, "GET", false},
		{"HEAD", 301, "HEAD", true}, {"HEAD", 303, "HEAD", false}, {"HEAD", 308, "HEAD", true},
		{"POST", 301, "GET", false}, {"POST", 302, "GET", false}, {"POST", 303, "GET", false}, {"POST", 307, "POST", true}, {"POST", 308, "POST", true},
		{"PUT", 301, "PUT", true}, {"PUT", 302, "PUT", true}, {"PUT", 303, "GET", false}, {"PUT", 307, "PUT", true},
		{"PATCH", 302, "PATCH", true}, {"DELETE", 301, "DELETE", true}, {"DELETE", 303, "GET", false}, {"OPTIONS", 308, "OPTIONS", true},
	} {
		for target, same := range map[string]bool{"/x": true, "https://b.example/x": false} {
			req, resp := answerTo(t, c.method, "https://a.example/", c.status, target)
			req.Method = c.method
			hop, err := NextHop(req, resp)
			require.NoError(t, err)
			require.Equal(t, c.want, hop.Method, "%s %d", c.method, c.status)
			require.Equal(t, c.body && same, hop.KeepBody, "%s %d to %s", c.method, c.status, target)
		}
	}
}

func TestRule7_4_OtherAnswersAreNoRedirects(t *testing.T) {
	for _, status := range []int{200, 201, 204, 300, 304, 305, 306, 309, 399, 404} {
		req, resp := answerTo(t, "GET", "https://a.example/", status, "/x")
		_, err := NextHop(req, resp)
		require.Equal(t, &RedirectError{Reason: ReasonNotRedirect}, err, status)
	}
}

func TestOriginOfInvalidHost(t *testing.T) {
	require.NotEqual(t, originOf(&url.URL{Scheme: "http", Host: "a_b"}), originOf(&url.URL{Scheme: "http", Host: "a_c"}))
}
