package spec_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/sandbox"
	"github.com/kervan-mcp/kervan/spec"
)

// tool is an entry of tools; BASE stands for the API.
func tool(name, path, lines, output string) string {
	return fmt.Sprintf("  - name: %s\n    description: D.\n    input: {type: object}\n    http: {url: \"BASE/%s\", %s}\n    output: %s\n", name, path, lines, output)
}

func fileOf(tools string) string {
	return "specVersion: 1\nname: attack\nversion: \"1\"\nsecrets: [KEY, OTHER]\n" +
		"defaults: {http: {timeoutMs: 60000, maxResponseBytes: 8388608, maxOutputChars: 1000000, followRedirects: 3}, rateLimit: {perMinute: 100000, concurrency: 1000}}\n" +
		"tools:\n" + tools
}

var discard = slog.New(slog.DiscardHandler)

// A told keeps all that an app and its file log and tell.
type told struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *told) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *told) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A fixture is an app with the tools of a file, and the API that they call.
// What it replies may be changed between calls.
type fixture struct {
	t    *testing.T
	api  *kerventest.API
	spec *spec.Spec
	pool *sandbox.Pool
	app  *kervan.App
	told told

	secrets map[string]string

	mu    sync.Mutex
	reply func(w http.ResponseWriter, got string)
	got   string // the secret that the latest request sent
}

func newFixture(t *testing.T, secrets map[string]string, tools string) *fixture {
	t.Helper()
	f := &fixture{t: t, api: kerventest.UpstreamTLS(t), secrets: secrets}
	f.api.Handle("*", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.got = sentSecret(r)
		f.reply(w, f.got)
	})
	f.pool = sandbox.New(sandbox.Options{Children: 1})
	t.Cleanup(func() { require.NoError(t, f.pool.Close()) })
	var err error
	f.spec, err = spec.Load(t.Context(), []byte(strings.ReplaceAll(fileOf(tools), "BASE", f.api.URL())), spec.Options{
		Secrets: spec.MapSecrets(secrets), Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: f.api.TLS()}, Sandbox: f.pool,
		Events: func(e spec.Event) { fmt.Fprintf(&f.told, "%+v\n", e) }, Logger: slog.New(slog.NewJSONHandler(&f.told, nil)),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.spec.Close()) })
	f.app = kervan.NewApp("attack", "1", kervan.WithLogger(slog.New(slog.NewJSONHandler(&f.told, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		kervan.WithEvents(func(e kervan.Event) { fmt.Fprintf(&f.told, "%+v %#v\n", e, e) }))
	f.app.Add(f.spec.Tools()...)
	return f
}

// sentSecret returns what a request holds where the tools put a secret.
func sentSecret(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	var object struct{ K string }
	form, _ := url.ParseQuery(string(body))
	_, segment, _ := strings.Cut(r.URL.Path, "/path/")
	_ = json.Unmarshal(body, &object)
	for _, s := range []string{strings.TrimPrefix(r.Header.Get("X-Key"), "Bearer "), r.URL.Query().Get("k"), object.K, form.Get("k"), segment} {
		if s != "" {
			return s
		}
	}
	return ""
}

// each runs a test with a client of each era, and then looks at what was told.
func (f *fixture) each(test func(t *testing.T, c *kerventest.Client)) {
	f.t.Helper()
	kerventest.EachEra(f.t, f.app, test)
	for _, secret := range f.secrets {
		f.nothingTold(secret)
	}
}

func (f *fixture) nothingTold(secret string) {
	f.t.Helper()
	require.NotEmpty(f.t, f.told.String())
	require.Empty(f.t, leak(f.told.String(), secret, 2))
}

// respond changes what the API replies.
func (f *fixture) respond(reply func(w http.ResponseWriter, got string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reply = reply
}

func (f *fixture) json(document string) { f.text("application/json", document) }

func (f *fixture) text(contentType, text string) {
	f.respond(func(w http.ResponseWriter, got string) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Echo", url.QueryEscape(got))
		_, _ = io.WriteString(w, text)
	})
}

func (f *fixture) lastSecret() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got
}

// TestRule6_3_SelectLearnsNothing: whatever is computed of a response, it is the
// same for any secret, of the same length or another.
func TestRule6_3_SelectLearnsNothing(t *testing.T) {
	expressions := []string{
		"reverse(raw)", "raw[::-1]", "[raw[0:9], raw[9:]]", "[starts_with(raw, 's'), starts_with(raw, 'z'), ends_with(raw, '8')]", "[contains(raw, 'live'), contains(raw, '[')]",
		"[length(raw), length(list), length(pct), length(@)]", "sort(list)", "sort_by(objects, &a)", "join('|', list)", "join('', [half, half])", "to_string(@)", "keys(@)", "sort(keys(@))", "values(@)",
		"list[?@ > 'm']", "[max(list), min(list)]", "max_by(objects, &a)", "to_number(number)", "abs(raw)", "[raw == pct, raw == 'x', number == `820461937520`]", "map(&reverse(@), list)",
		"nested", "merge(@, {a: raw})", "[type(raw), type(number), not_null(none, raw)]", "list[*].length(@)", "html", "basic", "sum([number])", "number", "raw.a || raw", "@",
	}
	text := ""
	for i, e := range expressions {
		for j, schema := range []string{"", ", schema: {type: object}"} {
			if j == 1 {
				e = "{x: " + e + "}"
			}
			text += tool(fmt.Sprintf("t%d_%d", i, j), "x", `query: {k: "{{secrets.KEY}}"}`, fmt.Sprintf("{select: %q%s}", e, schema))
		}
	}
	results := func(secret string) map[string]string {
		found := map[string]string{}
		f := newFixture(t, map[string]string{"KEY": secret}, text)
		f.respond(func(w http.ResponseWriter, got string) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{
				"raw": got, "pct": url.QueryEscape(got), "list": []string{"m", got, got + "!", "k"}, "objects": []any{map[string]any{"a": got}, map[string]any{"a": "m"}},
				"k" + got: 1, got: []string{got}, "half": "u" + got + "v", "nested": quote(quote(got)), "html": "&#115;" + html.EscapeString(got), "number": json.Number(got),
				"basic": "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+got)), "hex": hex.EncodeToString([]byte(got)),
			})
		})
		f.each(func(t *testing.T, c *kerventest.Client) {
			era := map[bool]string{true: "modern ", false: "legacy "}[strings.Contains(t.Name(), string(kerventest.Modern))]
			for i := range expressions {
				for j := range 2 {
					name := fmt.Sprintf("t%d_%d", i, j)
					found[era+name] = string(c.Call(name, nil).Raw)
				}
			}
		})
		return found
	}
	first := results("482046193752")
	for _, other := range []string{"917350264819", "102938475610293847561029384756"} {
		for name, got := range results(other) {
			require.Equal(t, first[name], got, "%s depends on the secret", name)
		}
	}
}

// nasty are values that try to be more than a value, wherever they are put.
func nasty() []string {
	values := strings.Fields(`. .. ... ../ ..\ ../.. ../../etc/passwd ..\..\x ./.. ./. a/.. a/../b a/../../b /.. /../ / // /a //a a/ a//b \ \\ \..\ /..;/ ..;/ ..;x=1/../ ;/.. .;. ;
		%2e %2e%2e %2E%2e/ %2e%2e%2f ..%2f ..%5c %2f.. %252e%252e%252f %25252e%25252e%25252f %25%32%65 %c0%ae%c0%ae/ %c0%af.. ..%c0%af ..%00/ %00 %0d%0a %0aX-Evil:1 %3f %23 %26a=b %3b
		．．／ ．． ..／ ‥/ ․․/ ..∕ ..⁄ ..＼ ..﹨ ?a=b ?x#y #x &q=evil &a[]=1 ;q=evil =a&b=c a=b&fixed=2 +a a+b %20 %zz % 100% @evil.com :80 http://evil.com/ //evil.com https:evil
		{{secrets.KEY}} {{input.v}} {{vars.PATH}} \{{secrets.KEY}} {{{{secrets.KEY}}}} ${KEY} $KEY $(KEY) <%=KEY%> #{KEY} ","evil":" "} \",\"a\":\" null true [1] {"a":1} '"<script> é ş 日本 😀 ..😀`)
	return append(values, "", " ", "  ..  ", " .. /", ".. /", "a b", "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rb", "a\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n", "a\x00b", "..\x00/", "a\tb", "..\t/", "\t", "a\vb", "\x7f", "\u0085X-Evil: 1",
		"\u2028X-Evil: 1", "\u010d\u010aX-Evil: 1", "\ufeff..", "..\u200b/", "{{secrets.KEY }}", "{{ secrets.KEY }}", strings.Repeat("../", 40), strings.Repeat("a", 5000))
}

const valueTools = `  - {name: %s, description: D., input: {type: object, properties: {v: {type: string}}}, output: {raw: true}, http: {%s, headers: {X-Key: "{{secrets.KEY}}"%s}}}` + "\n"

// segmentsAsRead are the segments of a path for a reader that decodes it so many
// times, takes a backslash for a slash, drops path parameters, and normalises.
func segmentsAsRead(escaped string, times int) []string {
	for range times {
		escaped = percents.ReplaceAllStringFunc(escaped, func(e string) string { b, _ := hex.DecodeString(e[1:]); return string(b) })
	}
	segments := strings.Split(strings.NewReplacer("\\", "/", "\xc0\xae", ".", "\xc0\xaf", "/").Replace(escaped), "/")
	for i, s := range segments {
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return strings.Split(path.Clean(strings.Join(segments, "/")), "/")
}

// TestRule5_4_ValuesStayValues: no argument changes what a request is, besides
// the one value that it is for.
func TestRule5_4_ValuesStayValues(t *testing.T) {
	text := fmt.Sprintf(valueTools, "path", `url: "BASE/v1/users/{{input.v}}/files?fixed=1"`, "") + fmt.Sprintf(valueTools, "twice", `url: "BASE/v1/users/{{input.v}}{{input.v}}/files"`, "") +
		fmt.Sprintf(valueTools, "name", `url: "BASE/v1/users/a.{{input.v}}.b/files"`, "") + fmt.Sprintf(valueTools, "dots", `url: "BASE/v1/users/.{{input.v}}/files"`, "") +
		fmt.Sprintf(valueTools, "query", `url: "BASE/q?fixed=1", query: {q: "{{input.v}}", r: "<{{input.v}}>", "s&t": ["{{input.v}}"]}`, "") + fmt.Sprintf(valueTools, "header", `url: BASE/h`, `, X-Note: "{{input.v}}"`) +
		fmt.Sprintf(valueTools, "mixed", `url: BASE/h`, `, X-Note: "a {{input.v}}"`) + fmt.Sprintf(valueTools, "body", `method: POST, url: BASE/b, body: {a: "{{input.v}}", l: ["{{input.v}}"], m: "<{{input.v}}>", z: 1}`, "") +
		fmt.Sprintf(valueTools, "form", `method: POST, url: BASE/f, form: {a: "{{input.v}}", m: "<{{input.v}}>", z: 1}`, "")
	f := newFixture(t, map[string]string{"KEY": plainKey}, text)
	f.text("text/plain", "ok")
	values := nasty()
	require.Greater(t, len(values), 120)
	f.each(func(t *testing.T, c *kerventest.Client) {
		for _, v := range values {
			for _, tool := range []string{"path", "twice", "name", "dots", "query", "header", "mixed", "body", "form"} {
				before := len(f.api.Requests())
				res := c.Call(tool, map[string]any{"v": v})
				sent := f.api.Requests()[before:]
				if res.IsError {
					require.Empty(t, sent, "%s of %q", tool, v)
					require.Contains(t, []string{"path", "twice", "name", "dots", "header", "mixed"}, tool, "%q: %s", v, res.Text)
					continue
				}
				require.Len(t, sent, 1, "%s of %q", tool, v)
				requireValue(t, tool, v, sent[0])
			}
		}
	})
}

func requireValue(t *testing.T, tool, v string, r kerventest.Request) {
	t.Helper()
	why := fmt.Sprintf("%s of %q: %s?%s %v %s", tool, v, r.Path, r.RawQuery, r.Header, r.Body)
	require.Equal(t, []string{plainKey}, r.Header["X-Key"], why)
	require.NotContains(t, r.Path+r.RawQuery+r.Body+strings.Join(r.Header["X-Note"], ""), plainKey, why)
	require.Empty(t, r.Header["X-Evil"], why)
	query, err := url.ParseQuery(r.RawQuery)
	require.NoError(t, err, why)
	switch tool {
	case "path", "twice", "name", "dots":
		want := map[string]string{"path": v, "twice": v + v, "name": "a." + v + ".b", "dots": "." + v}[tool]
		segment, err := url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(r.Path, "/v1/users/"), "/files"))
		require.NoError(t, err, why)
		require.Equal(t, want, segment, why)
		require.NotContains(t, strings.TrimSuffix(strings.TrimPrefix(r.Path, "/v1/users/"), "/files"), "/", why)
		for times := range 4 {
			read := segmentsAsRead(r.Path, times)
			require.GreaterOrEqual(t, len(read), 4, "%s read as %q", why, read)
			require.Equal(t, []string{"", "v1", "users"}, read[:3], why)
			require.Equal(t, "files", read[len(read)-1], why)
		}
		require.Equal(t, map[bool]string{true: "fixed=1", false: ""}[tool == "path"], r.RawQuery, why)
	case "query":
		require.Equal(t, url.Values{"fixed": {"1"}, "q": {v}, "r": {"<" + v + ">"}, "s&t": {v}}, query, why)
		require.NotContains(t, r.RawQuery, ";", why)
	case "header", "mixed":
		require.Len(t, r.Header["X-Note"], 1, why)
		want := strings.TrimSpace(map[string]string{"header": "", "mixed": "a "}[tool] + v)
		if got := r.Header.Get("X-Note"); got != want {
			require.Equal(t, []rune(want), bytesAsRunes(got), why) // Latin-1
		}
	case "body":
		require.JSONEq(t, fmt.Sprintf(`{"a":%s,"l":[%s],"m":%s,"z":1}`, quote(v), quote(v), quote("<"+v+">")), r.Body, why)
	case "form":
		form, err := url.ParseQuery(r.Body)
		require.NoError(t, err, why)
		require.Equal(t, url.Values{"a": {v}, "m": {"<" + v + ">"}, "z": {"1"}}, form, why)
	}
}

func bytesAsRunes(s string) (runes []rune) {
	for _, b := range []byte(s) {
		runes = append(runes, rune(b))
	}
	return runes
}

// TestRule5_12_EditedWhileCalled: while a file is edited and what was loaded
// before is closed at once, no call fails in another way than that its tool is
// not there.
func TestRule5_12_EditedWhileCalled(t *testing.T) {
	const callers, edits, toolCount = 100, 50, 8
	f := newFixture(t, map[string]string{"KEY": plainKey}, tool("none", "x", "", outputs["raw"]))
	f.json(`{"a":[1,2]}`)
	load := func(edit int) *spec.Spec {
		text := ""
		for i := range toolCount {
			if i > 0 && (edit+i)%4 == 0 {
				continue // gone in this edit
			}
			text += tool(fmt.Sprint("t", i), fmt.Sprintf("x/%d/%d", i, edit/(i+1)), `headers: {X-Key: "{{secrets.KEY}}"}`, []string{outputs["raw"], outputs["select"]}[i%2])
		}
		o := spec.Options{Name: "edited.yaml", Secrets: spec.MapSecrets(f.secrets), Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: f.api.TLS()}, Sandbox: f.pool}
		if edit%10 == 0 {
			o.Sandbox = nil // one of its own
		}
		s, err := spec.Load(t.Context(), []byte(strings.ReplaceAll(fileOf(text), "BASE", f.api.URL())), o)
		require.NoError(t, err)
		return s
	}
	var registry kervan.MemoryRegistry
	current := load(0)
	require.NoError(t, spec.Apply(&registry, current))
	app := kervan.NewApp("x", "1", kervan.WithRegistry(&registry), kervan.WithLogger(discard))
	clients := []*kerventest.Client{kerventest.New(t, app, kerventest.InEra(kerventest.Modern)), kerventest.New(t, app, kerventest.InEra(kerventest.Legacy))}
	var wg sync.WaitGroup
	var answered, unknown atomic.Int64
	done := make(chan struct{})
	for i := range callers {
		wg.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				res, err := clients[i%2].CallContext(context.Background(), fmt.Sprint("t", n%toolCount), nil)
				var rpc *jsonrpc.Error
				switch {
				case errors.As(err, &rpc) && strings.HasPrefix(rpc.Message, "Unknown tool") && n%toolCount > 0:
					unknown.Add(1)
				case err != nil || res.IsError || !strings.Contains(res.Text, `{"a":[1,2]}`):
					t.Errorf("t%d: %v %+v", n%toolCount, err, res)
					return
				default:
					answered.Add(1)
				}
			}
		})
	}
	for edit := 1; edit <= edits; edit++ {
		target := answered.Load() + toolCount
		require.Eventually(t, func() bool { return answered.Load() >= target || t.Failed() }, 20*time.Second, time.Millisecond)
		next := load(edit)
		assert.NoError(t, spec.Apply(&registry, next))
		assert.NoError(t, current.Close())
		current = next
	}
	close(done)
	wg.Wait()
	require.NoError(t, current.Close())
	require.Greater(t, answered.Load(), int64(callers))
	require.Positive(t, unknown.Load())
}
