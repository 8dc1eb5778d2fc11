package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kervan-mcp/kervan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quietApp is the fixture without its log.
func quietApp() *kervan.App { return newApp(kervan.WithLogger(slog.New(slog.DiscardHandler))) }

// TestRun does what the scripts do: it reads the URL, and ends the server.
func TestRun(t *testing.T) {
	for _, args := range [][]string{{}, {"--addr", "127.0.0.1:0", "--sessions"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out, in := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- run(ctx, args, in) }()

		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
		require.True(t, ok, line)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
		require.NoError(t, err)
		require.NoError(t, session.Close())

		cancel()
		require.NoError(t, <-ended)
	}
}

func TestRunRefusesUnknownFlags(t *testing.T) {
	assert.Error(t, run(t.Context(), []string{"--port", "1"}, io.Discard))
}
