package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// callsASession is after how many calls the SDK's client connects anew.
const callsASession = 100

// An sdkCaller calls with the SDK's client. In the older era it has a session.
type sdkCaller struct {
	*soak
	era     string
	http    *http.Transport
	session *mcp.ClientSession
	left    int // calls in this session
}

func (c *sdkCaller) close() {
	if c.session != nil {
		_ = c.session.Close()
		c.http.CloseIdleConnections()
		c.session = nil
	}
}

// connectSDK connects the SDK's client in an era.
func (s *soak) connectSDK(ctx context.Context, era string, opts *mcp.ClientOptions) (*mcp.ClientSession, *http.Transport, error) {
	t := &http.Transport{}
	client := mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, opts)
	endpoint := &mcp.StreamableClientTransport{Endpoint: "http://" + s.server.addr + "/mcp", HTTPClient: &http.Client{Transport: t}, MaxRetries: -1}
	version := era
	if era == modern {
		version = "" // the newest
	}
	session, err := client.Connect(ctx, endpoint, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil && session.InitializeResult().ProtocolVersion != era {
		err = fmt.Errorf("the client speaks %s, not %s", session.InitializeResult().ProtocolVersion, era)
		_ = session.Close()
	}
	return session, t, err
}

func (c *sdkCaller) call(ctx context.Context, number int64, k *kind, r *rand.Rand) error {
	if c.left == 0 {
		c.close()
	}
	if c.session == nil {
		var err error
		if c.session, c.http, err = c.connectSDK(context.WithoutCancel(ctx), c.era, nil); err != nil {
			return err
		}
		c.left = callsASession
		c.tally.reconnect.Add(1)
	}
	c.left--
	c.tally.sdk.Add(1)
	if k.cancel {
		return c.cancel(ctx, fmt.Sprintf("sdk-%d", number), k)
	}
	arguments := k.arguments(r)
	a, err := c.ask(ctx, k, arguments)
	if err != nil {
		return err
	}
	return c.judge(k, arguments, a)
}

// ask makes a call and brings its answer into the form of the wire.
func (c *sdkCaller) ask(ctx context.Context, k *kind, arguments string) (*answer, error) {
	params := &mcp.CallToolParams{Name: k.tool, Arguments: json.RawMessage(arguments)}
	if k.progress {
		params.SetProgressToken(7)
	}
	result, err := c.session.CallTool(ctx, params)
	a := &answer{}
	var wire *jsonrpc.Error
	var encoded []byte
	switch {
	case errors.As(err, &wire):
		encoded, err = json.Marshal(map[string]any{"error": wire})
	case err == nil:
		encoded, err = json.Marshal(map[string]any{"result": result})
	}
	if err != nil {
		return nil, err
	}
	return a, json.Unmarshal(encoded, a)
}

// cancel makes a call and cancels it while the handler runs, in either way that
// the SDK's client has for its era.
func (c *sdkCaller) cancel(ctx context.Context, token string, k *kind) error {
	w := c.server.waits.of(token)
	defer c.server.waits.forget(token)
	calling, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := c.session.CallTool(calling, &mcp.CallToolParams{Name: k.tool, Arguments: waitIn{token}})
		failed <- err
	}()
	if err := await(ctx, w.begun, "the handler does not begin"); err != nil {
		return err
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cancelling gives %w", err)
	}
	return c.confirm(ctx, k, w)
}
