//go:build unix

package transport_test

import (
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// TestRule3_13_Signal sends a signal to this process, which Serve takes.
func TestRule3_13_Signal(t *testing.T) {
	listening := make(chan net.Addr, 1)
	done := make(chan error, 1)
	go func() {
		done <- transport.Serve(t.Context(), kervan.NewApp("test", "1"), transport.HTTP(), transport.Addr("127.0.0.1:0"),
			transport.OnListen(func(a net.Addr) { listening <- a }))
	}()
	<-listening
	require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGTERM))
	select {
	case err := <-done:
		assert.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the signal does not end serving")
	}
}

func TestSignalsEndServe(t *testing.T) {
	p := start(t, "serve")
	p.begin()
	p.send(callTool("1", "slow"))
	p.send(callTool("2", "hello"))
	assert.Equal(t, answer("2", "hello"), p.next())
	require.NoError(t, p.cmd.Process.Signal(os.Interrupt))
	assert.Equal(t, []string{answer("1", "slow"), "after serving"}, p.end(), "though the input is still open")
}
