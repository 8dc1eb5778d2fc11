package kervan_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/internal/bridge"
	"github.com/kervan-mcp/kervan/kerventest"
)

// order is the argument of a tool that asks before it acts.
type order struct {
	Item  string      `json:"item"`
	Count json.Number `json:"count,omitempty"`
}

const plainState = "step one of the order"

// asking makes a tool that asks for the requests once and then shows what it
// got.
func asking(name string, requests mcp.InputRequestMap, show func(mcp.InputResponseMap) string) *kervan.ToolDef {
	return kervan.Tool(name, "Asks before it acts.", func(ctx context.Context, in order) (*kervan.Result, error) {
		call := kervan.CallFromContext(ctx)
		responses := call.InputResponses()
		if responses == nil {
			return &kervan.Result{InputRequests: requests, RequestState: plainState + " " + in.Item}, nil
		}
		return kervan.ResultOf(kervan.Text(show(responses) + "; " + call.RequestState())), nil
	})
}

// confirming asks a person for an approval.
func confirming(name string) *kervan.ToolDef {
	return asking(name, mcp.InputRequestMap{"approval": approval()}, func(r mcp.InputResponseMap) string {
		answer, ok := r["approval"].(*mcp.ElicitResult)
		if !ok {
			return fmt.Sprintf("got %T", r["approval"])
		}
		return fmt.Sprint(answer.Action, " ", answer.Content["reason"])
	})
}

func approval() *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Message: "Really <order>?",
		RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"reason": map[string]any{"type": "string"}},
		},
	}
}

func sampling() *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: kervan.Text("summarise")}}}
}

// answering configures a client that can be asked for everything.
func answering(o *mcp.ClientOptions) {
	o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"reason": "for " + r.Params.Message}}, nil
	}
	o.CreateMessageHandler = func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		text := r.Params.Messages[0].Content.(*mcp.TextContent).Text
		return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: kervan.Text(text + "d")}, nil
	}
}

// manual configures a client that answers nothing by itself, so that the
// interim result is seen.
func manual(o *mcp.ClientOptions) {
	answering(o)
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
}

func TestRule1_16_Elicitation(t *testing.T) {
	app, rec := newApp()
	app.Add(confirming("order"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		want := "accept for Really <order>?; " + plainState + " tea"
		if got := kerventest.MustCall[string](c, "order", order{Item: "tea"}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}, kerventest.WithClientOptions(answering))
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeOK && e.Outcome != kervan.OutcomeInputRequired {
			t.Errorf("event %+v", e)
		}
	}
}

// TestRule1_16_Declined: what the person says reaches the handler as it is.
func TestRule1_16_Declined(t *testing.T) {
	app, _ := newApp()
	app.Add(confirming("order"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := kerventest.MustCall[string](c, "order", order{Item: "tea"}); !strings.HasPrefix(got, "decline <nil>;") {
			t.Error(got)
		}
	}, kerventest.WithClientOptions(func(o *mcp.ClientOptions) {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
	}))
}

// TestRule1_16_SamplingAndRoots: one handler serves both eras, so an answer
// has the same type in both.
func TestRule1_16_SamplingAndRoots(t *testing.T) {
	app, _ := newApp()
	requests := mcp.InputRequestMap{
		"text": sampling(), "roots": &mcp.ListRootsParams{}, "approval": approval(),
		"tools": &mcp.CreateMessageWithToolsParams{MaxTokens: 10, Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{kervan.Text("translate")}}}},
	}
	app.Add(asking("report", requests, func(r mcp.InputResponseMap) string {
		var parts []string
		for id, answer := range r {
			parts = append(parts, fmt.Sprintf("%s=%T", id, answer))
		}
		slices.Sort(parts)
		for _, id := range []string{"text", "tools"} {
			if m, ok := r[id].(*mcp.CreateMessageWithToolsResult); ok {
				parts = append(parts, m.Content[0].(*mcp.TextContent).Text)
			}
		}
		if roots, ok := r["roots"].(*mcp.ListRootsResult); ok {
			parts = append(parts, fmt.Sprint(len(roots.Roots)))
		}
		return strings.Join(parts, " ")
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		want := "approval=*mcp.ElicitResult roots=*mcp.ListRootsResult text=*mcp.CreateMessageWithToolsResult tools=*mcp.CreateMessageWithToolsResult summarised translated 0; " + plainState + " x"
		if got := kerventest.MustCall[string](c, "report", order{Item: "x"}); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}, kerventest.WithClientOptions(answering))
}

// TestRule1_16_SeveralRounds: each round gets the state of the one before, and
// a tool that never stops asking is stopped.
func TestRule1_16_SeveralRounds(t *testing.T) {
	app, rec := newApp()
	app.Add(
		kervan.Tool("rounds", "d", func(ctx context.Context, in order) (*kervan.Result, error) {
			call := kervan.CallFromContext(ctx)
			state := call.RequestState() + "."
			if len(state) > 3 {
				return kervan.ResultOf(kervan.Text(state)), nil
			}
			return &kervan.Result{InputRequests: mcp.InputRequestMap{"approval": approval()}, RequestState: state}, nil
		}),
		kervan.Tool("endless", "d", func(context.Context, order) (*kervan.Result, error) {
			return &kervan.Result{InputRequests: mcp.InputRequestMap{"approval": approval()}}, nil
		}),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := kerventest.MustCall[string](c, "rounds", order{Item: "x"}); got != "...." {
			t.Error(got)
		}
		// The SDK's client of the newer era gives up by itself.
		if res, err := c.CallContext(context.Background(), "endless", order{Item: "x"}); err == nil && !maskedText.MatchString(res.Text) {
			t.Errorf("got %s", res.Raw)
		}
	}, kerventest.WithClientOptions(answering))
	wantContains(t, rec.logs(), "too often")
}

// retry calls a tool with an answer and a state, as a client does.
func retry(c *kerventest.Client, name string, args any, state string) (*mcp.CallToolResult, error) {
	return c.Session().CallTool(context.Background(), &mcp.CallToolParams{
		Name: name, Arguments: args, RequestState: state,
		InputResponses: mcp.InputResponseMap{"approval": &mcp.ElicitResult{Action: "accept", Content: map[string]any{"reason": "by hand"}}},
	})
}

// interimOf calls a tool that must ask, and returns the raw result and its
// state.
func interimOf(t *testing.T, c *kerventest.Client, name string, args any) (raw json.RawMessage, state string) {
	t.Helper()
	res := c.Call(name, args)
	var interim struct {
		ResultType    string `json:"resultType"`
		RequestState  string `json:"requestState"`
		InputRequests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
	}
	must(t, json.Unmarshal(res.Raw, &interim))
	if interim.ResultType != "input_required" || interim.RequestState == "" || len(interim.InputRequests) == 0 {
		t.Fatalf("want an interim result, got %s", res.Raw)
	}
	return res.Raw, interim.RequestState
}

func wantBadState(t *testing.T, what string, res *mcp.CallToolResult, err error) {
	t.Helper()
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("%s: want -32602, got %+v %v", what, res, err)
		return
	}
	wantContains(t, wire.Message, "requestState")
}

// TestRule1_16_Interim: nothing is added to an interim result, and its state
// is sealed.
func TestRule1_16_Interim(t *testing.T) {
	object := rawJSON(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)
	interim := func(context.Context, *kervan.Call) (*kervan.Result, error) {
		return &kervan.Result{
			InputRequests: mcp.InputRequestMap{"approval": approval()}, RequestState: plainState,
			Content: []mcp.Content{kervan.Text("not yet")}, StructuredContent: map[string]any{"id": "wrong"},
			Meta: mcp.Meta{"example.com/n": 1},
		}, nil
	}
	app, rec := newApp()
	app.Add(
		kervan.RawTool("raw", "d", nil, interim).OutputSchema(object),
		returning("typed", map[string]any{"id": 1}).OutputSchema(object).Use(func(kervan.Handler) kervan.Handler { return interim }),
	)
	c := kerventest.New(t, app, kerventest.WithClientOptions(manual))
	for _, name := range []string{"raw", "typed"} {
		raw, state := interimOf(t, c, name, nil)
		_, again := interimOf(t, c, name, nil)
		wantAbsent(t, string(raw), `"content"`, "structuredContent", "isError", "not yet", "wrong")
		wantContains(t, string(raw), `"elicitation/create"`, `"example.com/n":1`)
		if state == again {
			t.Error("one state sealed twice looks the same")
		}
		plain, err := base64.RawURLEncoding.DecodeString(state)
		if err != nil || bytes.Contains(plain, []byte("step")) || strings.Contains(c.Exchange(), plainState) {
			t.Errorf("the state can be read: %q %v", state, err)
		}
	}
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeInputRequired {
			t.Errorf("event %+v", e)
		}
	}
	wantAbsent(t, rec.logs(), "schema")
}

// TestRule1_16_EmptyState: a tool that keeps no state may ask all the same.
func TestRule1_16_EmptyState(t *testing.T) {
	app, _ := newApp()
	app.Add(kervan.RawTool("x", "d", nil, func(_ context.Context, call *kervan.Call) (*kervan.Result, error) {
		if call.InputResponses() == nil {
			return &kervan.Result{InputRequests: mcp.InputRequestMap{"approval": approval()}}, nil
		}
		return kervan.ResultOf(kervan.Text("state " + call.RequestState())), nil
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := kerventest.MustCall[string](c, "x", nil); got != "state " {
			t.Error(got)
		}
	}, kerventest.WithClientOptions(answering))
}

// TestRule1_16_StateIsBound [S]: a state that was changed, or that belongs to
// another tool, other arguments or another caller, is refused, and nothing
// runs.
func TestRule1_16_StateIsBound(t *testing.T) {
	var runs atomic.Int64
	app, rec := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			runs.Add(1)
			return next(ctx, call)
		}
	})
	app.Add(confirming("order"), confirming("refund"))
	as := func(user string) *kerventest.Client {
		opts := []kerventest.Option{kerventest.WithClientOptions(manual)}
		if user != "" {
			opts = append(opts, kerventest.WithAuth(&auth.TokenInfo{UserID: user}))
		}
		return kerventest.New(t, app, opts...)
	}
	ayla, berk, anonymous := as("ayla"), as("berk"), as("")
	_, state := interimOf(t, ayla, "order", order{Item: "tea"})

	runs.Store(0)
	refused := func(what string, c *kerventest.Client, name string, args any, state string) {
		t.Helper()
		res, err := retry(c, name, args, state)
		wantBadState(t, what, res, err)
	}
	refused("another tool", ayla, "refund", order{Item: "tea"}, state)
	refused("another argument", ayla, "order", order{Item: "coffee"}, state)
	refused("one more argument", ayla, "order", order{Item: "tea", Count: "2"}, state)
	refused("another caller", berk, "order", order{Item: "tea"}, state)
	refused("an anonymous caller", anonymous, "order", order{Item: "tea"}, state)
	refused("plain text", ayla, "order", order{Item: "tea"}, plainState+" tea")
	refused("plain base64", ayla, "order", order{Item: "tea"}, base64.RawURLEncoding.EncodeToString([]byte(plainState+" tea")))
	refused("cut", ayla, "order", order{Item: "tea"}, state[:len(state)-4])
	refused("longer", ayla, "order", order{Item: "tea"}, state+"AAAA")
	refused("with a line break", ayla, "order", order{Item: "tea"}, state[:8]+"\n"+state[8:])
	refused("a blank", ayla, "order", order{Item: "tea"}, " ")
	if runs.Load() != 0 {
		t.Errorf("something ran %d times", runs.Load())
	}
	rejected := 0
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome == kervan.OutcomeRejected {
			rejected++
		}
	}
	if rejected != 11 {
		t.Errorf("%d events of a rejected call, want 11", rejected)
	}
	res, err := retry(ayla, "order", order{Item: "tea"}, state)
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "accept by hand; "+plainState+" tea" {
		t.Errorf("the right one: %+v %v", res, err)
	}
	if _, err := retry(ayla, "order", rawJSON(`{ "item" : "te\u0061" }`), state); err != nil {
		t.Errorf("the same arguments, written in another way: %v", err)
	}
	_, state = interimOf(t, anonymous, "order", order{Item: "tea"})
	if _, err := retry(anonymous, "order", order{Item: "tea"}, state); err != nil {
		t.Errorf("an anonymous caller with a state of its own: %v", err)
	}
}

// TestRule1_16_StateIsBoundToTheRegistry [S]: a transport tells whose registry
// it serves, and who calls; the state of one is nothing to another.
func TestRule1_16_StateIsBoundToTheRegistry(t *testing.T) {
	app, _ := newApp()
	app.Add(confirming("order"))
	must(t, bridge.Kervan().Start(app))
	server, err := bridge.Kervan().Server(app, bridge.ServerSpec{})
	must(t, err)
	connect := func(caller bridge.Caller) *mcp.ClientSession {
		here, there := mcp.NewInMemoryTransports()
		_, err := server.Connect(bridge.WithCaller(context.Background(), caller), there, nil)
		must(t, err)
		options := &mcp.ClientOptions{}
		manual(options)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).Connect(context.Background(), here, nil)
		must(t, err)
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	call := func(s *mcp.ClientSession, state string) (*mcp.CallToolResult, error) {
		return s.CallTool(context.Background(), &mcp.CallToolParams{Name: "order", Arguments: order{Item: "tea"}, RequestState: state})
	}
	asked, err := call(connect(bridge.Caller{Principal: "ayla", Registry: "one"}), "")
	must(t, err)
	if !asked.NeedsInput() || asked.RequestState == "" {
		t.Fatalf("want an interim result, got %+v", asked)
	}
	for what, caller := range map[string]bridge.Caller{
		"another registry": {Principal: "ayla", Registry: "two"}, "no registry": {Principal: "ayla"},
		"another caller": {Principal: "berk", Registry: "one"}, "nobody": {Registry: "one"},
		"both run together": {Principal: "aylaone"}, "the two swapped": {Principal: "one", Registry: "ayla"},
	} {
		res, err := call(connect(caller), asked.RequestState)
		wantBadState(t, what, res, err)
	}
	if _, err := call(connect(bridge.Caller{Principal: "ayla", Registry: "one"}), asked.RequestState); err != nil {
		t.Errorf("the same caller on another connection: %v", err)
	}
}

// TestRule1_16_TamperedState [S] changes each character of a state.
func TestRule1_16_TamperedState(t *testing.T) {
	app, _ := newApp()
	app.Add(confirming("order"))
	c := kerventest.New(t, app, kerventest.WithClientOptions(manual))
	_, state := interimOf(t, c, "order", order{Item: "tea"})
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range state {
		// The next character of the alphabet differs in the lowest bit.
		other := alphabet[strings.IndexByte(alphabet, state[i])^1]
		changed := state[:i] + string(other) + state[i+1:]
		res, err := retry(c, "order", order{Item: "tea"}, changed)
		wantBadState(t, fmt.Sprintf("character %d of %d changed", i, len(state)), res, err)
	}
}

// TestRule1_16_NoArgumentsAreOneThing: the ways to write no arguments are the
// same to a state too (rule 1.5).
func TestRule1_16_NoArgumentsAreOneThing(t *testing.T) {
	app, _ := newApp()
	app.Add(kervan.RawTool("x", "d", nil, func(_ context.Context, call *kervan.Call) (*kervan.Result, error) {
		if call.InputResponses() == nil {
			return &kervan.Result{InputRequests: mcp.InputRequestMap{"approval": approval()}, RequestState: "s"}, nil
		}
		return kervan.ResultOf(kervan.Text(call.RequestState())), nil
	}))
	c := kerventest.New(t, app, kerventest.WithClientOptions(manual))
	forms := []any{nil, rawJSON(`null`), rawJSON(`{}`), rawJSON(`[]`)}
	for _, first := range forms {
		_, state := interimOf(t, c, "x", first)
		for _, second := range forms {
			if _, err := retry(c, "x", second, state); err != nil {
				t.Errorf("asked with %s, answered with %s: %v", first, second, err)
			}
		}
	}
}

// TestRule1_16_StateExpires [S] after ten minutes.
func TestRule1_16_StateExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, _ := newApp()
		app.Add(confirming("order"))
		c := kerventest.New(t, app, kerventest.WithClientOptions(manual))
		_, state := interimOf(t, c, "order", order{Item: "tea"})
		time.Sleep(10*time.Minute - time.Second)
		if _, err := retry(c, "order", order{Item: "tea"}, state); err != nil {
			t.Errorf("before ten minutes: %v", err)
		}
		time.Sleep(3 * time.Second)
		res, err := retry(c, "order", order{Item: "tea"}, state)
		wantBadState(t, "after ten minutes", res, err)
	})
}

// TestRule1_16_StateKeys: processes that share a key open each other's states,
// the first key seals, all open, and the default is a key of its own.
func TestRule1_16_StateKeys(t *testing.T) {
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	client := func(opts ...kervan.Option) *kerventest.Client {
		app, _ := newApp(opts...)
		app.Add(confirming("order"))
		return kerventest.New(t, app, kerventest.WithClientOptions(manual))
	}
	old := client(kervan.WithStateKeys(key(1)))
	twin := client(kervan.WithStateKeys(key(1)))
	rotated := client(kervan.WithStateKeys(key(2), key(1)))
	done := client(kervan.WithStateKeys(key(2)))
	random, other := client(), client()
	for _, tt := range []struct {
		name     string
		from, to *kerventest.Client
		opens    bool
	}{
		{"a shared key", old, twin, true},
		{"the old key during rotation", old, rotated, true},
		{"the new key at an old process", rotated, old, false},
		{"the new key", rotated, done, true},
		{"the old key after rotation", old, done, false},
		{"a random key of its own", random, random, true},
		{"random keys of two processes", random, other, false},
		{"a random and a given key", random, old, false},
	} {
		_, state := interimOf(t, tt.from, "order", order{Item: "tea"})
		res, err := retry(tt.to, "order", order{Item: "tea"}, state)
		if !tt.opens {
			wantBadState(t, tt.name, res, err)
		} else if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	reused := key(9)
	app, _ := newApp(kervan.WithStateKeys(reused))
	clear(reused) // the caller's buffer is the caller's
	app.Add(confirming("order"))
	_, state := interimOf(t, client(kervan.WithStateKeys(key(9))), "order", order{Item: "tea"})
	if _, err := retry(kerventest.New(t, app, kerventest.WithClientOptions(manual)), "order", order{Item: "tea"}, state); err != nil {
		t.Errorf("the key was not copied: %v", err)
	}
}

// TestRule1_16_MissingCapability: a client that cannot answer is told which
// capability the tool needs, and is asked for nothing.
func TestRule1_16_MissingCapability(t *testing.T) {
	form := func(o *mcp.ClientOptions) {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("was asked")
		}
		o.CreateMessageHandler = func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return nil, errors.New("was asked")
		}
		o.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}}
	}
	nothing := func(o *mcp.ClientOptions) { o.Capabilities = &mcp.ClientCapabilities{} }
	tests := map[string]struct {
		requests mcp.InputRequestMap
		client   func(*mcp.ClientOptions)
		need     []string // the members of requiredCapabilities
		part     string   // what must be said beside them
	}{
		"elicitation": {mcp.InputRequestMap{"a": approval(), "b": approval()}, nothing, []string{"elicitation"}, ""},
		"sampling":    {mcp.InputRequestMap{"a": sampling()}, nothing, []string{"sampling"}, ""},
		"roots":       {mcp.InputRequestMap{"a": &mcp.ListRootsParams{}}, nothing, []string{"roots"}, ""},
		"two":         {mcp.InputRequestMap{"a": approval(), "b": &mcp.ListRootsParams{}}, nothing, []string{"elicitation", "roots"}, ""},
		"one of two":  {mcp.InputRequestMap{"a": approval(), "b": &mcp.ListRootsParams{}}, form, []string{"roots"}, ""},
		"URL mode":    {mcp.InputRequestMap{"a": &mcp.ElicitParams{Mode: "url", Message: "m", URL: "https://example.com/", ElicitationID: "1"}}, form, []string{"elicitation"}, `"url"`},
		"sampling with tools": {mcp.InputRequestMap{"a": &mcp.CreateMessageWithToolsParams{MaxTokens: 1, Tools: []*mcp.Tool{{Name: "x", InputSchema: rawJSON(`{"type":"object"}`)}}}}, form,
			[]string{"sampling"}, `"tools"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp()
			app.Add(asking("x", tt.requests, func(mcp.InputResponseMap) string { return "answered" }))
			kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
				res, err := c.CallContext(context.Background(), "x", order{Item: "tea"})
				var wire *jsonrpc.Error
				if !errors.As(err, &wire) || wire.Code != mcp.CodeMissingRequiredClientCapabilities {
					t.Fatalf("want -32021, got %+v %v", res, err)
				}
				var data struct {
					Required map[string]json.RawMessage `json:"requiredCapabilities"`
				}
				must(t, json.Unmarshal(wire.Data, &data))
				if got := slices.Sorted(maps.Keys(data.Required)); !slices.Equal(got, tt.need) {
					t.Errorf("the client is told to have %v, want %v", got, tt.need)
				}
				wantContains(t, string(wire.Data), tt.part)
				wantContains(t, wire.Message, tt.need...)
				wantAbsent(t, c.Exchange(), "was asked", plainState)
			}, kerventest.WithClientOptions(tt.client))
		})
	}
}

// TestRule1_16_MissingCapabilityEvent: one event a call, and it says that the
// call was rejected.
func TestRule1_16_MissingCapabilityEvent(t *testing.T) {
	app, rec := newApp()
	app.Add(confirming("order"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if err := c.CallProtocolErr("order", order{Item: "tea"}); err.Code != mcp.CodeMissingRequiredClientCapabilities {
			t.Error(err)
		}
	})
	events := eventsOf[kervan.CallEvent](rec)
	if len(events) != 2 || events[0].Outcome != kervan.OutcomeRejected || events[1].Outcome != kervan.OutcomeRejected {
		t.Errorf("events %+v", events)
	}
}

// TestRule1_16_OneEventACall: an interim result of a client of the older era
// is not seen by it, so its call ends once.
func TestRule1_16_OneEventACall(t *testing.T) {
	app, rec := newApp()
	app.Add(confirming("order"))
	c := kerventest.New(t, app, kerventest.InEra(kerventest.Legacy), kerventest.WithClientOptions(answering))
	c.Call("order", order{Item: "tea"})
	if events := eventsOf[kervan.CallEvent](rec); len(events) != 1 || events[0].Outcome != kervan.OutcomeOK {
		t.Errorf("a CallEvent ends every tools/call: %+v", events)
	}
}

// TestRule1_16_PeopleTakeTheirTime: the deadline is the handler's, not that of
// the person who is asked.
func TestRule1_16_PeopleTakeTheirTime(t *testing.T) {
	inBubble(t, func(t *testing.T, era kerventest.Option) {
		app, _ := newApp()
		app.Add(confirming("order"))
		c := kerventest.New(t, app, era, kerventest.WithClientOptions(func(o *mcp.ClientOptions) {
			o.ElicitationHandler = func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				time.Sleep(5 * time.Minute)
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
		}))
		res, err := c.CallContext(context.Background(), "order", order{Item: "tea"})
		if err != nil || res.IsError || !strings.HasPrefix(res.Text, "accept") {
			t.Errorf("got %+v %v", res, err)
		}
	})
}

// TestRule1_16_ClientFails: an error of the client while it is asked reaches
// nobody as text, and the server lives.
func TestRule1_16_ClientFails(t *testing.T) {
	app, _ := newApp()
	app.Add(confirming("order"), plain("x", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if res, err := c.CallContext(context.Background(), "order", order{Item: "tea"}); err == nil && !maskedText.MatchString(res.Text) {
			t.Errorf("got %s", res.Raw)
		}
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
	}, kerventest.WithClientOptions(func(o *mcp.ClientOptions) {
		o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("the person went away")
		}
	}))
}

// TestRule1_16_BadRequests: what a handler asks for may be wrong in ways that
// only show when it is sent.
func TestRule1_16_BadRequests(t *testing.T) {
	app, _ := newApp()
	for name, r := range map[string]mcp.InputRequest{
		"nil": nil, "channel": &mcp.ElicitParams{Message: "m", RequestedSchema: make(chan int)},
	} {
		app.Add(asking(name, mcp.InputRequestMap{"a": r}, func(mcp.InputResponseMap) string { return "answered" }))
	}
	app.Add(kervan.RawTool("meta", "d", kervan.Schema(`{"type":"object"}`), func(context.Context, *kervan.Call) (*kervan.Result, error) {
		return &kervan.Result{InputRequests: mcp.InputRequestMap{"a": approval()}, Meta: mcp.Meta{"example.com/x": make(chan int)}}, nil
	}))
	wantFailures(t, app)
}

// wantFailures calls each tool, which must be answered by an error.
func wantFailures(t *testing.T, app *kervan.App) {
	t.Helper()
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		var wg sync.WaitGroup
		for _, name := range c.ToolNames() {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
				defer cancel()
				res, err := c.CallContext(ctx, name, order{Item: "tea"})
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: no answer", name)
				} else if err == nil && !res.IsError {
					t.Errorf("%s: %s", name, res.Raw)
				}
			})
		}
		wg.Wait()
		wantAbsent(t, c.Exchange(), "hunter2")
	}, kerventest.WithClientOptions(answering))
}

// TestRule1_16_PanicInRequests: what a handler asks for is user code too.
func TestRule1_16_PanicInRequests(t *testing.T) {
	if !inChild(t) {
		return
	}
	bad := brokenJSON{func() error { panic(secret) }}
	app, _ := newApp()
	app.Add(
		asking("schema", mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "m", RequestedSchema: bad}}, func(mcp.InputResponseMap) string { return "answered" }),
		asking("metadata", mcp.InputRequestMap{"a": &mcp.CreateMessageParams{MaxTokens: 1, Metadata: bad}}, func(mcp.InputResponseMap) string { return "answered" }),
	)
	wantFailures(t, app)
}
