package docs

import (
	"context"
	"errors"
	"expvar"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/spec"
	"github.com/kervan-mcp/kervan/transport"
)

func serveWeather(ctx context.Context, options ...transport.Option) error {
	s, err := spec.LoadFile(ctx, "kervan.yaml", spec.Options{})
	if err != nil {
		return err // kervan.yaml:11:18 tools[0].http.timeoutMs: …
	}
	defer s.Close()
	app := kervan.NewApp(s.Name(), s.Version(), kervan.WithInstructions(s.Description()))
	app.Add(s.Tools()...)
	app.Add(kervan.Tool("report", "Makes the report.", report))
	return transport.Serve(ctx, app, options...)
}

// reload serves what kervan.yaml says now; before is what it said, or nil.
func reload(ctx context.Context, registry *kervan.MemoryRegistry, before *spec.Spec) (*spec.Spec, error) {
	s, err := spec.LoadFile(ctx, "kervan.yaml", spec.Options{})
	if err != nil {
		return before, err // what is served stays
	}
	if err := spec.Apply(registry, s); err != nil {
		return before, errors.Join(err, s.Close())
	}
	if before != nil {
		_ = before.Close() // always nil; its running calls finish
	}
	return s, nil
}

// olderClient is what an older client sends to list tools.
const olderClient = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

// firstFile makes the first file of yaml.md the kervan.yaml of the current
// directory, and returns it.
func firstFile(t *testing.T) string {
	t.Helper()
	text := blocks(t, "yaml.md", "yaml")[0].text
	t.Chdir(t.TempDir())
	writeFile(t, "kervan.yaml", text)
	return text
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestYAMLPageInGo(t *testing.T) {
	text := firstFile(t)
	var answer strings.Builder
	err := serveWeather(t.Context(), transport.WithIO(strings.NewReader(olderClient), &answer))
	require.NoError(t, err)
	assert.Contains(t, answer.String(), `"get_temperature"`)
	assert.Contains(t, answer.String(), `"report"`)

	var registry kervan.MemoryRegistry
	first, err := reload(t.Context(), &registry, nil)
	require.NoError(t, err)
	tool := registry.Tools()[0]
	second, err := reload(t.Context(), &registry, first)
	require.NoError(t, err)
	assert.NotSame(t, first, second)
	assert.Same(t, tool, registry.Tools()[0], "it did not change")

	writeFile(t, "kervan.yaml", strings.Replace(text, "now.", "now, in degrees Celsius.", 1))
	third, err := reload(t.Context(), &registry, second)
	require.NoError(t, err)
	assert.NotSame(t, tool, registry.Tools()[0])

	writeFile(t, "kervan.yaml", "specVersion: 2\n")
	last, err := reload(t.Context(), &registry, third)
	require.Error(t, err)
	assert.Same(t, third, last)
	assert.Len(t, registry.Tools(), 1)
	require.NoError(t, last.Close())
}

// TestYAMLPageInATest is the test on the page.
func TestYAMLPageInATest(t *testing.T) {
	firstFile(t)

	api := kerventest.UpstreamTLS(t)
	api.JSON("GET /v1/forecast", `{"current":{"time":"2026-01-05T12:00","temperature_2m":7.5}}`)
	file, err := os.ReadFile("kervan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(file), "https://api.open-meteo.com", api.URL())
	s, err := spec.Load(t.Context(), []byte(text), spec.Options{
		Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()},
		Secrets: spec.MapSecrets(nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	app := kervan.NewApp(s.Name(), s.Version())
	app.Add(s.Tools()...)

	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		got := c.Call("get_temperature", map[string]any{"lat": 41.01, "lon": 28.95})
		if got.Text != `{"celsius":7.5,"at":"2026-01-05T12:00"}` {
			t.Error(got.Text)
		}
		if sent := api.Last().RawQuery; sent != "current=temperature_2m&latitude=41.01&longitude=28.95" {
			t.Error(sent)
		}
	})
}

// TestYAMLPageByHand sends what the page sends with curl, and what a model
// might send.
func TestYAMLPageByHand(t *testing.T) {
	page := "yaml.md"
	api := kerventest.UpstreamTLS(t)
	api.JSON("GET /v1/forecast", `{"current":{"time":"2026-01-05T12:00","temperature_2m":7.5}}`)
	text := strings.ReplaceAll(blocks(t, page, "yaml")[0].text, "https://api.open-meteo.com", api.URL())
	app := appOf(t, text, spec.Options{Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()}})

	handler, err := transport.NewHandler(app)
	require.NoError(t, err)
	_, body, found := strings.Cut(blocks(t, page, "sh")[1].text, "-d '")
	require.True(t, found)
	body, _, _ = strings.Cut(body, "'")
	request := httptest.NewRequest("POST", "http://127.0.0.1:3000/mcp", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	assert.Equal(t, blocks(t, page, "json")[0].text, strings.TrimSpace(answer.Body.String())+"\n")

	refused := kerventest.New(t, app).CallErr("get_temperature", map[string]any{"lat": "north"})
	assert.True(t, sameLines(blocks(t, page, "text")[1].text, refused+"\n"), refused)
}

// store stands for whatever keeps secrets.
type store map[string]string

func (s store) Read(_ context.Context, name string) (string, error) { return s[name], nil }

var redactions expvar.Map

func countRedactions(e spec.Event) {
	if r, ok := e.(spec.RedactionEvent); ok {
		redactions.Add(r.Tool, int64(r.Count))
	}
}

func loadTickets(ctx context.Context, vault store) (*spec.Spec, error) {
	secrets := spec.SecretFunc(func(ctx context.Context, name, host, tool string) (string, error) {
		if name == "MAIL_KEY" && tool != "send_mail" {
			return "", errors.New("MAIL_KEY is for send_mail only")
		}
		return vault.Read(ctx, "kervan/"+name)
	})
	s, err := spec.LoadFile(ctx, "tickets.yaml", spec.Options{Secrets: secrets, RequireSecrets: true})
	return s, err
}

func TestSecretsPage(t *testing.T) {
	page := readPage(t, "secrets.md")
	text := blocks(t, "secrets.md", "yaml")[0].text
	t.Chdir(t.TempDir())
	writeFile(t, "tickets.yaml", text)
	t.Setenv("TICKETS_PROJECT", "web")
	s, err := loadTickets(t.Context(), store{"kervan/TICKETS_TOKEN": "made-up-1", "kervan/MAIL_KEY": "made-up-2"})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = loadTickets(t.Context(), store{"kervan/TICKETS_TOKEN": "made-up-1"})
	require.ErrorContains(t, err, "the secret MAIL_KEY has no value for api.mail.example:443")

	app := appOf(t, text, spec.Options{Secrets: spec.MapSecrets(nil)})
	assert.Contains(t, page, "\n"+kerventest.New(t, app).CallErr("send_mail", map[string]any{"text": "hi"})+"\n")
}

// TestRedaction: what an API shows of a secret is counted and taken out.
func TestRedaction(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Handle("*", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("you sent " + r.Header.Get("Authorization")))
	})
	const echo = "/{{vars.REGION}}\n      headers: {Authorization: '{{secrets.API_TOKEN}}'}"
	app := appOf(t, toolFile("url: "+api.URL()+echo), spec.Options{
		Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()}, Secrets: everything.Secrets, Vars: everything.Vars, Events: countRedactions,
	})
	redactions.Delete("t") // of an earlier run
	assert.Equal(t, "you sent [redacted]", kerventest.New(t, app).Call("t", nil).Text)
	assert.Equal(t, "1", redactions.Get("t").String())
}

// TestEnvFile reads the env file of runner.md.
func TestEnvFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".env")
	for _, b := range blocks(t, "runner.md", "text") {
		if strings.Contains(b.text, "TICKETS_PROJECT=") {
			writeFile(t, path, b.text)
		}
	}
	env, err := spec.EnvFiles(path)
	require.NoError(t, err)
	for name, want := range map[string]string{
		"TICKETS_PROJECT": "web", "TICKETS_TOKEN": `literal: $HOME, \n and "quotes" stay`, "MAIL_KEY": "with escapes: \n \t \" \\",
	} {
		got, _ := env.Lookup(name)
		assert.Equal(t, want, got, name)
	}
}

// newClient is the client of security.md.
func newClient() error {
	client, err := guard.NewClient(guard.Policy{Deny: []string{"203.0.113.0/24"}})
	if err != nil {
		return err
	}
	client.CloseIdleConnections()
	return nil
}

func TestSecurityPage(t *testing.T) { require.NoError(t, newClient()) }
