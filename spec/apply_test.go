package spec

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
)

// toolText is an entry of tools that gets a path of an API.
func toolText(name, description, url string) string {
	return "  - name: " + name + "\n    description: " + description + "\n    http: {url: \"" + url + "\", headers: {A: \"{{secrets.S_TOKEN}}\"}}\n    output: {raw: true}\n"
}

func fileOf(top string, tools ...string) string {
	return head + "secrets: [S_TOKEN]\n" + top + "tools:\n" + strings.Join(tools, "")
}

// applied is a registry and what its tools are.
type applied struct {
	kervan.MemoryRegistry
	t *testing.T
}

func (a *applied) apply(text string, o Options) *Spec {
	a.t.Helper()
	s := mustLoad(a.t, text, o)
	require.NoError(a.t, Apply(&a.MemoryRegistry, s))
	return s
}

func (a *applied) names() []string {
	var names []string
	for _, t := range a.Tools() {
		names = append(names, t.Info().Name)
	}
	return names
}

func (a *applied) tool(name string) *kervan.RegisteredTool {
	for _, t := range a.Tools() {
		if t.Info().Name == name {
			return t
		}
	}
	return nil
}

func TestRule5_12_Identity(t *testing.T) {
	o := quietOptions()
	a, b, c := toolText("a", "A", "https://h/a"), toolText("b", "B", "https://h/b"), toolText("c", "C", "https://h/c")
	for name, change := range map[string]struct {
		text    string
		kept    string // names of tools that are the same object
		order   string
		options func(*Options)
	}{
		"nothing":              {text: fileOf("", a, b, c), kept: "abc", order: "abc"},
		"comments and layout":  {text: "# x\n" + fileOf("", "\n", a, "  # y\n", b, c), kept: "abc", order: "abc"},
		"description":          {text: fileOf("", a, toolText("b", "B2", "https://h/b"), c), kept: "ac", order: "abc"},
		"URL":                  {text: fileOf("", a, toolText("b", "B", "https://h/b2"), c), kept: "ac", order: "abc"},
		"removed":              {text: fileOf("", a, c), kept: "ac", order: "ac"},
		"added in the middle":  {text: fileOf("", a, toolText("x", "X", "https://h/x"), b, c), kept: "abc", order: "axbc"},
		"order":                {text: fileOf("", c, a, b), kept: "abc", order: "cab"},
		"renamed":              {text: fileOf("", a, toolText("z", "B", "https://h/b"), c), kept: "ac", order: "azc"},
		"all of it":            {text: fileOf("", toolText("x", "X", "https://h/x")), kept: "", order: "x"},
		"defaults that count":  {text: fileOf("defaults: {http: {timeoutMs: 5000}}\n", a, b, c), kept: "", order: "abc"},
		"defaults as before":   {text: fileOf("defaults: {http: {timeoutMs: 10000}, rateLimit: {perMinute: 60}}\n", a, b, c), kept: "abc", order: "abc"},
		"rate":                 {text: fileOf("defaults: {rateLimit: {concurrency: 9}}\n", a, b, c), kept: "", order: "abc"},
		"binding":              {text: strings.Replace(fileOf("", a, b, c), "[S_TOKEN]", "[{name: S_TOKEN, hosts: [h]}]", 1), kept: "", order: "abc"},
		"name and description": {text: strings.Replace(fileOf("", a, b, c), "name: n\n", "name: m\ndescription: x\n", 1), kept: "abc", order: "abc"},
		"unused secret":        {text: strings.Replace(fileOf("", a, b, c), "[S_TOKEN]", "[S_TOKEN, OTHER_TOKEN]", 1), kept: "abc", order: "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			o := o
			o.Name = "x.yaml"
			r := &applied{t: t}
			first := r.apply(fileOf("", a, b, c), o)
			before := map[string]*kervan.RegisteredTool{"a": r.tool("a"), "b": r.tool("b"), "c": r.tool("c")}
			list := r.Tools()
			r.apply(change.text, o)
			require.NoError(t, first.Close())
			assert.Equal(t, change.order, strings.Join(r.names(), ""))
			for name, tool := range before {
				assert.Equal(t, strings.Contains(change.kept, name), r.tool(name) == tool, name)
			}
			if change.kept == "abc" && change.order == "abc" {
				assert.Same(t, &list[0], &r.Tools()[0], "the list is the same")
			}
		})
	}
}

// TestRule5_12_Others: what others registered stays, where it is.
func TestRule5_12_Others(t *testing.T) {
	o := quietOptions()
	o.Name = "x.yaml"
	a, b := toolText("a", "A", "https://h/a"), toolText("b", "B", "https://h/b")
	r := &applied{t: t}
	require.NoError(t, r.Add(rawTool("before")))
	r.apply(fileOf("", a, b), o)
	require.NoError(t, r.Add(rawTool("after")))
	before, after := r.tool("before"), r.tool("after")
	assert.Equal(t, []string{"before", "a", "b", "after"}, r.names())
	r.apply(fileOf("", b, toolText("c", "C", "https://h/c"), a), o)
	assert.Equal(t, []string{"before", "b", "c", "a", "after"}, r.names())
	r.apply(fileOf("", a), o)
	assert.Equal(t, []string{"before", "a", "after"}, r.names())
	assert.Same(t, before, r.tool("before"))
	assert.Same(t, after, r.tool("after"))

	list := r.Tools()
	for _, text := range []string{fileOf("", b, toolText("after", "x", "https://h/")), fileOf("", toolText("before", "x", "https://h/"))} {
		err := Apply(&r.MemoryRegistry, mustLoad(t, text, o))
		assert.ErrorIs(t, err, &kervan.DefinitionError{Code: kervan.DuplicateTool})
		assert.Same(t, &list[0], &r.Tools()[0], "nothing changes")
	}
	r.apply(fileOf("", a, b), o)
	assert.Equal(t, []string{"before", "a", "b", "after"}, r.names(), "an error leaves nothing behind")

	other := o
	other.Name = "y.yaml"
	r.apply(fileOf("", toolText("other", "O", "https://h/")), other)
	r.apply(fileOf("", b), o)
	assert.Equal(t, []string{"before", "b", "after", "other"}, r.names())
	err := Apply(&r.MemoryRegistry, mustLoad(t, fileOf("", b), other))
	assert.ErrorIs(t, err, &kervan.DefinitionError{Code: kervan.DuplicateTool}, "a name of another file")
}

func rawTool(name string) *kervan.ToolDef {
	return kervan.RawTool(name, "Own.", nil, func(context.Context, *kervan.Call) (*kervan.Result, error) { return nil, nil })
}

// TestRule5_12_Source: without a name the file is known by the name in it.
func TestRule5_12_Source(t *testing.T) {
	o := quietOptions()
	r := &applied{t: t}
	r.apply(fileOf("", toolText("a", "A", "https://h/a")), o)
	r.apply(fileOf("", toolText("b", "B", "https://h/b")), o)
	assert.Equal(t, []string{"b"}, r.names())
	r.apply(strings.Replace(fileOf("", toolText("c", "C", "https://h/c")), "name: n", "name: m", 1), o)
	assert.Equal(t, []string{"b", "c"}, r.names())
}

// TestRule5_12_OneNotification: clients of both eras hear of a reload once, and
// of one that changes nothing they see not at all.
func TestRule5_12_OneNotification(t *testing.T) {
	o := quietOptions()
	o.Name = "x.yaml"
	kinds := func(n int) string {
		var tools []string
		for i := range 20 {
			tools = append(tools, toolText(fmt.Sprintf("t%d_%d", i%2*n, i), "D", "https://h/"))
		}
		return fileOf("", tools...)
	}
	for _, era := range []kerventest.Era{kerventest.Modern, kerventest.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			r := &applied{t: t}
			r.apply(kinds(1), o)
			c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent), kerventest.InEra(era))
			r.apply(strings.ReplaceAll(kinds(1), "https://h/", "https://other/"), o) // clients see no URL
			r.apply(kinds(2), o)
			c.WaitListChanged()
			assert.Equal(t, r.names(), c.ToolNames())
			r.apply(kinds(3), o)
			c.WaitListChanged()
			assert.Equal(t, 2, c.ListChanges())
		})
	}
}

// reloading is a registry whose file calls an API, and can be loaded again.
type reloading struct {
	applied
	api    *kerventest.API
	last   *Spec
	secret string
}

func newReloading(t *testing.T) *reloading {
	return &reloading{applied: applied{t: t}, api: kerventest.UpstreamTLS(t), secret: "old-abcdefgh"}
}

func (r *reloading) options() Options {
	value := r.secret
	return Options{
		Name:    "x.yaml",
		Secrets: MapSecrets(map[string]string{"S_TOKEN": value}),
		Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: r.api.TLS()},
	}
}

// reload loads a file, applies it, and closes what was there before.
func (r *reloading) reload(top string, paths ...string) {
	r.t.Helper()
	var tools []string
	for _, p := range paths {
		tools = append(tools, toolText(p, "D", r.api.URL()+"/"+p))
	}
	s := r.apply(fileOf(top, tools...), r.options())
	if r.last != nil {
		require.NoError(r.t, r.last.Close())
	}
	r.last = s
}

// TestRule5_12_Counters: a reload frees no calls of a minute.
func TestRule5_12_Counters(t *testing.T) {
	r := newReloading(t)
	r.api.Answer("*", kerventest.Answer{})
	limits := "defaults: {rateLimit: {perMinute: 3}}\n"
	r.reload(limits, "a")
	c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent))
	calls := func() (ok int) {
		for range 4 {
			if !c.Call("a", nil).IsError {
				ok++
			}
		}
		return ok
	}
	require.False(t, c.Call("a", nil).IsError)
	r.reload(limits, "a")
	require.False(t, c.Call("a", nil).IsError)
	r.reload(limits, "b", "a")
	assert.Equal(t, 1, calls(), "two of three are used")
	assert.Contains(t, c.CallErr("a", nil), "seconds")
	r.reload(limits, "a")
	assert.Equal(t, 0, calls())
}

// TestRule5_12_OldSecrets: what was a secret before a reload is redacted after
// it, and the tool that stayed sends the new one.
func TestRule5_12_OldSecrets(t *testing.T) {
	r := newReloading(t)
	r.api.Handle("*", func(w http.ResponseWriter, req *http.Request) {
		_, _ = fmt.Fprintf(w, "now %s, before old-abcdefgh", req.Header.Get("A"))
	})
	r.reload("", "a")
	tool := r.tool("a")
	c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent))
	r.secret = "new-ijklmnop"
	r.reload("", "a")
	assert.Same(t, tool, r.tool("a"))
	assert.Equal(t, "now [redacted], before [redacted]", c.Call("a", nil).Text)
	assert.Equal(t, "new-ijklmnop", r.api.Last().Header.Get("A"))
}

// TestRule5_12_RunningCalls: a call that runs during a reload finishes on what
// it began with, which is released after it.
func TestRule5_12_RunningCalls(t *testing.T) {
	r := newReloading(t)
	begun, end := make(chan struct{}), make(chan struct{})
	r.api.Handle("/slow", func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-end
		_, _ = w.Write([]byte("finished"))
	})
	r.api.Answer("/new", kerventest.Answer{Body: "new"})
	r.reload("", "slow")
	old := r.last.runtime
	c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent))
	var wg sync.WaitGroup
	wg.Go(func() { assert.Equal(t, "finished", c.Call("slow", nil).Text) })
	<-begun
	r.reload("", "new")
	assert.True(t, old.closed())
	assert.Equal(t, 1, old.calls)
	assert.Equal(t, "new", c.Call("new", nil).Text)
	close(end)
	wg.Wait()
	assert.Equal(t, 0, old.calls)
}

// TestRule5_12_Overlapping: reloads at the same time leave one of the files,
// whole, and no call ever meets a closed one.
func TestRule5_12_Overlapping(t *testing.T) {
	r := newReloading(t)
	r.api.Answer("*", kerventest.Answer{Body: "ok"})
	app := kervan.NewApp("x", "1", kervan.WithRegistry(r), silent)
	limits := "defaults: {rateLimit: {perMinute: 100000, concurrency: 1000}}\n"
	r.reload(limits, "stays", "n0")
	c := kerventest.New(t, app)
	done := make(chan struct{})
	var callers, loaders sync.WaitGroup
	for range 2 {
		callers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if res := c.Call("stays", nil); res.IsError {
					t.Error(res.Text)
					return
				}
			}
		})
	}
	for i := range 4 {
		loaders.Go(func() {
			var last *Spec
			for j := range 5 {
				name := fmt.Sprintf("n%d_%d", i, j)
				text := fileOf(limits, toolText("stays", "D", r.api.URL()+"/stays"), toolText(name, "D", r.api.URL()+"/"+name))
				s, err := Load(t.Context(), []byte(text), r.options())
				if err != nil || Apply(&r.MemoryRegistry, s) != nil {
					t.Error(err)
					return
				}
				if tools := r.Tools(); len(tools) != 2 || tools[0].Info().Name != "stays" {
					t.Errorf("%d tools", len(tools))
				}
				if last != nil {
					_ = last.Close()
				}
				last = s
				t.Cleanup(func() { _ = s.Close() })
			}
		})
	}
	loaders.Wait()
	close(done)
	callers.Wait()
	assert.Len(t, r.Tools(), 2)
}

// TestRule5_12_TwoRegistries: a reload of one registry leaves the other on
// what it had, with its own secrets.
func TestRule5_12_TwoRegistries(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("*", kerventest.Answer{})
	a, b := &applied{t: t}, &applied{t: t}
	text := fileOf("", toolText("a", "A", api.URL()+"/"))
	load := func(secret string) *Spec {
		return mustLoad(t, text, Options{
			Name: "x.yaml", Secrets: MapSecrets(map[string]string{"S_TOKEN": secret}),
			Network: guard.Policy{Allow: []string{"127.0.0.1"}, TLS: api.TLS()},
		})
	}
	shared := load("shared-secret")
	require.NoError(t, Apply(&a.MemoryRegistry, shared))
	require.NoError(t, Apply(&b.MemoryRegistry, shared))
	require.NoError(t, Apply(&a.MemoryRegistry, load("of-a-only")))
	call := func(r *applied) string {
		c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent))
		require.False(t, c.Call("a", nil).IsError)
		return api.Last().Header.Get("A")
	}
	assert.Equal(t, "of-a-only", call(a))
	assert.Equal(t, "shared-secret", call(b))
}

// TestRule5_12_BadFile: a file that does not load changes nothing.
func TestRule5_12_BadFile(t *testing.T) {
	r := newReloading(t)
	r.api.Answer("*", kerventest.Answer{Body: "ok"})
	r.reload("", "a")
	_, err := Load(t.Context(), []byte("tools: ["), r.options())
	var e *LoadError
	require.True(t, errors.As(err, &e))
	assert.Equal(t, "x.yaml", e.File)
	c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(r), silent))
	assert.Equal(t, "ok", c.Call("a", nil).Text)
}
