// Package wire frames JSON-RPC messages for the transports and the in-memory
// test client: one strict decode of what a client sends, one sanitised line for
// what a server answers, and a connection over newline-delimited streams.
//
// The SDK's own decoder accepts duplicate keys, converts ids through float64,
// and ends the session at the first bad line, so nothing that a client sends
// reaches it: [Decode] reads the bytes once and hands over values encoded again.
package wire

import "github.com/kervan-mcp/kervan/internal/jsonx"

// JSON-RPC and MCP error codes that this package answers with.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	// CodeUnavailable is for calls that may be sent again later.
	CodeUnavailable = -32000
)

// Methods that framing has to know about.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodCallTool   = "tools/call"
	methodListTools  = "tools/list"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"

	notificationPrefix = "notifications/"
)

// A Failure is the error answer to bytes that are no usable message. Its text
// is fixed and echoes no value of the message.
type Failure struct {
	Code    int
	Message string
	// ID is the JSON of the message's id when it could be read and is valid,
	// else nil, which is answered as null.
	ID []byte
	// Quiet says that nothing is to be sent: the message was a notification,
	// or an answer, and neither may be answered.
	Quiet bool
}

// Error returns the failure's message.
func (f *Failure) Error() string { return f.Message }

// Append appends the failure as a JSON-RPC error response, without a newline.
func (f *Failure) Append(dst []byte) []byte {
	id := f.ID
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = appendInt(dst, int64(f.Code))
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendString(dst, f.Message)
	return append(dst, "}}"...)
}
