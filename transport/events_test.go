package transport_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// brokenLimiter fails.
type brokenLimiter struct{}

func (brokenLimiter) Acquire(context.Context, string, int, int) (func(), time.Duration, error) {
	return nil, 0, errors.New("no connection to the store")
}

// TestRule3_13_Events: the real port, and a limiter that fails (3.6), are
// events.
func TestRule3_13_Events(t *testing.T) {
	var mu sync.Mutex
	var events []kervan.TransportEvent
	app := kervan.NewApp("test", "1", kervan.WithLogger(slog.New(slog.DiscardHandler)), kervan.WithEvents(func(e kervan.Event) {
		if e, ok := e.(kervan.TransportEvent); ok {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		}
	}))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- transport.ServeHTTP(ctx, app, transport.Addr("127.0.0.1:0"), transport.SharedLimiter(brokenLimiter{}),
			transport.OnListen(func(a net.Addr) { listening <- a }))
	}()
	addr := <-listening
	s := newHTTP(t, app, transport.SharedLimiter(brokenLimiter{}))
	assert.Equal(t, 200, s.do(rpc("1", "tools/list", `{}`), set("Mcp-Protocol-Version", legacy)).status, "the local limit takes over")
	cancel()
	require.NoError(t, <-ended)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, events, 2)
	assert.Equal(t, addr, events[0].Listening)
	assert.ErrorContains(t, events[1].Limiter, "no connection")
}
