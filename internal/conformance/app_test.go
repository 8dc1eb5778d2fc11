package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/kerventest"
)

// answeringClient gives a client that answers every question that the fixture asks.
func answeringClient() kerventest.Option {
	return kerventest.WithClientOptions(func(o *mcp.ClientOptions) {
		o.Capabilities = &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}}
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: fill(r.Params.RequestedSchema)}, nil
		}
		o.CreateMessageHandler = func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Content: &mcp.TextContent{Text: "Paris"}, Model: "m", Role: "assistant"}, nil
		}
	})
}

// fill fills in the first field of a form.
func fill(schema any) map[string]any {
	data, _ := json.Marshal(schema)
	var form struct {
		Required   []string
		Properties map[string]struct{ Type string }
	}
	_ = json.Unmarshal(data, &form)
	content := map[string]any{}
	for _, name := range form.Required {
		content[name] = "Alice"
		if form.Properties[name].Type == "boolean" {
			content[name] = true
		}
	}
	return content
}

func TestAnswers(t *testing.T) {
	calls := []struct {
		tool string
		args any
		want string // in the text of the first block, "" for another kind of block
	}{
		{"test_simple_text", nil, "simple text response"},
		{"test_image_content", nil, ""},
		{"test_audio_content", nil, ""},
		{"test_embedded_resource", nil, ""},
		{"test_multiple_content_types", nil, "Multiple content types"},
		{"test_tool_with_logging", nil, "Logged"},
		{"test_tool_with_progress", nil, "Reported"},
		{"test_logging_tool", nil, "Logged"},
		{"test_reconnection", nil, "after the stream was closed"},
		{"json_schema_2020_12_tool", map[string]any{"contactMethod": "phone", "phone": "1"}, `"phone":"1"`},
		{"test_x_mcp_header", map[string]any{"region": "eu"}, `"region":"eu"`},
		{"test_trigger_tool_change", nil, "changed"},
		{"test_trigger_prompt_change", nil, "changed"},
		{"test_sampling", map[string]any{"prompt": "?"}, "LLM response: Paris"},
		{"test_missing_capability", nil, "LLM response: Paris"},
		{"test_elicitation", map[string]any{"message": "?"}, `"username":"Alice"`},
		{"test_elicitation_sep1034_defaults", nil, "action=accept"},
		{"test_elicitation_sep1330_enums", nil, "action=accept"},
		{"test_streaming_elicitation", nil, "accept"},
		{"test_input_required_result_elicitation", nil, "Hello, Alice!"},
		{"test_input_required_result_sampling", nil, "Paris"},
		{"test_input_required_result_list_roots", nil, "0 root(s)"},
		{"test_input_required_result_request_state", nil, "state-ok"},
		{"test_input_required_result_tampered_state", nil, "state-ok"},
		{"test_input_required_result_multiple_inputs", nil, "Paris Alice"},
		{"test_input_required_result_multi_round", nil, "Alice likes Alice"},
		{"test_input_required_result_capabilities", nil, "Thank you"},
	}
	kerventest.EachEra(t, quietApp(), func(t *testing.T, c *kerventest.Client) {
		for _, call := range calls {
			result := c.Call(call.tool, call.args)
			require.False(t, result.IsError, "%s: %v", call.tool, result)
			require.NotEmpty(t, result.Content, call.tool)
			if call.want != "" {
				assert.Contains(t, result.Content[0].(*mcp.TextContent).Text, call.want, call.tool)
			}
		}
	}, answeringClient())
}

func TestErrors(t *testing.T) {
	kerventest.EachEra(t, quietApp(), func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, "This tool intentionally returns an error for testing", c.CallErr("test_error_handling", nil))
		assert.NotContains(t, c.CallErr("test_masked_error", nil), "hunter2")
		assert.True(t, strings.HasPrefix(c.CallErr("json_schema_2020_12_tool", nil), "Input validation error"))
	})
}

func TestPromptsAndResources(t *testing.T) {
	kerventest.EachEra(t, quietApp(), func(t *testing.T, c *kerventest.Client) {
		session := c.Session()
		for name, args := range map[string]map[string]string{
			"test_simple_prompt":                 nil,
			"test_prompt_with_arguments":         {"arg1": "a", "arg2": "b"},
			"test_prompt_with_embedded_resource": {"resourceUri": "test://x"},
			"test_prompt_with_image":             nil,
			"test_input_required_result_prompt":  nil,
		} {
			got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
			require.NoError(t, err, name)
			assert.NotEmpty(t, got.Messages, name)
		}
		for _, uri := range []string{"test://static-text", "test://static-binary", "test://watched-resource", "test://template/123/data"} {
			got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			require.NoError(t, err, uri)
			assert.Equal(t, uri, got.Contents[0].URI)
		}
	}, answeringClient())
}
