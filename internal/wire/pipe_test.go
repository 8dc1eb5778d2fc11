package wire_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/internal/wire"
)

func TestPipeInBothEras(t *testing.T) {
	for _, era := range []string{"", "2025-11-25"} {
		t.Run("era "+era, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(nil)
				ct, st := wire.Pipe(wire.Options{})
				ss, err := server.Connect(t.Context(), st, nil)
				require.NoError(t, err)
				changed := make(chan struct{}, 1)
				client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
					ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
				})
				cs, err := client.Connect(t.Context(), ct, &mcp.ClientSessionOptions{ProtocolVersion: era})
				require.NoError(t, err)

				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"a": 1}})
				require.NoError(t, err)
				assert.Equal(t, `{"a":1}`, res.Content[0].(*mcp.TextContent).Text)

				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err = cs.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
				assert.ErrorIs(t, err, context.DeadlineExceeded)

				synctest.Wait()
				server.RemoveTools("wait")
				<-changed
				require.NoError(t, cs.Close())
				require.NoError(t, ss.Wait())
			})
		})
	}
}
