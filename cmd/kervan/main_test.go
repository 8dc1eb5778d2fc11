package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kervan")
	if err == nil {
		binary = filepath.Join(dir, "kervan")
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot build the program:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// runHere runs the command in this process and returns what it printed.
func runHere(t *testing.T, args ...string) (code int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = command(t.Context(), newProcess(&stdout, &stderr), args)
	return code, stdout.String(), stderr.String()
}

// A syncBuffer is written by a process while the test reads it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// waitFor waits until the text has been written n times.
func (s *syncBuffer) waitFor(t *testing.T, text string, n int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for strings.Count(s.String(), text) < n {
		if time.Now().After(deadline) {
			t.Fatalf("%q did not come %d times:\n%s", text, n, s)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// newCommand makes a command of the program that has only the given variables
// besides what the system needs.
func newCommand(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = env
	for _, name := range []string{"PATH", "HOME", "SystemRoot", "TMPDIR", "TEMP"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	return cmd
}

// runBinary runs the program to its end, without anything on standard input.
func runBinary(t *testing.T, env []string, args ...string) (code int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := newCommand(t, env, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// A running is the program while it serves.
type running struct {
	cmd      *exec.Cmd
	messages *syncBuffer
	url      string // over HTTP
	ended    chan struct{}
}

// startHTTP starts the program over HTTP on a free port, until the test ends.
func startHTTP(t *testing.T, env []string, args ...string) *running {
	t.Helper()
	r := &running{cmd: newCommand(t, env, args...), messages: new(syncBuffer), ended: make(chan struct{})}
	r.cmd.Stderr = r.messages
	require.NoError(t, r.cmd.Start())
	go func() {
		_ = r.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Log(r.messages.String())
		}
	})
	r.messages.waitFor(t, "serving on http://", 1)
	_, rest, _ := strings.Cut(r.messages.String(), "serving on ")
	r.url, _, _ = strings.Cut(rest, ";")
	return r
}

// exitCode waits for the end of the program.
func (r *running) exitCode(t *testing.T) int {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(30 * time.Second):
		t.Fatalf("the program does not end:\n%s", r.messages)
	}
	return r.cmd.ProcessState.ExitCode()
}

// The protocol versions of the two eras.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// eachEra runs a subtest for clients of both eras.
func eachEra(t *testing.T, f func(t *testing.T, version string)) {
	for _, version := range []string{modern, legacy} {
		t.Run(version, func(t *testing.T) { f(t, version) })
	}
}

// A client is the SDK's client of a program that it started over stdio.
type client struct {
	*mcp.ClientSession
	messages *syncBuffer // standard error of the program
	wire     *syncBuffer // what both sides sent
	changes  func() int  // how many list_changed came
}

// connect starts the program over stdio, until the test ends.
func connect(t *testing.T, version string, env []string, args ...string) *client {
	t.Helper()
	c := &client{messages: new(syncBuffer), wire: new(syncBuffer)}
	var mu sync.Mutex
	changes := 0
	c.changes = func() int {
		mu.Lock()
		defer mu.Unlock()
		return changes
	}
	cmd := newCommand(t, env, args...)
	cmd.Stderr = c.messages
	options := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		mu.Lock()
		defer mu.Unlock()
		changes++
	}}
	over := &mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: cmd}, Writer: c.wire}
	ctx, stop := context.WithTimeout(t.Context(), 60*time.Second)
	defer stop()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(ctx, over, sessionOptions(version))
	require.NoError(t, err, "%s", c.messages)
	c.ClientSession = session
	t.Cleanup(func() {
		_ = session.Close()
		if t.Failed() {
			t.Logf("messages:\n%s\nwire:\n%s", c.messages, c.wire)
		}
	})
	if version == modern {
		c.wire.waitFor(t, "notifications/subscriptions/acknowledged", 1)
	}
	return c
}

func sessionOptions(version string) *mcp.ClientSessionOptions {
	if version == modern {
		return nil
	}
	return &mcp.ClientSessionOptions{ProtocolVersion: version}
}

// call calls a tool and returns the text of its result.
func (c *client) call(t *testing.T, tool string, args map[string]any) (text string, isError bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	require.Len(t, res.Content, 1)
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

func (c *client) tools(t *testing.T) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// An upstream is the HTTP API that the specs of tests call; it answers with the
// Authorization header that came.
func newUpstream(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q,"length":%d}`, r.URL.Path, len(r.Header.Get("Authorization")))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// specFile writes a spec into a directory of its own.
func specFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kervan.yaml")
	write(t, path, text)
	return path
}

// specOf is a spec with tools that call an upstream.
func specOf(upstream string, tools ...string) string {
	text := "specVersion: 1\nname: test\nversion: 1.0.0\ndefaults: {http: {allowInsecureHttp: true}}\ntools:\n"
	for _, name := range tools {
		text += fmt.Sprintf("  - name: %s\n    description: Answers.\n    http: {url: %s/%s}\n    output: {select: path}\n", name, upstream, name)
	}
	return text
}
