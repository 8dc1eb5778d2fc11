package transport_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

type addIn struct {
	A int `json:"a"`
	B int `json:"b"`
}

type sum struct {
	Sum int `json:"sum"`
}

// A toolbox is an app with tools that tell what happens to them.
type toolbox struct {
	*kervan.App
	started, cancelled atomic.Int32
	release            chan struct{}
}

func newToolbox(opts ...kervan.Option) *toolbox {
	b := &toolbox{App: kervan.NewApp("test", "1", opts...), release: make(chan struct{})}
	wait := func(ctx context.Context, _ none) (string, error) {
		b.started.Add(1)
		select {
		case <-b.release:
			return "released", nil
		case <-ctx.Done():
			b.cancelled.Add(1)
			return "", ctx.Err()
		}
	}
	b.Add(
		kervan.Tool("add", "Adds.", func(_ context.Context, in addIn) (sum, error) { return sum{in.A + in.B}, nil }),
		kervan.Tool("wait", "Waits.", wait),
		kervan.Tool("watch", "Reports progress, and waits.", func(ctx context.Context, in none) (string, error) {
			kervan.CallFromContext(ctx).Progress(1, 2, "step")
			return wait(ctx, in)
		}),
		kervan.Tool("steps", "Reports progress.", func(ctx context.Context, _ none) (string, error) {
			call := kervan.CallFromContext(ctx)
			for i := range 3 {
				call.Progress(float64(i+1), 3, "step")
			}
			return "done", nil
		}),
		kervan.Tool("whoami", "Tells who calls.", func(ctx context.Context, _ none) (string, error) {
			call := kervan.CallFromContext(ctx)
			who := "anonymous"
			if call.Auth() != nil {
				who = call.Auth().UserID
			}
			return who + " " + call.RequestID(), nil
		}),
	)
	return b
}

func TestClientOverHTTP(t *testing.T) {
	eachEra(t, func(t *testing.T, era string) {
		box := newToolbox()
		s := newHTTP(t, box.App)
		progress := make(chan *mcp.ProgressNotificationParams, 10)
		c := s.connect(era, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params },
		})
		assert.Equal(t, era, c.InitializeResult().ProtocolVersion)

		list, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, list.Tools, 5)

		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: addIn{1, 2}})
		require.NoError(t, err)
		assert.Equal(t, `{"sum":3}`, textOf(t, res))

		params := &mcp.CallToolParams{Name: "steps"}
		params.SetProgressToken("p")
		res, err = c.CallTool(t.Context(), params)
		require.NoError(t, err)
		assert.Equal(t, "done", textOf(t, res))
		for i := range 3 {
			assert.Equal(t, float64(i+1), (<-progress).Progress)
		}

		_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"})
		assert.ErrorContains(t, err, "nothing")
	})
}

func TestRule3_10_ClientCancels(t *testing.T) {
	eachEra(t, func(t *testing.T, era string) {
		box := newToolbox()
		c := newHTTP(t, box.App).connect(era, nil)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
			failed <- err
		}()
		soon(t, "the call runs", func() bool { return box.started.Load() == 1 })
		cancel()
		assert.ErrorIs(t, <-failed, context.Canceled)
		soon(t, "the handler is cancelled", func() bool { return box.cancelled.Load() == 1 })
	})
}

func TestRule3_11_ListChanged(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App)
	changes := make(chan time.Time, 10)
	opts := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changes <- time.Now() }}
	c := s.connect(modern, opts)
	require.True(t, c.InitializeResult().Capabilities.Tools.ListChanged)
	old := s.connect(legacy, opts)
	require.False(t, old.InitializeResult().Capabilities.Tools.ListChanged)

	for _, name := range []string{"one", "two", "three"} {
		box.Add(kervan.Tool(name, "A tool.", func(context.Context, none) (string, error) { return "", nil }))
	}
	select {
	case <-changes:
	case <-time.After(5 * time.Second):
		t.Fatal("nobody told of the change")
	}
	time.Sleep(150 * time.Millisecond)
	assert.Empty(t, changes, "told more than once of a burst, or told a client that cannot be told")
	list, err := old.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, list.Tools, 8)
}

func TestWithSessionsClient(t *testing.T) {
	box := newToolbox()
	s := newHTTP(t, box.App, transport.WithSessions(transport.SessionOptions{}))
	changes := make(chan bool, 10)
	c := s.connect(legacy, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changes <- true }})
	assert.NotEmpty(t, c.ID())
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: addIn{1, 2}})
	require.NoError(t, err)
	assert.Equal(t, `{"sum":3}`, textOf(t, res))
	box.Add(kervan.Tool("one", "A tool.", func(context.Context, none) (string, error) { return "", nil }))
	select {
	case <-changes:
	case <-time.After(5 * time.Second):
		t.Fatal("nobody told of the change")
	}
	_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"})
	assert.ErrorContains(t, err, "nothing")
}
