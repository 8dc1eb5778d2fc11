package main

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// The media types of the fixture.
const (
	typePNG  = "image/png"
	typeWAV  = "audio/wav"
	typeText = "text/plain"
	typeJSON = "application/json"
)

// contentTools answer at once, each with another kind of content.
func contentTools() []*kervan.ToolDef {
	return []*kervan.ToolDef{
		kervan.Tool("test_simple_text", "Answers with text.",
			func(context.Context, kervan.None) (string, error) {
				return "This is a simple text response for testing.", nil
			}),
		answering("test_image_content", "Answers with an image.",
			kervan.Image(redDot(), typePNG)),
		answering("test_audio_content", "Answers with a sound.",
			kervan.Audio(silence(), typeWAV)),
		answering("test_embedded_resource", "Answers with an embedded resource.",
			embedded("test://embedded-resource", typeText, "This is an embedded resource content.")),
		answering("test_multiple_content_types", "Answers with text, an image and a resource.",
			kervan.Text("Multiple content types test:"),
			kervan.Image(redDot(), typePNG),
			embedded("test://mixed-content-resource", typeJSON, `{"test":"data","value":123}`)),
		kervan.Tool("test_error_handling", "Fails with an error that the model may read.",
			func(context.Context, kervan.None) (kervan.None, error) {
				return kervan.None{}, kervan.ToolErrorf("This tool intentionally returns an error for testing")
			}),
		kervan.Tool("test_masked_error", "Fails with an error that no client may read.",
			func(context.Context, kervan.None) (kervan.None, error) {
				return kervan.None{}, errors.New("dial db.internal: password=hunter2")
			}),
	}
}

// answering makes a tool whose every call has the same answer.
func answering(name, description string, content ...mcp.Content) *kervan.ToolDef {
	return kervan.Tool(name, description, func(context.Context, kervan.None) (*kervan.Result, error) {
		return kervan.ResultOf(content...), nil
	})
}

func embedded(uri, mimeType, text string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: mimeType, Text: text}}
}
