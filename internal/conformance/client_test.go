package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/transport"
)

// waitLimit bounds what a test waits for; only a test that fails gets there.
const waitLimit = time.Minute

// A connection is the official Go client, connected to the fixture over HTTP.
type connection struct {
	*mcp.ClientSession
	changes chan struct{} // a value for each list_changed

	mu       sync.Mutex
	progress []float64
}

// eachConnection runs f with a client of each era, and of the older one with
// and without sessions.
func eachConnection(t *testing.T, f func(t *testing.T, era kerventest.Era, c *connection)) {
	for _, kind := range []struct {
		name string
		era  kerventest.Era
		opts []transport.Option
	}{
		{"2026-07-28", kerventest.Modern, nil},
		{"2025-11-25", kerventest.Legacy, nil},
		{"2025-11-25 with sessions", kerventest.Legacy, []transport.Option{transport.WithSessions(transport.SessionOptions{})}},
	} {
		t.Run(kind.name, func(t *testing.T) { f(t, kind.era, connect(t, kind.era, kind.opts)) })
	}
}

func connect(t *testing.T, era kerventest.Era, opts []transport.Option) *connection {
	t.Helper()
	handler, err := transport.NewHandler(quietApp(), opts...)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		assert.NoError(t, handler.Shutdown(context.Background()))
		server.Close()
	})

	c := &connection{changes: make(chan struct{}, 16)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.changes <- struct{}{} },
		ProgressNotificationHandler: c.keepProgress,
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: fill(r.Params.RequestedSchema)}, nil
		},
	})
	to := &mcp.StreamableClientTransport{Endpoint: server.URL}
	c.ClientSession, err = client.Connect(t.Context(), to, &mcp.ClientSessionOptions{ProtocolVersion: string(era)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (c *connection) keepProgress(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = append(c.progress, r.Params.Progress)
}

func (c *connection) call(t *testing.T, params *mcp.CallToolParams) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), params)
	require.NoError(t, err)
	return result
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	require.NotEmpty(t, r.Content)
	require.IsType(t, &mcp.TextContent{}, r.Content[0])
	return r.Content[0].(*mcp.TextContent).Text
}

func TestClientLists(t *testing.T) {
	eachConnection(t, func(t *testing.T, era kerventest.Era, c *connection) {
		assert.Equal(t, string(era), c.InitializeResult().ProtocolVersion)
		tools, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, "test_simple_text", tools.Tools[0].Name, "the first that was registered")
		prompts, err := c.ListPrompts(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, prompts.Prompts, 6)
		resources, err := c.ListResources(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, resources.Resources, 3)
	})
}

func TestClientCalls(t *testing.T) {
	eachConnection(t, func(t *testing.T, _ kerventest.Era, c *connection) {
		result := c.call(t, &mcp.CallToolParams{Name: "test_simple_text"})
		assert.False(t, result.IsError)
		assert.Equal(t, "This is a simple text response for testing.", textOf(t, result))
		_, err := c.ListTools(t.Context(), nil) // tells the client which arguments to mirror
		require.NoError(t, err)
		result = c.call(t, &mcp.CallToolParams{Name: "test_x_mcp_header", Arguments: map[string]any{"region": "côte", "level": 9007199254740993}})
		assert.False(t, result.IsError, textOf(t, result))
		assert.Contains(t, textOf(t, result), `"level":9007199254740993`)
	})
}

func TestClientHearsProgress(t *testing.T) {
	eachConnection(t, func(t *testing.T, _ kerventest.Era, c *connection) {
		params := &mcp.CallToolParams{Name: "test_tool_with_progress"}
		params.SetProgressToken("p1")
		c.call(t, params)
		heard := func() []float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return append([]float64(nil), c.progress...)
		}
		require.Eventually(t, func() bool { return len(heard()) == 3 }, waitLimit, time.Millisecond)
		assert.Equal(t, []float64{0, 50, 100}, heard())
	})
}

// TestClientHearsChanges needs a stream that lasts: a subscription in the
// newer era, a session in the older.
func TestClientHearsChanges(t *testing.T) {
	eachConnection(t, func(t *testing.T, era kerventest.Era, c *connection) {
		can := c.InitializeResult().Capabilities.Tools.ListChanged
		assert.Equal(t, era == kerventest.Modern || c.ID() != "", can, "advertised where it can be delivered")
		if !can { // a client of the older era without a session cannot be told
			c.call(t, &mcp.CallToolParams{Name: "test_trigger_tool_change"})
			_, err := c.ListTools(t.Context(), nil)
			require.NoError(t, err)
			assert.Empty(t, c.changes)
			return
		}
		deadline := time.After(waitLimit)
		for {
			c.call(t, &mcp.CallToolParams{Name: "test_trigger_tool_change"})
			select {
			case <-c.changes:
				return
			case <-time.After(time.Second): // the subscription may have come too late
			case <-deadline:
				t.Fatal("no list_changed came")
			}
		}
	})
}

// TestClientIsAsked needs the server's own requests in the older era, so a
// session.
func TestClientIsAsked(t *testing.T) {
	eachConnection(t, func(t *testing.T, era kerventest.Era, c *connection) {
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_input_required_result_multi_round"})
		if era == kerventest.Legacy && c.ID() == "" {
			require.Error(t, err, "nobody can be asked")
			return
		}
		require.NoError(t, err)
		assert.Equal(t, "Alice likes Alice.", textOf(t, result))
	})
}

func TestClientIsRefused(t *testing.T) {
	eachConnection(t, func(t *testing.T, _ kerventest.Era, c *connection) {
		result := c.call(t, &mcp.CallToolParams{Name: "test_elicitation", Arguments: map[string]any{"mesage": 1}})
		assert.True(t, result.IsError)
		assert.Contains(t, textOf(t, result), "Input validation error")
		assert.Contains(t, textOf(t, result), `did you mean "message"?`)

		result = c.call(t, &mcp.CallToolParams{Name: "test_masked_error"})
		assert.True(t, result.IsError)
		assert.Regexp(t, `^Internal error in tool "test_masked_error" \(ref: [0-9a-f]{8}\)$`, textOf(t, result))

		result = c.call(t, &mcp.CallToolParams{Name: "test_error_handling"})
		assert.True(t, result.IsError)
		assert.Equal(t, "This tool intentionally returns an error for testing", textOf(t, result))

		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_simple_txt"})
		var wire *jsonrpc.Error
		require.True(t, errors.As(err, &wire), "%v", err)
		assert.EqualValues(t, jsonrpc.CodeInvalidParams, wire.Code)
		assert.Contains(t, wire.Message, "test_simple_text")
	})
}
