//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRule10_2_SignalsDrain: a running call is answered, then the program ends
// with 0.
func TestRule10_2_SignalsDrain(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			arrived, goOn := make(chan struct{}), make(chan struct{})
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				close(arrived)
				<-goOn
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"path":"late"}`))
			}))
			defer upstream.Close()
			r := startHTTP(t, nil, "run", specFile(t, specOf(upstream.URL, "a")), "--http", "--port", "0", "--watch", allowUpstream)
			session := connectHTTP(t, modern, r.url, "")
			answer := make(chan string, 1)
			go func() {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
				if err != nil {
					answer <- err.Error()
					return
				}
				answer <- res.Content[0].(*mcp.TextContent).Text
			}()
			<-arrived
			require.NoError(t, r.cmd.Process.Signal(signal))
			time.Sleep(100 * time.Millisecond) // the signal is on its way
			close(goOn)
			assert.Equal(t, `"late"`, <-answer)
			assert.Equal(t, 0, r.exitCode(t))
			assert.NotContains(t, r.messages.String(), "Error")
		})
	}
}

// TestRule10_2_SignalOverStdio ends a server whose client is still there.
func TestRule10_2_SignalOverStdio(t *testing.T) {
	cmd := newCommand(t, nil, "run", goodSpec(t))
	messages := new(syncBuffer)
	cmd.Stderr = messages
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	require.NoError(t, cmd.Start())
	messages.waitFor(t, "serving over stdio", 1)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "%s", messages)
}

// TestRule10_2_SecondSignal ends the program although a call is running.
func TestRule10_2_SecondSignal(t *testing.T) {
	arrived, goOn := make(chan struct{}), make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-goOn
	}))
	defer upstream.Close()
	defer close(goOn)
	r := startHTTP(t, nil, "run", specFile(t, specOf(upstream.URL, "a")), "--http", "--port", "0", allowUpstream)
	session := connectHTTP(t, modern, r.url, "")
	failed := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
		failed <- err
	}()
	<-arrived
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for start := time.Now(); ; {
		select {
		case <-ticker.C:
			_ = r.cmd.Process.Signal(syscall.SIGTERM)
			continue
		case <-r.ended:
		}
		assert.Less(t, time.Since(start), 9*time.Second, "it does not wait for the call")
		break
	}
	assert.Equal(t, -1, r.cmd.ProcessState.ExitCode(), "ended by the signal")
	assert.Error(t, <-failed)
}

// TestRule10_2_SignalAtOnce: a signal that comes before serving is no error.
func TestRule10_2_SignalAtOnce(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, args := range [][]string{{"run", goodSpec(t)}, {"run", goodSpec(t), "--http", "--port", "0", "--watch"}} {
		var messages syncBuffer
		assert.Equal(t, 0, command(ctx, newProcess(io.Discard, &messages), args))
		assert.NotContains(t, messages.String(), "Error")
	}
}

// TestRule4_3_NobodyReadsMessages: a standard error that is closed, or that
// nobody reads any more, does not end the program.
func TestRule4_3_NobodyReadsMessages(t *testing.T) {
	check := func(t *testing.T, cmd *exec.Cmd) {
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
		out, err := cmd.Output()
		require.NoError(t, err)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", string(out))
	}
	path := goodSpec(t)
	t.Run("closed", func(t *testing.T) {
		check(t, exec.Command("/bin/sh", "-c", `exec "$0" "$@" 2>&-`, binary, "run", path))
	})
	t.Run("broken", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		defer w.Close()
		cmd := newCommand(t, nil, "run", path)
		cmd.Stderr = w
		check(t, cmd)
	})
}
