package spec

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// TestHTTPTool: a tool from code is the one that a file would make.
func TestHTTPTool(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Handle("POST /people/7/notes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":9007199254740993,"echo":"` + r.Header.Get("Authorization") + `"}`))
	})
	o := devOptions(api)
	o.Name = ""
	s, err := HTTPTool(t.Context(), HTTP{
		Name: "add_note", Title: "Add", Description: "Adds a note.", Idempotent: true, Destructive: new(false), OpenWorld: new(false),
		Input:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer"},"text":{"type":"string"},"b":{},"a":{}}}`),
		Method: "POST", URL: api.URL() + "/people/{{input.id}}/notes",
		Query:        map[string]any{"v": 2, "list": []any{"a", true}, "region": "{{vars.REGION}}"},
		Headers:      map[string]string{"Authorization": "Bearer {{secrets.API_TOKEN}}"},
		Body:         json.RawMessage(`{"z":"{{input.text}}","a":[1.50,null]}`),
		Select:       "{id: id, echo: echo}",
		OutputSchema: json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}`),
		Secrets:      []Secret{{Name: "API_TOKEN", Hosts: []string{api.Host()}}},
		Vars:         []string{"REGION"},
		Timeout:      3 * time.Second, MaxResponseBytes: 1_000, MaxOutputChars: 500, FollowRedirects: 1, PerMinute: 100, Concurrency: 2,
	}, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.Empty(t, s.Warnings())
	assert.Equal(t, [6]int64{3_000, 1_000, 500, 1, 100, 2}, limitsOf(s))
	kerventest.EachEra(t, serve(t, s), func(t *testing.T, c *kerventest.Client) {
		res := c.Call("add_note", map[string]any{"id": 7, "text": "x"})
		assert.Equal(t, `{"id":9007199254740993,"echo":"[redacted]"}`, res.Text)
		assert.Equal(t, `{"z":"x","a":[1.50,null]}`, api.Last().Body)
		assert.Equal(t, "list=a&list=true&region=tr&v=2", api.Last().RawQuery)
		hints := c.Tools()[0].Annotations
		assert.True(t, hints.IdempotentHint && !hints.ReadOnlyHint && !*hints.OpenWorldHint && !*hints.DestructiveHint)
	})
}

func TestHTTPToolDefaults(t *testing.T) {
	s, err := HTTPTool(t.Context(), HTTP{Name: "x", Description: "d", URL: "https://h/", Raw: true}, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.Empty(t, s.Warnings())
	assert.Equal(t, [6]int64{10_000, 1 << 20, 20_000, 0, 60, 10}, limitsOf(s))
	assert.Equal(t, hints{openWorld: true}, s.tools[0].hints)
	var r kervan.MemoryRegistry
	require.NoError(t, Apply(&r, s))
	other, err := HTTPTool(t.Context(), HTTP{Name: "y", Description: "d", URL: "https://h/", Raw: true}, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	require.NoError(t, Apply(&r, other))
	assert.Len(t, r.Tools(), 2, "each is a source of its own")
}

func TestHTTPToolErrors(t *testing.T) {
	good := HTTP{Name: "x", Description: "d", URL: "https://h/", Raw: true}
	for name, c := range map[string]struct {
		change func(*HTTP)
		says   string
	}{
		"name":          {func(h *HTTP) { h.Name = "a b" }, "tool a b tools[0].name: "},
		"no name":       {func(h *HTTP) { h.Name = "" }, "tools[0].name: "},
		"description":   {func(h *HTTP) { h.Description = " " }, "tool x tools[0].description: must not be blank"},
		"URL":           {func(h *HTTP) { h.URL = "http://h/" }, "tool x tools[0].http.url: "},
		"no URL":        {func(h *HTTP) { h.URL = "" }, "tools[0].http.url: "},
		"no output":     {func(h *HTTP) { h.Raw = false }, `tools[0].output: needs "select" or "raw"`},
		"both":          {func(h *HTTP) { h.Select = "@" }, "tools[0].output: "},
		"timeout":       {func(h *HTTP) { h.Timeout = time.Millisecond }, "tools[0].http.timeoutMs: "},
		"tiny timeout":  {func(h *HTTP) { h.Timeout = 1 }, "tools[0].http.timeoutMs: "},
		"negative":      {func(h *HTTP) { h.PerMinute = -1 }, "tools[0].rateLimit.perMinute: "},
		"query":         {func(h *HTTP) { h.Query = map[string]any{"q": map[string]int{}} }, "tools[0].http.query.q: "},
		"null in query": {func(h *HTTP) { h.Query = map[string]any{"q": nil} }, "tools[0].http.query.q: "},
		"header":        {func(h *HTTP) { h.Headers = map[string]string{"Host": "x"} }, "tools[0].http.headers.Host: "},
		"body":          {func(h *HTTP) { h.Body = 1 }, "tools[0].http.body: "},
		"template":      {func(h *HTTP) { h.Method, h.Body = "POST", map[string]any{"a": []string{"{{x}}"}} }, "tools[0].http.body.a[0]: "},
		"schema":        {func(h *HTTP) { h.Input = json.RawMessage(`{"type":"array"}`) }, "tools[0].input: "},
		"schema text":   {func(h *HTTP) { h.Input = json.RawMessage(`{`) }, `spec: tool "x": `},
		"key twice":     {func(h *HTTP) { h.Input = json.RawMessage(`{"type":"object","type":"object"}`) }, `spec: tool "x": `},
		"channel":       {func(h *HTTP) { h.Method, h.Body = "POST", make(chan int) }, `spec: tool "x": `},
		"secret":        {func(h *HTTP) { h.Secrets = []Secret{{Name: "s"}} }, "secrets[0]: "},
		"hosts":         {func(h *HTTP) { h.Secrets = []Secret{{Name: "S", Hosts: []string{}}} }, "secrets[0].hosts: "},
		"no such var":   {func(h *HTTP) { h.URL = "https://h/{{vars.V}}" }, "vars.V is not listed"},
	} {
		t.Run(name, func(t *testing.T) {
			def := good
			c.change(&def)
			s, err := HTTPTool(t.Context(), def, Options{})
			require.Error(t, err)
			assert.Nil(t, s)
			assert.Contains(t, err.Error(), c.says)
			requireVisible(t, err.Error())
			var e *LoadError
			if errors.As(err, &e) {
				assert.Zero(t, e.Issues[0].Line)
			} else {
				assert.True(t, strings.HasPrefix(err.Error(), "spec: "))
			}
		})
	}
	t.Setenv("KERVAN_ENV", "production")
	_, err := HTTPTool(t.Context(), good, Options{AllowInsecureSecrets: true})
	assert.ErrorContains(t, err, "production")
}
