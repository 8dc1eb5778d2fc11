package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// ask is the interim result that wants input from the client. State comes
// back with the answer.
func ask(state string, requests mcp.InputRequestMap) (*kervan.Result, error) {
	return &kervan.Result{InputRequests: requests, RequestState: state}, nil
}

// say is the result of a text.
func say(text string) (*kervan.Result, error) { return kervan.ResultOf(kervan.Text(text)), nil }

// form asks the client's user to fill in a form.
func form(message string, schema any) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: schema}
}

// field is the schema of a form with one required field.
func field(name, kind string) map[string]any {
	return map[string]any{
		"type":       "object",
		"properties": map[string]any{name: map[string]any{"type": kind}},
		"required":   []string{name},
	}
}

// prompt asks the client's model.
func prompt(text string, maxTokens int64) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: kervan.Text(text)}},
		MaxTokens: maxTokens,
	}
}

func responses(ctx context.Context) mcp.InputResponseMap {
	return kervan.CallFromContext(ctx).InputResponses()
}

// filled returns what the user did with the form of an id, or nil if the
// client did not answer it.
func filled(from mcp.InputResponseMap, id string) *mcp.ElicitResult {
	answer, _ := from[id].(*mcp.ElicitResult)
	return answer
}

// accepted returns a field of a form that the user accepted, or nil.
func accepted(from mcp.InputResponseMap, id, name string) any {
	if answer := filled(from, id); answer != nil && answer.Action == "accept" {
		return answer.Content[name]
	}
	return nil
}

// acceptedText is accepted for a text, or "".
func acceptedText(from mcp.InputResponseMap, id, name string) string {
	text, _ := accepted(from, id, name).(string)
	return text
}

// sampled returns the text that the client's model wrote, and whether the
// client answered.
func sampled(from mcp.InputResponseMap, id string) (string, bool) {
	answer, ok := from[id].(*mcp.CreateMessageWithToolsResult)
	if !ok || answer == nil {
		return "", false
	}
	for _, c := range answer.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			return text.Text, true
		}
	}
	return "", true
}

// rootsOf returns the client's roots, and whether the client answered.
func rootsOf(from mcp.InputResponseMap, id string) ([]*mcp.Root, bool) {
	answer, ok := from[id].(*mcp.ListRootsResult)
	if !ok || answer == nil {
		return nil, false
	}
	return answer.Roots, true
}
