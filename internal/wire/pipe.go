package wire

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pipe returns the two ends of an in-memory stream. What the client sends goes
// through the same framing and the same strict decode as over stdio; no socket
// and no descriptor is opened. opts are those of the server's end, except that
// Close is used by the pipe itself.
func Pipe(opts Options) (client mcp.Transport, server *Conn) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	opts.Close = func() error {
		_ = toServer.Close()
		return fromServer.Close()
	}
	return &clientEnd{r: toClient, w: fromClient}, NewConn(toServer, fromServer, opts)
}

// A clientEnd is the client's side of a pipe. It reads and writes as the SDK
// does, so that a test sees what a client built on the SDK sees.
type clientEnd struct {
	r   *io.PipeReader
	buf *bufio.Reader

	mu sync.Mutex
	w  *io.PipeWriter
}

func (c *clientEnd) Connect(context.Context) (mcp.Connection, error) {
	c.buf = bufio.NewReader(c.r)
	return c, nil
}

func (c *clientEnd) SessionID() string { return "" }

func (c *clientEnd) Read(context.Context) (jsonrpc.Message, error) {
	line, err := c.buf.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(bytes.TrimSuffix(line, []byte("\n")))
}

func (c *clientEnd) Write(_ context.Context, msg jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.w.Write(append(line, '\n'))
	return err
}

// Close ends both directions. The server sees the end of its input.
func (c *clientEnd) Close() error {
	_ = c.r.Close()
	return c.w.Close()
}
