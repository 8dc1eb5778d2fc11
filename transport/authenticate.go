package transport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// Authenticate has hook decide who sends a request, before any of its body is
// read. What it returns reaches tools through the call's auth, and its UserID
// owns sessions, sealed request state and streams. Nil and no error is an
// anonymous caller.
//
// A [*Refusal] as error, also a wrapped one, is the answer to the client. Any
// other error, and a panic, is answered with 500 and a reference that the log
// has too. The request that hook gets has an empty body. It is called at the
// same time from several requests. By default everybody is anonymous.
func Authenticate(hook func(*http.Request) (*auth.TokenInfo, error)) Option {
	return optionFunc(func(o *options) error {
		if hook == nil {
			return badValue("Authenticate", "nil", "give a function, or leave it out for anonymous callers")
		}
		o.authenticate = hook
		return nil
	})
}

// A Refusal is the answer of an [Authenticate] hook that lets a request go no
// further. It is an error.
type Refusal struct {
	// Status is the HTTP status, from 400 to 599. 0 is 401.
	Status int
	// Header is added to the answer's, for example WWW-Authenticate. Headers that
	// describe the body are left out.
	Header http.Header
	// Code is the JSON-RPC error code. 0 is one that fits the status.
	Code int
	// Message is what the client reads. Empty is the status's own text.
	Message string
}

// Error returns the status and the message.
func (f *Refusal) Error() string { return fmt.Sprintf("refused with %d: %s", f.status(), f.message()) }

func (f *Refusal) status() int {
	if f.Status == 0 {
		return http.StatusUnauthorized
	}
	return f.Status
}

func (f *Refusal) message() string {
	if f.Message == "" {
		return http.StatusText(f.status())
	}
	return f.Message
}

// authenticate finds out who sends the request (rule 3.7).
func (q *request) authenticate() *refusal {
	hook := q.h.o.authenticate
	if hook == nil {
		return nil
	}
	info, err := q.runHook(hook)
	if err != nil {
		return q.refused(err)
	}
	q.info = info
	if limiter, ok := q.h.o.rate.(authenticatedLimiter); ok {
		wait, ok := limiter.allowAuthenticated(q.r, info)
		return q.tooMany(wait, ok)
	}
	return nil
}

func (q *request) runHook(hook func(*http.Request) (*auth.TokenInfo, error)) (info *auth.TokenInfo, err error) {
	defer catch(&err)
	view := *q.r
	view.Body = http.NoBody
	return hook(&view)
}

// refused answers an error of the hook.
func (q *request) refused(err error) *refusal {
	var shaped *Refusal
	if !errors.As(err, &shaped) || shaped == nil {
		if q.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return answered // nobody is there to read it
		}
		return q.masked(logAuth, err)
	}
	status := shaped.status()
	if status < 400 || status > 599 {
		return q.masked(logRefusal, err)
	}
	q.addHeaders(shaped.Header)
	return &refusal{status: status, code: int64(shaped.Code), message: shaped.message()}
}

// addHeaders adds what a hook says, without what describes the body.
func (q *request) addHeaders(from http.Header) {
	header := q.w.Header()
	for name, values := range maps.All(from) {
		switch name = http.CanonicalHeaderKey(name); name {
		case "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Cache-Control":
		case "Vary":
			for _, v := range values {
				header.Add(name, v)
			}
		default:
			header[name] = values
		}
	}
}

// catch turns a panic of user code into an error.
func catch(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v", v)
	}
}

// owner tells apart who owns a session. Callers with credentials but no
// identity are told apart by the credentials.
func (q *request) owner() string {
	switch {
	case q.info == nil:
		return "anonymous"
	case q.info.UserID != "":
		return "user " + q.info.UserID
	}
	sum := sha256.Sum256([]byte(headerOf(q.r.Header, "Authorization")))
	return "credentials " + hex.EncodeToString(sum[:])
}

// streamKey tells apart who opens streams: anonymous callers by their address.
func (q *request) streamKey() string {
	if q.info == nil {
		return "address " + q.clientKey()
	}
	return q.owner()
}

// clientKey names the machine that sends the request.
func (q *request) clientKey() string {
	if q.h.o.client != nil {
		return q.h.o.client(q.r)
	}
	return addressKey(peer(q.r))
}
