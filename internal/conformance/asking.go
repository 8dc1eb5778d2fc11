package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// askingTools want one input from the client. They are written once for both
// eras: a client before 2026-07-28 is asked by requests of the server's own,
// which needs a session.
func askingTools() []*kervan.ToolDef {
	return []*kervan.ToolDef{
		kervan.Tool("test_sampling", "Has the client's model answer a prompt.", askModel),
		kervan.Tool("test_elicitation", "Asks the user for name and address.",
			func(ctx context.Context, in messageIn) (*kervan.Result, error) {
				return askUser(ctx, in.Message, contactForm)
			}),
		askingForm("test_elicitation_sep1034_defaults", "Asks the user with a form that has defaults.", "Review the defaults", defaultsForm),
		askingForm("test_elicitation_sep1330_enums", "Asks the user with a form that has every kind of choice.", "Choose", choicesForm),
		kervan.Tool("test_missing_capability", "Needs a client with the capability sampling.", needModel),
		kervan.Tool("test_streaming_elicitation", "Reports progress, then asks the user to confirm.", streamThenAsk),
	}
}

type promptIn struct {
	Prompt string `json:"prompt" jsonschema_description:"What to ask the client's model"`
}

type messageIn struct {
	Message string `json:"message" jsonschema_description:"What to ask the user"`
}

// The ids of the inputs that the tools of this file ask for.
const (
	idModel = "model"
	idUser  = "user"
)

func askModel(ctx context.Context, in promptIn) (*kervan.Result, error) {
	if text, ok := sampled(responses(ctx), idModel); ok {
		return say("LLM response: " + text)
	}
	return ask("", mcp.InputRequestMap{idModel: prompt(in.Prompt, 100)})
}

// needModel leaves it to Kervan to refuse a client that has no model.
func needModel(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	return askModel(ctx, promptIn{Prompt: "Say something."})
}

// askingForm makes a tool without arguments that asks the user with a form.
func askingForm(name, description, message, schema string) *kervan.ToolDef {
	return kervan.Tool(name, description, func(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
		return askUser(ctx, message, schema)
	})
}

func askUser(ctx context.Context, message, schema string) (*kervan.Result, error) {
	answer := filled(responses(ctx), idUser)
	if answer == nil {
		return ask("", mcp.InputRequestMap{idUser: form(message, json.RawMessage(schema))})
	}
	content, err := json.Marshal(answer.Content)
	if err != nil {
		return nil, err
	}
	return say("Elicitation completed: action=" + answer.Action + ", content=" + string(content))
}

// streamThenAsk must put nothing on its stream but notifications and its
// result, which is an interim one.
func streamThenAsk(ctx context.Context, _ kervan.None) (*kervan.Result, error) {
	if answer := filled(responses(ctx), idUser); answer != nil {
		return say("The user did this: " + answer.Action)
	}
	if _, err := reportSteps(ctx, kervan.None{}); err != nil {
		return nil, err
	}
	return ask("", mcp.InputRequestMap{idUser: form("Please confirm", field("ok", "boolean"))})
}

const contactForm = `{
	"type": "object",
	"properties": {
		"username": {"type": "string", "description": "User's response"},
		"email": {"type": "string", "description": "User's email address"}
	},
	"required": ["username", "email"]
}`

const defaultsForm = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "description": "User name", "default": "John Doe"},
		"age": {"type": "integer", "description": "User age", "default": 30},
		"score": {"type": "number", "description": "User score", "default": 95.5},
		"status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active"},
		"verified": {"type": "boolean", "description": "Verification status", "default": true}
	}
}`

const choicesForm = `{
	"type": "object",
	"properties": {
		"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
		"titledSingle": {
			"type": "string",
			"oneOf": [
				{"const": "value1", "title": "First Option"},
				{"const": "value2", "title": "Second Option"},
				{"const": "value3", "title": "Third Option"}
			]
		},
		"legacyEnum": {
			"type": "string",
			"enum": ["opt1", "opt2", "opt3"],
			"enumNames": ["Option One", "Option Two", "Option Three"]
		},
		"untitledMulti": {
			"type": "array",
			"items": {"type": "string", "enum": ["option1", "option2", "option3"]}
		},
		"titledMulti": {
			"type": "array",
			"items": {
				"anyOf": [
					{"const": "value1", "title": "First Choice"},
					{"const": "value2", "title": "Second Choice"},
					{"const": "value3", "title": "Third Choice"}
				]
			}
		}
	}
}`
