package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// sessionServes reports whether a message of an older client goes to a session:
// it opens one, or names one.
func (q *request) sessionServes() bool {
	return q.call != nil && q.call.Method == methodInitialize || headerOf(q.r.Header, headerSession) != ""
}

// serveSession serves a request that goes to a session.
func (q *request) serveSession() *refusal {
	if q.r.Method == http.MethodPost {
		return q.serveMessage()
	}
	if no := q.resolve(); no != nil {
		return no
	}
	id := headerOf(q.r.Header, headerSession)
	if id == "" {
		return refuseNoSession
	}
	s := q.h.sessions.use(id, q.owner(), q.server)
	if s == nil {
		return refuseSession
	}
	defer q.h.sessions.done(s)
	if q.r.Method == http.MethodDelete {
		q.h.sessions.remove(s)
		q.w.WriteHeader(http.StatusNoContent)
		return answered
	}
	return q.serveStream(s)
}

// serveMessage hands a message to its session, and answers a call.
func (q *request) serveMessage() *refusal {
	s, no := q.session()
	if no != nil {
		if q.call != nil && q.call.IsCall() && no != answered {
			no = no.with(q.id())
		}
		return no
	}
	if q.call == nil || !q.call.IsCall() {
		defer q.h.sessions.done(s)
		return q.passOn(s)
	}
	return q.callSession(s)
}

// session finds the session of a message, or opens it.
func (q *request) session() (*session, *refusal) {
	table := q.h.sessions
	if q.call == nil || q.call.Method != methodInitialize {
		if s := table.use(headerOf(q.r.Header, headerSession), q.owner(), q.server); s != nil {
			return s, nil
		}
		return nil, refuseSession
	}
	s, err := q.openSession()
	if err != nil {
		return nil, q.masked(logServer, err)
	}
	if !table.add(s) {
		s.end()
		return nil, refuseSessions
	}
	q.w.Header()[headerSession] = []string{s.id}
	return s, nil
}

// callSession runs a call in its session.
func (q *request) callSession(s *session) *refusal {
	x := newOutlet(callQueue)
	cancel := q.start(s, &sessionWriter{q: q, out: &x}, http.MethodPost)
	d := &drainer{q: q, from: &x}
	end := d.run()
	if end == endCancelled {
		q.giveUp(d)
	}
	done := func() {
		x.close()
		cancel()
		if s.sdk.InitializeParams() == nil { // initialize failed
			q.h.sessions.remove(s)
		}
		q.h.sessions.done(s)
	}
	if end == endGone && q.h.o.finish {
		q.entered = false // the call still counts
		go q.discardSession(&x, done)
		return answered
	}
	if end != endAnswered {
		s.cancel(q.call.ID)
	}
	done()
	return answered
}

// discardSession lets a call run on whose answer nobody will read.
func (q *request) discardSession(x *outlet, done func()) {
	defer q.h.gate.leave()
	defer done()
	q.discardFrames(x)
}

// start gives the session the request, to be answered into w. The returned
// function ends the answering, and does not cancel the call.
func (q *request) start(s *session, w *sessionWriter, method string) (cancel func()) {
	ctx, stop := context.WithCancel(context.WithoutCancel(q.r.Context()))
	r := &http.Request{Method: method, URL: &url.URL{Path: "/"}, Header: http.Header{}, Body: http.NoBody}
	if method == http.MethodPost {
		extra := q.callExtra()
		s.keepExtra(extra)
		r.Header = extra.Header
		r.Body = io.NopCloser(bytes.NewReader(encodeForSDK(q.msg)))
		context.AfterFunc(ctx, func() { s.dropExtra(extra) })
	}
	go func() {
		s.http.ServeHTTP(w, r.WithContext(ctx))
		w.finish()
	}()
	return stop
}

// serveStream serves the stream on which a session tells of changes.
func (q *request) serveStream(s *session) *refusal {
	key := q.streamKey()
	if no := q.h.gate.enterStream(key); no != nil {
		return no
	}
	defer q.h.gate.leaveStream(key)
	x := newOutlet(streamQueue)
	cancel := q.start(s, &sessionWriter{q: q, out: &x, stream: true}, http.MethodGet)
	(&drainer{q: q, from: &x, life: q.streamLife()}).run()
	x.close()
	cancel()
	return answered
}

// passOn hands over a notification, or the client's answer to a request of the
// server.
func (q *request) passOn(s *session) *refusal {
	x := newOutlet(1)
	defer x.close()
	cancel := q.start(s, &sessionWriter{q: q, out: &x}, http.MethodPost)
	defer cancel()
	select {
	case f := <-x.frames:
		if f.status == http.StatusNotFound {
			return refuseSession
		}
		q.w.WriteHeader(http.StatusAccepted)
	case <-q.r.Context().Done():
	}
	return answered
}

// cancel cancels a call of the session's client.
func (s *session) cancel(id jsonrpc.ID) {
	params := append([]byte(`{"requestId":`), encodeID(id)...)
	msg := &jsonrpc.Request{Method: "notifications/cancelled", Params: append(params, '}')}
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(encodeForSDK(msg)))}
	s.http.ServeHTTP(&discardWriter{header: http.Header{}}, r)
}

// A sessionWriter is what the SDK takes for the response of one request. It
// makes frames of what is written: each Write of the SDK is one event.
type sessionWriter struct {
	q      *request
	out    *outlet
	stream bool // not the answer of a call

	header http.Header
	status int
	ended  bool // the answer was written
}

func (w *sessionWriter) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

func (w *sessionWriter) WriteHeader(status int) { w.status = status }

func (w *sessionWriter) Write(p []byte) (int, error) {
	if w.status >= 400 {
		return len(p), nil // a text for people; finish answers instead
	}
	_, data, ok := bytes.Cut(p, []byte("data: "))
	if !ok {
		if w.stream && !w.out.offer(frame{}) { // the comment at the beginning
			return 0, io.ErrClosedPipe
		}
		return len(p), nil
	}
	message := wire.Restore(bytes.TrimSuffix(data, []byte("\n\n")))
	if len(message) == 0 {
		return len(p), nil
	}
	buf := getBuffer()
	*buf = append(*buf, message...)
	f := frame{buf: buf, status: http.StatusOK, final: !w.stream && wire.IsResponse(message)}
	w.ended = w.ended || f.final
	if w.stream && !w.out.offer(f) || !w.stream && !w.out.send(context.Background(), f) {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// finish answers a request that the SDK did not answer with a message.
func (w *sessionWriter) finish() {
	if w.ended {
		return
	}
	if w.stream && w.status < 400 {
		w.out.close() // a stream ends without an answer
		return
	}
	no := w.refusal()
	if call := w.q.call; call != nil && call.IsCall() {
		no = no.with(w.q.id())
	}
	buf := getBuffer()
	*buf = no.append(*buf)
	w.out.send(context.Background(), frame{buf: buf, status: no.status, final: true})
}

// refusal says in our words what the SDK meant.
func (w *sessionWriter) refusal() *refusal {
	switch {
	case w.status == http.StatusAccepted:
		return refuseAccepted
	case w.status == http.StatusConflict:
		return refuseConflict
	case w.status == http.StatusBadRequest && !w.stream:
		return refuseNoMethod // all else was checked before
	}
	return refuseSession // it ended meanwhile
}

// A discardWriter is a response that nobody reads.
type discardWriter struct{ header http.Header }

func (w *discardWriter) Header() http.Header         { return w.header }
func (w *discardWriter) WriteHeader(int)             {}
func (w *discardWriter) Write(p []byte) (int, error) { return len(p), nil }

// encodeForSDK encodes a message for the SDK's own decoder, with stand-ins for
// the numbers that it would change.
func encodeForSDK(msg jsonrpc.Message) []byte {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil { // the message came out of our decoder
		return nil
	}
	return data
}

// encodeID encodes an id for the SDK's own decoder.
func encodeID(id jsonrpc.ID) []byte {
	data, err := json.Marshal(id.Raw())
	if err != nil {
		return []byte("null")
	}
	return data
}
