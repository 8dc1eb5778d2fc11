package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

func addResources(app *kervan.App) {
	app.Resource(&mcp.Resource{URI: "test://static-text", Name: "static-text", Description: "A text that never changes.", MIMEType: typeText},
		reading(mcp.ResourceContents{MIMEType: typeText, Text: "This is the content of the static text resource."}))
	app.Resource(&mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image that never changes.", MIMEType: typePNG},
		reading(mcp.ResourceContents{MIMEType: typePNG, Blob: redDot()}))
	app.Resource(&mcp.Resource{URI: "test://watched-resource", Name: "watched-resource", Description: "A text to subscribe to.", MIMEType: typeText},
		reading(mcp.ResourceContents{MIMEType: typeText, Text: "Watched resource content."}))
	app.ResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: templatePrefix + "{id}" + templateSuffix, Name: "template", Description: "Data by id.", MIMEType: typeJSON,
	}, readTemplate)
}

// The two ends of the URI of a template resource.
const (
	templatePrefix = "test://template/"
	templateSuffix = "/data"
)

// reading answers every request with the same contents, under the URI that
// was asked for.
func reading(contents mcp.ResourceContents) mcp.ResourceHandler {
	return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c := contents
		c.URI = r.Params.URI
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
	}
}

func readTemplate(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, templatePrefix), templateSuffix)
	data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	if err != nil {
		return nil, err
	}
	return reading(mcp.ResourceContents{MIMEType: typeJSON, Text: string(data)})(ctx, r)
}

// acceptSubscriptions lets clients subscribe to every resource. Nothing here
// ever changes, so they hear nothing.
func acceptSubscriptions(o *mcp.ServerOptions) {
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}
