package kerventest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/wire"
	"github.com/kervan-mcp/kervan/transport"
)

// serve starts the server's side and returns the client's transport to it,
// and a function that waits for the server's end.
func serve(ctx context.Context, app *kervan.App, cfg config, ex *exchange) (*clientConn, func(), error) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	client := &clientConn{r: bufio.NewReader(toClient), closeRead: toClient.Close, w: fromClient, exchange: ex, calls: map[any]*capture{}, listening: make(chan struct{})}
	if cfg.stdio {
		if cfg.auth != nil {
			return nil, nil, errors.New("WithAuth does not work over stdio, which authenticates nobody")
		}
		if err := app.Err(); err != nil {
			return nil, nil, err
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer fromServer.Close()
			_ = transport.ServeStdio(ctx, app, transport.WithIO(toServer, fromServer))
		}()
		return client, func() { _ = toServer.Close(); <-done }, nil
	}
	if err := bridge.Kervan().Start(app); err != nil {
		return nil, nil, err
	}
	server, err := bridge.Kervan().Server(app, bridge.ServerSpec{})
	if err != nil {
		return nil, nil, err
	}
	options := wire.Options{
		Close: func() error { _ = toServer.Close(); return fromServer.Close() },
		Extra: func(id string) *mcp.RequestExtra {
			return &mcp.RequestExtra{TokenInfo: cfg.auth, Header: http.Header{bridge.RequestIDHeader: {id}}}
		},
	}
	session, err := server.Connect(ctx, wire.NewConn(toServer, fromServer, options), nil)
	if err != nil {
		return nil, nil, err
	}
	return client, func() { _ = session.Close() }, nil
}

// A clientConn is the client's end of the stream. It decodes as the SDK does,
// records every line, and keeps the bytes of results.
type clientConn struct {
	r         *bufio.Reader
	closeRead func() error
	exchange  *exchange

	wmu sync.Mutex
	w   io.WriteCloser

	mu    sync.Mutex
	calls map[any]*capture

	listening     chan struct{} // closed when the server acknowledged a listen
	acknowledging sync.Once
}

func (c *clientConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }
func (c *clientConn) SessionID() string                               { return "" }

func (c *clientConn) Read(context.Context) (jsonrpc.Message, error) {
	line, err := c.r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	c.exchange.add("server", line)
	msg, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, err
	}
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		c.keep(msg)
	case *jsonrpc.Request:
		switch msg.Method {
		case "notifications/progress":
			c.keepProgress(msg.Params)
		case "notifications/subscriptions/acknowledged":
			c.acknowledging.Do(func() { close(c.listening) })
		}
	}
	return msg, nil
}

func (c *clientConn) keep(res *jsonrpc.Response) {
	c.mu.Lock()
	cap := c.calls[res.ID.Raw()]
	delete(c.calls, res.ID.Raw())
	c.mu.Unlock()
	if cap != nil {
		cap.mu.Lock()
		defer cap.mu.Unlock()
		cap.raw = res.Result
		res.Result = withoutStructured(res.Result)
	}
}

// withoutStructured takes structuredContent out of what the SDK's client
// reads: it decodes numbers as float64, and fails on those that are too large.
func withoutStructured(result json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil || members["structuredContent"] == nil {
		return result
	}
	delete(members, "structuredContent")
	data, err := json.Marshal(members)
	if err != nil {
		return result
	}
	return data
}

func (c *clientConn) keepProgress(params json.RawMessage) {
	var p struct {
		Token int64 `json:"progressToken"`
		Progress
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cap := range c.calls {
		if cap.token == p.Token {
			cap.mu.Lock()
			cap.progress = append(cap.progress, p.Progress)
			cap.mu.Unlock()
		}
	}
}

func (c *clientConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "tools/call" {
		if cap, ok := ctx.Value(captureKey{}).(*capture); ok {
			c.mu.Lock()
			c.calls[req.ID.Raw()] = cap
			c.mu.Unlock()
		}
	}
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.exchange.add("client", line)
	_, err = c.w.Write(append(line, '\n'))
	return err
}

func (c *clientConn) Close() error {
	_ = c.closeRead()
	return c.w.Close()
}

// An exchange is what both sides sent, line by line.
type exchange struct {
	mu    sync.Mutex
	lines []line
}

type line struct{ from, text string }

func (e *exchange) add(from string, text []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, line{from, string(text)})
}

func (e *exchange) dump() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, l := range e.lines {
		b.WriteString(l.from + " " + l.text + "\n")
	}
	return b.String()
}

// of returns the lines that one side sent.
func (e *exchange) of(from string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, l := range e.lines {
		if l.from == from {
			b.WriteString(l.text + "\n")
		}
	}
	return b.String()
}
