package kerventest

import (
	"bufio"
	"bytes"
	"context"
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
func serve(ctx context.Context, app *kervan.App, cfg config, rec *recorder) (mcp.Transport, func(), error) {
	if cfg.http != nil {
		return serveHTTP(app, cfg, rec)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	client := &clientConn{r: bufio.NewReader(toClient), closeRead: toClient.Close, w: fromClient, rec: rec}
	if cfg.stdio {
		if cfg.auth != nil {
			return nil, nil, errAuthOverStdio
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
		Drain: -1, // a test that ends does not wait for the calls it left
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

// A clientConn is the client's end of a stream of lines. It decodes as the SDK
// does.
type clientConn struct {
	r         *bufio.Reader
	closeRead func() error
	rec       *recorder

	wmu sync.Mutex
	w   io.WriteCloser
}

func (c *clientConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }
func (c *clientConn) SessionID() string                               { return "" }

func (c *clientConn) Read(context.Context) (jsonrpc.Message, error) {
	line, err := c.r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(c.rec.received(bytes.TrimSuffix(line, []byte("\n"))))
}

func (c *clientConn) Write(_ context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	c.rec.sent(line)
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
