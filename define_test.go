package kervan_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

func ok(context.Context, kervan.None) (string, error) { return "ok", nil }

func TestRule1_1_AppOptions(t *testing.T) {
	tests := map[string]struct {
		name, version string
		opts          []kervan.Option
		want          string // "" = accepted
	}{
		"plain":            {"a", "1", nil, ""},
		"blank name":       {"   ", "1", nil, "name"},
		"blank version":    {"a", "\t", nil, "version"},
		"negative timeout": {"a", "1", []kervan.Option{kervan.WithToolTimeout(-1)}, "timeout"},
		"zero timeout":     {"a", "1", []kervan.Option{kervan.WithToolTimeout(0)}, "timeout"},
		"limit default":    {"a", "1", []kervan.Option{kervan.WithArgumentLimit(0)}, ""},
		"limit off":        {"a", "1", []kervan.Option{kervan.WithArgumentLimit(-1)}, ""},
		"nil option":       {"a", "1", []kervan.Option{nil}, "option"},
		"short state key":  {"a", "1", []kervan.Option{kervan.WithStateKeys([]byte("short"))}, "key"},
		"nil registry":     {"a", "1", []kervan.Option{kervan.WithRegistry((*kervan.MemoryRegistry)(nil))}, "registry"},
		"nil server opts":  {"a", "1", []kervan.Option{kervan.WithServerOptions(nil)}, "WithServerOptions"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := kervan.NewApp(tt.name, tt.version, tt.opts...).Err()
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var def *kervan.DefinitionError
			if !errors.As(err, &def) || def.Code != kervan.InvalidAppOptions {
				t.Fatalf("want INVALID_APP_OPTIONS, got %v", err)
			}
			wantContains(t, err.Error(), "[INVALID_APP_OPTIONS]", tt.want)
			if def.Hint == "" {
				t.Error("the error does not say what to do")
			}
		})
	}
}

func TestRule1_2_Definitions(t *testing.T) {
	nop := func(next kervan.Handler) kervan.Handler { return next }
	tests := map[string]struct {
		def  *kervan.ToolDef
		code kervan.ErrorCode // "" = accepted
		text string
	}{
		"longest name":      {kervan.Tool(strings.Repeat("x", 128), "d", ok), "", ""},
		"name too long":     {kervan.Tool(strings.Repeat("x", 129), "d", ok), kervan.InvalidToolName, ""},
		"empty name":        {kervan.Tool("", "d", ok), kervan.InvalidToolName, ""},
		"name with space":   {kervan.Tool("has space", "d", ok), kervan.InvalidToolName, ""},
		"name with slash":   {kervan.Tool("a/b", "d", ok), kervan.InvalidToolName, ""},
		"name with colon":   {kervan.Tool("a:b", "d", ok), kervan.InvalidToolName, ""},
		"foreign letter":    {kervan.Tool("çay", "d", ok), kervan.InvalidToolName, ""},
		"newline":           {kervan.Tool("a\n", "d", ok), kervan.InvalidToolName, ""},
		"all letters":       {kervan.Tool("aZ09_-.", "d", ok), "", ""},
		"blank description": {kervan.Tool("a", " \t", ok), kervan.MissingDescription, ""},
		"input no object":   {raw("a", `{"type":"string"}`), kervan.InvalidInputSchema, ""},
		"input no JSON":     {raw("a", `{"type":`), kervan.InvalidInputSchema, ""},
		"input look-ahead":  {raw("a", `{"type":"object","properties":{"p":{"type":"string","pattern":"(?=a)"}}}`), kervan.InvalidInputSchema, "/properties/p/pattern"},
		"input wrong type":  {raw("a", `{"type":"object","properties":{"p":{"type":"strin"}}}`), kervan.InvalidInputSchema, "/properties/p"},
		"input remote ref":  {raw("a", `{"type":"object","properties":{"p":{"$ref":"file:///etc/hostname"}}}`), kervan.InvalidInputSchema, "/properties/p"},
		"nil input":         {kervan.RawTool("a", "d", nil, echo), "", ""},
		"bad output":        {raw("a", `{"type":"object"}`).OutputSchema(rawJSON(`{"type":"array"}`)), kervan.InvalidOutputSchema, ""},
		"nil handler":       {kervan.Tool[kervan.None, string]("a", "d", nil), kervan.InvalidHandler, ""},
		"nil raw handler":   {kervan.RawTool("a", "d", nil, nil), kervan.InvalidHandler, ""},
		"zero timeout":      {kervan.Tool("a", "d", ok).Timeout(0), kervan.InvalidTimeout, ""},
		"negative timeout":  {kervan.Tool("a", "d", ok).Timeout(-time.Second), kervan.InvalidTimeout, ""},
		"nil middleware":    {kervan.Tool("a", "d", ok).Use(nop, nil), kervan.InvalidMiddleware, ""},
		"channel argument": {kervan.Tool("a", "d", func(context.Context, struct {
			C chan int `json:"c"`
		}) (string, error) {
			return "", nil
		}), kervan.InvalidInputSchema, ""},
		"scalar argument":     {kervan.Tool("a", "d", func(context.Context, int) (string, error) { return "", nil }), kervan.InvalidInputSchema, ""},
		"unmarshallable meta": {kervan.Tool("a", "d", ok).Meta("x", make(chan int)), kervan.InvalidHandler, ""},
		"first failure":       {kervan.Tool[kervan.None, string]("", "", nil), kervan.InvalidToolName, ""},
		"second failure":      {kervan.Tool[kervan.None, string]("a", "", nil), kervan.MissingDescription, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp()
			app.Add(tt.def)
			err := app.Err()
			if tt.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var def *kervan.DefinitionError
			if !errors.As(err, &def) || def.Code != tt.code {
				t.Fatalf("want %s, got %v", tt.code, err)
			}
			wantContains(t, err.Error(), "["+string(tt.code)+"]", tt.text, def.Hint)
			if def.Hint == "" {
				t.Error("the error does not say what to do")
			}
		})
	}
}

func TestRule1_2_AgainstTheRegistry(t *testing.T) {
	app, _ := newApp()
	app.Add(kervan.Tool("a", "d", ok))
	tests := []struct {
		name string
		err  error
		code kervan.ErrorCode
	}{
		{"taken name", app.AddTool(kervan.Tool("a", "d", ok)), kervan.DuplicateTool},
		{"bad definition under a taken name", app.AddTool(kervan.Tool("a", " ", ok)), kervan.MissingDescription},
		{"replace what is not there", app.ReplaceTool(kervan.Tool("b", "d", ok)), kervan.UnknownTool},
		{"nil definition", app.AddTool(nil), kervan.InvalidHandler},
	}
	for _, tt := range tests {
		if !errors.Is(tt.err, &kervan.DefinitionError{Code: tt.code}) {
			t.Errorf("%s: want %s, got %v", tt.name, tt.code, tt.err)
		}
	}
	if err := app.Err(); err != nil {
		t.Errorf("AddTool and ReplaceTool report at once and keep nothing: %v", err)
	}
}

func TestRule1_2_ErrorsAreCollected(t *testing.T) {
	app, _ := newApp()
	app.Add(kervan.Tool("a b", "d", ok), kervan.Tool("good", "d", ok), kervan.Tool("c", "", ok))
	var list interface{ Unwrap() []error }
	if !errors.As(app.Err(), &list) || len(list.Unwrap()) != 2 {
		t.Fatalf("want two errors, got %v", app.Err())
	}
	if n := len(app.Registry().Tools()); n != 1 {
		t.Errorf("the good tool is registered: want 1 tool, got %d", n)
	}
}

func TestDefinitionInUse(t *testing.T) {
	app, _ := newApp()
	def := kervan.Tool("a", "d", ok)
	app.Add(def)
	def.Title("changed")
	if !errors.Is(app.Err(), &kervan.DefinitionError{Code: kervan.DefinitionInUse}) {
		t.Errorf("want DEFINITION_IN_USE, got %v", app.Err())
	}
	if got := app.Registry().Tools()[0].Info().Title; got != "A" {
		t.Errorf("the registered tool changed: %q", got)
	}
	var registry kervan.MemoryRegistry
	if err := registry.Add(kervan.Tool("x", "d", ok)); err != nil {
		t.Fatal(err)
	}
	other := kervan.Tool("y", "d", ok)
	if err := registry.Add(other); err != nil {
		t.Fatal(err)
	}
	other.ReadOnly()
	if err := registry.Replace(other); !errors.Is(err, &kervan.DefinitionError{Code: kervan.DefinitionInUse}) {
		t.Errorf("want DEFINITION_IN_USE at the next registration, got %v", err)
	}
	if err := registry.Replace(other.Clone().ReadOnly()); err != nil {
		t.Errorf("a clone may be changed: %v", err)
	}
}

func TestDefinitionErrorAfterServing(t *testing.T) {
	app, rec := newApp()
	serve(t, app, kervan.Tool("a", "d", ok))
	app.Add(kervan.Tool("a", "d", ok))
	if err := app.Err(); err != nil {
		t.Errorf("too late for Err: %v", err)
	}
	if n := len(eventsOf[kervan.DefinitionEvent](rec)); n != 1 {
		t.Errorf("want one event, got %d", n)
	}
	wantContains(t, rec.logs(), "DUPLICATE_TOOL")
}

func TestRule1_3_PortableNames(t *testing.T) {
	for name, warns := range map[string]bool{
		strings.Repeat("x", 64): false, strings.Repeat("x", 65): true, "a.b": true, "a_b-C": false,
	} {
		app, rec := newApp()
		serve(t, app, kervan.Tool(name, "d", ok))
		if got := strings.Count(rec.logs(), "some clients refuse"); got != map[bool]int{true: 1}[warns] {
			t.Errorf("%s: %d warnings, want warning: %v", name, got, warns)
		}
	}
}

func TestRule1_15_Hints(t *testing.T) {
	app, _ := newApp()
	app.Add(
		kervan.Tool("plain_tool", "d", ok),
		kervan.Tool("hinted", "d", ok).Title("Shown").ReadOnly().Destructive(false).Idempotent().OpenWorld(true).
			Meta("example.com/x", 9007199254740993).Icons(mcp.Icon{Source: "https://example.com/i.png"}),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		tools := c.Tools()
		if tools[0].Title != "Plain tool" || tools[0].Annotations != nil {
			t.Errorf("unset hints stay unset and a title is derived: %+v", tools[0])
		}
		a := tools[1].Annotations
		if tools[1].Title != "Shown" || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint || !a.IdempotentHint || !*a.OpenWorldHint {
			t.Errorf("hints are lost: %+v", a)
		}
		if len(tools[1].Icons) != 1 {
			t.Errorf("icons are lost: %+v", tools[1].Icons)
		}
		wantContains(t, c.Exchange(), `"_meta":{"example.com/x":9007199254740993}`)
	})
}

func TestRule1_15_Titles(t *testing.T) {
	for name, want := range map[string]string{
		"get_current_weather": "Get current weather", "getUserID": "Get user ID", "a": "A", "list.users-now": "List users now", "HTTP_get": "HTTP get",
	} {
		var r kervan.MemoryRegistry
		if err := r.Add(kervan.Tool(name, "d", ok)); err != nil {
			t.Fatal(err)
		}
		if got := r.Tools()[0].Info().Title; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestRule1_5_NoArguments(t *testing.T) {
	app, _ := newApp()
	app.Add(kervan.Tool("none", "d", ok), raw("open", `{"type":"object"}`))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		schema, err := json.Marshal(c.Tools()[0].InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		wantContains(t, string(schema), `"type":"object"`)
		for _, args := range []any{nil, rawJSON(`null`), rawJSON(`{}`), rawJSON(`[]`), rawJSON(`[ ]`)} {
			if got := kerventest.MustCall[string](c, "none", args); got != "ok" {
				t.Errorf("%s: %q", args, got)
			}
			if got := kerventest.MustCall[string](c, "open", args); got != "{}" {
				t.Errorf("%s: %q", args, got)
			}
		}
		wantContains(t, c.CallErr("open", rawJSON(`[1]`)), "Input validation error")
		wantContains(t, c.CallErr("open", rawJSON(`"x"`)), "Input validation error")
	})
}
