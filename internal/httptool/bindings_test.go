package httptool_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/template"
)

const apiKey = "sk-live-0123456789abcdef"

func TestRule6_4_HostPort(t *testing.T) {
	for binding, want := range map[string]string{
		"api.example.com":           "api.example.com:443",
		"API.Example.COM":           "api.example.com:443",
		"api.example.com:443":       "api.example.com:443",
		"api.example.com:8443":      "api.example.com:8443",
		"api.example.com.":          "api.example.com.:443", // another host
		"ａｐｉ.example.com":           "api.example.com:443",
		"münchen.example":           "xn--mnchen-3ya.example:443",
		"MÜNCHEN.example:1":         "xn--mnchen-3ya.example:1",
		"192.0.2.1":                 "192.0.2.1:443",
		"[2001:DB8::1]":             "[2001:db8::1]:443",
		"[2001:db8:0:0::1]:65535":   "[2001:db8::1]:65535",
		"localhost:80":              "localhost:80",
		"xn--mnchen-3ya.example:80": "xn--mnchen-3ya.example:80",
	} {
		got, err := httptool.HostPort(binding)
		require.NoError(t, err, binding)
		require.Equal(t, want, got, binding)
	}
	for _, binding := range []string{
		"", "*.example.com", "*", "https://h", "http://h:80", "//h", "h/v1", "h/", "h:65536", "h:0", "h:", ":443", ":", "h:http", "h:+443", "h:0443", "h:44 3",
		"user@h", "h?x", "h#x", "h h", " h", "h\n", "a_b.example", "a..b", ".a", "127.1", "0x7f.0.0.1", "2130706433", "fe80::1%eth0", "[fe80::1%25eth0]",
		"2001:db8::1", "[::1", "::1]", "[h]", "[h]:443", "[192.0.2.1]", "[]", "[::1]443", "h:443:443", "%31.example",
	} {
		_, err := httptool.HostPort(binding)
		require.Error(t, err, binding)
	}
	for _, binding := range []string{"https://h", "h/v1", "*.example.com", "http://h:80"} {
		_, err := httptool.HostPort(binding)
		require.ErrorContains(t, err, "without scheme, path or wildcard", binding)
	}
	_, err := httptool.HostPort("h:65536")
	require.ErrorContains(t, err, "1 to 65535")
}

// places are where a secret may stand in a request.
var places = map[string]func(t *testing.T, tool *httptool.Tool){
	"path": func(t *testing.T, tool *httptool.Tool) { tool.Path = text(t, "/x/{{secrets.KEY}}") },
	"query": func(t *testing.T, tool *httptool.Tool) {
		tool.QueryFields = []template.Field{field(t, "key", "{{secrets.KEY}}")}
	},
	"header": func(t *testing.T, tool *httptool.Tool) {
		tool.Headers = []httptool.Header{{Name: "Authorization", Value: text(t, "Bearer {{secrets.KEY}}")}}
	},
	"form": func(t *testing.T, tool *httptool.Tool) {
		tool.Method, tool.Form = "POST", []template.Field{field(t, "key", "{{secrets.KEY}}")}
	},
	"body": func(t *testing.T, tool *httptool.Tool) {
		tool.Method, tool.Body = "POST", bodyOf(t, template.Object{{Name: "a", Value: []any{template.Object{{Name: "b", Value: "{{secrets.KEY}}"}}}}})
	},
}

func TestRule6_4_Bound(t *testing.T) {
	for place, put := range places {
		f := newFixture(t, respondJSON(`{}`))
		f.uses("KEY", apiKey)
		put(t, f.tool)

		f.ok(`{}`)
		require.Len(t, f.requests(), 1, "%s: no entry means the tool's own host", place)
		f.tool.Hosts = map[string][]string{"KEY": {"other.example.com:443", f.at(host)}, "OTHER": nil}
		f.ok(`{}`)

		for _, hosts := range [][]string{nil, {}, {"other.example.com:443"}, {host}, {host + ":443"}, {f.at(host + ".")}, {f.at("example.com")}, {f.at("x." + host)}} {
			f.seen, f.asked = nil, nil
			f.tool.Hosts = map[string][]string{"KEY": hosts}
			message := f.fails(httptool.OutcomeSecret, `{}`)
			require.Contains(t, message, "KEY", place)
			require.Contains(t, message, f.at(host), place)
			require.Empty(t, f.requests(), "%s: %q", place, hosts)
			require.Empty(t, f.asked, "%s: %q", place, hosts)
		}
	}
}

func TestRule6_4_AllSecretsMustBeBound(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	places["path"](t, f.tool)
	f.uses("KEY", apiKey)
	f.uses("SECOND", "another-secret")
	f.tool.Hosts = map[string][]string{"SECOND": {"other.example.com:443"}}
	require.Contains(t, f.fails(httptool.OutcomeSecret, `{}`), "SECOND")
	require.Empty(t, f.requests())
	require.Empty(t, f.asked, "the first is not asked for either")
}

func TestRule6_1_AskedAtEachCall(t *testing.T) {
	f := newFixture(t, func(w http.ResponseWriter, r *http.Request) { respondJSON(`"`+r.Header.Get("Authorization")+`"`)(w, r) })
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	require.Equal(t, `"[redacted]"`, f.ok(`{}`).Text)
	f.secrets["KEY"] = "rotated-0123456789"
	f.ok(`{}`)
	require.Equal(t, "Bearer rotated-0123456789", f.last().Header.Get("Authorization"))
	require.Equal(t, []string{"KEY " + f.at(host) + " test", "KEY " + f.at(host) + " test"}, f.asked)
}

func TestRule6_1_DefaultPortIsGiven(t *testing.T) {
	f := offline(t, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	})
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	f.ok(`{}`)
	require.Equal(t, []string{"KEY api.example.com:443 test"}, f.asked)
}

func TestRule6_1_Unavailable(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		err   error
		want  string
	}{
		"missing":           {"", nil, "not set"},
		"refused":           {"", errors.New("vault: no access for role kervan-7"), "not available"},
		"refused and given": {apiKey, errors.New("no"), "not available"},
		"short":             {"1234567", nil, "cannot be used"},
		"not expanded":      {"${API_KEY_OF_PRODUCTION}", nil, "cannot be used"},
		"not UTF-8":         {"abcdefgh\xff", nil, "cannot be used"},
	} {
		f := newFixture(t, respondJSON(`{}`))
		places["header"](t, f.tool)
		f.uses("KEY", c.value)
		f.rt.Secret = func(context.Context, string, string, string) (string, error) { return c.value, c.err }
		message := f.fails(httptool.OutcomeSecret, `{}`)
		require.Contains(t, message, c.want, name)
		require.Contains(t, message, "KEY", name)
		if c.value != "" {
			require.NotContains(t, message, c.value, name)
		}
		require.NotContains(t, message, "vault", "the source's own text is for logs")
		require.Empty(t, f.requests(), name)
	}
}

func TestRule6_1_MissingNamesHost(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	places["header"](t, f.tool)
	f.uses("KEY", "")
	require.Equal(t, "The secret KEY for "+f.at(host)+" is not set on the server, so nothing was sent. The call cannot succeed until it is.",
		f.fails(httptool.OutcomeSecret, `{}`))
}

func TestRule6_5_NeverOverPlainHTTP(t *testing.T) {
	f := newPlainFixture(t, respondJSON(`{}`))
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	require.Contains(t, f.fails(httptool.OutcomeSecret, `{}`), "without TLS")
	require.Empty(t, f.requests())
	require.Empty(t, f.asked)

	f.tool.AllowInsecureSecrets = true
	f.ok(`{}`)
	require.Equal(t, "Bearer "+apiKey, f.last().Header.Get("Authorization"))

	f.tool.AllowInsecureSecrets, f.tool.Secrets, f.tool.Headers = false, nil, nil
	f.ok(`{}`)
}

func TestRule6_1_NoSourceIsAFault(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	places["header"](t, f.tool)
	f.uses("KEY", apiKey)
	f.rt.Secret = nil
	_, err := f.call(`{}`)
	var e *httptool.Error
	require.False(t, errors.As(err, &e), "%v", err)
	require.True(t, strings.HasPrefix(err.Error(), "httptool: "), "%v", err)
	require.Equal(t, httptool.OutcomeFault, f.event().Outcome)
}
