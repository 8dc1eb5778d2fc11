package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// allowUpstream lets tools call the upstream of a test.
const allowUpstream = "--allow-private-network"

func TestRule10_2_Stdio(t *testing.T) {
	path := specFile(t, specOf(newUpstream(t), "first", "second"))
	eachEra(t, func(t *testing.T, version string) {
		c := connect(t, version, nil, "run", path, allowUpstream)
		assert.Equal(t, []string{"first", "second"}, c.tools(t))
		text, isError := c.call(t, "second", nil)
		assert.False(t, isError, text)
		assert.Equal(t, `"/second"`, text)
		assert.Equal(t, "test", c.InitializeResult().ServerInfo.Name)
		require.NoError(t, c.Close())
		assert.Equal(t, "kervan: test 1.0.0 from "+path+", 2 tools: first, second\n"+
			"kervan: warning: tools may call private networks and this machine (--allow-private-network)\n"+
			"kervan: serving over stdio\n", c.messages.String())
	})
}

// TestRule10_2_StdoutIsTheProtocols sends raw lines, with and without a request.
func TestRule10_2_StdoutIsTheProtocols(t *testing.T) {
	path := goodSpec(t)
	cmd := newCommand(t, nil, "run", path, "--watch")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", string(out))

	code, empty, _ := runBinary(t, nil, "run", path)
	assert.Equal(t, 0, code, "the client is gone")
	assert.Empty(t, empty)
}

func TestRule10_2_HTTP(t *testing.T) {
	path := specFile(t, specOf(newUpstream(t), "a"))
	r := startHTTP(t, nil, "run", path, "--http", "--port", "0", "--path", "/tools", allowUpstream)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/tools$`, r.url)
	eachEra(t, func(t *testing.T, version string) {
		session := connectHTTP(t, version, r.url, "")
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
		require.NoError(t, err)
		assert.Equal(t, `"/a"`, res.Content[0].(*mcp.TextContent).Text)
	})
	assert.Equal(t, http.StatusForbidden, post(t, r.url, func(q *http.Request) { q.Host = "evil.example" }))
	assert.Equal(t, http.StatusForbidden, post(t, r.url, func(q *http.Request) { q.Header.Set("Origin", "https://evil.example") }))
	assert.Equal(t, http.StatusNotFound, post(t, strings.TrimSuffix(r.url, "/tools")+"/mcp", nil))
}

// TestRule10_2_HostsAndOrigins: what was allowed is served, and nothing else.
func TestRule10_2_HostsAndOrigins(t *testing.T) {
	r := startHTTP(t, nil, "run", goodSpec(t), "--http", "--port", "0", "--allowed-host", "mcp.example.com", "--allowed-host", "*.example.net",
		"--allowed-origin", "https://app.example.com", "--allowed-origin", "http://localhost:5173")
	for host, want := range map[string]int{
		"mcp.example.com": 200, "a.example.net": 200, "127.0.0.1": 403, "example.com": 403,
	} {
		assert.Equal(t, want, post(t, r.url, func(q *http.Request) { q.Host = host }), host)
	}
	for origin, want := range map[string]int{
		"https://app.example.com": 200, "http://localhost:5173": 200, "http://localhost:5174": 403, "https://app.example.com.evil.example": 403,
	} {
		got := post(t, r.url, func(q *http.Request) { q.Host = "mcp.example.com"; q.Header.Set("Origin", origin) })
		assert.Equal(t, want, got, origin)
	}
	r.messages.waitFor(t, "everybody whom a proxy lets through can call", 1)
}

// TestRule10_2_Bearer: [S] with a token, only those who have it are served.
func TestRule10_2_Bearer(t *testing.T) {
	env := []string{"KERVAN_TOKEN=" + token}
	r := startHTTP(t, env, "run", goodSpec(t), "--http", "--port", "0", "--auth-token-env", "KERVAN_TOKEN")
	for authorization, want := range map[string]int{"": 401, "Bearer " + token + "x": 401, "Bearer " + token: 200} {
		got := post(t, r.url, func(q *http.Request) { q.Header.Set("Authorization", authorization) })
		assert.Equal(t, want, got, authorization)
	}
	session := connectHTTP(t, modern, r.url, token)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, list.Tools, 1)
	r.messages.waitFor(t, "requests need the bearer token in KERVAN_TOKEN", 1)
	assert.NotContains(t, r.messages.String(), token)
}

// TestRule10_2_EnvFiles: later files win, and the environment wins over files
// (case 265). The upstream tells how long the header was.
func TestRule10_2_EnvFiles(t *testing.T) {
	upstream := newUpstream(t)
	path := specFile(t, "specVersion: 1\nname: test\nversion: 1.0.0\nsecrets: [API_KEY]\nvars: [PLACE]\ndefaults: {http: {allowInsecureHttp: true}}\n"+
		"tools:\n  - name: a\n    description: Answers.\n    http: {url: '"+upstream+"/{{vars.PLACE}}', headers: {authorization: '{{secrets.API_KEY}}'}}\n"+
		"    output: {select: '[path, length]'}\n")
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.env"), filepath.Join(dir, "two.env")
	write(t, one, "\ufeffexport API_KEY='secret-of-one'\r\nPLACE=one # comment\r\n")
	write(t, two, "API_KEY=\"secret of \\\"two\\\"\"\n")
	for _, test := range []struct {
		env   []string
		files []string
		want  string
	}{
		{nil, []string{one}, `["/one",13]`},
		{nil, []string{one, two}, `["/one",15]`},
		{nil, []string{two, one}, `["/one",13]`},
		{[]string{"API_KEY=secret-of-env"}, []string{one, two}, `["/one",13]`},
		{[]string{"PLACE=env", "API_KEY=from-environment"}, []string{one, two}, `["/env",16]`},
	} {
		args := []string{"run", path, allowUpstream, "--allow-insecure-secrets"}
		for _, file := range test.files {
			args = append(args, "--env-file", file)
		}
		c := connect(t, modern, test.env, args...)
		text, _ := c.call(t, "a", nil)
		assert.Equal(t, test.want, text)
		for _, secret := range []string{"secret-of", "secret of", "from-environment"} {
			assert.NotContains(t, c.messages.String(), secret)
		}
	}
}

// TestRule7_5_Networks: [S] only the command line opens private networks, and it
// can deny others.
func TestRule7_5_Networks(t *testing.T) {
	path := specFile(t, specOf(newUpstream(t), "a"))
	for name, test := range map[string]struct {
		args    []string
		reached bool
	}{
		"by default":   {nil, false},
		"allowed":      {[]string{allowUpstream}, true},
		"another deny": {[]string{allowUpstream, "--deny-network", "203.0.113.0/24"}, true},
		"a deny":       {[]string{allowUpstream, "--deny-network", "203.0.113.0/24", "--deny-network", "127.0.0.0/8"}, false},
		"an address":   {[]string{allowUpstream, "--deny-network", "127.0.0.1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := prepareOnly(t, append([]string{path}, test.args...)...)
			c := kerventest.New(t, kervan.NewApp("test", "1", kervan.WithRegistry(s.registry)))
			if result := c.Call("a", nil); test.reached {
				assert.Equal(t, `"/a"`, result.Text)
			} else {
				assert.True(t, result.IsError)
				assert.Contains(t, result.Text, "127.0.0.1", "the host, as the spec names it")
			}
		})
	}
}

// TestRule10_7_HostileSpecs: [S] a spec cannot write to the terminal (case 268).
func TestRule10_7_HostileSpecs(t *testing.T) {
	good := strings.ReplaceAll(specOf("http://api.example.com", "a"), "http:/", "https:/")
	for name, text := range map[string]string{
		"name with OSC":         strings.Replace(good, "name: test", `name: "\e]52;c;aGk=\a"`, 1),
		"name with CSI":         strings.Replace(good, "name: test", `name: "\x9b31m"`, 1),
		"name with a fake line": strings.Replace(good, "name: test", `name: "x\nkervan: serving on http://evil; Ctrl-C stops"`, 1),
		"version":               strings.Replace(good, "version: 1.0.0", `version: "1\r\e[2K"`, 1),
		"description":           strings.Replace(good, "name: test", "name: test\ndescription: \"\\e[2J\"", 1),
		"bidi":                  strings.Replace(good, "name: test", `name: "a\u202eb"`, 1),
		"tool":                  strings.Replace(good, "name: a", `name: "\e[31m"`, 1),
		"unknown key":           good + "\"\\e[31m\\nkey\": 1\n",
		"raw escape":            strings.Replace(good, "name: test", "name: \"\x1b[31m\"", 1),
		"bad UTF-8":             strings.Replace(good, "name: test", "name: \"\xff\x1b\"", 1),
		"url":                   strings.Replace(good, "https://api.example.com", `"https://\e[31m"`, 1),
		"select":                strings.Replace(good, "select: path", `select: "\e[31m"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			code, out, messages := runBinary(t, nil, "run", specFile(t, text))
			assert.Equal(t, 1, code, messages)
			assert.Empty(t, out)
			assert.Contains(t, messages, "Error: ")
			assertVisible(t, messages)
			assert.NotContains(t, messages, "\nkervan: serving")
		})
	}
}

// TestRule10_7_HostilePaths: the path of a spec is not the spec's, but printed
// too.
func TestRule10_7_HostilePaths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x\x1b]0;t\a\nkervan: serving.yaml")
	write(t, path, strings.ReplaceAll(specOf("http://api.example.com", "a"), "http:/", "https:/"))
	code, _, messages := runBinary(t, nil, "run", path, "--watch")
	assert.Equal(t, 0, code, messages)
	assertVisible(t, messages)
	assert.Equal(t, 3, strings.Count(messages, "\n"), messages)
}

// TestRule10_7_PasswordsInURLs: [S] of a spec that is refused.
func TestRule10_7_PasswordsInURLs(t *testing.T) {
	for _, bad := range []string{"https://user:hunter2@h/", "https://hunter2@h/", "ftp://user:hunter2@h/", "https://u:hunter2@{{input.x}}/"} {
		code, _, messages := runBinary(t, nil, "run", specFile(t, strings.Replace(specOf("X", "a"), "X/a", `"`+bad+`"`, 1)))
		assert.Equal(t, 1, code)
		assert.NotContains(t, messages, "hunter2")
	}
	code, _, messages := runBinary(t, nil, "run", goodSpec(t), "--http", "--allowed-origin", "https://user:hunter2@h")
	assert.Equal(t, 1, code)
	assert.Contains(t, messages, "--allowed-origin")
	assert.NotContains(t, messages, "hunter2")
}

// TestRule10_7_SecretsInMessages: [S] whatever becomes of a call, the secret of
// its request is not printed (case 271).
func TestRule10_7_SecretsInMessages(t *testing.T) {
	const secret = "hunter2/hunter2+hunter2"
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		switch r.URL.Query().Get("do") {
		case "fail":
			http.Error(w, r.RequestURI, http.StatusInternalServerError)
		case "redirect":
			http.Redirect(w, r, "http://127.0.0.1:1/"+url.PathEscape(secret), http.StatusFound)
		case "hang up":
			panic(http.ErrAbortHandler)
		case "nonsense":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{"+secret)
		default:
			w.Header().Set("Content-Type", r.Header.Get("Authorization"))
			_, _ = io.WriteString(w, secret)
		}
	}))
	defer upstream.Close()
	text := "specVersion: 1\nname: test\nversion: 1.0.0\nsecrets: [API_KEY]\ndefaults: {http: {allowInsecureHttp: true, followRedirects: 2}}\ntools:\n"
	for name, base := range map[string]string{"served": upstream.URL, "refused": "http://127.0.0.1:1"} {
		text += "  - name: " + name + "\n    description: Answers.\n    input: {type: object, properties: {do: {type: string}}}\n" +
			"    http:\n      url: " + base + "/{{secrets.API_KEY}}\n      query: {do: '{{input.do}}', key: '{{secrets.API_KEY}}'}\n" +
			"      headers: {authorization: 'Bearer {{secrets.API_KEY}}'}\n    output: {select: '@'}\n"
	}
	c := connect(t, modern, []string{"API_KEY=" + secret}, "run", specFile(t, text), allowUpstream, "--allow-insecure-secrets")
	for _, do := range []string{"fail", "redirect", "hang up", "nonsense", "media type"} {
		for _, tool := range []string{"served", "refused"} {
			result, isError := c.call(t, tool, map[string]any{"do": do})
			assert.True(t, isError, do)
			assert.NotContains(t, result, "hunter2")
		}
	}
	require.NoError(t, c.Close())
	assert.NotContains(t, c.messages.String(), "hunter2")
}

// TestRule10_7_MessagesHideSecrets also when an error is logged as an object,
// and whatever the secret was encoded as.
func TestRule10_7_MessagesHideSecrets(t *testing.T) {
	const secret = `hunter2 "hunter2"/hunter2`
	var messages syncBuffer
	p := newProcess(io.Discard, &messages)
	p.hide("API_KEY", secret)
	p.hide("TOO_SHORT", "is")
	p.messages.Printf("it is %s", secret)
	p.fail(fmt.Errorf("get %q: %w", "https://h/?k="+url.QueryEscape(secret), errors.New(secret)))
	p.log.Error(secret, "error", fmt.Errorf("basic %s", base64.StdEncoding.EncodeToString([]byte("user:"+secret))), "raw", []byte(secret))
	assert.NotContains(t, messages.String(), "hunter2")
	assert.NotContains(t, messages.String(), base64.StdEncoding.EncodeToString([]byte("hunter2"))[:8])
	assert.Contains(t, messages.String(), "it is [redacted]\n")
}

// TestRule10_7_LoadedSecrets: [S] what loading asks for is kept out of messages.
func TestRule10_7_LoadedSecrets(t *testing.T) {
	t.Setenv("API_KEY", "hunter2/hunter2")
	text := strings.Replace(specOf("https://api.example.com", "a"), "a}", "a, headers: {authorization: '{{secrets.API_KEY}}'}}", 1)
	s, messages := prepareOnly(t, specFile(t, text+"secrets: [API_KEY]\n"))
	s.process.messages.Printf("key hunter2/hunter2 or hunter2%%2Fhunter2")
	assert.Equal(t, "key [redacted] or [redacted]\n", messages.String())
}

// connectHTTP connects the SDK's client, with a bearer token if there is one.
func connectHTTP(t *testing.T, version, endpoint, bearer string) *mcp.ClientSession {
	t.Helper()
	base := http.DefaultTransport.(*http.Transport).Clone()
	over := &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: withToken{base, bearer}}, DisableStandaloneSSE: true}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, sessionOptions(version))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		base.CloseIdleConnections()
	})
	return session
}

type withToken struct {
	next   http.RoundTripper
	bearer string
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.bearer != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+w.bearer)
	}
	return w.next.RoundTrip(r)
}

// post sends a request of the older era and returns the status.
func post(t *testing.T, endpoint string, change func(*http.Request)) int {
	t.Helper()
	body := bytes.NewBufferString(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(request)
	}
	over := http.Transport{DisableKeepAlives: true}
	client := http.Client{Transport: &over, Timeout: 30 * time.Second}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(text, []byte("{")), fmt.Sprintf("%d %s", response.StatusCode, text))
	return response.StatusCode
}
