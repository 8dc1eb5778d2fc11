package docs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/spec"
)

// places are the tables of templates.md: where the first column stands in the
// http object of a tool, and what of the request the third one shows.
var places = []struct {
	heading, http string
	sent          func(template string, r kerventest.Request) string
}{
	{"## In the path", "url: %[1]s%[2]s", func(_ string, r kerventest.Request) string { return r.Path }},
	{"## In the query", "url: %[1]s/\n      query:\n        %[2]s", func(_ string, r kerventest.Request) string { return r.RawQuery }},
	{"## In headers", "url: %[1]s/\n      headers:\n        %[2]s", sentHeader},
	{"## In the body", "url: %[1]s/\n      method: POST\n      body: %[2]s", func(_ string, r kerventest.Request) string { return r.Body }},
	{"## In a form", "url: %[1]s/\n      method: POST\n      form:\n        %[2]s", func(_ string, r kerventest.Request) string { return r.Body }},
}

func sentHeader(template string, r kerventest.Request) string {
	name, _, _ := strings.Cut(template, ":")
	if value := r.Header.Get(name); value != "" {
		return name + ": " + value
	}
	return ""
}

// TestTemplatesPage makes a tool of every row of the tables, calls it, and
// compares what the server got, or what the client was told.
func TestTemplatesPage(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("*", kerventest.Answer{Status: 204})
	rows := 0
	for _, place := range places {
		for _, row := range tableRows(section(t, "templates.md", place.heading)) {
			require.Len(t, row, 3, "%v", row)
			rows++
			template, args := spans(row[0])[0], spans(row[1])[0]
			want := ""
			if row[2] != "nothing" {
				want = strings.TrimSuffix(strings.TrimPrefix(row[2], "`"), "`")
			}
			sentBefore := len(api.Requests())
			res := toolOf(t, api, fmt.Sprintf(place.http, api.URL(), template)).Call("t", json.RawMessage(args))
			if res.IsError {
				assert.Equal(t, want, res.Text, "%v", row)
				assert.Len(t, api.Requests(), sentBefore, "something was sent: %v", row)
				continue
			}
			require.Len(t, api.Requests(), sentBefore+1)
			assert.Equal(t, want, place.sent(template, api.Last()), "%v", row)
		}
	}
	assert.GreaterOrEqual(t, rows, 40)
}

// TestTemplatesProse holds what the page says beside its tables.
func TestTemplatesProse(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("*", kerventest.Answer{Status: 204})
	toolOf(t, api, `url: `+api.URL()+`/a?first=1&b`+"\n      query: {z: 1, y: 2}").Call("t", nil)
	assert.Equal(t, "first=1&b&z=1&y=2", api.Last().RawQuery)
	assert.Equal(t, "kervan/1", api.Last().Header.Get("User-Agent"))
	assert.Contains(t, api.Last().Header.Get("Accept"), "application/json")

	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Accept-Encoding", "Proxy-Authorization"} {
		_, err := spec.Load(t.Context(), []byte(toolFile("url: https://api.example.com/\n      headers: {"+name+": x}")), spec.Options{})
		assert.ErrorContains(t, err, "managed by the client", name)
	}
}

// TestSingleReferences holds the table of what one reference becomes, by its
// place and by what the argument is.
func TestSingleReferences(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("*", kerventest.Answer{Status: 204})
	const reference = `"{{input.v}}"`
	sent := map[string]struct {
		http  []string
		empty string // what is sent when the value is left out
	}{
		"path":                                  {[]string{"url: " + api.URL() + "/{{input.v}}"}, "never"},
		"`query`, `form`":                       {[]string{"url: " + api.URL() + "/\n      query: {q: " + reference + "}", post(api, "form: {q: "+reference+"}")}, ""},
		"an entry of a list in `query`, `form`": {[]string{"url: " + api.URL() + "/\n      query: {q: [" + reference + "]}", post(api, "form: {q: ["+reference+"]}")}, ""},
		"`headers`":                             {[]string{"url: " + api.URL() + "/\n      headers: {X-V: " + reference + "}"}, ""},
		"`body`":                                {[]string{post(api, "body: {v: "+reference+"}")}, "{}"},
	}
	arguments := []string{`{"v": "x"}`, `{"v": ["x", "y"]}`, `{"v": {"a": 1}}`, `{}`}
	rows := tableRows(section(t, "templates.md", "## Exactly one reference, or more"))
	require.Len(t, rows, len(sent))
	for _, row := range rows {
		place, known := sent[row[0]]
		require.True(t, known, row[0])
		require.Len(t, row, 1+len(arguments))
		for i, cell := range row[1:] {
			for _, http := range place.http {
				res := toolOf(t, api, http).Call("t", json.RawMessage(arguments[i]))
				assert.Equal(t, cell == "error", res.IsError, "%s: %s: %s", row[0], arguments[i], res.Text)
				if !res.IsError {
					got := api.Last().RawQuery + api.Last().Header.Get("X-V") + api.Last().Body
					assert.Equal(t, cell == "left out", got == place.empty, "%s: %s: %s", row[0], arguments[i], got)
				}
			}
		}
	}
}

// post is the http object of a POST with something to send.
func post(api *kerventest.API, what string) string {
	return "url: " + api.URL() + "/\n      method: POST\n      " + what
}

// toolFile is a file with one tool, whose arguments may be anything.
func toolFile(http string) string {
	return "specVersion: 1\nname: n\nversion: '1'\nvars: [REGION]\nsecrets: [API_TOKEN]\n" +
		"tools:\n  - name: t\n    description: d\n    input: {type: object}\n    http:\n      " + http + "\n    output: {raw: true}\n"
}

// toolOf connects a client to the tool t, which may call the API.
func toolOf(t *testing.T, api *kerventest.API, http string) *kerventest.Client {
	t.Helper()
	app := appOf(t, toolFile(http), spec.Options{
		Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()},
		Secrets: spec.MapSecrets(map[string]string{"API_TOKEN": "made-up-token-1"}),
		Vars:    func(string) (string, bool) { return "eu-1", true },
	})
	return kerventest.New(t, app)
}

// appOf is an app with the tools of a file.
func appOf(t *testing.T, text string, o spec.Options) *kervan.App {
	t.Helper()
	s, err := spec.Load(t.Context(), []byte(text), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	app := kervan.NewApp(s.Name(), s.Version(), kervan.WithLogger(discard))
	app.Add(s.Tools()...)
	return app
}
