package transport

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/wire"
)

// takeDirect makes a plain tools/call or tools/list one that the SDK need not
// decode: its params were read already. Everything that is not plainly in order
// goes the usual way, so that each protocol error has one owner.
func (q *request) takeDirect() {
	if q.h.o.indirect {
		return
	}
	f := &q.facts
	if !f.Plain || q.modern && !plainClient(f.Meta) {
		return
	}
	direct := &bridge.DirectCall{
		List: q.call.Method == methodListTools, Cursor: f.Cursor,
		Name: f.Name, Arguments: f.Arguments, Meta: f.Meta,
	}
	q.direct = direct
	q.ctx = bridge.WithDirectCall(q.ctx, direct)
	q.call = &jsonrpc.Request{ID: q.call.ID, Method: bridge.DirectMethod}
	if !q.modern {
		return
	}
	if level := wire.Lookup(direct.Meta, mcp.MetaKeyLogLevel); len(level) > 0 && level[0] == '"' {
		q.logLevel = mcp.LoggingLevel(wire.Text(level))
	}
}

// plainClient reports whether what a client says of itself is of the shape
// that the SDK accepts.
func plainClient(meta []byte) bool {
	capabilities := wire.Lookup(meta, mcp.MetaKeyClientCapabilities)
	if !wire.IsObjectOfObjects(capabilities) {
		return false
	}
	info := wire.Lookup(meta, mcp.MetaKeyClientInfo)
	return info == nil || wire.IsObjectOfStrings(info)
}
