package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// Encode returns msg as one line without its newline. Results and params are
// taken byte for byte, compacted only if they contain a line break; no HTML
// escapes are added. Errors are sanitised, see [Sanitize], and ids and progress
// tokens come out with the digits that the client sent. The error is non-nil
// only for a raw value that is not JSON.
func Encode(msg jsonrpc.Message) ([]byte, error) {
	return appendMessage(nil, msg)
}

func appendMessage(dst []byte, msg jsonrpc.Message) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	switch m := msg.(type) {
	case *jsonrpc.Request:
		return appendRequest(dst, m)
	case *jsonrpc.Response:
		return appendResponse(dst, m)
	}
	return nil, fmt.Errorf("cannot encode a message of type %T", msg)
}

func appendRequest(dst []byte, m *jsonrpc.Request) ([]byte, error) {
	if m.IsCall() {
		dst = append(dst, `,"id":`...)
		dst = appendID(dst, m.ID)
	}
	dst = append(dst, `,"method":`...)
	dst = jsonx.AppendString(dst, m.Method)
	if len(m.Params) > 0 {
		var err error
		dst = append(dst, `,"params":`...)
		if dst, err = appendRaw(dst, restoreAliases(m.Params)); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendResponse(dst []byte, m *jsonrpc.Response) ([]byte, error) {
	dst = append(dst, `,"id":`...)
	dst = appendID(dst, m.ID)
	if m.Error != nil {
		dst = append(dst, `,"error":`...)
		return append(appendError(dst, Sanitize(m.Error)), '}'), nil
	}
	dst = append(dst, `,"result":`...)
	if len(m.Result) == 0 {
		return append(dst, "{}}"...), nil
	}
	dst, err := appendRaw(dst, restoreAliases(m.Result))
	if err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

func appendError(dst []byte, e *jsonrpc.Error) []byte {
	dst = append(dst, `{"code":`...)
	dst = appendInt(dst, e.Code)
	dst = append(dst, `,"message":`...)
	dst = jsonx.AppendString(dst, e.Message)
	// The SDK builds some data with %q, which is not always JSON.
	if len(e.Data) > 0 && json.Valid(e.Data) {
		dst = append(dst, `,"data":`...)
		dst, _ = appendRaw(dst, e.Data)
	}
	return append(dst, '}')
}

// appendRaw appends JSON, which must not break the line.
func appendRaw(dst, raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(dst, raw...), nil
	}
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, raw); err != nil {
		return nil, fmt.Errorf("cannot encode a message: %w", err)
	}
	return buf.Bytes(), nil
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }
