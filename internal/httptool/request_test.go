package httptool_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/httptool"
	"github.com/kervan-mcp/kervan/internal/template"
)

func TestRule5_4_RequestIsBuilt(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Method = "POST"
	f.tool.Path = text(t, "/users/{{input.id}}/notes")
	f.tool.Query = "v=2&x"
	f.tool.QueryFields = []template.Field{field(t, "tag", "{{input.tags}}"), field(t, "none", "{{input.none}}")}
	f.tool.Headers = []httptool.Header{{Name: "x-one", Value: text(t, "a {{input.id}}")}, {Name: "X-None", Value: text(t, "{{input.none}}")}}
	f.tool.Vars = []string{"REGION"}
	f.rt.Vars = map[string]string{"REGION": "eu"}
	f.tool.Body = bodyOf(t, template.Object{
		{Name: "z", Value: "{{input.n}}"}, {Name: "a", Value: []any{"{{vars.REGION}}", "{{input.none}}"}}, {Name: "text", Value: "is {{input.id}}"},
	})
	f.ok(`{"id":"a/b \"c\"","tags":["x","y&z"],"n":12345678901234567890}`)
	r := f.last()
	require.Equal(t, "POST", r.Method)
	require.Equal(t, `/users/a%2Fb%20%22c%22/notes?v=2&x&tag=x&tag=y%26z`, r.RequestURI)
	require.Equal(t, f.at(host), r.Host)
	require.Equal(t, `a a/b "c"`, r.Header.Get("X-One"))
	require.NotContains(t, r.Header, "X-None")
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	require.Equal(t, `{"z":12345678901234567890,"a":["eu"],"text":"is a/b \"c\""}`, r.body)
	require.Equal(t, int64(len(r.body)), r.ContentLength)
}

// TestRule5_5_WholeBodyLeftOut: a body that is one argument is none when that
// was not given, and so has no type.
func TestRule5_5_WholeBodyLeftOut(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Method = "POST"
	f.tool.Body = bodyOf(t, "{{input.note}}")
	for args, want := range map[string]struct{ body, contentType string }{
		`{}`:               {"", ""},
		`{"note":null}`:    {"null", "application/json"},
		`{"note":{"a":1}}`: {`{"a":1}`, "application/json"},
	} {
		f.ok(args)
		require.Equal(t, want.body, f.last().body)
		require.Equal(t, want.contentType, f.last().Header.Get("Content-Type"))
	}
}

func TestRule5_4_Form(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Method = "PUT"
	f.tool.Form = []template.Field{field(t, "q", "{{input.q}}"), field(t, "list", "{{input.list}}")}
	f.ok(`{"q":"a b&c","list":[1,2]}`)
	require.Equal(t, "q=a+b%26c&list=1&list=2", f.last().body)
	require.Equal(t, "application/x-www-form-urlencoded", f.last().Header.Get("Content-Type"))
}

func TestRule5_4_DefaultHeaders(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.ok(``)
	r := f.last()
	require.Equal(t, "GET", r.Method)
	require.Equal(t, "/", r.RequestURI)
	require.Empty(t, r.body)
	require.Equal(t, http.Header{
		"User-Agent":      {"kervan/1"},
		"Accept":          {"application/json, */*;q=0.1"},
		"Accept-Encoding": {"gzip, deflate, br"},
	}, r.Header)

	f.tool.Select, f.tool.Raw = "", true
	f.ok(`{}`)
	require.Equal(t, "application/json, text/*;q=0.9, */*;q=0.1", f.last().Header.Get("Accept"))

	f.tool.Headers = []httptool.Header{
		{Name: "accept", Value: text(t, "text/csv")}, {Name: "user-agent", Value: text(t, "mine")}, {Name: "content-type", Value: text(t, "application/x-ndjson")},
	}
	f.tool.Method, f.tool.Body = "POST", bodyOf(t, "x")
	f.ok(`{}`)
	r = f.last()
	require.Equal(t, []string{"text/csv"}, r.Header["Accept"])
	require.Equal(t, []string{"mine"}, r.Header["User-Agent"])
	require.Equal(t, []string{"application/x-ndjson"}, r.Header["Content-Type"])
}

func TestRule5_4_MethodsWithoutBody(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		f := newFixture(t, respondJSON(`{}`))
		f.tool.Method = method
		f.ok(`{}`)
		require.Equal(t, method, f.last().Method)
		require.Empty(t, f.last().body)
		require.Zero(t, f.last().ContentLength, method)
	}
}

func TestRule7_3_HTTP2(t *testing.T) {
	f := newFixtureOn(t, respondJSON(`{"a":1}`), func(s *httptest.Server) {
		s.EnableHTTP2 = true
		s.StartTLS()
	})
	f.tool.Method, f.tool.Body = "POST", bodyOf(t, "x")
	require.Equal(t, `{"a":1}`, f.ok(`{}`).Text)
	require.Equal(t, 2, f.last().ProtoMajor)
	require.Equal(t, `"x"`, f.last().body)
}

// A transport that finds a pooled connection closed sends the body again.
func TestRule7_3_BodyCanBeSentAgain(t *testing.T) {
	f := offline(t, func(r *http.Request) (*http.Response, error) {
		for range 2 {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			require.Equal(t, `"x"`, string(body))
			r.Body, err = r.GetBody()
			require.NoError(t, err)
		}
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	})
	f.tool.Method, f.tool.Body = "POST", bodyOf(t, "x")
	f.ok(`{}`)
}

// The default port is not spelled out, as some servers expect.
func TestRule5_4_Authority(t *testing.T) {
	for _, c := range []struct{ scheme, host, port, want string }{
		{"https", "api.example.com", "443", "api.example.com"},
		{"https", "api.example.com", "", "api.example.com"},
		{"https", "api.example.com", "80", "api.example.com:80"},
		{"http", "api.example.com", "80", "api.example.com"},
		{"https", "2606:4700::1", "443", "[2606:4700::1]"},
		{"https", "2606:4700::1", "8443", "[2606:4700::1]:8443"},
	} {
		f := offline(t, func(r *http.Request) (*http.Response, error) {
			require.Equal(t, c.want, r.URL.Host)
			require.Equal(t, c.scheme+"://"+c.want+"/", r.URL.String())
			return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
		})
		f.tool.Scheme, f.tool.Host, f.tool.Port = c.scheme, c.host, c.port
		f.ok(`{}`)
	}
}

func TestRule5_6_RefusedValuesAreNotSent(t *testing.T) {
	for _, c := range []struct{ path, query, header, args, want string }{
		{path: "/u/{{input.v}}", args: `{"v":".."}`, want: "path"},
		{path: "/u/{{input.v}}", args: `{"v":""}`, want: "path"},
		{path: "/u/{{input.v}}", args: `{"v":"../admin"}`, want: "path"},
		{path: "/u/{{input.v}}", args: `{}`, want: "input.v"},
		{path: "/u/{{input.v}}", args: `{"v":{}}`, want: "input.v"},
		{query: "{{input.v}}", args: `{"v":{}}`, want: "query"},
		{query: "{{input.v}}", args: `{"v":["a",null]}`, want: "query"},
		{header: "{{input.v}}", args: `{"v":"ş"}`, want: "X-V"},
		{header: "{{input.v}}", args: `{"v":"a\r\nX-Evil: 1"}`, want: "X-V"},
		{header: "v {{input.v}}", args: `{}`, want: "input.v"},
		{args: `[`, want: "arguments"},
		{args: `{"v":1,"v":2}`, want: "arguments"},
	} {
		f := newFixture(t, respondJSON(`{}`))
		f.tool.Path = text(t, c.path)
		if c.query != "" {
			f.tool.QueryFields = []template.Field{field(t, "v", c.query)}
		}
		if c.header != "" {
			f.tool.Headers = []httptool.Header{{Name: "X-V", Value: text(t, c.header)}}
		}
		require.Contains(t, f.fails(httptool.OutcomeInvalid, c.args), c.want, "%+v", c)
		require.Empty(t, f.requests(), "%+v", c)
	}
}

func TestRule5_4_MissingVariable(t *testing.T) {
	f := newFixture(t, respondJSON(`{}`))
	f.tool.Vars = []string{"REGION"}
	f.tool.QueryFields = []template.Field{field(t, "region", "{{vars.REGION}}")}
	f.uses("KEY", "a-long-secret")
	require.Contains(t, f.fails(httptool.OutcomeInvalid, `{}`), "REGION")
	require.Empty(t, f.requests())
	require.Empty(t, f.asked, "no secret is asked for a call that cannot be made")
}
