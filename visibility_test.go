package kervan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// TestRule1_17_Visibility: one function decides list and call.
func TestRule1_17_Visibility(t *testing.T) {
	var ran atomic.Int64
	app, rec := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool { return tool.Meta["internal"] != true }))
	app.Add(
		plain("open", "d"),
		tool("hidden", func(context.Context) (string, error) { ran.Add(1); return secret, nil }).Meta("internal", true),
		plain("open_too", "d"),
		kervan.Tool("hidden_input", secret, func(context.Context, order) (string, error) { ran.Add(1); return "", nil }).Meta("internal", true),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if names := c.ToolNames(); !slices.Equal(names, []string{"open", "open_too"}) {
			t.Errorf("the list has %v", names)
		}
		if got := kerventest.MustCall[string](c, "open", nil); got != "ok" {
			t.Error(got)
		}
		unknown := c.CallProtocolErr("zzz", nil)
		for _, name := range []string{"hidden", "hidden_input"} {
			hidden := c.CallProtocolErr(name, nil)
			if hidden.Code != unknown.Code || strings.ReplaceAll(hidden.Message, name, "zzz") != unknown.Message {
				t.Errorf("a hidden tool can be told from an unknown one: %v and %v", hidden, unknown)
			}
		}
		// Neither the arguments' check nor a state tells that it exists.
		if err := c.CallProtocolErr("hidden_input", rawJSON(`{"bad":1}`)); err.Code != unknown.Code {
			t.Error(err)
		}
		_, err := c.Session().CallTool(context.Background(), &mcp.CallToolParams{Name: "hidden", RequestState: "x"})
		wantContains(t, fmt.Sprint(err), "Unknown tool")
		wantAbsent(t, c.Exchange(), "hunter2")
	})
	if ran.Load() != 0 {
		t.Error("a hidden tool ran")
	}
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if (e.Outcome == kervan.OutcomeOK) != (e.Tool == "open") || e.Outcome != kervan.OutcomeOK && e.Outcome != kervan.OutcomeUnknownTool {
			t.Errorf("event %+v", e)
		}
	}
}

// TestRule1_17_PanicHides: a panic hides the tool it was asked about, and
// nothing else, and is logged.
func TestRule1_17_PanicHides(t *testing.T) {
	app, rec := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool {
		if tool.Name == "breaks" {
			panic("visibility " + secret)
		}
		return true
	}))
	app.Add(plain("a", "d"), plain("breaks", "d"), plain("b", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if names := c.ToolNames(); !slices.Equal(names, []string{"a", "b"}) {
			t.Errorf("the list has %v", names)
		}
		if err := c.CallProtocolErr("breaks", nil); err.Code != -32602 {
			t.Error(err)
		}
		if got := kerventest.MustCall[string](c, "a", nil); got != "ok" {
			t.Error(got)
		}
		wantAbsent(t, c.Exchange(), "hunter2")
	})
	wantContains(t, rec.logs(), "visibility function panicked", "hunter2", "tool=breaks")
}

// TestRule1_17_Changes: what is visible is asked anew at each list and call.
func TestRule1_17_Changes(t *testing.T) {
	var open atomic.Bool
	app, _ := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool {
		return tool.Name != "feature" || open.Load()
	}))
	app.Add(plain("a", "d"), plain("feature", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, yes := range []bool{false, true, false} {
			open.Store(yes)
			if got := slices.Contains(c.ToolNames(), "feature"); got != yes {
				t.Errorf("listed: %v, want %v", got, yes)
			}
			_, err := c.CallContext(context.Background(), "feature", nil)
			if (err == nil) != yes {
				t.Errorf("called: %v, want visible: %v", err, yes)
			}
		}
	})
}

// TestRule1_17_ListAndCallAgree over many tools, pages included.
func TestRule1_17_ListAndCallAgree(t *testing.T) {
	t.Parallel()
	visible := func(name string) bool { return strings.Contains("02468", name[len(name)-1:]) }
	app, _ := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool { return visible(tool.Name) }))
	defs := make([]*kervan.ToolDef, 2010)
	for i := range defs {
		defs[i] = kervan.RawTool(fmt.Sprintf("t%d", i), "d", nil, echo)
	}
	must(t, app.Registry().(*kervan.MemoryRegistry).Add(defs...))
	c := kerventest.New(t, app)
	res, err := c.Session().ListTools(context.Background(), nil)
	must(t, err)
	if len(res.Tools) != 1000 || res.NextCursor == "" {
		t.Errorf("a page has up to 1,000 visible tools: %d, next %q", len(res.Tools), res.NextCursor)
	}
	names := c.ToolNames()
	if len(names) != 1005 {
		t.Errorf("%d tools are listed", len(names))
	}
	for i := 0; i < len(defs); i += 67 {
		name := fmt.Sprintf("t%d", i)
		_, err := c.CallContext(context.Background(), name, nil)
		if (err == nil) != visible(name) || slices.Contains(names, name) != visible(name) {
			t.Errorf("%s: listed %v, call %v", name, slices.Contains(names, name), err)
		}
	}
}

// TestRule1_17_Info: the function gets what the tool is.
func TestRule1_17_Info(t *testing.T) {
	var got kervan.ToolInfo
	app, _ := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool { got = tool; return true }))
	app.Add(kervan.Tool("get_x", "Gets x.", func(context.Context, order) (Position, error) { return Position{}, nil }).Scopes("a", "b").Meta("k", 1))
	kerventest.New(t, app).ToolNames()
	if got.Name != "get_x" || got.Title != "Get x" || got.Description != "Gets x." || !slices.Equal(got.Scopes, []string{"a", "b"}) || got.Meta["k"] != 1 {
		t.Errorf("%+v", got)
	}
	wantContains(t, string(got.InputSchema), `"item"`)
	wantContains(t, string(got.OutputSchema), `"lat"`)
}

// TestRule3_7_ScopesWithoutAuth: where nobody is authenticated, a tool with
// scopes is a tool error for everybody.
func TestRule3_7_ScopesWithoutAuth(t *testing.T) {
	var ran atomic.Int64
	def := func(name string, scopes ...string) *kervan.ToolDef {
		return tool(name, func(ctx context.Context) (string, error) {
			ran.Add(1)
			user := "nobody"
			if info := kervan.CallFromContext(ctx).Auth(); info != nil {
				user = info.UserID
			}
			return user, nil
		}).Scopes(scopes...)
	}
	app, rec := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			ran.Add(1)
			return next(ctx, call)
		}
	})
	app.Add(def("open"), def("math", "math"), def("both", "math").Scopes("admin"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ran.Store(0)
		wantContains(t, c.CallErr("math", nil), `"math"`, "scope")
		wantContains(t, c.CallErr("both", rawJSON(`{"bad":1}`)), `"math", "admin"`)
		if ran.Load() != 0 {
			t.Error("something ran")
		}
		if got := kerventest.MustCall[string](c, "open", nil); got != "nobody" {
			t.Error(got)
		}
		if len(c.ToolNames()) != 3 {
			t.Error("scopes do not hide a tool")
		}
	})
	for _, opt := range []kerventest.Option{kerventest.InEra(kerventest.Modern), kerventest.InEra(kerventest.Legacy)} {
		c := kerventest.New(t, app, opt, kerventest.WithAuth(&auth.TokenInfo{UserID: "ayla", Scopes: []string{"math", "other"}}))
		for _, name := range []string{"open", "math"} {
			if got := kerventest.MustCall[string](c, name, nil); got != "ayla" {
				t.Errorf("%s: %q", name, got)
			}
		}
		text := c.CallErr("both", nil)
		wantContains(t, text, `"admin"`)
		wantAbsent(t, text, `"math"`)
		c = kerventest.New(t, app, opt, kerventest.WithAuth(&auth.TokenInfo{UserID: "ayla", Scopes: []string{"MATH", "mathematics", "math admin"}}))
		c.CallErr("math", nil) // a scope is a whole word, in its own case
	}
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeOK && e.Outcome != kervan.OutcomeRejected {
			t.Errorf("event %+v", e)
		}
	}
	c := kerventest.New(t, app, kerventest.OverStdio())
	wantContains(t, c.CallErr("math", nil), "scope")
}

// TestRule1_17_HiddenBeforeScopes: a tool that is hidden is unknown, whatever
// scopes it needs.
func TestRule1_17_HiddenBeforeScopes(t *testing.T) {
	app, _ := newApp(kervan.WithVisibility(func(context.Context, kervan.ToolInfo) bool { return false }))
	app.Add(plain("x", "d").Scopes("math"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if err := c.CallProtocolErr("x", nil); err.Code != -32602 || strings.Contains(err.Message, "math") {
			t.Error(err)
		}
		wantContains(t, fmt.Sprint(len(c.ToolNames())), "0")
	})
}
