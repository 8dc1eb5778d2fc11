package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

func addPrompts(app *kervan.App) {
	app.Prompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "Takes no arguments."},
		promptOf(userText("This is a simple prompt for testing.")))
	app.Prompt(&mcp.Prompt{
		Name: "test_prompt_with_arguments", Description: "Takes two arguments.",
		Arguments: []*mcp.PromptArgument{
			{Name: "arg1", Description: "First test argument", Required: true},
			{Name: "arg2", Description: "Second test argument", Required: true},
		},
	}, promptWithArguments)
	app.Prompt(&mcp.Prompt{
		Name: "test_prompt_with_embedded_resource", Description: "Embeds a resource.",
		Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}},
	}, promptWithResource)
	app.Prompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "Shows an image."},
		promptOf(user(kervan.Image(redDot(), typePNG)), userText("Please analyze the image above.")))
	app.Prompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks for context first."},
		promptWithInput)
	addChangingPrompt(app, 0)
}

func user(content mcp.Content) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: content}
}

func userText(text string) *mcp.PromptMessage { return user(kervan.Text(text)) }

// promptOf answers every request with the same messages.
func promptOf(messages ...*mcp.PromptMessage) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: messages}, nil
	}
}

func promptWithArguments(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	args := r.Params.Arguments
	text := fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{userText(text)}}, nil
}

func promptWithResource(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	resource := embedded(r.Params.Arguments["resourceUri"], typeText, "Embedded resource content for testing.")
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		user(resource), userText("Please process the embedded resource above."),
	}}, nil
}

func promptWithInput(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if text := acceptedText(r.Params.InputResponses, idContext, "context"); text != "" {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{userText("Context: " + text)}}, nil
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
		idContext: form("What context should the prompt use?", field("context", "string")),
	}}, nil
}

// answerCompletions completes every argument by nothing, which is an answer.
func answerCompletions(o *mcp.ServerOptions) {
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
}
