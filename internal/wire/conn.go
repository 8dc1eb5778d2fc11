package wire

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Defaults of [Options].
const (
	DefaultMaxLine     = 4 << 20
	DefaultDrain       = 5 * time.Second
	DefaultMaxInFlight = 100
)

// A Direction says who sent a frame.
type Direction int

// The directions, seen from the server.
const (
	In  Direction = iota // from the client
	Out                  // to the client
)

// Options configure a [Conn]. The zero value means the defaults.
type Options struct {
	// MaxLine is the longest line that is accepted, in bytes without its end;
	// 0 means 4 MiB.
	MaxLine int
	// Drain is how long calls may still run after the input ended; 0 means 5
	// seconds, a negative value not at all.
	Drain time.Duration
	// MaxInFlight bounds the running calls; 0 means 100. Listen streams and
	// cancelled calls do not count.
	MaxInFlight int
	// Extra, if set, is called for every request and notification, and its value
	// handed to the SDK with it. id is the request's id, a number as its digits;
	// it is empty for a notification.
	Extra func(id string) *mcp.RequestExtra
	// Second, if set, connects a second SDK session when calls of both eras come
	// over one connection, 2026-07-28 and before; the first session keeps the
	// era of the first call. Without it all calls go to the first session, which
	// is right for a client of one era.
	Second func(mcp.Transport) error
	// OnFrame, if set, gets every line without its end, in the order of each
	// direction; the two directions may be reported at the same time. The bytes
	// are valid during the call only.
	OnFrame func(Direction, []byte)
	// Close, if set, is called once when the connection ends. It should make a
	// blocked Read of the reader return; the connection's reading goroutine
	// lives until then.
	Close func() error
}

// A Conn speaks newline-delimited JSON-RPC over a reader and a writer, on the
// server's side. It is an [mcp.Transport] and, once connected, its
// [mcp.Connection]. Its methods are safe for concurrent use.
//
// A line that is no message is answered and survived. At the end of the input,
// Read returns io.EOF only when the running calls were answered. A cancelled
// call gets no answer. A failed write ends the connection.
type Conn struct {
	r    io.Reader
	w    io.Writer
	opts Options

	board  switchboard
	calls  *callTable
	closed chan struct{}

	start, end sync.Once
	closeErr   error

	wmu sync.Mutex
	out []byte

	errMu    sync.Mutex
	readErr  error
	writeErr error
}

// NewConn returns a connection over r and w; reading begins with Connect. Each
// line is written with one Write.
func NewConn(r io.Reader, w io.Writer, opts Options) *Conn {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	if opts.Drain == 0 {
		opts.Drain = DefaultDrain
	}
	if opts.MaxInFlight <= 0 {
		opts.MaxInFlight = DefaultMaxInFlight
	}
	c := &Conn{r: r, w: w, opts: opts, calls: newCallTable(opts.MaxInFlight), closed: make(chan struct{})}
	c.board.first = &side{c: c, in: make(chan jsonrpc.Message)}
	return c
}

// Connect starts reading and returns the connection itself. It may be called
// once.
func (c *Conn) Connect(context.Context) (mcp.Connection, error) {
	err := errors.New("cannot connect twice over one connection")
	c.start.Do(func() {
		err = nil
		go c.readLines()
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// SessionID returns the empty string: a stream is one session.
func (c *Conn) SessionID() string { return "" }

// Read returns the client's next message, and io.EOF when nothing more will
// come and the running calls were answered or their time was up.
func (c *Conn) Read(ctx context.Context) (jsonrpc.Message, error) { return c.board.first.Read(ctx) }

// Write sends a message as one line. The answer to a cancelled call is dropped.
func (c *Conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	return c.board.first.Write(ctx, msg)
}

// answer sends a response, unless the call was cancelled.
func (c *Conn) answer(resp *jsonrpc.Response) error {
	defer c.calls.done()
	if !c.calls.take(resp.ID) {
		return nil
	}
	return c.send(resp)
}

// endOfInput returns what Read returns when there is no more.
func (c *Conn) endOfInput() error {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	if c.readErr != nil {
		return c.readErr
	}
	return io.EOF
}

// Drain stops accepting calls, lets the running ones be answered for at most
// the connection's Drain time, and then ends Read. It does not wait.
func (c *Conn) Drain() { c.calls.drain(c.opts.Drain) }

// Close ends the connection at once. It is idempotent.
func (c *Conn) Close() error {
	c.end.Do(func() {
		close(c.closed)
		c.calls.stop()
		if c.opts.Close != nil {
			c.closeErr = c.opts.Close()
		}
	})
	return c.closeErr
}

// Done is closed when Read will return nothing more.
func (c *Conn) Done() <-chan struct{} { return c.calls.ended }

// Err returns the error that ended the input or the output, nil for the end of
// the input.
func (c *Conn) Err() error {
	c.errMu.Lock()
	defer c.errMu.Unlock()
	if c.writeErr != nil {
		return c.writeErr
	}
	return c.readErr
}

// readLines is the connection's reading goroutine.
func (c *Conn) readLines() {
	lines := newLineReader(c.r, c.opts.MaxLine)
	for {
		line, tooLong, err := lines.next()
		switch {
		case tooLong:
			c.refuse(&Failure{Code: CodeInvalidRequest, Message: textTooLarge})
		case len(line) > 0:
			c.accept(line)
		}
		if c.isClosed() {
			return
		}
		if err != nil {
			c.inputEnded(err)
			return
		}
	}
}

func (c *Conn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func (c *Conn) inputEnded(err error) {
	if !errors.Is(err, io.EOF) {
		c.errMu.Lock()
		c.readErr = err
		c.errMu.Unlock()
	}
	c.Drain()
}

// accept decodes a line and hands its message to Read.
func (c *Conn) accept(line []byte) {
	if c.opts.OnFrame != nil {
		c.opts.OnFrame(In, line)
	}
	msg, fail := Decode(line)
	if fail == nil {
		fail = c.admit(msg)
	} else if id, ok, _ := parseID(fail.ID); ok && c.calls.has(id) {
		fail.ID = nil // it would answer the call that is running
	}
	if fail != nil {
		c.refuse(fail)
	}
}

// admit registers a call, applies a cancellation, and waits for Read to take
// the message.
func (c *Conn) admit(msg jsonrpc.Message) *Failure {
	to := c.sideOf(msg)
	if req, ok := msg.(*jsonrpc.Request); ok {
		if c.opts.Extra != nil {
			req.Extra = c.opts.Extra(idText(req.ID))
		}
		if req.IsCall() {
			if fail := c.calls.add(req.ID, req.Method, to); fail != nil {
				return fail
			}
		} else if req.Method == methodCancelled {
			if to = c.calls.cancel(cancelledID(req.Params)); to == nil {
				return nil
			}
		}
	}
	select {
	case to.in <- msg:
	case <-c.calls.ended:
	case <-c.closed:
	}
	return nil
}

// cancelledID returns the id in the params of a cancellation. They went through
// Decode, so a large number is an alias here.
func cancelledID(params []byte) (id jsonrpc.ID) {
	for m := range members(params) {
		if string(m.key) != "requestId" {
			continue
		}
		if isString(m.value) {
			return stringID(text(m.value))
		}
		id, _, _ = parseID(m.value)
	}
	return id
}

// refuse sends an error for a message that does not reach the SDK.
func (c *Conn) refuse(f *Failure) {
	if f.Quiet {
		return
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	_ = c.writeLine(f.Append(c.out[:0]))
}

// errRejected tells the SDK that one message was bad, not the connection.
var errRejected = &jsonrpc.Error{Code: -32005, Message: "the message cannot be encoded"}

func (c *Conn) send(msg jsonrpc.Message) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	line, err := appendMessage(c.out[:0], msg)
	if err != nil {
		resp, ok := msg.(*jsonrpc.Response)
		if !ok {
			return errRejected
		}
		f := Failure{Code: CodeInternal, Message: textInternal, ID: appendID(nil, resp.ID)}
		line = f.Append(c.out[:0])
	}
	return c.writeLine(line)
}

// writeLine writes line and its end; the caller holds wmu, and line may be in
// c.out, which it becomes.
func (c *Conn) writeLine(line []byte) error {
	if c.isClosed() {
		return io.ErrClosedPipe
	}
	if c.opts.OnFrame != nil {
		c.opts.OnFrame(Out, line)
	}
	line = append(line, '\n')
	if c.out = line[:0]; cap(line) > keepBuffer {
		c.out = nil
	}
	n, err := c.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		c.errMu.Lock()
		c.writeErr = err
		c.errMu.Unlock()
		_ = c.Close()
	}
	return err
}
