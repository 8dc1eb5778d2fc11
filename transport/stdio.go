package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/wire"
)

// ServeStdio serves app over standard input and output, or over what [WithIO]
// gives. It installs no handler for SIGINT and SIGTERM; [Serve] does.
//
// It returns nil when the client closed its side or ctx ended, after the running
// calls were answered (see [WithDrain]), and when the client stopped reading. It
// returns an error for a mistake in the app's definition, for a bad option, when
// the process's standard input and output are being served already, and when
// reading or writing fails otherwise.
//
// Serving the process's own streams moves them for the time of the call: what is
// written to descriptor 1, by handlers, by loggers made earlier, by child
// processes, goes to standard error, and reading descriptor 0 meets its end. A
// standard error that nobody reads does not end the process. On Windows the
// standard handles and the variables [os.Stdin] and [os.Stdout] are replaced
// instead, which does not reach a logger that holds the old [os.Stdout].
func ServeStdio(ctx context.Context, app *kervan.App, opts ...Option) error {
	o, err := newOptions(opts)
	if err != nil {
		return err
	}
	return serveStdio(ctx, app, o)
}

func serveStdio(ctx context.Context, app *kervan.App, o *options) error {
	if app == nil {
		return errNoApp
	}
	if err := bridge.Kervan().Start(app); err != nil {
		return err
	}
	server, err := bridge.Kervan().Server(app, bridge.ServerSpec{})
	if err != nil {
		return err
	}
	if o.ownIO {
		closer, _ := o.reader.(io.Closer)
		return serveStream(ctx, server, o.reader, o.writer, closer, o)
	}
	return serveProcess(ctx, server, o)
}

// processTaken is true while the process's own streams are served.
var processTaken atomic.Bool

func serveProcess(ctx context.Context, server *mcp.Server, o *options) error {
	if !processTaken.CompareAndSwap(false, true) {
		return errStdioTaken
	}
	defer processTaken.Store(false)
	if isTerminal(os.Stdin) {
		_, _ = io.WriteString(os.Stderr, waitingText())
	}
	defer surviveBrokenPipes()()
	streams, err := takeStreams()
	if err != nil {
		return stdioError("its descriptors cannot be moved", err)
	}
	defer streams.restore()
	return serveStream(ctx, server, streams.in, streams.out, streams.in, o)
}

// isTerminal reports a character device other than the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// lastWait bounds the wait for handlers that do not return when they are
// cancelled; nothing that they return could be sent any more.
const lastWait = time.Second

func serveStream(ctx context.Context, server *mcp.Server, r io.Reader, w io.Writer, closer io.Closer, o *options) error {
	sessions := sessions{ctx: ctx, server: server}
	opts := wire.Options{MaxLine: o.maxLine, Drain: o.drain, Extra: requestExtra, Second: sessions.connect}
	if closer != nil {
		opts.Close = closer.Close
	}
	conn := wire.NewConn(r, w, opts)
	// The SDK closes the connection itself, but only when every handler returned.
	defer func() { _ = conn.Close() }()
	if err := sessions.connect(conn); err != nil {
		return stdioError("the session cannot begin", err)
	}
	defer context.AfterFunc(ctx, conn.Drain)()

	<-conn.Done()
	sessions.wait(lastWait)
	return streamError(conn.Err())
}

// sessions are the SDK sessions of one stream: one, or one for each era.
type sessions struct {
	ctx    context.Context
	server *mcp.Server

	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
}

var errOver = errors.New("the stream has ended")

func (s *sessions) connect(t mcp.Transport) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errOver
	}
	session, err := s.server.Connect(s.ctx, t, nil)
	if err != nil {
		return err
	}
	s.running.Go(func() { _ = session.Wait() })
	return nil
}

// wait returns when every handler returned, after limit at the latest.
func (s *sessions) wait(limit time.Duration) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.running.Wait()
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// requestExtra tells the pipeline the id of a request.
func requestExtra(id string) *mcp.RequestExtra {
	if id == "" {
		return nil
	}
	return &mcp.RequestExtra{Header: http.Header{bridge.RequestIDHeader: {id}}}
}

// streamError returns nil for the ways in which a client goes away.
func streamError(err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed), isBrokenPipe(err):
		return nil
	}
	return stdioError("the stream failed", err)
}
