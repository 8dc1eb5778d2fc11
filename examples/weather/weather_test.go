// Package weather_test calls the tools of kervan.yaml as a client does that
// starts kervan, with the stand-in in the place of Open-Meteo.
package weather_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/spec"
)

const (
	public  = "https://api.open-meteo.com/"
	standin = "http://127.0.0.1:8098/"
)

func TestWeather(t *testing.T) {
	programs := build(t)
	path := filepath.Join(t.TempDir(), "kervan.yaml")
	text := strings.ReplaceAll(read(t, "kervan.standin.yaml"), standin, startStandin(t, programs)+"/")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))

	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			modern := version == "2026-07-28"
			c := connect(t, modern, filepath.Join(programs, "kervan"), "run", path, "--allow-private-network")
			place := map[string]any{"latitude": 41.01, "longitude": 28.95}

			result := c.call(t, "get_current_weather", place)
			const want = `{"temperatureC":21.1,"windKmh":5.9,"weatherCode":2}`
			assert.Equal(t, want, string(result["structuredContent"]), "as compact text, in this order")
			assert.JSONEq(t, `[{"type":"text","text":"{\"temperatureC\":21.1,\"windKmh\":5.9,\"weatherCode\":2}"}]`, string(result["content"]))
			if modern {
				assert.Equal(t, `"complete"`, string(result["resultType"]))
				assert.Equal(t, `{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"1.0.0"}}`, string(result["_meta"]))
			} else {
				assert.NotContains(t, result, "resultType")
				assert.NotContains(t, result, "_meta")
			}
			assert.NotContains(t, result, "isError")

			var forecast map[string][]any
			require.NoError(t, json.Unmarshal(c.call(t, "get_forecast", map[string]any{"latitude": -34.6, "longitude": -58.38, "days": 3})["structuredContent"], &forecast))
			for _, name := range []string{"dates", "maxTemperaturesC", "minTemperaturesC", "precipitationMm", "weatherCodes"} {
				assert.Len(t, forecast[name], 3, name)
			}
			assert.Equal(t, []any{24.3, 24.3, 24.3}, forecast["maxTemperaturesC"])

			require.NoError(t, json.Unmarshal(c.call(t, "get_forecast", place)["structuredContent"], &forecast))
			assert.Len(t, forecast["dates"], 7, "by default")

			refused := c.call(t, "get_current_weather", map[string]any{"latitude": 91, "longitude": 0})
			assert.Equal(t, "true", string(refused["isError"]))
			assert.Contains(t, string(refused["content"]), "/latitude")
		})
	}
}

// TestPublicSpec loads the spec of the real API, which needs no network.
func TestPublicSpec(t *testing.T) {
	for _, file := range []string{"kervan.yaml", "kervan.standin.yaml"} {
		loaded, err := spec.LoadFile(t.Context(), file, spec.Options{Network: guard.Policy{AllowPrivate: true}})
		require.NoError(t, err)
		assert.Empty(t, loaded.Warnings())
		var registry kervan.MemoryRegistry
		require.NoError(t, spec.Apply(&registry, loaded))
		var names []string
		for _, tool := range registry.Tools() {
			names = append(names, tool.Info().Name)
			assert.NotEmpty(t, tool.Info().OutputSchema)
		}
		assert.Equal(t, []string{"get_current_weather", "get_forecast"}, names)
		require.NoError(t, loaded.Close())
	}
}

// TestStandinSpec: both specs have the same tools, but for where they call.
func TestStandinSpec(t *testing.T) {
	_, want, _ := strings.Cut(read(t, "kervan.yaml"), "\nspecVersion")
	_, got, _ := strings.Cut(read(t, "kervan.standin.yaml"), "\nspecVersion")
	want = strings.ReplaceAll(want, public, standin)
	want = strings.Replace(want, "\ntools:\n", "\ndefaults:\n  http: {allowInsecureHttp: true}\n\ntools:\n", 1)
	assert.Equal(t, want, got)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// build builds the two programs and returns their directory.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir() + string(filepath.Separator)
	out, err := exec.Command("go", "build", "-o", dir, "../../cmd/kervan", "./standin").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// startStandin starts the stand-in on a free port and returns its URL.
func startStandin(t *testing.T, programs string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "standin"), "--port", "0")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	_, url, found := strings.Cut(strings.TrimSpace(line), " on ")
	require.True(t, found, line)
	return url
}

// A client is the official client of a program that it started, and what the
// program sent.
type client struct {
	*mcp.ClientSession
	wire *recorder
}

func connect(t *testing.T, modern bool, program string, args ...string) *client {
	t.Helper()
	cmd := exec.Command(program, args...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	c := &client{wire: new(recorder)}
	var options *mcp.ClientSessionOptions
	if !modern {
		options = &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	over := &mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: cmd}, Writer: c.wire}
	var err error
	c.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), over, options)
	require.NoError(t, err, "%s", &messages)
	t.Cleanup(func() {
		assert.NoError(t, c.Close(), "%s", &messages)
	})
	return c
}

// call calls a tool and returns the members of the result as they were sent.
func (c *client) call(t *testing.T, tool string, args any) map[string]json.RawMessage {
	t.Helper()
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(t, err)
	var message struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	require.NoError(t, json.Unmarshal(c.wire.last(), &message))
	return message.Result
}

// A recorder keeps the last message that the client read.
type recorder struct {
	mu   sync.Mutex
	read []byte
}

func (r *recorder) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if message, found := bytes.CutPrefix(line, []byte("read: ")); found {
		r.read = bytes.Clone(message)
	}
	return len(line), nil
}

func (r *recorder) last() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read
}
