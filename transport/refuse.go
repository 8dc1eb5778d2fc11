package transport

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/wire"
)

// A refusal is the answer to a request that does not reach the SDK. Its body is
// a JSON-RPC error with a fixed text, which repeats nothing of the request.
type refusal struct {
	status  int
	code    int64 // 0: by the status
	message string
	id      []byte // JSON of the request's id; nil is null
	data    []byte // JSON for the error's data
}

// answered is what a step returns that has written the answer itself.
var answered = new(refusal)

// with returns the refusal for a request of this id.
func (f *refusal) with(id []byte) *refusal {
	copied := *f
	copied.id = id
	return &copied
}

// rpcCode returns the JSON-RPC code that stands for an HTTP status.
func (f *refusal) rpcCode() int64 {
	switch {
	case f.code != 0:
		return f.code
	case f.status == http.StatusTooManyRequests, f.status == http.StatusServiceUnavailable:
		return wire.CodeUnavailable
	case f.status >= 500:
		return wire.CodeInternal
	}
	return wire.CodeInvalidRequest
}

// refuse writes a refusal.
func (q *request) refuse(f *refusal) {
	if f == answered {
		return
	}
	if !q.read && q.r.ContentLength != 0 {
		// net/http reads on, to use the connection again, for as long as it takes.
		_ = http.NewResponseController(q.w).SetReadDeadline(time.Now().Add(q.h.times.body))
	}
	header := q.w.Header()
	header["Content-Type"] = typeJSON
	if f.status == http.StatusServiceUnavailable && header["Retry-After"] == nil {
		header["Retry-After"] = soon
	}
	buf := getBuffer()
	*buf = f.append(*buf)
	q.writeBody(f.status, *buf)
	putBuffer(buf)
}

// append appends the refusal's body.
func (f *refusal) append(dst []byte) []byte {
	return wire.AppendError(dst, f.id, &jsonrpc.Error{Code: f.rpcCode(), Message: f.message, Data: f.data})
}

var soon = []string{"1"}

// retryAfter returns the value of a Retry-After header, whole seconds.
func retryAfter(wait time.Duration) string {
	return strconv.FormatInt(max(1, int64((wait+time.Second-1)/time.Second)), 10)
}

// masked logs an error and returns the refusal that carries only its reference.
func (q *request) masked(what string, err error) *refusal {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	ref := hex.EncodeToString(b[:])
	q.h.logger.Error(what, "ref", ref, "error", errorText(err))
	return &refusal{status: http.StatusInternalServerError, message: textInternal(ref)}
}

// errorText returns the text of an error whose own methods may panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error that cannot be printed"
		}
	}()
	return err.Error()
}
