package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// build compiles a program of testdata.
func build(t *testing.T, name string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), name)
	goTool(t, "build", "-o", binary, "./testdata/"+name)
	return binary
}

func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(within(t, 100*time.Second), "go", args...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return string(out)
}

// runProgram returns what a program printed.
func runProgram(t *testing.T, binary string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(within(t, 60*time.Second), binary, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return string(out)
}

func TestRule8_7_WorksInEveryProgram(t *testing.T) {
	const want = `{"b":null,"a":12345678901234567890}` + "\n"
	t.Run("go run", func(t *testing.T) {
		assert.Equal(t, want, goTool(t, "run", "./testdata/program"))
	})
	binary := build(t, "program")
	copyOf := func(t *testing.T) string {
		data, err := os.ReadFile(binary)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "program")
		require.NoError(t, os.WriteFile(path, data, 0o755))
		return path
	}
	t.Run("installed", func(t *testing.T) {
		assert.Equal(t, want, runProgram(t, binary, nil))
	})
	t.Run("by a relative path, from another directory", func(t *testing.T) {
		cmd := exec.Command("./" + filepath.Base(binary))
		cmd.Dir = filepath.Dir(binary)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		assert.Equal(t, want, string(out))
	})
	t.Run("deleted", func(t *testing.T) {
		path := copyOf(t)
		assert.Equal(t, want, runProgram(t, path, nil, "delete"))
		assert.NoFileExists(t, path)
	})
	t.Run("replaced", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "other")
		require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\necho another program; exit 3\n"), 0o755))
		path := copyOf(t)
		require.NoError(t, os.Rename(other, path+".new"))
		assert.Equal(t, want, runProgram(t, path, nil, "replace", path+".new"))
	})
}

func TestRule8_7_InitialisationThatNeedsTheEnvironment(t *testing.T) {
	env := []string{"SANDBOX_TEST_URL=https://example.com"}
	t.Run("fails with the cure", func(t *testing.T) {
		out := runProgram(t, build(t, "needsenv"), env)
		assert.Contains(t, out, "https://example.com  expressions cannot be evaluated: the select process did not start (exit status 2): "+
			"panic: missing env SANDBOX_TEST_URL goroutine 1")
		assert.Contains(t, out, "kervan/sandbox/testdata/needsenv/config.")
		assert.Contains(t, out, `add to it: import _ "github.com/kervan-mcp/kervan/sandbox"`)
	})
	t.Run("works with the cure", func(t *testing.T) {
		assert.Equal(t, "https://example.com 1 <nil>\n", runProgram(t, build(t, "cured"), env))
	})
}
