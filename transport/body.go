package transport

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/wire"
)

const (
	firstBuffer = 4 << 10  // of a body, before it is known to need more
	keepBuffer  = 64 << 10 // larger buffers are not kept
	writePiece  = 64 << 10 // what has to leave within timing.write
)

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, firstBuffer)
	return &b
}}

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

// putBuffer takes a buffer back that nothing refers to any more. Nil is fine.
func putBuffer(b *[]byte) {
	if b != nil && cap(*b) <= keepBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// readBody reads the body, of which nothing was read before (rule 3.1).
func (q *request) readBody() *refusal {
	if !isJSON(q.r.Header) {
		return refuseType
	}
	if q.r.Body == nil { // not so in a server
		q.r.Body = http.NoBody
	}
	if q.r.ContentLength > q.h.o.maxBody {
		q.w.Header().Set("Connection", "close")
		return refuseSize
	}
	control := http.NewResponseController(q.w)
	_ = control.SetReadDeadline(time.Now().Add(q.h.times.body))
	q.body, q.read = getBuffer(), true
	err := q.fill()
	if err == nil {
		// Left in place, it would end the request as if the client were gone.
		_ = control.SetReadDeadline(time.Time{})
		return nil
	}
	q.w.Header().Set("Connection", "close")
	switch {
	case errors.Is(err, errTooLarge):
		return refuseSize
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuseSlow
	}
	return refuseBody
}

var errTooLarge = errors.New("the body is too large")

// fill reads into q.body. The buffer grows with what arrives, not with what the
// client says will arrive.
func (q *request) fill() error {
	buf, limit := *q.body, q.h.o.maxBody
	defer func() { *q.body = buf }()
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := q.r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return errTooLarge
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// isJSON reports whether the body is declared as JSON that is not compressed.
func isJSON(h http.Header) bool {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false
	}
	declared := headerOf(h, "Content-Type")
	if declared == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(declared)
	return media == "application/json" && (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter))
}

// decode reads the message, strictly and once (rule 1.6).
func (q *request) decode() *refusal {
	msg, fail := wire.Decode(*q.body)
	putBuffer(q.body) // the message does not refer to it
	q.body = nil
	if fail != nil {
		return q.undecodable(fail)
	}
	q.msg = msg
	if call, ok := msg.(*jsonrpc.Request); ok {
		q.call = call
		q.facts = wire.FactsOf(call)
	}
	return nil
}

// undecodable answers a message that cannot be used. Bad params of an older
// client are an error of its call, not of its HTTP request (rule 3.9).
func (q *request) undecodable(fail *wire.Failure) *refusal {
	if fail.Quiet {
		q.w.WriteHeader(http.StatusAccepted)
		return answered
	}
	status := http.StatusBadRequest
	if fail.Code == wire.CodeInvalidParams && headerOf(q.r.Header, headerVersion) < firstModern {
		status = http.StatusOK
	}
	return &refusal{status: status, code: int64(fail.Code), message: fail.Message, id: fail.ID}
}

// writeBody writes a whole answer, whose Content-Type is set. A slow reader
// gets a while for each piece.
func (q *request) writeBody(status int, body []byte) {
	q.w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	control := http.NewResponseController(q.w)
	_ = control.SetWriteDeadline(time.Now().Add(q.h.times.write))
	q.w.WriteHeader(status)
	for len(body) > writePiece {
		if _, err := q.w.Write(body[:writePiece]); err != nil {
			return
		}
		body = body[writePiece:]
		_ = control.SetWriteDeadline(time.Now().Add(q.h.times.write))
	}
	_, _ = q.w.Write(body)
}
