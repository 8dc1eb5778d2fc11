//go:build unix

package transport_test

import (
	"net"
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
