// Package kerventest tests a kervan app through the official MCP client: in
// memory, over stdio framing or over HTTP, in either protocol era, with exact
// numbers.
//
//	func TestAdd(t *testing.T) {
//		kerventest.EachEra(t, newApp(), func(t *testing.T, c *kerventest.Client) {
//			sum := kerventest.MustCall[Sum](c, "add", map[string]any{"a": 1, "b": 2})
//			if sum.Sum != 3 {
//				t.Fatal(sum)
//			}
//		})
//	}
//
// When a test fails, the whole exchange is printed.
package kerventest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/jsonx"
)

// An Era is a family of protocol versions that a client speaks.
type Era string

// The eras that a server serves at the same time.
const (
	Modern Era = "2026-07-28" // no handshake; every request names its version
	Legacy Era = "2025-11-25" // initialize first
)

// waitLimit bounds what the client waits for. It is generous, since a test
// only gets there when it fails.
const waitLimit = 2 * time.Minute

// An Option changes how [New] connects.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

type config struct {
	era       Era
	stdio     bool
	http      *httpConfig
	auth      *auth.TokenInfo
	configure []func(*mcp.ClientOptions)
}

// InEra chooses the client's protocol era. Default: [Modern].
func InEra(e Era) Option { return optionFunc(func(c *config) { c.era = e }) }

// OverStdio connects through [transport.ServeStdio] and its framing, instead
// of in memory.
func OverStdio() Option { return optionFunc(func(c *config) { c.stdio = true }) }

// WithAuth makes every call come from a caller that the transport verified.
// It works in memory and over HTTP; stdio authenticates nobody.
func WithAuth(info *auth.TokenInfo) Option {
	return optionFunc(func(c *config) { c.auth = info })
}

// WithClientOptions configures the SDK's client, for example with handlers
// for elicitation and sampling.
func WithClientOptions(configure func(*mcp.ClientOptions)) Option {
	return optionFunc(func(c *config) { c.configure = append(c.configure, configure) })
}

// A Client is the official client, connected to an app for one test. Its
// methods fail the test rather than return errors, unless they say otherwise.
// They are safe for concurrent use; as with testing.T, those that fail the test
// belong on its own goroutine.
type Client struct {
	t        testing.TB
	session  *mcp.ClientSession
	exchange *exchange
	rec      *recorder

	listChanged chan struct{}
	changes     atomic.Int64
	tokens      atomic.Int64
}

// New connects a client to app until the test ends. It fails the test if the
// app has definition errors.
func New(t testing.TB, app *kervan.App, opts ...Option) *Client {
	t.Helper()
	cfg := config{era: Modern}
	for _, o := range opts {
		o.apply(&cfg)
	}
	c := &Client{t: t, exchange: &exchange{}, listChanged: make(chan struct{}, 1024)}
	c.rec = newRecorder(c.exchange)
	ctx, cancel := context.WithCancel(context.Background())
	client, stop, err := serve(ctx, app, cfg, c.rec)
	if err != nil {
		cancel()
		t.Fatalf("kerventest: cannot serve the app: %v", err)
	}
	t.Cleanup(func() {
		if c.session != nil {
			_ = c.session.Close()
		}
		cancel()
		stop()
		if t.Failed() {
			t.Logf("the whole exchange:\n%s", c.exchange.dump())
		}
	})
	c.connect(ctx, client, cfg)
	return c
}

func (c *Client) connect(ctx context.Context, transport mcp.Transport, cfg config) {
	c.t.Helper()
	options := &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			c.changes.Add(1)
			select {
			case c.listChanged <- struct{}{}:
			default:
			}
		},
	}
	for _, configure := range cfg.configure {
		configure(options)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "kerventest", Version: "1"}, options)
	session := &mcp.ClientSessionOptions{}
	if cfg.era != Modern {
		session.ProtocolVersion = string(cfg.era)
	}
	var err error
	if c.session, err = client.Connect(ctx, transport, session); err != nil {
		c.t.Fatalf("kerventest: cannot connect: %v", err)
	}
	if cfg.era != Modern || options.ToolListChangedHandler == nil {
		return
	}
	// The SDK's client opens its subscription on the side; waiting for it
	// makes the order of the exchange the same each time.
	select {
	case <-c.rec.listening:
	case <-time.After(waitLimit):
		c.t.Fatal("kerventest: the server did not acknowledge the subscription")
	}
}

// EachEra runs f as a subtest in each era, with a client of its own.
func EachEra(t *testing.T, app *kervan.App, f func(t *testing.T, c *Client), opts ...Option) {
	t.Helper()
	for _, era := range []Era{Modern, Legacy} {
		t.Run(string(era), func(t *testing.T) {
			f(t, New(t, app, append(opts, InEra(era))...))
		})
	}
}

// Session returns the SDK's client session, for what this package has no
// method for.
func (c *Client) Session() *mcp.ClientSession { return c.session }

// A Result is the result of a call as it came over the wire.
type Result struct {
	IsError    bool
	Text       string          // the text blocks, joined by newlines
	Structured json.RawMessage // structuredContent, every digit kept; nil if none
	Content    []mcp.Content
	Raw        json.RawMessage // the whole result
	Progress   []Progress      // what was reported before the result
}

// Progress is one progress notification.
type Progress struct {
	Progress float64 `json:"progress"`
	Total    float64 `json:"total"`
	Message  string  `json:"message"`
}

// Decode decodes the structured content into out, exactly: numbers in an any
// are json.Number, and an unknown member is an error. A list that the server
// put under items, or a scalar under value, is read from there if out is no
// object.
func (r *Result) Decode(out any) error {
	if r.Structured == nil {
		return errors.New("the result has no structured content")
	}
	err := jsonx.Decode(r.Structured, out)
	if err == nil {
		return nil
	}
	var wrapped struct {
		Items json.RawMessage `json:"items"`
		Value json.RawMessage `json:"value"`
	}
	if jsonx.Decode(r.Structured, &wrapped) == nil {
		if inner := append(wrapped.Items, wrapped.Value...); len(inner) > 0 {
			return jsonx.Decode(inner, out)
		}
	}
	return err
}

// Call calls a tool and returns its result, which may say isError. A
// JSON-RPC error fails the test. Args is marshalled as encoding/json does; nil
// sends none, and a json.RawMessage is sent as it is.
func (c *Client) Call(tool string, args any) *Result {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	res, err := c.CallContext(ctx, tool, args)
	if err != nil {
		c.t.Fatalf("calling %q: %v", tool, err)
	}
	return res
}

// CallContext calls a tool and returns its result, or the *jsonrpc.Error that
// came instead, or the end of ctx, which cancels the call.
func (c *Client) CallContext(ctx context.Context, tool string, args any) (*Result, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	token := c.tokens.Add(1)
	params.SetProgressToken(token)
	cap := &capture{token: token}
	c.rec.expect(cap)
	defer c.rec.forget(cap)
	sdk, err := c.session.CallTool(ctx, params)
	if err != nil {
		return nil, err
	}
	return cap.result(sdk)
}

// CallErr calls a tool whose result must be an error, and returns its text.
func (c *Client) CallErr(tool string, args any) string {
	c.t.Helper()
	res := c.Call(tool, args)
	if !res.IsError {
		c.t.Fatalf("calling %q: want an error result, got %s", tool, res.Raw)
	}
	return res.Text
}

// CallProtocolErr calls a tool that must be answered by a JSON-RPC error.
func (c *Client) CallProtocolErr(tool string, args any) *jsonrpc.Error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	res, err := c.CallContext(ctx, tool, args)
	if err == nil {
		c.t.Fatalf("calling %q: want a JSON-RPC error, got %s", tool, res.Raw)
	}
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		c.t.Fatalf("calling %q: want a JSON-RPC error, got %v", tool, err)
	}
	return wire
}

// MustCall calls a tool that must succeed, and returns its structured
// content, decoded exactly; for Out = string, its text.
func MustCall[Out any](c *Client, tool string, args any) Out {
	c.t.Helper()
	res := c.Call(tool, args)
	if res.IsError {
		c.t.Fatalf("calling %q: %s", tool, res.Text)
	}
	var out Out
	if s, ok := any(&out).(*string); ok && res.Structured == nil {
		*s = res.Text
		return out
	}
	if err := res.Decode(&out); err != nil {
		c.t.Fatalf("calling %q: the structured content %s does not decode: %v", tool, res.Structured, err)
	}
	return out
}

// Tools returns all tools of the list, in its order.
func (c *Client) Tools() []*mcp.Tool {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	var tools []*mcp.Tool
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			c.t.Fatalf("listing tools: %v", err)
		}
		tools = append(tools, tool)
	}
	return tools
}

// ToolNames returns the names of all tools of the list, in its order.
func (c *Client) ToolNames() []string {
	c.t.Helper()
	names := []string{}
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

// WaitListChanged waits for a notification that the list of tools changed.
// Each notification is waited for once.
func (c *Client) WaitListChanged() {
	c.t.Helper()
	select {
	case <-c.listChanged:
	case <-time.After(waitLimit):
		c.t.Fatalf("no list_changed came within %v", waitLimit)
	}
}

// ListChanges returns how many list_changed notifications have come so far.
func (c *Client) ListChanges() int { return int(c.changes.Load()) }

// Exchange returns the lines of the exchange so far, each with "client " or
// "server " in front.
func (c *Client) Exchange() string { return c.exchange.dump() }

// A capture keeps the bytes of the answer to one call.
type capture struct {
	token int64

	mu       sync.Mutex
	raw      json.RawMessage
	progress []Progress
}

func (c *capture) result(sdk *mcp.CallToolResult) (*Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	res := &Result{IsError: sdk.IsError, Content: sdk.Content, Raw: c.raw, Progress: c.progress}
	var exact struct {
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(c.raw, &exact); err != nil {
		return nil, err
	}
	if len(exact.Structured) > 0 {
		res.Structured = exact.Structured
	}
	var texts []string
	for _, block := range sdk.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	res.Text = strings.Join(texts, "\n")
	return res, nil
}
