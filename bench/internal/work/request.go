package work

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An Era is a protocol version that stands for the ones that work alike.
type Era string

// The two eras.
const (
	Legacy Era = "2025-11-25" // over stdio a session that begins with initialize
	Modern Era = "2026-07-28" // every request tells its version in _meta
)

// Eras are all there are.
var Eras = []Era{Legacy, Modern}

// Each request begins with IDStart and an id of seven digits, so that the id can
// be counted up in place and every request has the length of the first.
const (
	IDStart = `{"jsonrpc":"2.0","id":`
	FirstID = 1_000_000
)

// Params are the parameters of the requests that are measured.
type Params struct {
	Meta      map[string]any  `json:"_meta,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cursor    string          `json:"cursor,omitempty"`
}

// Request returns the message of a request, the same for every peer.
func (e Era) Request(method string, p Params) []byte {
	if e == Modern {
		p.Meta = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    string(e),
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench-client", "version": "1.0.0"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		panic(err) // what is measured is written in this package
	}
	return fmt.Appendf(nil, "%s%d,\"method\":%q,\"params\":%s}", IDStart, FirstID, method, encoded)
}

// InitializeRequest returns the request that begins a session of the legacy era.
func InitializeRequest() []byte {
	const params = `{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"bench-client","version":"1.0.0"}}`
	return fmt.Appendf(nil, `%s%d,"method":"initialize","params":`+params+"}", IDStart, FirstID, Legacy)
}

// Initialized is the notification that ends the handshake of the legacy era.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// Number writes an id of seven digits into a request, at the place where the
// message starts.
func Number(message []byte, id int) {
	for i := len(IDStart) + 6; i >= len(IDStart); i-- {
		message[i] = byte('0' + id%10)
		id /= 10
	}
}

// A Call is a tools/call, and one that has to be refused.
type Call struct {
	Tool      Tool
	Arguments string
	Broken    string
}

// Add and Order are the calls that are measured.
var (
	Add   = &Call{Tool: AddTool, Arguments: `{"a":1.5,"b":2.25}`, Broken: `{"a":1.5,"b":"2.25"}`}
	Order = newOrder()
)

// newOrder breaks the type of the last item's quantity.
func newOrder() *Call {
	arguments, err := json.Marshal(orderArguments())
	if err != nil {
		panic(err) // plain data of this package
	}
	broken := strings.Replace(string(arguments), `"quantity":2}]}`, `"quantity":"2"}]}`, 1)
	if broken == string(arguments) {
		panic("the broken arguments are not broken")
	}
	return &Call{Tool: OrderTool, Arguments: string(arguments), Broken: broken}
}

// Request returns the call in an era.
func (c *Call) Request(e Era) []byte { return c.with(e, c.Arguments) }

// BrokenRequest returns the call that has to be refused.
func (c *Call) BrokenRequest(e Era) []byte { return c.with(e, c.Broken) }

func (c *Call) with(e Era, arguments string) []byte {
	return e.Request("tools/call", Params{Name: c.Tool.Name, Arguments: json.RawMessage(arguments)})
}

// ListRequest returns the request for a page of the list of tools.
func ListRequest(e Era, cursor string) []byte {
	return e.Request("tools/list", Params{Cursor: cursor})
}
