package main

import (
	"context"

	"github.com/kervan-mcp/kervan"
)

// fullSchema uses what JSON Schema 2020-12 has beyond a list of properties;
// the suite wants to find every keyword of it in tools/list.
const fullSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

// mirroredSchema binds an argument to the header Mcp-Param-Region.
const mirroredSchema = `{
	"type": "object",
	"properties": {
		"region": {"type": "string", "description": "Also sent in a header", "x-mcp-header": "Region"},
		"level": {"type": "integer", "description": "Sent in the body only"}
	}
}`

// schemaTools are about their schemas.
func schemaTools() []*kervan.ToolDef {
	return []*kervan.ToolDef{
		kervan.RawTool("json_schema_2020_12_tool", "Has an input schema with the vocabulary of JSON Schema 2020-12.",
			kervan.Schema(fullSchema), echo),
		kervan.RawTool("test_x_mcp_header", "Has an argument that is mirrored in a header.",
			kervan.Schema(mirroredSchema), echo),
	}
}

func echo(_ context.Context, call *kervan.Call) (*kervan.Result, error) {
	return kervan.ResultOf(kervan.Text("Called with " + string(call.Arguments()))), nil
}
