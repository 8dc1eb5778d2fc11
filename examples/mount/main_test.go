package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/kerventest"
)

func TestToolsAndRoutesShareOrders(t *testing.T) {
	base := start(t)
	assert.JSONEq(t, `{"id":7,"item":"tent","shipped":false}`, get(t, base+"/orders/7", 200))

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/mcp"}, nil)
	require.NoError(t, err)
	defer session.Close()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ship_order", Arguments: orderIn{7}})
	require.NoError(t, err)
	assert.False(t, res.IsError)

	assert.JSONEq(t, `{"id":7,"item":"tent","shipped":true}`, get(t, base+"/orders/7", 200))
	get(t, base+"/orders/9", 404)
	assert.JSONEq(t, `{"status":"ok"}`, get(t, base+"/mcp/health", 200))
}

func TestTools(t *testing.T) {
	kerventest.EachEra(t, newApp(newShop()), func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, order{ID: 8, Item: "lantern"}, kerventest.MustCall[order](c, "get_order", orderIn{8}))
		assert.Equal(t, "there is no order 9", c.CallErr("ship_order", orderIn{9}))
		assert.Contains(t, c.CallErr("get_order", orderIn{0}), "/id")
	})
}

// start serves until the test ends, and asserts that serving ends well.
func start(t *testing.T) (base string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, listener, newShop()) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done)
	})
	return "http://" + listener.Addr().String()
}

func get(t *testing.T, url string, status int) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, status, resp.StatusCode)
	return string(body)
}
