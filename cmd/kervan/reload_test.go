package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
)

// replaceFile writes a file as editors and deployments do.
func replaceFile(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+".tmp", text)
	require.NoError(t, os.Rename(path+".tmp", path))
}

// waitForTools waits until the server lists these.
func (c *client) waitForTools(t *testing.T, want ...string) {
	t.Helper()
	require.EventuallyWithT(t, func(collect *assert.CollectT) {
		list, err := c.ListTools(t.Context(), nil)
		if !assert.NoError(collect, err) {
			return
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		assert.Equal(collect, want, names)
	}, 30*time.Second, 10*time.Millisecond)
}

// calm is long enough for a change to be told, if there was one.
const calm = 700 * time.Millisecond

func TestRule5_12_WatchEdits(t *testing.T) {
	eachEra(t, func(t *testing.T, version string) {
		upstream := newUpstream(t)
		path := specFile(t, specOf(upstream, "a", "b"))
		c := connect(t, version, nil, "run", path, "--watch", allowUpstream)
		require.Equal(t, []string{"a", "b"}, c.tools(t))

		write(t, path, specOf(upstream, "a", "b", "c"))
		c.messages.waitFor(t, "was loaded again: added 1 tool: c", 1)
		c.waitForTools(t, "a", "b", "c")
		time.Sleep(calm)
		assert.Equal(t, 1, c.changes(), "a good edit is told once")
		text, _ := c.call(t, "c", nil)
		assert.Equal(t, `"/c"`, text)

		write(t, path, specOf(upstream, "a", "b", "c"))
		now := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(path, now, now))
		time.Sleep(calm)
		assert.Equal(t, 1, c.changes(), "the same text is no edit")
		assert.Equal(t, 1, strings.Count(c.messages.String(), "loaded again"))

		write(t, path, "# only a comment\n"+specOf(upstream, "a", "b", "c"))
		c.messages.waitFor(t, "was loaded again, its tools are the same", 1)
		time.Sleep(calm)
		assert.Equal(t, 1, c.changes(), "a comment is no change")

		replaceFile(t, path, specOf(upstream, "c", "a"))
		c.messages.waitFor(t, "was loaded again: removed 1 tool: b", 1)
		c.waitForTools(t, "c", "a")
		time.Sleep(calm)
		assert.Equal(t, 2, c.changes(), "a rename over the file is an edit like others")
	})
}

func TestRule5_12_WatchBadEdits(t *testing.T) {
	upstream := newUpstream(t)
	good := specOf(upstream, "a", "b")
	path := specFile(t, good)
	c := connect(t, modern, nil, "run", path, "--watch", allowUpstream)
	kept := 0
	for _, bad := range []struct{ text, want string }{
		{strings.Replace(good, "name: b", "name: a", 1), path + ":10:"},
		{strings.Replace(good, "select: path", "selec: path", 1), path + ":9:"},
		{strings.Replace(good, "description: Answers.", "\x1b]0;\a: {", 1), path + ":"},
		{"", path},
		{good[:len(good)-20], path + ":"},
		{strings.Replace(good, "tools:", "tools: [", 1), path + ":"},
	} {
		write(t, path, bad.text)
		kept++
		c.messages.waitFor(t, path+" was not loaded again, the last good version stays:\n", kept)
		c.messages.waitFor(t, "the last good version stays:\n  "+bad.want, 1)
		assert.Equal(t, []string{"a", "b"}, c.tools(t))
		text, isError := c.call(t, "b", nil)
		assert.False(t, isError)
		assert.Equal(t, `"/b"`, text)
	}
	require.NoError(t, os.Remove(path))
	kept++
	c.messages.waitFor(t, "the last good version stays:\n  "+path+" cannot be read: ", 1)
	assert.Equal(t, []string{"a", "b"}, c.tools(t))
	time.Sleep(calm)
	assert.Zero(t, c.changes())
	assert.Equal(t, kept, strings.Count(c.messages.String(), "the last good version stays"), "each version is judged once")
	assertVisible(t, c.messages.String())

	write(t, path, good)
	c.messages.waitFor(t, "was loaded again, its tools are the same", 1)
	write(t, path, specOf(upstream, "b"))
	c.waitForTools(t, "b")
}

// TestRule10_2_HalfWritten: a file that is caught while it is written is read
// again before it is judged.
func TestRule10_2_HalfWritten(t *testing.T) {
	before, full := specOf("https://api.example.com", "a"), specOf("https://api.example.com", "a", "b")
	for name, parts := range map[string][]string{
		"emptied":             {"", full},
		"cut":                 {full[:len(full)-30], full},
		"grows":               {"", full[:20], full[:90], full[:len(full)-30], full},
		"bad for a moment":    {"tools: [", full},
		"gone for a moment":   {missing, full},
		"gone and cut":        {missing, full[:90], missing, full},
		"as it was":           {"", before},
		"bad in the end":      {"", "tools: ["},
		"empty in the end":    {full[:90], ""},
		"missing in the end":  {"", missing},
		"bad, then bad again": {"x", "y", "x", "y"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := specFile(t, before)
				s, messages := prepareOnly(t, path)
				require.NotNil(t, s, "%s", messages)
				s.app = kervan.NewApp("test", "1")
				last := parts[len(parts)-1]
				writeOrRemove(t, path, parts[0])
				done := make(chan struct{})
				go func() {
					defer close(done)
					s.reload(t.Context())
				}()
				for _, part := range parts[1:] {
					time.Sleep(settle * 3 / 4) // it is read again meanwhile
					synctest.Wait()
					assert.NotContains(t, messages.String(), "not loaded again")
					writeOrRemove(t, path, part)
				}
				<-done
				accepted, refused := 0, 1
				switch last {
				case full:
					accepted, refused = 1, 0
				case before:
					refused = 0
				}
				assert.Equal(t, accepted, strings.Count(messages.String(), "was loaded again: added 1 tool: b\n"))
				assert.Equal(t, refused, strings.Count(messages.String(), "was not loaded again"))
				assert.Equal(t, last == full, len(s.registry.Tools()) == 2)
			})
		})
	}
}

// missing stands for a file that is not there.
const missing = "(missing)"

func writeOrRemove(t *testing.T, path, text string) {
	t.Helper()
	if text == missing {
		require.NoError(t, os.Remove(path))
		return
	}
	write(t, path, text)
}

// TestRule5_12_HundredEdits: the last of many edits in a second counts.
func TestRule5_12_HundredEdits(t *testing.T) {
	upstream := newUpstream(t)
	path := specFile(t, specOf(upstream, "start"))
	c := connect(t, modern, nil, "run", path, "--watch", allowUpstream)
	for i := range 100 {
		text := specOf(upstream, "start", fmt.Sprint("edit_", i))
		if i%2 == 0 {
			replaceFile(t, path, text)
		} else {
			write(t, path, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.waitForTools(t, "start", "edit_99")
	time.Sleep(calm)
	assert.Equal(t, []string{"start", "edit_99"}, c.tools(t))
	assert.NotContains(t, c.messages.String(), "not loaded again")
	assert.Less(t, strings.Count(c.messages.String(), "loaded again"), 20)
}

// TestRule5_12_IdentityFollows: name, version and instructions follow the file.
func TestRule5_12_IdentityFollows(t *testing.T) {
	upstream := newUpstream(t)
	path := specFile(t, specOf(upstream, "a"))
	r := startHTTP(t, nil, "run", path, "--http", "--port", "0", "--watch", allowUpstream)
	write(t, path, strings.Replace(specOf(upstream, "a"), "name: test\nversion: 1.0.0", "name: other\nversion: 2.0.0\ndescription: New words.", 1))
	r.messages.waitFor(t, "was loaded again", 1)
	eachEra(t, func(t *testing.T, version string) {
		hello := connectHTTP(t, version, r.url, "").InitializeResult()
		assert.Equal(t, "other", hello.ServerInfo.Name)
		assert.Equal(t, "2.0.0", hello.ServerInfo.Version)
		assert.Equal(t, "New words.", hello.Instructions)
	})
}

// TestRule10_2_EnvFilesAreWatched: a new value counts for the next call; a bad
// file changes nothing.
func TestRule10_2_EnvFilesAreWatched(t *testing.T) {
	upstream := newUpstream(t)
	path := specFile(t, "specVersion: 1\nname: test\nversion: 1.0.0\nsecrets: [API_KEY]\nvars: [PLACE]\ndefaults: {http: {allowInsecureHttp: true}}\n"+
		"tools:\n  - name: a\n    description: Answers.\n    http: {url: '"+upstream+"/{{vars.PLACE}}', headers: {authorization: '{{secrets.API_KEY}}'}}\n"+
		"    output: {select: '[path, length]'}\n")
	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "API_KEY=hunter2hunter2\nPLACE=one\n")
	c := connect(t, modern, nil, "run", path, "--watch", "--env-file", file, allowUpstream, "--allow-insecure-secrets")
	answers := func() string { text, _ := c.call(t, "a", nil); return text }
	require.Equal(t, `["/one",14]`, answers())

	replaceFile(t, file, "API_KEY=hunter2hunter2hunter2\nPLACE=two\n")
	c.messages.waitFor(t, "was loaded again", 1)
	assert.Equal(t, `["/two",21]`, answers())

	write(t, file, "API_KEY=hunter2hunter2hunter2hunter2\nPLACE two\n")
	c.messages.waitFor(t, file+":2: ", 1)
	assert.Equal(t, `["/two",21]`, answers())
	require.NoError(t, os.Remove(file))
	c.messages.waitFor(t, "the last good version stays", 2)
	assert.Equal(t, `["/two",21]`, answers())

	write(t, file, "# another comment\nAPI_KEY=hunter2hunter2hunter2\nPLACE=two\n")
	time.Sleep(calm)
	write(t, file, "API_KEY=hunter2hunter2hunter2\nPLACE=three\nKERVAN_ENV=production\n")
	c.messages.waitFor(t, "the last good version stays:\n  --allow-private-network is for development", 1)
	assert.Equal(t, `["/two",21]`, answers())
	assert.Zero(t, c.changes(), "the list is the same")
	assert.NotContains(t, c.messages.String(), "hunter2")
}

// TestRule10_2_TokenFollows: [S] a token that was replaced is no token any more.
func TestRule10_2_TokenFollows(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "KERVAN_TOKEN="+token+"\n")
	r := startHTTP(t, nil, "run", goodSpec(t), "--http", "--port", "0", "--watch", "--env-file", file, "--auth-token-env", "KERVAN_TOKEN")
	try := func(token string) int {
		return post(t, r.url, func(q *http.Request) { q.Header.Set("Authorization", "Bearer "+token) })
	}
	require.Equal(t, 200, try(token))
	write(t, file, "KERVAN_TOKEN=short\n")
	r.messages.waitFor(t, "the token in KERVAN_TOKEN is too short", 1)
	require.Equal(t, 200, try(token), "the last good version stays")
	write(t, file, "KERVAN_TOKEN=another-"+token+"\n")
	r.messages.waitFor(t, "was loaded again", 1)
	require.Equal(t, 401, try(token))
	require.Equal(t, 200, try("another-"+token))
	assert.NotContains(t, r.messages.String(), token)
}

// TestRule5_12_WarningsAreSaidOnce also when the file is loaded again.
func TestRule5_12_WarningsAreSaidOnce(t *testing.T) {
	upstream := newUpstream(t)
	path := specFile(t, specOf(upstream, "a")+"secrets: [UNUSED_A]\n")
	c := connect(t, modern, nil, "run", path, "--watch", allowUpstream)
	write(t, path, "# lines move\n"+specOf(upstream, "a")+"secrets: [UNUSED_A, UNUSED_B]\n")
	c.messages.waitFor(t, "UNUSED_B", 1)
	assert.Equal(t, 1, strings.Count(c.messages.String(), "UNUSED_A is never used"))
}
