package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/spec"
)

// token is one that is long enough.
const token = "0123456789abcdef"

// goodSpec loads and calls nothing that exists.
func goodSpec(t *testing.T) string {
	t.Helper()
	return specFile(t, strings.ReplaceAll(specOf("http://api.example.com", "a"), "http:/", "https:/"))
}

// prepareOnly runs everything before serving, and returns what is ready.
func prepareOnly(t *testing.T, args ...string) (*server, *syncBuffer) {
	t.Helper()
	s, messages, err := tryPrepare(t, args)
	require.NoError(t, err)
	return s, messages
}

// problemsOf returns what keeps the command from serving.
func problemsOf(t *testing.T, args ...string) []string {
	t.Helper()
	_, _, err := tryPrepare(t, args)
	var texts []string
	for _, line := range lines(err) {
		texts = append(texts, line.Error())
	}
	return texts
}

func tryPrepare(t *testing.T, args []string) (*server, *syncBuffer, error) {
	t.Helper()
	messages := new(syncBuffer)
	p := newProcess(io.Discard, messages)
	var g grammar
	_, err := newParser(t.Context(), &g, p, func(int) {}).Parse(append([]string{"run"}, args...))
	require.NoError(t, err)
	s, err := g.Run.prepare(t.Context(), p)
	if err == nil {
		t.Cleanup(s.close)
	}
	return s, messages, err
}

func TestRule10_2_PreflightListsAllProblems(t *testing.T) {
	t.Setenv("KERVAN_ENV", "production")
	t.Setenv("SHORT_TOKEN", "hunter2")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	bad := filepath.Join(t.TempDir(), "bad.env")
	write(t, bad, "OK=1\nhunter2\n")
	path := specFile(t, strings.Replace(specOf("ftp://h", "a", "b"), "name: test", "name: ''", 1))

	code, _, messages := runHere(t, "run", path, "--http", "--port", port, "--path", "x",
		"--allowed-host", "http://h", "--allowed-host", "h:80", "--allowed-origin", "h", "--env-file", "missing.env", "--env-file", bad,
		"--allow-private-network", "--allow-insecure-secrets", "--deny-network", "10.0.0/8", "--auth-token-env", "SHORT_TOKEN")
	assert.Equal(t, 1, code)
	for _, want := range []string{
		"Error: nothing is served, because:\n", "missing.env", bad + ":2", path + ":2:7 name: ",
		"--allow-private-network is for development", "--allow-insecure-secrets is for development", `--deny-network is "10.0.0/8"`,
		`--path is "x"`, `--allowed-host is "http://h"`, `--allowed-host is "h:80"`, `--allowed-origin is "h"`,
		"the token in SHORT_TOKEN is too short", "cannot serve on 127.0.0.1:" + port,
	} {
		assert.Contains(t, messages, want)
	}
	assert.NotContains(t, messages, "hunter2")
	assert.Equal(t, 1, strings.Count(messages, "Error: "))
	for line := range strings.Lines(messages) {
		assert.True(t, strings.HasPrefix(line, "Error: ") || strings.HasPrefix(line, "  "), line)
	}
}

func TestRule10_2_OneProblemIsOneLine(t *testing.T) {
	good := goodSpec(t)
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.yaml")
	write(t, empty, "")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no spec":          {[]string{filepath.Join(dir, "missing.yaml")}, "missing.yaml cannot be read: no such file or directory; give the path of a kervan.yaml"},
		"a directory":      {[]string{dir}, "is a directory"},
		"an empty spec":    {[]string{empty}, "empty.yaml"},
		"no env file":      {[]string{good, "--env-file", "missing.env"}, "missing.env"},
		"env file a dir":   {[]string{good, "--env-file", dir}, "is a directory"},
		"bad CIDR":         {[]string{good, "--deny-network", "300.0.0.0/8"}, "give an address, such as 203.0.113.7, or a CIDR"},
		"bad mask":         {[]string{good, "--deny-network", "10.0.0.0/33"}, "--deny-network"},
		"a name":           {[]string{good, "--deny-network", "localhost"}, "--deny-network"},
		"no CIDR":          {[]string{good, "--deny-network", ""}, "--deny-network"},
		"path":             {[]string{good, "--http", "--port", "0", "--path", "/a?b"}, "--path"},
		"origin":           {[]string{good, "--http", "--port", "0", "--allowed-origin", "null"}, "--allowed-origin"},
		"port without":     {[]string{good, "--port", "3000"}, "--port has an effect over HTTP only; add --http, or leave --port out"},
		"host without":     {[]string{good, "--host", "127.0.0.1"}, "--host has"},
		"path without":     {[]string{good, "--path", "/x"}, "--path has"},
		"hosts without":    {[]string{good, "--allowed-host", "h"}, "--allowed-host has"},
		"origins without":  {[]string{good, "--allowed-origin", "https://h"}, "--allowed-origin has"},
		"token without":    {[]string{good, "--auth-token-env", "TOKEN"}, "--auth-token-env has"},
		"no auth without":  {[]string{good, "--no-auth"}, "--no-auth has"},
		"address not here": {[]string{good, "--http", "--host", "192.0.2.10", "--allowed-host", "h", "--no-auth"}, "cannot serve on 192.0.2.10:3000: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, messages := runHere(t, append([]string{"run"}, test.args...)...)
			assert.Equal(t, 1, code)
			assert.Empty(t, out)
			assert.Contains(t, messages, test.want)
			assert.True(t, strings.HasPrefix(messages, "Error: "), messages)
			assert.Equal(t, 1, strings.Count(messages, "\n"), messages)
		})
	}
}

// TestRule10_2_WatchNeedsFiles: what can be read once only is not watched.
func TestRule10_2_WatchNeedsFiles(t *testing.T) {
	good := goodSpec(t)
	_, _ = prepareOnly(t, good, "--env-file", os.DevNull)
	wrong := problemsOf(t, good, "--env-file", os.DevNull, "--watch")
	require.Len(t, wrong, 1)
	assert.Equal(t, os.DevNull+" is no regular file and cannot be read again; leave --watch out, or give a file", wrong[0])
}

func TestRule10_2_PortBusy(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	code, out, messages := runBinary(t, nil, "run", goodSpec(t), "--http", "--port", port)
	assert.Equal(t, 1, code)
	assert.Empty(t, out)
	assert.Equal(t, 1, strings.Count(messages, "\n"), messages)
	assert.Contains(t, messages, "Error: cannot serve on 127.0.0.1:"+port+": ")
	assert.Contains(t, messages, "--port")
	for _, no := range []string{"EADDRINUSE", "errno", "goroutine", "listen tcp", "bind:"} {
		assert.NotContains(t, messages, no)
	}
}

// TestRule10_2_OffLoopback: [S] whoever reaches the port spends the operator's
// secrets.
func TestRule10_2_OffLoopback(t *testing.T) {
	t.Setenv("GOOD_TOKEN", token)
	good := goodSpec(t)
	hosts := []string{"--allowed-host", "mcp.example.com"}
	const needsToken, needsHosts = "--auth-token-env, or let everybody in with --no-auth", "--allowed-host"
	for _, host := range []string{"0.0.0.0", "::", "[::]", "", "192.0.2.10", "::ffff:192.0.2.1"} {
		t.Run(host, func(t *testing.T) {
			args := []string{good, "--http", "--port", "0", "--host", host}
			wrong := problemsOf(t, args...)
			assertOneHas(t, wrong, needsToken)
			assertOneHas(t, wrong, needsHosts)

			wrong = problemsOf(t, append(args, hosts...)...)
			assertOneHas(t, wrong, needsToken)
			for _, open := range [][]string{{"--no-auth"}, {"--auth-token-env", "GOOD_TOKEN"}} {
				s, _, err := tryPrepare(t, append(append(args, hosts...), open...))
				for _, wrong := range lines(err) { // that it cannot listen there at all
					assert.Contains(t, wrong.Error(), "choose another address")
				}
				if err == nil {
					assert.Equal(t, open[0] == "--auth-token-env", s.gate != nil)
				}
			}
		})
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST", "127.0.0.53"} {
		s, _ := prepareOnly(t, good, "--http", "--port", "0", "--host", host)
		assert.Nil(t, s.gate)
		assert.True(t, s.endpoint.onLoopback(), "and not what a resolver says")
	}
	for _, name := range []string{"example.com", "0", "127.1", "localhost.", "localhost.example.com", "127.0.0.1.example.com", "ip6-localhost"} {
		_, err := new(runCommand).token(endpoint{host: name}, spec.EnvSecrets())
		require.Error(t, err, "a name may be any address: %s", name)
		assert.Contains(t, err.Error(), needsToken)
	}
}

func assertOneHas(t *testing.T, texts []string, want string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, want) {
			return
		}
	}
	t.Errorf("none of %q has %q", texts, want)
}

// TestRule10_2_OffLoopbackByEnvironment: [S] it does not matter where the
// address comes from.
func TestRule10_2_OffLoopbackByEnvironment(t *testing.T) {
	good := goodSpec(t)
	for _, env := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		t.Setenv("KERVAN_ADDR", env)
		wrong := problemsOf(t, good, "--http")
		assertOneHas(t, wrong, "--no-auth")
		assertOneHas(t, wrong, "--allowed-host")
	}
	t.Setenv("KERVAN_ADDR", "0.0.0.0:1")
	s, _ := prepareOnly(t, good, "--http", "--host", "localhost", "--port", "0")
	assert.Equal(t, "127.0.0.1:0", s.endpoint.address(), "flags win")

	t.Setenv("KERVAN_TRANSPORT", "http")
	assertOneHas(t, problemsOf(t, good), "--no-auth")
	t.Setenv("KERVAN_ADDR", "")
	t.Setenv("HOST", "0.0.0.0")
	t.Setenv("PORT", "0")
	s, _ = prepareOnly(t, good, "--path", "/tools")
	assert.Equal(t, endpoint{"127.0.0.1", "0", "/tools"}, *s.endpoint)

	for name, value := range map[string]string{"KERVAN_TRANSPORT": "sse", "KERVAN_ADDR": "nonsense", "PORT": "http"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			wrong := problemsOf(t, good)
			require.Len(t, wrong, 1)
			assert.Contains(t, wrong[0], name+` is "`+value+`"`)
		})
	}
}

// TestRule10_2_Token: [S] what is no good token does not start, and is not
// shown.
func TestRule10_2_Token(t *testing.T) {
	good := goodSpec(t)
	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "FILE_TOKEN="+token+"\n")
	for value, want := range map[string]string{
		"":                        "TOKEN is not set",
		"hunter2":                 "too short",
		"hunter2hunter2h":         "too short",
		"hunter2 hunter2 hunter2": "characters that no bearer token can have",
		"hunter2hunter2hunter2ş":  "characters that no bearer token can have",
		"${TOKEN_hunter2hunter2}": "characters that no bearer token can have",
		"hunter2hunter2\nhunter2": "characters that no bearer token can have",
		"hunter2hunter2hu":        "",
		"aA0._~+/-aA0._~+/-==":    "",
	} {
		t.Setenv("TOKEN", value)
		if want == "" {
			s, _ := prepareOnly(t, good, "--http", "--port", "0", "--auth-token-env", "TOKEN")
			assert.NotNil(t, s.gate)
			continue
		}
		wrong := problemsOf(t, good, "--http", "--port", "0", "--auth-token-env", "TOKEN")
		require.Len(t, wrong, 1, value)
		assert.Contains(t, wrong[0], want)
		assert.NotContains(t, wrong[0], "hunter2")
	}
	for _, name := range []string{"hunter2", "sk-hunter2hunter2hunter2", "", "TOKEN=hunter2", "1TOKEN"} {
		wrong := problemsOf(t, good, "--http", "--port", "0", "--auth-token-env", name)
		require.Len(t, wrong, 1, name)
		assert.Contains(t, wrong[0], "name of an environment variable")
		assert.NotContains(t, wrong[0], "hunter2")
	}
	wrong := problemsOf(t, good, "--http", "--port", "0", "--auth-token-env", "FILE_TOKEN")
	require.Len(t, wrong, 1)
	wrong = problemsOf(t, good, "--http", "--port", "0", "--auth-token-env", "FILE_TOKEN", "--env-file", file)
	require.Empty(t, wrong)
	wrong = problemsOf(t, good, "--http", "--port", "0", "--auth-token-env", "FILE_TOKEN", "--env-file", file, "--no-auth")
	require.Len(t, wrong, 1)
	assert.Contains(t, wrong[0], "exclude each other")
}

// TestRule10_2_Production: [S] options for development are refused, however
// production is said.
func TestRule10_2_Production(t *testing.T) {
	good := goodSpec(t)
	file := filepath.Join(t.TempDir(), ".env")
	write(t, file, "KERVAN_ENV=production\n")
	for _, mode := range []string{"production", "Production", " PRODUCTION "} {
		for _, flag := range []string{"--allow-private-network", "--allow-insecure-secrets"} {
			code, _, messages := runBinary(t, []string{"KERVAN_ENV=" + mode}, "run", good, flag)
			assert.Equal(t, 1, code)
			assert.Equal(t, "Error: "+flag+" is for development and refused because KERVAN_ENV is production; leave it out\n", messages)
		}
	}
	for _, flag := range []string{"--allow-private-network", "--allow-insecure-secrets"} {
		wrong := problemsOf(t, good, flag, "--env-file", file)
		assert.Len(t, wrong, 1, "by a file")
		t.Setenv("KERVAN_ENV", "development")
		wrong = problemsOf(t, good, flag, "--env-file", file)
		assert.Empty(t, wrong, "the environment wins")
		require.NoError(t, os.Unsetenv("KERVAN_ENV"))
		wrong = problemsOf(t, good, flag)
		assert.Empty(t, wrong)
	}
	t.Setenv("KERVAN_ENV", "production")
	wrong := problemsOf(t, good)
	assert.Empty(t, wrong)
}

// TestRule10_2_MissingSecrets: a secret that is missing costs the tools that
// need it (rule 6.1); it is said at the start, also when something else is
// wrong.
func TestRule10_2_MissingSecrets(t *testing.T) {
	path := specFile(t, strings.Replace(specOf("https://api.example.com", "a"), "http: {url: https://api.example.com/a}",
		"http: {url: https://api.example.com/a, headers: {authorization: '{{secrets.API_KEY}}'}}", 1)+"secrets: [API_KEY]\n")
	code, _, messages := runBinary(t, nil, "run", path)
	assert.Equal(t, 0, code)
	assert.Contains(t, messages, "kervan: warning: "+path+":8:")
	assert.Contains(t, messages, "API_KEY")
	assert.Contains(t, messages, "kervan: serving over stdio")

	code, _, messages = runBinary(t, nil, "run", path, "--port", "0")
	assert.Equal(t, 1, code)
	assert.Contains(t, messages, "API_KEY")
	assert.Contains(t, messages, "Error: --port")

	code, _, messages = runBinary(t, []string{"API_KEY=short"}, "run", path)
	assert.Equal(t, 1, code)
	assert.Contains(t, messages, "vars")
	assert.NotContains(t, messages, "short\n")
}
