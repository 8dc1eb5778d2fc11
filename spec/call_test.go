package spec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
)

const apiFile = `specVersion: 1
name: people
version: 1.20
description: People and their notes.
vars: [REGION]
secrets:
  - name: API_TOKEN
    hosts: [%[2]s]
defaults:
  http: {timeoutMs: 60000}
tools:
  - name: get_person
    title: A person
    description: Finds a person.
    annotations: {readOnlyHint: true, openWorldHint: false}
    input:
      type: object
      properties:
        id: {type: string}
        tags: {type: array, items: {type: string}}
        limit: {type: integer}
      required: [id]
      additionalProperties: false
    http:
      url: %[1]s/people/{{input.id}}?v=2
      query: {tag: "{{input.tags}}", region: "{{vars.REGION}}", limit: "{{input.limit}}"}
      headers: {Authorization: "Bearer {{secrets.API_TOKEN}}"}
    output:
      select: "{name: name, number: number, missing: missing}"
      schema:
        type: object
        properties: {name: {type: string}, number: {type: [integer, null]}, missing: {type: [string, null]}}
        required: [name]
  - name: add_note
    description: Adds a note.
    annotations: {destructiveHint: false, idempotentHint: true}
    input: {type: object, properties: {text: {type: string}, n: {type: integer}, at: {type: object}}}
    http:
      method: POST
      url: %[1]s/notes
      body: {note: "{{input.text}}", n: "{{input.n}}", at: "{{input.at}}", list: [1, "n={{input.n}}"], region: "{{vars.REGION}}"}
    output: {select: "@"}
  - name: form
    description: Sends a form.
    input: {type: object, properties: {a: {type: string}}}
    http:
      method: PUT
      url: %[1]s/form
      form: {a: "{{input.a}}", b: [x, "y z"]}
    output: {raw: true}
`

// devOptions reach the API, and send secrets to it.
func devOptions(api *kerventest.API) Options {
	return Options{
		Name:    "people.yaml",
		Secrets: MapSecrets(map[string]string{"API_TOKEN": "tok-abcdefgh-123"}),
		Vars:    func(string) (string, bool) { return "tr", true },
		Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()},
	}
}

func peopleFile(api *kerventest.API) string {
	return fmt.Sprintf(apiFile, api.URL(), "'"+api.Host()+"'")
}

var silent = kervan.WithLogger(slog.New(slog.DiscardHandler))

// serve is an app with the tools of a file.
func serve(t *testing.T, s *Spec) *kervan.App {
	t.Helper()
	app := kervan.NewApp(s.Name(), s.Version(), kervan.WithInstructions(s.Description()), silent)
	app.Add(s.Tools()...)
	require.NoError(t, app.Err())
	return app
}

func TestCalls(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.JSON("GET /people/a%2Fb", `{"number":9007199254740993,"name":"Ada","more":[1]}`)
	api.Handle("POST /notes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"b":1.50,"a":[true,null]}`)
	})
	api.Answer("PUT /form", kerventest.Answer{Header: http.Header{"Content-Type": {"text/plain"}}, Body: "done <b>"})
	s := noWarnings(t, peopleFile(api), devOptions(api))
	assert.Equal(t, "people 1.20 People and their notes.", s.Name()+" "+s.Version()+" "+s.Description())
	kerventest.EachEra(t, serve(t, s), func(t *testing.T, c *kerventest.Client) {
		res := c.Call("get_person", map[string]any{"id": "a/b", "tags": []string{"x", "y&z"}})
		require.False(t, res.IsError, res.Text)
		assert.Equal(t, `{"name":"Ada","number":9007199254740993,"missing":null}`, string(res.Structured))
		assert.Equal(t, string(res.Structured), res.Text)
		sent := api.Last()
		assert.Equal(t, "v=2&tag=x&tag=y%26z&region=tr", sent.RawQuery)
		assert.Equal(t, "Bearer tok-abcdefgh-123", sent.Header.Get("Authorization"))

		res = c.Call("add_note", map[string]any{"text": `a", "b": {`, "n": 7})
		assert.Equal(t, `{"a":[true,null],"b":1.50}`, res.Text)
		assert.Nil(t, res.Structured)
		assert.JSONEq(t, `{"note":"a\", \"b\": {","n":7,"list":[1,"n=7"],"region":"tr"}`, api.Last().Body)

		assert.Equal(t, "done <b>", kerventest.MustCall[string](c, "form", map[string]any{"a": "1 2"}))
		assert.Equal(t, "a=1+2&b=x&b=y+z", api.Last().Body)
	})
}

func TestAdvertised(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	s := noWarnings(t, peopleFile(api), devOptions(api))
	kerventest.EachEra(t, serve(t, s), func(t *testing.T, c *kerventest.Client) {
		tools := c.Tools()
		require.Len(t, tools, 3)
		assert.Equal(t, "A person", tools[0].Title)
		assert.Equal(t, "Add note", tools[1].Title)
		assert.True(t, tools[0].Annotations.ReadOnlyHint)
		assert.Equal(t, new(false), tools[0].Annotations.OpenWorldHint)
		assert.Equal(t, new(true), tools[1].Annotations.OpenWorldHint, "it is true unless the file says otherwise")
		assert.Equal(t, new(false), tools[1].Annotations.DestructiveHint)
		assert.True(t, tools[1].Annotations.IdempotentHint)
		assert.NotNil(t, tools[0].OutputSchema)
		assert.Nil(t, tools[1].OutputSchema)
		assert.Contains(t, c.Exchange(), `"inputSchema":{"type":"object","properties":{"id":{"type":"string"},"tags"`)
	})
}

func TestRule8_2_CallErrors(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("GET /people/1", kerventest.Answer{Status: 500, Body: "at /srv/app.go: tok-abcdefgh-123"})
	api.JSON("GET /people/2", `{"name":5}`)
	var mu sync.Mutex
	var events []Event
	o := devOptions(api)
	o.Events = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	}
	s := noWarnings(t, peopleFile(api), o)
	c := kerventest.New(t, serve(t, s))
	assert.Equal(t, "Upstream returned 500 Internal Server Error.", c.CallErr("get_person", map[string]any{"id": "1"}))
	assert.Contains(t, c.CallErr("get_person", map[string]any{"id": "2"}), "Output validation error")
	assert.Contains(t, c.CallErr("get_person", map[string]any{"id": ".."}), "input.id")
	assert.Contains(t, c.CallErr("get_person", nil), "Input validation error")
	require.Len(t, events, 3)
	for i, want := range []UpstreamEvent{{Status: 500, Outcome: OutcomeStatus}, {Status: 200, Outcome: OutcomeOK, Bytes: 10}, {Outcome: OutcomeInvalid}} {
		got := events[i].(UpstreamEvent)
		want.Tool, want.Host, want.Duration = "get_person", api.Host(), got.Duration
		assert.Equal(t, want, got)
	}
}

// TestRule6_3_Redacted: what the upstream shows of a secret is taken out, and
// told.
func TestRule6_3_Redacted(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Handle("GET /people/1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name":%q}`, "you sent "+r.Header.Get("Authorization"))
	})
	var redacted []RedactionEvent
	o := devOptions(api)
	o.Events = func(e Event) {
		if r, ok := e.(RedactionEvent); ok {
			redacted = append(redacted, r)
		}
	}
	s := noWarnings(t, peopleFile(api), o)
	c := kerventest.New(t, serve(t, s))
	res := c.Call("get_person", map[string]any{"id": "1"})
	assert.Contains(t, res.Text, "you sent [redacted]")
	assert.NotContains(t, c.Exchange(), "tok-abcdefgh")
	require.Len(t, redacted, 1)
	assert.Equal(t, "get_person", redacted[0].Tool)
	assert.Positive(t, redacted[0].Count)
}

// TestRule1_11_UpstreamTimeout: the text that names the host is the one seen,
// whatever the app's own deadline.
func TestRule1_11_UpstreamTimeout(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Handle("*", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	text := strings.Replace(peopleFile(api), "timeoutMs: 60000", "timeoutMs: 150", 1)
	s := noWarnings(t, text, devOptions(api))
	app := kervan.NewApp("x", "1", kervan.WithToolTimeout(time.Millisecond), silent)
	app.Add(s.Tools()...)
	c := kerventest.New(t, app)
	got := c.CallErr("form", nil)
	assert.Contains(t, got, "150 ms")
	assert.Contains(t, got, "127.0.0.1")
}

// TestRule7_1_Loopback: without the operator's word the loopback interface is
// out of reach, and what was refused is not shown.
func TestRule7_1_Loopback(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	o := devOptions(api)
	o.Network = guard.Policy{TLS: api.TLS()}
	s := mustLoad(t, peopleFile(api), o)
	require.Len(t, s.Warnings(), 3, "one for each tool")
	assert.Regexp(t, `^tools\[0\]\.http\.url: every call will be refused: host "127\.0\.0\.1" is blocked: its address is one of this machine; allow it with --allow-private-network`, s.Warnings()[0].String())
	c := kerventest.New(t, serve(t, s))
	c.CallErr("form", nil)
	assert.Empty(t, api.Requests())
}

// TestRule6_1_MissingAtCall: nothing is sent, and the text names the secret
// and the host.
func TestRule6_1_MissingAtCall(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	o := devOptions(api)
	o.Secrets = MapSecrets(nil)
	s := mustLoad(t, peopleFile(api), o)
	c := kerventest.New(t, serve(t, s))
	got := c.CallErr("get_person", map[string]any{"id": "1"})
	assert.Contains(t, got, "API_TOKEN")
	assert.Contains(t, got, api.Host())
	assert.Empty(t, api.Requests())
}

// changingSource gives what it has at the time.
type changingSource struct {
	asks
	mu sync.Mutex
}

func (c *changingSource) Get(ctx context.Context, name, host, tool string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks.Get(ctx, name, host, tool)
}

func (c *changingSource) set(value string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value, c.err = value, err
}

// TestRule6_4_SourceAtCall: the source is asked at each call, and may refuse;
// what it gave before stays redacted.
func TestRule6_4_SourceAtCall(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Handle("GET /people/1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"name":%q}`, "first-secret "+r.Header.Get("Authorization"))
	})
	source := &changingSource{asks: asks{value: "first-secret"}}
	o := devOptions(api)
	o.Secrets = source
	s := noWarnings(t, peopleFile(api), o)
	c := kerventest.New(t, serve(t, s))
	source.set("second-secret", nil)
	assert.Contains(t, c.Call("get_person", map[string]any{"id": "1"}).Text, `"[redacted] [redacted]"`)
	assert.Equal(t, "Bearer second-secret", api.Last().Header.Get("Authorization"))

	source.set("", errors.New("policy 7 denies second-secret"))
	got := c.CallErr("get_person", map[string]any{"id": "1"})
	assert.Contains(t, got, "API_TOKEN")
	assert.NotContains(t, got, "policy")
	assert.Len(t, api.Requests(), 1)
	assert.Equal(t, strings.Repeat("API_TOKEN for "+api.Host()+" by get_person\n", 3), strings.Join(source.list, "\n")+"\n")
}

// TestRule6_5_OverHTTP: with both words a secret goes over plain http.
func TestRule6_5_OverHTTP(t *testing.T) {
	api := kerventest.Upstream(t)
	api.JSON("GET /people/1", `{"name":"Ada"}`)
	text := strings.Replace(peopleFile(api), "timeoutMs: 60000", "allowInsecureHttp: true", 1)
	o := devOptions(api)
	_, err := Load(t.Context(), []byte(text), o)
	require.ErrorContains(t, err, "tools[0].http.url: the tool sends the secret API_TOKEN")
	o.AllowInsecureSecrets = true
	s := noWarnings(t, text, o)
	c := kerventest.New(t, serve(t, s))
	assert.Equal(t, `{"name":"Ada","number":null,"missing":null}`, c.Call("get_person", map[string]any{"id": "1"}).Text)
}

// TestToolsAreNew: definitions may be added to several registries.
func TestToolsAreNew(t *testing.T) {
	s := noWarnings(t, whole, Options{})
	var a, b kervan.MemoryRegistry
	require.NoError(t, a.Add(s.Tools()...))
	require.NoError(t, b.Add(s.Tools()...))
	assert.NotSame(t, s.Tools()[0], s.Tools()[0])
}

func TestCallAfterClose(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	s := noWarnings(t, peopleFile(api), devOptions(api))
	c := kerventest.New(t, serve(t, s))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	assert.Equal(t, textClosed, c.CallErr("form", nil))
	assert.Empty(t, api.Requests())
	assert.EqualError(t, Apply(&kervan.MemoryRegistry{}, s), textApplyClosed)
}
