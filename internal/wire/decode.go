package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// Decode reads one JSON-RPC message strictly (rule 1.6) and returns a
// [*jsonrpc.Request] or a [*jsonrpc.Response], or the failure to answer with.
//
// Refused are duplicate keys at every level, keys of the envelope or of a tool
// call that differ from the known ones only in case, batches, null ids,
// fractional ids, invalid UTF-8, nesting beyond 1,000, and long number tokens
// outside a tool's arguments. Absent, null and empty-array params become {}.
//
// Params, results and ids of the message are parts of a fresh encoding of the
// decoded value; nothing refers to line afterwards.
func Decode(line []byte) (jsonrpc.Message, *Failure) {
	doc, err := jsonx.AppendCanonical(make([]byte, 0, len(line)), line)
	if err != nil {
		return nil, undecodable(line, err)
	}
	switch {
	case len(doc) == 0:
		return nil, &Failure{Code: CodeParse, Message: textParse}
	case doc[0] == '[':
		return nil, &Failure{Code: CodeInvalidRequest, Message: textBatch}
	case !isObject(doc):
		return nil, &Failure{Code: CodeInvalidRequest, Message: textNotObject}
	}
	e := readEnvelope(doc)
	if e.method == nil && (e.result != nil || e.error != nil) {
		return e.response()
	}
	return e.request()
}

// undecodable turns an error of the strict decoder into an answer.
func undecodable(line []byte, err error) *Failure {
	f := &Failure{Code: CodeParse, Message: textParse}
	var bad *jsonx.Error
	if !errors.As(err, &bad) {
		return f
	}
	switch bad.Kind {
	case jsonx.Encoding:
		f.Message = textEncoding
		if utf8.Valid(line) { // JSON by its grammar, with half of a surrogate pair in it
			f.Code, f.Message, f.ID = CodeInvalidRequest, at(textSurrogate, bad.Pointer), recoverID(line)
		}
	case jsonx.Trailing:
		f.Message = textTrailing
	case jsonx.Duplicate:
		f.Code, f.Message, f.ID = CodeInvalidRequest, at(textDuplicate, bad.Pointer), recoverID(line)
	case jsonx.TooDeep:
		f.Code, f.Message, f.ID = CodeInvalidRequest, textTooDeep, recoverID(line)
	case jsonx.TooMany:
		f.Code, f.Message, f.ID = CodeInvalidRequest, textTooMany, recoverID(line)
	case jsonx.Number:
		f.Code, f.Message, f.ID = CodeInvalidRequest, textNumber, recoverID(line)
	}
	return f
}

// recoverID returns the id of a request that is valid JSON but was refused for
// something else in it, so that the client's call fails instead of waiting for
// ever. An id that appears twice is not returned.
func recoverID(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if !isObject(line) || !json.Valid(line) {
		return nil
	}
	var id []byte
	var ids, methods int
	for m := range members(line) {
		switch text(m.quoted) {
		case "id":
			ids, id = ids+1, m.value
		case "method":
			methods++
		}
	}
	if ids != 1 || methods == 0 {
		return nil
	}
	id, err := jsonx.AppendCanonical(nil, id)
	if err != nil {
		return nil
	}
	return validID(id)
}

// validID returns raw when it can be echoed.
func validID(raw []byte) []byte {
	if _, ok, _ := parseID(raw); ok {
		return raw
	}
	return nil
}

// An envelope holds the top-level values of a message; nil ones were absent.
type envelope struct {
	version, id, method, params, result, error []byte
	folded                                     []byte // key that differs from a known one in case
	number                                     []byte // key of an ignored member with a number that is too long
}

func readEnvelope(doc []byte) *envelope {
	e := new(envelope)
	for m := range members(doc) {
		switch string(m.key) {
		case "jsonrpc":
			e.version = m.value
		case "id":
			e.id = m.value
		case "method":
			e.method = m.value
		case "params":
			e.params = m.value
		case "result":
			e.result = m.value
		case "error":
			e.error = m.value
		default:
			if foldsTo(m.key, "jsonrpc", "id", "method", "params", "result", "error") {
				e.folded = m.key
			}
			if jsonx.CheckNumbers(m.value) != nil {
				e.number = m.key
			}
		}
	}
	return e
}

func (e *envelope) fail(code int, message string) *Failure {
	return &Failure{Code: code, Message: message, ID: validID(e.id)}
}

// check refuses what is wrong with any kind of message.
func (e *envelope) check() *Failure {
	switch {
	case e.folded != nil:
		return e.fail(CodeInvalidRequest, at(textCase, child("", e.folded)))
	case string(e.version) != `"2.0"`:
		return e.fail(CodeInvalidRequest, textVersion)
	case e.number != nil:
		return e.fail(CodeInvalidRequest, at(textNumber, child("", e.number)))
	}
	return nil
}

func (e *envelope) request() (jsonrpc.Message, *Failure) {
	if f := e.check(); f != nil {
		return nil, f
	}
	switch {
	case e.method == nil:
		return nil, e.fail(CodeInvalidRequest, textNoMethod)
	case e.result != nil || e.error != nil:
		return nil, e.fail(CodeInvalidRequest, textMixed)
	case !isString(e.method):
		return nil, e.fail(CodeInvalidRequest, textMethod)
	}
	req := &jsonrpc.Request{Method: methodName(e.method)}
	if f := e.requestID(req); f != nil {
		return nil, f
	}
	params, bad := decodeParams(req.Method, e.params)
	if bad != nil {
		f := e.fail(bad.code, at(bad.text, bad.pointer))
		f.Quiet = !req.IsCall()
		return nil, f
	}
	req.Params = params
	return req, nil
}

// requestID sets the id of a call. Some encoders write a null id into
// notifications, where it does no harm; in a call it is refused.
func (e *envelope) requestID(req *jsonrpc.Request) *Failure {
	notification := strings.HasPrefix(req.Method, notificationPrefix)
	if e.id == nil || notification && isNull(e.id) {
		return nil
	}
	id, ok, reserved := parseID(e.id)
	switch {
	case reserved:
		return e.fail(CodeInvalidRequest, textReservedID)
	case !ok:
		return e.fail(CodeInvalidRequest, textID)
	case notification:
		return e.fail(CodeInvalidRequest, textNotification)
	}
	req.ID = id
	return nil
}

// methodName returns the method; the ones of every conversation cost no copy.
func methodName(raw []byte) string {
	switch string(raw) {
	case `"tools/call"`:
		return methodCallTool
	case `"tools/list"`:
		return methodListTools
	case `"ping"`:
		return methodPing
	case `"notifications/cancelled"`:
		return methodCancelled
	}
	return text(raw)
}

// response decodes the client's answer to a request of the server. A bad one is
// reported without an id, which could be that of an unrelated call; an error
// without an id is about something unknown and is not answered.
func (e *envelope) response() (jsonrpc.Message, *Failure) {
	if f := e.check(); f != nil {
		f.ID = nil
		return nil, f
	}
	if e.result != nil && e.error != nil {
		return nil, &Failure{Code: CodeInvalidRequest, Message: textMixed}
	}
	id, ok, _ := parseID(e.id)
	if !ok {
		quiet := e.error != nil && (e.id == nil || isNull(e.id))
		return nil, &Failure{Code: CodeInvalidRequest, Message: textID, Quiet: quiet}
	}
	resp := &jsonrpc.Response{ID: id}
	switch {
	case e.error != nil:
		resp.Error = readError(e.error)
	case jsonx.CheckNumbers(e.result) != nil:
		// The server's own call is waiting for this id: it must fail, not hang.
		resp.Error = &jsonrpc.Error{Code: CodeInternal, Message: textResultNumber}
	default:
		resp.Result = e.result
	}
	return resp, nil
}

// readError reads an error object. What does not fit is left at its zero value:
// the call has failed in any case.
func readError(raw []byte) *jsonrpc.Error {
	e := &jsonrpc.Error{Code: CodeInternal}
	if !isObject(raw) {
		return e
	}
	for m := range members(raw) {
		switch string(m.key) {
		case "code":
			if n, err := strconv.ParseInt(string(m.value), 10, 64); err == nil {
				e.Code = n
			}
		case "message":
			if isString(m.value) {
				e.Message = text(m.value)
			}
		case "data":
			if jsonx.CheckNumbers(m.value) == nil {
				e.Data = m.value
			}
		}
	}
	return e
}
