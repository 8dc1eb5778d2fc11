package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/wire"
)

// An exchange is one call and its answer. To the SDK it is a connection over
// which one message comes in: the call.
type exchange struct {
	outlet
	call   *jsonrpc.Request
	direct *bridge.DirectCall
	modern bool
	events bool // the client takes events
	listen bool // the call is subscriptions/listen

	taken bool // by Read

	mu           sync.Mutex
	acknowledged bool
	held         []frame // what came before the acknowledgement
}

// serve runs a message: a call by the SDK, and with sessions, what belongs to
// one. Everything else needs no more than 202.
func (q *request) serve() *refusal {
	switch {
	case q.h.sessions != nil && !q.modern && q.sessionServes():
		return q.serveSession()
	case q.call == nil || !q.call.IsCall():
		q.w.WriteHeader(http.StatusAccepted)
		return answered
	case q.call.Method == methodListen:
		return q.serveListen()
	}
	q.takeDirect()
	x := q.newExchange(callQueue)
	session, no := q.connect(x)
	if no != nil {
		return no
	}
	d := &drainer{q: q, from: &x.outlet}
	end := d.run()
	if end == endCancelled {
		q.giveUp(d)
	}
	q.end(x, session, end)
	return answered
}

func (q *request) newExchange(queue int) *exchange {
	q.call.Extra = q.callExtra()
	return &exchange{outlet: newOutlet(queue), call: q.call, direct: q.direct, modern: q.modern, events: acceptsEvents(q.r.Header)}
}

// callExtra is what tools may know of the HTTP request. The id is ours to tell, so
// what a client sends under its name is lost.
func (q *request) callExtra() *mcp.RequestExtra {
	header := maps.Clone(q.r.Header)
	if header == nil {
		header = http.Header{}
	}
	delete(header, bridge.RequestIDHeader)
	if q.call != nil && q.call.IsCall() {
		header[bridge.RequestIDHeader] = []string{wire.IDText(q.call.ID)}
	}
	return &mcp.RequestExtra{TokenInfo: q.info, Header: header}
}

// connect begins the SDK's session for the exchange.
func (q *request) connect(x *exchange) (*mcp.ServerSession, *refusal) {
	session, err := q.server.Connect(q.ctx, x, &mcp.ServerSessionOptions{State: q.state()})
	if err != nil {
		return nil, q.masked(logServer, err).with(q.id())
	}
	return session, nil
}

// state is what the SDK has to know of a client that does no handshake, or did
// it with another process.
func (q *request) state() *mcp.ServerSessionState {
	switch {
	case q.modern && q.direct != nil:
		return &mcp.ServerSessionState{InitializeParams: &mcp.InitializeParams{ProtocolVersion: q.version}, LogLevel: q.logLevel}
	case q.modern:
		return &mcp.ServerSessionState{}
	}
	state := &mcp.ServerSessionState{InitializedParams: &mcp.InitializedParams{}, LogLevel: "info"}
	if q.call.Method != methodInitialize {
		state.InitializeParams = &mcp.InitializeParams{ProtocolVersion: q.version}
	}
	return state
}

// end winds the exchange up.
func (q *request) end(x *exchange, session *mcp.ServerSession, end ending) {
	switch {
	case end == endAnswered:
		x.close() // first: the SDK waits for late notifications, which wait for x
		_ = session.Close()
		return
	case end == endGone && q.h.o.finish && !q.modern && !x.listen:
		q.entered = false // the call still counts
		go q.discard(x, session)
		return
	}
	if d := x.direct; d != nil && !d.List && d.Abandon() {
		bridge.Kervan().Cancelled(q.h.app, d.Name, wire.IDText(x.call.ID))
	}
	// Read ends now, and with it the call. The SDK waits for handlers that do not
	// return, and nobody has to wait with it.
	x.close()
	go func() { _ = session.Close() }()
}

// discard lets a call run on whose answer nobody will read.
func (q *request) discard(x *exchange, session *mcp.ServerSession) {
	defer func() {
		x.close()
		q.h.gate.leave()
		_ = session.Close()
	}()
	q.discardFrames(&x.outlet)
}

// discardFrames reads an outlet to its answer, or until calls have to end.
func (q *request) discardFrames(from *outlet) {
	for {
		select {
		case f := <-from.frames:
			putBuffer(f.buf)
			if f.final {
				return
			}
		case <-q.h.gate.cancelling:
			return
		}
	}
}

// acceptsEvents reports whether a client takes a stream of events as answer.
func acceptsEvents(h http.Header) bool {
	for _, value := range h["Accept"] {
		if value == "application/json, text/event-stream" {
			return true
		}
		for part := range strings.SplitSeq(value, ",") {
			media, params, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "text/event-stream", "text/*", "*/*":
				if q := strings.ReplaceAll(params, " ", ""); q != "q=0" && !strings.HasPrefix(q, "q=0.0") {
					return true
				}
			}
		}
	}
	return false
}

// Connect returns the exchange itself.
func (x *exchange) Connect(context.Context) (mcp.Connection, error) { return x, nil }

// SessionID returns the empty string: there is no session.
func (x *exchange) SessionID() string { return "" }

// Close ends the exchange.
func (x *exchange) Close() error {
	x.close()
	return nil
}

// Read returns the call, and io.EOF when the exchange is over, which cancels
// the call if it still runs.
func (x *exchange) Read(context.Context) (jsonrpc.Message, error) {
	if !x.taken { // the SDK reads in one goroutine
		x.taken = true
		return x.call, nil
	}
	<-x.gone
	return nil, io.EOF
}

// Errors whose code tells the SDK that one message cannot be sent, and not that
// the connection is broken.
var (
	errNoRequests  = &jsonrpc.Error{Code: -32005, Message: "a stateless server cannot ask the client"}
	errUndelivered = &jsonrpc.Error{Code: -32005, Message: "the client takes no notifications now"}
)

// Write passes a message on to the client.
func (x *exchange) Write(ctx context.Context, msg jsonrpc.Message) error {
	switch m := msg.(type) {
	case *jsonrpc.Response:
		x.send(context.Background(), x.answer(m))
		return nil
	case *jsonrpc.Request:
		if m.IsCall() {
			return errNoRequests
		}
		return x.notify(ctx, m)
	}
	return errors.New("a message is neither a request nor a response")
}

// answer encodes the answer, with an error that says no more than it may.
func (x *exchange) answer(m *jsonrpc.Response) frame {
	f := frame{buf: getBuffer(), final: true, status: http.StatusOK}
	fail := m.Error
	if fail == nil {
		if x.direct != nil { // what the SDK has is empty
			m = &jsonrpc.Response{ID: m.ID, Result: x.direct.Result}
		}
		buf, err := wire.Append(*f.buf, m)
		if err == nil {
			*f.buf = buf
			return f
		}
		fail = err
	}
	e := wire.Sanitize(fail)
	if x.modern {
		f.status = statusOf(e.Code)
	}
	*f.buf = wire.AppendError((*f.buf)[:0], wire.AppendID(nil, m.ID), e)
	return f
}

// statusOf is the HTTP status that protocol 2026-07-28 gives to an error.
func statusOf(code int64) int {
	switch code {
	case wire.CodeMethodNotFound:
		return http.StatusNotFound
	case wire.CodeInvalidParams, wire.CodeInvalidRequest, mcp.CodeHeaderMismatch,
		mcp.CodeMissingRequiredClientCapabilities, mcp.CodeUnsupportedProtocolVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// notify passes a notification on. The SDK sends list_changed to whatever it
// takes for a session of an older client, and a call has not asked for it.
func (x *exchange) notify(ctx context.Context, m *jsonrpc.Request) error {
	switch {
	case x.listen:
		return x.publish(m)
	case isListChanged(m.Method):
		return nil
	case !x.events:
		return errUndelivered
	}
	f, err := encode(m)
	if err != nil {
		return err
	}
	if !x.send(ctx, f) {
		return errUndelivered
	}
	return nil
}

func encode(m *jsonrpc.Request) (frame, error) {
	buf := getBuffer()
	encoded, err := wire.Append(*buf, m)
	if err != nil {
		putBuffer(buf)
		return frame{}, errUndelivered
	}
	*buf = encoded
	return frame{buf: buf}, nil
}

func isListChanged(method string) bool {
	return strings.HasPrefix(method, "notifications/") && strings.HasSuffix(method, "/list_changed")
}

// isSubscribed reports whether a notification was made for a stream that asked
// for it.
func isSubscribed(m *jsonrpc.Request) bool {
	return bytes.Contains(m.Params, []byte(`"`+mcp.MetaKeySubscriptionID+`"`))
}
