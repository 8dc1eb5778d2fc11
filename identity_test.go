package kervan_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/kerventest"
)

// TestRule5_12_IdentityFollows: clients that connect after a change, and the
// results of all, tell the new name, version and instructions.
func TestRule5_12_IdentityFollows(t *testing.T) {
	for _, era := range []kerventest.Era{kerventest.Modern, kerventest.Legacy} {
		t.Run(string(era), func(t *testing.T) {
			app := kervan.NewApp("before", "1", kervan.WithInstructions("old"))
			app.Add(plain("a", "d"))
			early := kerventest.New(t, app, kerventest.InEra(era))
			bridge.Kervan().Describe(app, "after", "2", "new")
			late := kerventest.New(t, app, kerventest.InEra(era))
			got := late.Session().InitializeResult()
			if got.ServerInfo.Name != "after" || got.ServerInfo.Version != "2" || got.Instructions != "new" {
				t.Errorf("introduced as %+v, %q", got.ServerInfo, got.Instructions)
			}
			for name, c := range map[string]*kerventest.Client{"early": early, "late": late} {
				res, err := c.Session().CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
				must(t, err)
				info, announced := res.Meta[mcp.MetaKeyServerInfo].(map[string]any)
				if announced != (era == kerventest.Modern) || announced && info["name"] != "after" {
					t.Errorf("%s: a result names the server %v", name, info)
				}
			}
		})
	}
}
