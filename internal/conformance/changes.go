package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// changeTools change what the server lists, so that clients that listen are
// told of it. A change is one that a client can see: a new description.
func changeTools(app *kervan.App) []*kervan.ToolDef {
	var revision atomic.Int64
	return []*kervan.ToolDef{
		changingTool(0),
		kervan.Tool("test_trigger_tool_change", "Changes the list of tools.",
			func(context.Context, kervan.None) (string, error) {
				if err := app.ReplaceTool(changingTool(revision.Add(1))); err != nil {
					return "", err
				}
				return "The list of tools has changed.", nil
			}),
		kervan.Tool("test_trigger_prompt_change", "Changes the list of prompts.",
			func(context.Context, kervan.None) (string, error) {
				addChangingPrompt(app, revision.Add(1))
				return "The list of prompts has changed.", nil
			}),
	}
}

func changingTool(revision int64) *kervan.ToolDef {
	return answering("test_changing_tool", fmt.Sprintf("Revision %d of a tool that changes.", revision), kervan.Text("unchanged"))
}

func addChangingPrompt(app *kervan.App, revision int64) {
	app.Prompt(&mcp.Prompt{
		Name:        "test_changing_prompt",
		Description: fmt.Sprintf("Revision %d of a prompt that changes.", revision),
	}, promptOf(userText("unchanged")))
}
