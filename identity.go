package kervan

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// An identity is what clients are told of the server itself. Nobody writes to
// one that is in use.
type identity struct {
	info         *mcp.Implementation
	encoded      []byte         // info as JSON
	announcement map[string]any // the _meta by which a result names the server
	instructions string
	replaced     bool // it is not the one that the SDK's servers were made with
}

func newIdentity(name, version, title, instructions string) *identity {
	id := &identity{
		info:         &mcp.Implementation{Name: name, Version: version, Title: title},
		instructions: instructions,
	}
	id.announcement = map[string]any{mcp.MetaKeyServerInfo: id.info}
	data, _ := json.Marshal(id.info) // strings only: it cannot fail
	id.encoded, _ = jsonx.AppendCanonical(nil, data)
	return id
}

// describe changes what clients that ask from now on are told of the server.
func (a *App) describe(name, version, instructions string) {
	id := newIdentity(name, version, a.settings.title, instructions)
	id.replaced = true
	a.identity.Store(id)
}

// introduce puts the current identity into the results by which the SDK
// introduces the server. The SDK keeps the one its server was made with.
func (id *identity) introduce(res mcp.Result) {
	if !id.replaced {
		return
	}
	switch r := res.(type) {
	case *mcp.InitializeResult:
		r.ServerInfo, r.Instructions = id.info, id.instructions
	case *mcp.DiscoverResult:
		r.Instructions = id.instructions
		meta := map[string]any{mcp.MetaKeyServerInfo: id.info}
		for k, v := range r.GetMeta() {
			if k != mcp.MetaKeyServerInfo {
				meta[k] = v
			}
		}
		r.SetMeta(meta)
	}
}
