package spec

import (
	"context"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/sandbox"
)

func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "api.yaml")
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o600))
	s, err := LoadFile(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	assert.Equal(t, path, s.source)

	require.NoError(t, os.WriteFile(path, []byte(head), 0o600))
	_, err = LoadFile(t.Context(), path, Options{})
	assert.ErrorContains(t, err, path+`:1:1: "tools" is missing`)
	_, err = LoadFile(t.Context(), path, Options{Name: "other.yaml"})
	assert.ErrorContains(t, err, "other.yaml:1:1: ")

	_, err = LoadFile(t.Context(), filepath.Join(dir, "missing\x1b.yaml"), Options{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, 1, strings.Count(err.Error(), "missing"))
	requireVisible(t, err.Error())
	_, err = LoadFile(t.Context(), dir, Options{})
	assert.Error(t, err)

	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("#", 2<<20)), 0o600))
	_, err = LoadFile(t.Context(), path, Options{})
	assert.EqualError(t, err, path+": "+textTooLarge)
}

func TestLoadFS(t *testing.T) {
	files := fstest.MapFS{"a/api.yaml": {Data: []byte(whole)}, "bad.yaml": {Data: []byte("a: [")}}
	s, err := LoadFS(t.Context(), files, "a/api.yaml", Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = LoadFS(t.Context(), files, "bad.yaml", Options{})
	assert.ErrorContains(t, err, "bad.yaml:1:")
	_, err = LoadFS(t.Context(), files, "none.yaml", Options{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestIssueTexts(t *testing.T) {
	i := Issue{Path: "tools[0].http.url", Message: "is wrong", Line: 12, Column: 5}
	assert.Equal(t, "tools[0].http.url: is wrong", i.String())
	assert.Equal(t, "is wrong", Issue{Message: "is wrong"}.String())
	err := &LoadError{File: "kervan.yaml", Issues: []Issue{i, {Message: "empty", Line: 1, Column: 1}, {Path: "vars[0]", Message: "unused", Severity: SeverityWarning}, {Message: "more", Severity: SeverityNote}}}
	assert.Equal(t, "kervan.yaml:12:5 tools[0].http.url: is wrong\nkervan.yaml:1:1: empty\nkervan.yaml vars[0]: warning: unused\nkervan.yaml: note: more", err.Error())
	assert.Equal(t, "error warning note", SeverityError.String()+" "+SeverityWarning.String()+" "+SeverityNote.String())
	bad := &LoadError{File: "a\x1b]0;x\a\n.yaml", Issues: []Issue{{Message: "m"}}}
	requireVisible(t, bad.Error())
	assert.NotContains(t, bad.Error(), "\n")
}

func TestPaths(t *testing.T) {
	s := &issues{}
	tree := parseYAML([]byte("a:\n  - {X-A: {b c: {\"\": {$d: {\"[0]\": {é: 1}}}}}}\n"), s)
	require.Empty(t, s.list)
	n := tree.at([]string{"a", "0", "X-A", "b c", "", "$d", "[0]", "é"})
	assert.Equal(t, `a[0].X-A["b c"][""].$d["[0]"]["é"]`, n.path())
	assert.Equal(t, "", tree.path())
	assert.Nil(t, tree.at([]string{"a", "1"}))
	assert.Nil(t, tree.at([]string{"a", "x"}))
	assert.Equal(t, "a[0].X-A", tree.deepest([]string{"a", "0", "X-A", "no", "where"}).path())
	assert.Equal(t, []string{"a/b", "c~d", ""}, tokens("/a~1b/c~0d/"))
	assert.Empty(t, tokens(""))
}

func TestSelect(t *testing.T) {
	file := func(expression string) string {
		return inTool("http: {url: https://h/}\noutput:\n  select: «" + expression)
	}
	for _, expression := range []string{"'a['", "'a.b.'", "'nope(@)'", "'{a: }'", "'*.length(@)'", `"a == 9007199254740993"`} {
		refused{expression, file(expression), "tools[0].output.select", []string{"not a valid JMESPath expression"}}.check(t, Options{})
	}
	text, line, column := unmark(t, file(`"'always the same'"`))
	s := mustLoad(t, text, Options{})
	require.Len(t, s.Warnings(), 1)
	w := s.Warnings()[0]
	assert.Equal(t, Issue{Path: "tools[0].output.select", Line: line, Column: column, Severity: SeverityWarning, Message: w.Message}, w)
	clean, _, _ := unmark(t, file("|\n        {\n          a: a,\n          b: b[0]\n        }"))
	noWarnings(t, clean, Options{})
}

// recordingLimiter is a limiter that others share.
type recordingLimiter struct {
	keys []string
	err  error
}

func (l *recordingLimiter) Acquire(_ context.Context, key string, perMinute, concurrency int) (func(), time.Duration, error) {
	l.keys = append(l.keys, key)
	return func() {}, 0, l.err
}

// TestRule8_5_SharedLimiter: keys are the same in each process and after each
// reload; a limiter that fails refuses.
func TestRule8_5_SharedLimiter(t *testing.T) {
	api := kerventest.UpstreamTLS(t)
	api.Answer("*", kerventest.Answer{})
	l := &recordingLimiter{}
	var outcomes []Outcome
	o := devOptions(api)
	o.Limiter = l
	o.Events = func(e Event) { outcomes = append(outcomes, e.(UpstreamEvent).Outcome) }
	var r kervan.MemoryRegistry
	c := kerventest.New(t, kervan.NewApp("x", "1", kervan.WithRegistry(&r), silent))
	for range 2 {
		require.NoError(t, Apply(&r, noWarnings(t, peopleFile(api), o)))
		require.False(t, c.Call("form", nil).IsError)
	}
	assert.Equal(t, []string{"people.yaml/form", "people.yaml/form"}, l.keys)
	l.err = errors.New("redis: connection refused")
	assert.NotContains(t, c.CallErr("form", nil), "redis")
	assert.Equal(t, []Outcome{OutcomeOK, OutcomeOK, OutcomeLimiter}, outcomes)
}

// TestSharedSandbox: a pool that was given outlives the Spec.
func TestSharedSandbox(t *testing.T) {
	pool := sandbox.New(sandbox.Options{Children: 1})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	s := mustLoad(t, whole, Options{Sandbox: pool})
	assert.Nil(t, s.runtime.pool)
	require.NoError(t, s.Close())
	got, err := pool.Select(t.Context(), "a", []byte(`{"a":1}`))
	require.NoError(t, err)
	assert.Equal(t, "1", string(got))
}

// TestCloseEndsTheSandbox: its own pool ends with the Spec, after the last
// call.
func TestCloseEndsTheSandbox(t *testing.T) {
	s := mustLoad(t, whole, Options{})
	pool := s.runtime.pool
	require.True(t, s.runtime.enter())
	require.NoError(t, s.Close())
	_, err := pool.Select(t.Context(), "a", []byte(`{"a":1}`))
	require.NoError(t, err, "a call that runs has its sandbox")
	s.runtime.leave()
	_, err = pool.Select(t.Context(), "a", []byte(`{"a":1}`))
	var e *sandbox.Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, sandbox.KindClosed, e.Kind)
	assert.False(t, s.runtime.enter())
}

// TestLoadReachesNothing: what a file names is not looked up.
func TestLoadReachesNothing(t *testing.T) {
	resolver := &countingResolver{}
	o := quietOptions()
	o.Network.Resolver = resolver
	noWarnings(t, withURL("https://api.kervan.invalid/", "timeoutMs: 500"), o)
	assert.Zero(t, resolver.asked)
}

type countingResolver struct{ asked int }

func (r *countingResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.asked++
	return nil, errors.New("no network")
}
