package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// meta returns a _meta member with a protocol version.
func meta(version string) string {
	return fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%s,"io.modelcontextprotocol/clientCapabilities":{}}`, version)
}

func TestRule3_9_Versions(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	const add = `"name":"add","arguments":{"a":1,"b":2}`
	for _, tt := range []struct {
		name, header, meta string // meta is JSON
		status, code       int
	}{
		{"none", "", "", 200, 0},
		{"2024", "2024-11-05", "", 200, 0},
		{"2025-03", "2025-03-26", "", 200, 0},
		{"2025-06", "2025-06-18", "", 200, 0},
		{"2025-11", "2025-11-25", "", 200, 0},
		{"2026", modern, `"2026-07-28"`, 200, 0},
		{"older in both", legacy, `"2025-11-25"`, 200, 0},
		{"unknown", "2025-01-01", "", 400, -32022},
		{"unknown and newer", "2099-01-01", `"2099-01-01"`, 400, -32022},
		{"nonsense", "latest", "", 400, -32022},
		{"short", "1", "", 400, -32022},
		{"header only", modern, "", 400, -32602},
		{"header without a string", modern, `7`, 400, -32602},
		{"meta only", "", `"2026-07-28"`, 400, -32020},
		{"newer meta", legacy, `"2026-07-28"`, 400, -32020},
		{"older meta", modern, `"2025-11-25"`, 400, -32020},
		{"other unknown meta", modern, `"2099-01-01"`, 400, -32020},
	} {
		t.Run(tt.name, func(t *testing.T) {
			params := "{" + add + "}"
			if tt.meta != "" {
				params = "{" + add + "," + meta(tt.meta) + "}"
			}
			r := record(t, h, rpc("5", "tools/call", params), set("Mcp-Protocol-Version", tt.header), set("Mcp-Method", "tools/call"), set("Mcp-Name", "add"))
			if tt.code == 0 {
				assert.Equal(t, tt.status, r.status, r.body)
				assert.Contains(t, r.body, `{"sum":3}`)
				return
			}
			refused(t, r, tt.status, tt.code)
			assert.Contains(t, r.body, `"id":5,`)
			if tt.code == -32022 {
				var v struct {
					Error struct {
						Data mcp.UnsupportedProtocolVersionData `json:"data"`
					} `json:"error"`
				}
				require.NoError(t, json.Unmarshal([]byte(r.body), &v))
				assert.Equal(t, mcp.SupportedProtocolVersions(), v.Error.Data.Supported)
				assert.Equal(t, tt.header, v.Error.Data.Requested)
			}
		})
	}
	t.Run("a version that is none is not repeated", func(t *testing.T) {
		r := record(t, h, ping, set("Mcp-Protocol-Version", "<script>"))
		refused(t, r, 400, -32022)
		assert.NotContains(t, r.body, "script")
	})
	t.Run("capabilities missing", func(t *testing.T) {
		body := rpc("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)
		refused(t, record(t, h, body, modernHeaders("tools/list", "")), 400, -32602)
	})
}

func TestRule3_9_InitializeNegotiates(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", legacy: legacy,
		"2025-01-01": legacy, "2099-01-01": legacy, "x": legacy, modern: legacy,
	} {
		body := rpc("1", "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, asked))
		for _, changes := range [][]change{nil, {set("Mcp-Protocol-Version", "2025-01-01")}, {set("Mcp-Session-Id", "stale")}} {
			r := record(t, h, body, changes...)
			assert.Equal(t, 200, r.status, r.body)
			assert.Contains(t, r.body, fmt.Sprintf(`"protocolVersion":%q`, want))
			assert.NotContains(t, r.body, `"listChanged":true`)
			assert.Empty(t, r.header.Get("Mcp-Session-Id"))
		}
	}
}

func TestRule3_16_WhatIsAdvertised(t *testing.T) {
	app := newToolbox().App
	discover := inModern(rpc("1", "server/discover", "{}"))
	list := inModern(rpc("1", "tools/list", "{}"))
	h, err := transport.NewHandler(app)
	require.NoError(t, err)
	r := record(t, h, discover, modernHeaders("server/discover", ""))
	assert.Contains(t, r.body, `"listChanged":true`)
	assert.Contains(t, r.body, `"cacheScope":"private"`)
	r = record(t, h, list, modernHeaders("tools/list", ""))
	assert.Contains(t, r.body, `"ttlMs":0,"cacheScope":"private"`)

	h, err = transport.NewHandler(app, transport.PublicLists(90*time.Second+time.Microsecond))
	require.NoError(t, err)
	r = record(t, h, list, modernHeaders("tools/list", ""))
	assert.Contains(t, r.body, `"ttlMs":90000`)
	assert.Contains(t, r.body, `"cacheScope":"public"`)
	assert.Equal(t, "no-store", r.header.Get("Cache-Control"))
}

func TestRule3_16_PublicListsRefused(t *testing.T) {
	public := transport.PublicLists(time.Minute)
	for name, opt := range map[string]transport.Option{
		"ResolveRegistry": transport.ResolveRegistry(func(context.Context, *transport.Request) (kervan.Registry, error) { return nil, nil }),
		"Authenticate":    transport.Authenticate(func(*http.Request) (*auth.TokenInfo, error) { return nil, nil }),
	} {
		_, err := transport.NewHandler(kervan.NewApp("test", "1"), opt, public)
		assert.ErrorContains(t, err, "because of "+name)
		_, err = transport.NewHandler(kervan.NewApp("test", "1"), public, opt)
		assert.ErrorContains(t, err, "because of "+name)
	}
	seen := func(context.Context, kervan.ToolInfo) bool { return true }
	_, err := transport.NewHandler(kervan.NewApp("test", "1", kervan.WithVisibility(seen)), public)
	assert.ErrorContains(t, err, "because of kervan.WithVisibility")
	_, err = transport.NewHandler(kervan.NewApp("test", "1"), transport.PublicLists(time.Microsecond))
	assert.ErrorContains(t, err, "PublicLists")
}

func TestRule3_9_MethodHeader(t *testing.T) {
	h, err := transport.NewHandler(newToolbox().App)
	require.NoError(t, err)
	list := rpc("1", "tools/list", "{}")
	for _, tt := range []struct {
		name, body, header string
		modern, ok         bool
	}{
		{"right", list, "tools/list", true, true},
		{"missing", list, "", true, false},
		{"other", list, "tools/call", true, false},
		{"other case", list, "Tools/List", true, false},
		{"encoded", list, "=?base64?dG9vbHMvbGlzdA==?=", true, false},
		{"older, missing", list, "", false, true},
		{"older, right", list, "tools/list", false, true},
		{"older, other", list, "tools/call", false, false},
		{"notification, right", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized", true, true},
		{"notification, missing", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", true, false},
		{"notification, other", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "tools/call", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, version := tt.body, legacy
			if tt.modern {
				body, version = inModern(body), modern
			}
			r := record(t, h, body, set("Mcp-Protocol-Version", version), set("Mcp-Method", tt.header))
			if tt.ok {
				assert.Less(t, r.status, 300, r.body)
			} else {
				refused(t, r, 400, -32020)
			}
		})
	}
}

func TestRule3_9_NameHeader(t *testing.T) {
	app := newToolbox().App
	app.Prompt(&mcp.Prompt{Name: "grüß"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	app.Resource(&mcp.Resource{Name: "r", URI: "file:///r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "file:///r", Text: "x"}}}, nil
	})
	h, err := transport.NewHandler(app)
	require.NoError(t, err)
	add := rpc("1", "tools/call", `{"name":"add","arguments":{"a":1,"b":2}}`)
	prompt := rpc("1", "prompts/get", `{"name":"grüß"}`)
	read := rpc("1", "resources/read", `{"uri":"file:///r"}`)
	for _, tt := range []struct {
		name, body, method, header string
		modern, ok                 bool
	}{
		{"plain", add, "tools/call", "add", true, true},
		{"base64", add, "tools/call", "=?base64?YWRk?=", true, true},
		{"missing", add, "tools/call", "", true, false},
		{"other", add, "tools/call", "wait", true, false},
		{"other case", add, "tools/call", "Add", true, false},
		{"other in base64", add, "tools/call", "=?base64?d2FpdA==?=", true, false},
		{"bad base64", add, "tools/call", "=?base64?YW!k?=", true, false},
		{"base64 without padding", add, "tools/call", "=?base64?d2FpdA?=", true, false},
		{"base64 with spare bits", add, "tools/call", "=?base64?YWR=?=", true, false},
		{"no end", add, "tools/call", "=?base64?YWRk", true, false},
		{"older, missing", add, "tools/call", "", false, true},
		{"older, right", add, "tools/call", "add", false, true},
		{"older, other", add, "tools/call", "wait", false, false},
		{"prompt in base64", prompt, "prompts/get", "=?base64?Z3LDvMOf?=", true, true},
		{"prompt, missing", prompt, "prompts/get", "", true, false},
		{"resource", read, "resources/read", "file:///r", true, true},
		{"resource, other", read, "resources/read", "file:///s", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, version := tt.body, legacy
			if tt.modern {
				body, version = inModern(body), modern
			}
			r := record(t, h, body, set("Mcp-Protocol-Version", version), set("Mcp-Method", tt.method), set("Mcp-Name", tt.header))
			if tt.ok {
				assert.Equal(t, 200, r.status, r.body)
				assert.Contains(t, r.body, `"result"`)
			} else {
				refused(t, r, 400, -32020)
			}
		})
	}
	t.Run("a name that looks encoded", func(t *testing.T) {
		body := inModern(rpc("1", "prompts/get", `{"name":"=?base64?YWRk?="}`))
		r := record(t, h, body, modernHeaders("prompts/get", "=?base64?YWRk?="))
		refused(t, r, 400, -32020) // the header says add
	})
	t.Run("no name in the body", func(t *testing.T) {
		r := record(t, h, inModern(rpc("1", "prompts/get", `{"name":7}`)), modernHeaders("prompts/get", "x"))
		refused(t, r, 400, -32602)
	})
}

func TestRule3_9_ParamHeaders(t *testing.T) {
	app := kervan.NewApp("test", "1")
	app.Add(kervan.RawTool("find", "Finds.", kervan.Schema(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"count":{"type":"integer","x-mcp-header":"Count"},
		"deep":{"type":"object","properties":{"all":{"type":"boolean","x-mcp-header":"All"}}}}}`),
		func(context.Context, *kervan.Call) (*kervan.Result, error) {
			return kervan.ResultOf(kervan.Text("found")), nil
		}))
	h, err := transport.NewHandler(app)
	require.NoError(t, err)
	type headers map[string]string
	for _, tt := range []struct {
		name, arguments string
		headers         headers
		ok              bool
	}{
		{"nothing", `{}`, nil, true},
		{"null", `{"region":null}`, nil, true},
		{"string", `{"region":"eu"}`, headers{"Region": "eu"}, true},
		{"string in base64", `{"region":"grüß"}`, headers{"Region": "=?base64?Z3LDvMOf?="}, true},
		{"escaped key and value", `{"r\u0065gion":"\u0065u"}`, headers{"Region": "eu"}, true},
		{"empty string", `{"region":""}`, nil, true},
		{"integer", `{"count":42}`, headers{"Count": "42"}, true},
		{"integer by value", `{"count":4.2e1}`, headers{"Count": "42.0"}, true},
		{"negative", `{"count":-0}`, headers{"Count": "0"}, true},
		{"large integer", `{"count":9007199254740993}`, headers{"Count": "9007199254740993"}, true},
		{"boolean", `{"deep":{"all":true}}`, headers{"All": "true"}, true},
		{"all", `{"region":"eu","count":1,"deep":{"all":false}}`, headers{"Region": "eu", "Count": "1", "All": "false"}, true},

		{"missing", `{"region":"eu"}`, nil, false},
		{"missing in depth", `{"deep":{"all":true}}`, nil, false},
		{"other", `{"region":"eu"}`, headers{"Region": "us"}, false},
		{"other case", `{"region":"eu"}`, headers{"Region": "EU"}, false},
		{"header for nothing", `{}`, headers{"Region": "eu"}, false},
		{"header for null", `{"region":null}`, headers{"Region": "null"}, false},
		{"bad base64", `{"region":"eu"}`, headers{"Region": "=?base64?!?="}, false},
		{"nearly the same integer", `{"count":9007199254740993}`, headers{"Count": "9007199254740992"}, false},
		{"no integer", `{"count":1}`, headers{"Count": "one"}, false},
		{"sign", `{"count":1}`, headers{"Count": "+1"}, false},
		{"leading zero", `{"count":1}`, headers{"Count": "01"}, false},
		{"huge exponent", `{"count":1}`, headers{"Count": "1e999999999"}, false},
		{"boolean in words", `{"deep":{"all":true}}`, headers{"All": "True"}, false},
		{"fraction", `{"count":1.5}`, headers{"Count": "1.5"}, false},
		{"object", `{"region":{}}`, headers{"Region": "{}"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes := []change{modernHeaders("tools/call", "find")}
			for name, value := range tt.headers {
				changes = append(changes, set("Mcp-Param-"+name, value))
			}
			r := record(t, h, inModern(toolCall("find", tt.arguments)), changes...)
			if tt.ok {
				assert.Equal(t, 200, r.status, r.body)
			} else {
				refused(t, r, 400, -32020)
			}
		})
	}
	t.Run("what validation refuses is its business", func(t *testing.T) {
		r := record(t, h, inModern(toolCall("find", `{"count":1.5,"region":[]}`)), modernHeaders("tools/call", "find"))
		assert.Equal(t, 200, r.status)
		assert.Contains(t, r.body, "Input validation error")
	})
	t.Run("older clients", func(t *testing.T) {
		r := record(t, h, toolCall("find", `{"region":"eu"}`))
		assert.Contains(t, r.body, "found")
	})
}
