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
	direct := &bridge.DirectCall{}
	var ok bool
	switch q.call.Method {
	case methodCallTool:
		direct.Name = q.facts.Name
		direct.Arguments, direct.Meta, ok = wire.PlainCall(q.call.Params)
		ok = ok && q.facts.Named
	case methodListTools:
		direct.List = true
		direct.Cursor, direct.Meta, ok = wire.PlainList(q.call.Params)
	}
	if !ok || q.modern && !plainClient(direct.Meta) {
		return
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
