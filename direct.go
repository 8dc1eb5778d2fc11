package kervan

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// directParams are the params of a direct call: none, since the transport put
// them into the context.
type directParams struct{ mcp.ParamsBase }

// addDirect makes s accept direct calls; receive answers them.
func addDirect(s *mcp.Server) error {
	return mcp.AddReceivingCustomMethod(s, bridge.DirectMethod,
		func(context.Context, *mcp.ServerSession, *directParams) (*callResult, error) {
			return nil, errNotDirect
		})
}

// errNotDirect refuses a client that sends the method itself.
var errNotDirect = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}

// callDirect is callTool or listTools for a request that the SDK did not
// decode. What it would add to the result is added here.
func (p *projection) callDirect(ctx context.Context, r *mcp.ServerRequest[*directParams]) (mcp.Result, error) {
	direct := bridge.DirectCallFrom(ctx)
	if direct == nil {
		return nil, errNotDirect
	}
	if !direct.Begin() {
		return nil, context.Canceled
	}
	params := &mcp.CallToolParamsRaw{Name: direct.Name, Arguments: direct.Arguments}
	if direct.Meta != nil {
		tree, err := jsonx.Parse(direct.Meta, jsonx.Limits{})
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params: _meta cannot be read."}
		}
		params.Meta, _ = tree.(map[string]any)
	}
	call := &mcp.CallToolRequest{Session: r.Session, Params: params, Extra: r.Extra}
	modern := call.ProtocolVersion() >= modernVersion
	var res mcp.Result
	var err error
	if direct.List {
		res, err = p.listPage(ctx, direct.Cursor, modern)
	} else {
		res, err = p.callTool(ctx, call)
	}
	if err != nil {
		return nil, err
	}
	if modern {
		res.SetMeta(p.app.identity.Load().announcement)
	}
	direct.Result, err = res.(json.Marshaler).MarshalJSON()
	return &emptyResult{}, err
}

// An emptyResult stands for the one in the DirectCall.
type emptyResult struct{ mcp.ResultBase }

// MarshalJSON writes an empty object.
func (*emptyResult) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }
