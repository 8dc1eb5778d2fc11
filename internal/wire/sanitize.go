package wire

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Sanitize returns what a client may see of an error that the SDK answers with.
//
// An error that is itself a [*jsonrpc.Error] was made to be sent and passes,
// except for the texts in which the SDK repeats the client's data and Go type
// names. Of any other error only what this function knows is said; the rest, and
// everything with the code 0, is an internal error.
func Sanitize(err error) *jsonrpc.Error {
	if e, ok := err.(*jsonrpc.Error); ok && e != nil {
		return sanitizeMade(e)
	}
	var e *jsonrpc.Error
	if errors.As(err, &e) && e != nil {
		return sanitizeWrapped(e.Code, err.Error())
	}
	return sanitizePlain(err)
}

func sanitizeMade(e *jsonrpc.Error) *jsonrpc.Error {
	switch {
	case e.Code == 0:
		return sanitizePlain(e)
	case e.Code == CodeMethodNotFound, e.Code == codeServerClosing, e.Code == codeClientClosing:
		return sanitizeWrapped(e.Code, e.Message)
	case e.Code == CodeInvalidParams && leaksParams(e.Message):
		return &jsonrpc.Error{Code: CodeInvalidParams, Message: textInvalidParams}
	}
	return e
}

// leaksParams recognises the SDK's message about params that it could not read.
func leaksParams(message string) bool {
	return strings.HasPrefix(message, "handling '") || strings.Contains(message, "unmarshaling")
}

// sanitizeWrapped says no more than the code, or one of the texts below. The
// wrapped error may come from another server that a handler called.
func sanitizeWrapped(code int64, message string) *jsonrpc.Error {
	switch code {
	case CodeMethodNotFound:
		return methodNotFound(message)
	case CodeInvalidParams:
		return &jsonrpc.Error{Code: code, Message: invalidParams(message)}
	case CodeInvalidRequest:
		return &jsonrpc.Error{Code: code, Message: invalidRequest(message)}
	case codeServerClosing, codeClientClosing:
		return &jsonrpc.Error{Code: CodeUnavailable, Message: textDraining}
	}
	return &jsonrpc.Error{Code: CodeInternal, Message: textInternal}
}

// The SDK's codes for calls that meet a connection which is closing.
const (
	codeServerClosing = -32004
	codeClientClosing = -32003
)

func sanitizePlain(err error) *jsonrpc.Error {
	message := err.Error()
	switch {
	case strings.HasPrefix(message, `method "`) && strings.HasSuffix(message, "is invalid during session initialization"):
		return &jsonrpc.Error{Code: CodeInvalidRequest, Message: textInitialize}
	case message == `duplicate "initialize" received`:
		return &jsonrpc.Error{Code: CodeInvalidRequest, Message: textInitializeOnce}
	case strings.HasPrefix(message, "handling '"):
		return &jsonrpc.Error{Code: CodeInvalidParams, Message: textInvalidParams}
	case errors.Is(err, context.Canceled):
		return &jsonrpc.Error{Code: CodeUnavailable, Message: textCancelled}
	}
	return &jsonrpc.Error{Code: CodeInternal, Message: textInternal}
}

// methodNotFound keeps the quoted method of the SDK's text when it is short and
// plain.
func methodNotFound(message string) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: CodeMethodNotFound, Message: textNoSuchMethod}
	method, ok := strings.CutPrefix(message, "method not found: ")
	if ok && isPlainQuoted(method) {
		e.Message += ": " + method
	}
	return e
}

func isPlainQuoted(s string) bool {
	if len(s) < 2 || len(s) > 130 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// invalidParams keeps the texts of the SDK that name a missing field.
func invalidParams(message string) string {
	const prefix = "invalid params: "
	switch message {
	case prefix + "missing required 'ref' field",
		prefix + "missing required 'argument.name' field",
		prefix + "missing required 'notifications' field":
		return textInvalidParams + ": " + strings.TrimPrefix(message, prefix)
	}
	return textInvalidParams
}

func invalidRequest(message string) string {
	switch {
	case strings.HasSuffix(message, `missing required "params"`):
		return textParamsMissing
	case strings.HasPrefix(message, "invalid request: unexpected id for "):
		return textNotification
	case strings.HasSuffix(message, " already in use"):
		return textIDInUse
	}
	return textInvalidRequest
}
