package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary be the program itself.
const asProgram = "WORLDCLOCK_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// TestStdio lets the official client start the program, as an editor does.
func TestStdio(t *testing.T) {
	for _, era := range []string{newEra, oldEra} {
		t.Run(era, func(t *testing.T) {
			var stderr bytes.Buffer
			cmd := program(t, "--stdio")
			cmd.Stderr = &stderr
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd},
				&mcp.ClientSessionOptions{ProtocolVersion: era})
			require.NoError(t, err)
			assert.Equal(t, era, session.InitializeResult().ProtocolVersion)
			result, err := do(t.Context(), session, call{"convert_time", `{"time":"2026-07-01T09:00","from":"Asia/Tokyo","to":"UTC"}`})
			require.NoError(t, err)
			assert.Contains(t, textOf(result), `"utc":"2026-07-01T00:00:00Z"`)
			require.NoError(t, session.Close())
			assert.Equal(t, 0, cmd.ProcessState.ExitCode())
			assert.Empty(t, stderr.String())
		})
	}
}

func TestExitCode(t *testing.T) {
	cmd := program(t, "--stdoi")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.Error(t, cmd.Run())
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Empty(t, stdout.String())
	assert.Equal(t, "worldclock: flag provided but not defined: -stdoi\n", stderr.String())
}

func TestRunRefuses(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"serve"}, `unexpected argument "serve" (no arguments run the demo, --stdio and --http serve)`},
		{[]string{"--stdio", "serve"}, `unexpected argument "serve" (no arguments run the demo, --stdio and --http serve)`},
		{[]string{"--stdio", "--http"}, "cannot serve: --http and --stdio exclude each other; give one of them"},
	} {
		assert.EqualError(t, run(t.Context(), test.args, io.Discard), test.want)
	}
}

func TestRunHelp(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"--help"}, &out))
	assert.Contains(t, out.String(), "-stdio")
}
