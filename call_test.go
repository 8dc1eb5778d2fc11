package kervan_test

//lint:file-ignore SA5000 the panic is what is tested

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

const secret = "postgres://app:hunter2@10.0.0.5/db"

var maskedText = regexp.MustCompile(`^Internal error in tool "[^"]+" \(ref: [0-9a-f]{8}\)$`)

func TestRule1_6_StrictArguments(t *testing.T) {
	var calls atomic.Int64
	app, _ := newApp()
	app.Add(kervan.RawTool("open", "d", kervan.Schema(`{"type":"object","properties":{"role":{"enum":["user","guest"]}}}`),
		func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			calls.Add(1)
			return echo(ctx, call)
		}))
	deep := func(n int) string { return `{"v":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	refused := map[string]string{
		"duplicate key":        `{"role":"user","role":"guest"}`,
		"nested duplicate":     `{"x":{"a":1,"a":2}}`,
		"escaped duplicate":    `{"role":"user","\u0072ole":"guest"}`,
		"case-folded":          `{"role":"user","Role":"root"}`,
		"Kelvin sign":          `{"x":{"k":1},"roLe":"root"}`,
		"lone surrogate":       `{"x":"\ud800"}`,
		"depth 64":             deep(64),
		"long number":          `{"limit":` + strings.Repeat("1", 41) + `}`,
		"big exponent":         `{"limit":1e5000000}`,
		"exponent beyond ±999": `{"limit":1e-1000}`,
		"trailing data":        `{} {}`,
	}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for name, args := range refused {
			before := calls.Load()
			start := time.Now()
			res, err := c.CallContext(context.Background(), "open", rawJSON(args))
			if err == nil && !res.IsError {
				t.Errorf("%s: not refused: %s", name, res.Raw)
			}
			if calls.Load() != before {
				t.Errorf("%s: the handler ran", name)
			}
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("%s took %v", name, d)
			}
		}
		for name, args := range map[string]string{
			"exact integer": `{"id":9007199254740993}`, "nineteen digits": `{"id":1234567890123456789}`,
			"forty digits": `{"id":` + strings.Repeat("9", 40) + `}`, "exponent 999": `{"id":1e999}`, "depth 63": deep(63),
		} {
			if got := kerventest.MustCall[string](c, "open", rawJSON(args)); got != args {
				t.Errorf("%s: sent %s, handler got %s", name, args, got)
			}
		}
	})
}

func TestRule1_6_ElementLimit(t *testing.T) {
	list := func(n int) string { return `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", n), ",") + `]}` }
	app, _ := newApp(kervan.WithArgumentLimit(10))
	c := serve(t, app, raw("open", `{"type":"object"}`))
	wantContains(t, c.CallErr("open", rawJSON(list(50))), "Input validation error")
	kerventest.MustCall[string](c, "open", rawJSON(list(9))) // and the member a
	wantContains(t, c.CallErr("open", rawJSON(list(10))), "Input validation error")

	app, _ = newApp()
	c = serve(t, app, raw("open", `{"type":"object"}`))
	kerventest.MustCall[string](c, "open", rawJSON(list(9_999)))
	wantContains(t, c.CallErr("open", rawJSON(list(10_000))), "Input validation error")

	app, _ = newApp(kervan.WithArgumentLimit(-1))
	c = serve(t, app, raw("open", `{"type":"object"}`))
	kerventest.MustCall[string](c, "open", rawJSON(list(20_000)))
}

type numbers struct {
	I   int64    `json:"i,omitempty"`
	U8  uint8    `json:"u8,omitempty"`
	F   float64  `json:"f,omitempty"`
	Two [2]int   `json:"two,omitzero"`
	Any any      `json:"any,omitempty"`
	P   *string  `json:"p,omitempty"`
	N   []string `json:"n,omitempty"`
}

func TestRule1_6_TypedDecode(t *testing.T) {
	app, rec := newApp()
	app.Add(kervan.Tool("typed", "d", func(_ context.Context, in numbers) (string, error) {
		return fmt.Sprintf("%d %d %v %v %v(%T) %v", in.I, in.U8, in.F, in.Two, in.Any, in.Any, in.P), nil
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for args, want := range map[string]string{
			`{"i":9007199254740993}`:       "9007199254740993 0 0 [0 0] <nil>(<nil>) <nil>",
			`{"i":1.0,"u8":1e2}`:           "1 100 0 [0 0] <nil>(<nil>) <nil>",
			`{"any":12345678901234567890}`: "0 0 0 [0 0] 12345678901234567890(json.Number) <nil>",
			`{"p":null}`:                   "0 0 0 [0 0] <nil>(<nil>) <nil>",
		} {
			if got := kerventest.MustCall[string](c, "typed", rawJSON(args)); got != want {
				t.Errorf("%s: got %q, want %q", args, got, want)
			}
		}
		for args, want := range map[string]string{
			`{"f":9007199254740993}`:    "held exactly",
			`{"u8":300}`:                "/u8",
			`{"i":9223372036854775808}`: "/i",
			`{"two":[1,2,3]}`:           "/two",
			`{"i":1.5}`:                 "/i",
			`{"n":[1]}`:                 "/n/0",
			`{"I":1}`:                   "/I",
		} {
			wantContains(t, c.CallErr("typed", rawJSON(args)), "Input validation error", want)
		}
	})
	if n := len(eventsOf[kervan.RepairEvent](rec)); n != 2 {
		t.Errorf("a dropped null is an event in each era: got %d", n)
	}
}

func TestRule1_6_Defaults(t *testing.T) {
	type in struct {
		B     int64 `json:"b" jsonschema:"default=7"`
		Inner *struct {
			C string `json:"c" jsonschema:"default=x"`
		} `json:"inner"`
	}
	app, _ := newApp()
	c := serve(t, app, kervan.Tool("typed", "d", func(_ context.Context, v in) (string, error) {
		if v.Inner == nil {
			return fmt.Sprint(v.B, " none"), nil
		}
		return fmt.Sprint(v.B, " ", v.Inner.C), nil
	}))
	for args, want := range map[string]string{`{}`: "7 none", `{"inner":{}}`: "7 x", `{"b":0,"inner":{"c":""}}`: "0 "} {
		if got := kerventest.MustCall[string](c, "typed", rawJSON(args)); got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

func TestRule1_6a_RecursiveFilterIsBounded(t *testing.T) {
	app, _ := newApp()
	filter := func(key string) string {
		return `{"type":"object","properties":{"f":{"$ref":"#/$defs/f"}},"$defs":{"f":{"anyOf":[
		{"type":"object","required":["and"],"properties":{"and":{"type":"array","items":{"$ref":"#/$defs/f"}}}},
		{"type":"object","required":["` + key + `"],"properties":{"` + key + `":{"type":"array","items":{"$ref":"#/$defs/f"}}}},
		{"type":"object","required":["eq"],"properties":{"eq":{"type":"integer"}},"additionalProperties":false}]}}}`
	}
	c := serve(t, app, raw("distinct", filter("or")), raw("shared", filter("and")))
	nest := func(n int) string {
		return `{"f":` + strings.Repeat(`{"and":[`, n) + `{"eq":"wrong"}` + strings.Repeat(`]}`, n) + `}`
	}
	for tool, levels := range map[string]int{"distinct": 30, "shared": 30} {
		start := time.Now()
		wantContains(t, c.CallErr(tool, rawJSON(nest(levels))), "Input validation error")
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s took %v", tool, d)
		}
	}
	wantContains(t, c.CallErr("shared", rawJSON(nest(11))), "deep")
}

func TestRule1_7_Violations(t *testing.T) {
	ran := false
	app, rec := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			ran = true
			return next(ctx, call)
		}
	})
	type in struct {
		Zone  string `json:"zone" jsonschema:"maxLength=20"`
		Order string `json:"order,omitempty" jsonschema:"enum=asc,enum=desc"`
		Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50"`
	}
	c := serve(t, app, kervan.Tool("search", "d", func(context.Context, in) (string, error) { ran = true; return "", nil }))
	text := c.CallErr("search", rawJSON(`{"zoen":"x","order":"dsc","limit":500}`))
	wantContains(t, text, "Input validation error", "4 problems", "/zone", "/zoen", `"zone"`, "/order", `"desc"`, "/limit", "50", "500")
	if !strings.HasPrefix(text, "Input validation error") {
		t.Error("the report must start with the words that models know it by")
	}
	if ran {
		t.Error("neither middleware nor handler may run")
	}
	text = c.CallErr("search", rawJSON(`{"zone":"`+strings.Repeat("x", 5000)+`"}`))
	if len(text) > 400 {
		t.Errorf("long values are cut: %d bytes", len(text))
	}
	wantAbsent(t, rec.logs(), "xxxxx", "dsc")
	if e := eventsOf[kervan.CallEvent](rec); len(e) != 2 || e[0].Problems != 4 {
		t.Errorf("events: %+v", e)
	}
}

func TestRule1_7_TenAndACount(t *testing.T) {
	app, _ := newApp()
	c := serve(t, app, raw("closed", `{"type":"object","additionalProperties":false}`))
	var b strings.Builder
	for i := range 25 {
		fmt.Fprintf(&b, `,"k%02d":1`, i)
	}
	text := c.CallErr("closed", rawJSON("{"+b.String()[1:]+"}"))
	wantContains(t, text, "25 problems", "/k00", "/k09", "15 more")
	wantAbsent(t, text, "/k10")
}

func TestRule1_8_Repair(t *testing.T) {
	type in struct {
		N    int      `json:"n,omitempty"`
		F    float64  `json:"f,omitempty"`
		B    bool     `json:"b,omitempty"`
		List []string `json:"list,omitempty"`
		S    string   `json:"s,omitempty"`
	}
	show := func(_ context.Context, v in) (string, error) { return fmt.Sprintf("%+v", v), nil }
	app, rec := newApp(kervan.WithArgumentRepair())
	c := serve(t, app, kervan.Tool("typed", "d", show))
	args := rawJSON(`{"n":"5","f":"1.5","b":"true","list":"[\"a\",\"b\"]","s":"5"}`)
	if got := kerventest.MustCall[string](c, "typed", args); got != "{N:5 F:1.5 B:true List:[a b] S:5}" {
		t.Error(got)
	}
	if e := eventsOf[kervan.RepairEvent](rec); len(e) != 1 || len(e[0].Repaired) != 4 {
		t.Errorf("each repair is an event: %+v", e)
	}
	for _, bad := range []string{`{"n":"5 6"}`, `{"n":"five"}`, `{"n":""}`, `{"b":"yes"}`, `{"list":"a,b"}`} {
		wantContains(t, c.CallErr("typed", rawJSON(bad)), "Input validation error")
	}
	app, _ = newApp()
	wantContains(t, serve(t, app, kervan.Tool("typed", "d", show)).CallErr("typed", rawJSON(`{"n":"5"}`)), "Input validation error")
}

func TestRule1_9_UnknownTool(t *testing.T) {
	app, rec := newApp(kervan.WithVisibility(func(_ context.Context, tool kervan.ToolInfo) bool { return tool.Name != "search_hidden" }))
	app.Add(kervan.Tool("search_zones", "d", ok), kervan.Tool("search_hidden", "d", ok), kervan.Tool("other", "d", ok))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		err := c.CallProtocolErr("search_zone", nil)
		if err.Code != -32602 {
			t.Errorf("code %d", err.Code)
		}
		wantContains(t, err.Message, "search_zones")
		wantAbsent(t, err.Message, "hidden", "other")
		wantAbsent(t, c.CallProtocolErr("search_hidde", nil).Message, "search_hidden")
		if err := c.CallProtocolErr("search_hidden", nil); err.Code != -32602 {
			t.Errorf("a hidden tool is an unknown tool: %v", err)
		}
	})
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeUnknownTool {
			t.Errorf("event %+v", e)
		}
	}
}

func TestRule1_11_Deadline(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	cancelled := make(chan error, 10)
	app, rec := newApp()
	app.Add(
		tool("never", func(ctx context.Context) (string, error) {
			<-ctx.Done()
			cancelled <- context.Cause(ctx)
			<-release
			return "", nil
		}).Timeout(30*time.Millisecond),
		tool("late", func(ctx context.Context) (string, error) { <-ctx.Done(); return "too late", nil }).Timeout(30*time.Millisecond),
		tool("late_tool_error", func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", kervan.ToolErrorf("mine")
		}).Timeout(30*time.Millisecond),
		tool("late_panic", func(ctx context.Context) (string, error) { <-ctx.Done(); panic("late " + secret) }).Timeout(30*time.Millisecond),
	)
	app.Add(tool("slow_middleware", func(context.Context) (string, error) { return "", nil }).Timeout(40 * time.Millisecond).Use(func(kervan.Handler) kervan.Handler {
		return func(context.Context, *kervan.Call) (*kervan.Result, error) { <-release; return nil, nil }
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for name, ms := range map[string]int{"never": 30, "late": 30, "late_tool_error": 30, "late_panic": 30, "slow_middleware": 40} {
			want := fmt.Sprintf("Tool %q timed out after %d ms.", name, ms)
			if got := c.CallErr(name, nil); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if err := <-cancelled; err == nil {
			t.Error("the handler's context was not cancelled")
		}
	})
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeTimeout {
			t.Errorf("event %+v", e)
		}
	}
}

func TestRule1_11_DefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app, _ := newApp()
		c := serve(t, app, tool("slow", func(ctx context.Context) (string, error) {
			time.Sleep(30*time.Second - time.Millisecond)
			return "in time", nil
		}), tool("too_slow", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }))
		start := time.Now()
		if got := kerventest.MustCall[string](c, "slow", nil); got != "in time" {
			t.Error(got)
		}
		if got := c.CallErr("too_slow", nil); got != `Tool "too_slow" timed out after 30000 ms.` {
			t.Error(got)
		}
		if d := time.Since(start); d != time.Minute-time.Millisecond {
			t.Errorf("took %v of fake time", d)
		}
	})
}

func TestRule1_11_AbandonedHandlersAreBounded(t *testing.T) {
	release := make(chan struct{})
	var started atomic.Int64
	app, rec := newApp()
	c := serve(t, app, tool("stuck", func(context.Context) (string, error) {
		started.Add(1)
		<-release
		return "", nil
	}).Timeout(2*time.Millisecond))
	for started.Load() < 100 { // a call may pass its deadline before the handler starts
		wantContains(t, c.CallErr("stuck", nil), "timed out")
	}
	wantContains(t, c.CallErr("stuck", nil), "refused for now", "100")
	close(release)
	for len(eventsOf[kervan.LateEvent](rec)) < 100 {
		time.Sleep(time.Millisecond)
	}
	wantAbsent(t, c.Call("stuck", nil).Text, "refused")
}

func TestRule1_11_Cancelled(t *testing.T) {
	started := make(chan struct{}, 1)
	ended := make(chan error, 1)
	app, rec := newApp()
	app.Add(tool("wait", func(ctx context.Context) (string, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return "", errors.New("late " + secret)
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-started; cancel() }()
		if res, err := c.CallContext(ctx, "wait", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("want the client's own cancellation, got %v %v", res, err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler saw %v", err)
		}
		c.ToolNames() // the connection works on
		wantAbsent(t, c.Exchange(), "cancelled.", "hunter2")
	})
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if e.Outcome != kervan.OutcomeCancelled {
			t.Errorf("event %+v", e)
		}
	}
}

type badError struct{}

func (badError) Error() string { panic("no text") }

func TestRule1_12_Masking(t *testing.T) {
	app, rec := newApp()
	app.Add(
		tool("error", func(context.Context) (string, error) { return "", errors.New(secret) }),
		tool("panic", func(context.Context) (string, error) { panic(secret) }),
		tool("panic_error", func(context.Context) (string, error) { panic(errors.New(secret)) }),
		tool("panic_tool_error", func(context.Context) (string, error) { panic(kervan.ToolErrorf("%s", secret)) }),
		tool("nil_map", func(context.Context) (string, error) { var m map[string]int; m["x"] = 1; return "", nil }),
		tool("abort", func(context.Context) (string, error) { panic(http.ErrAbortHandler) }),
		tool("goexit", func(context.Context) (string, error) { runtime.Goexit(); return "", nil }),
		tool("bad_error", func(context.Context) (string, error) { return "", badError{} }),
		tool("typed_nil", func(context.Context) (string, error) { var te *kervan.ToolError; return "", te }),
		tool("nil_result", func(context.Context) (*kervan.Result, error) { return nil, nil }),
		tool("nil_pointer", func(context.Context) (*numbers, error) { return nil, nil }),
		tool("channel", func(context.Context) (any, error) { return make(chan int), nil }),
		tool("bad_raw", func(context.Context) (*kervan.Result, error) {
			return &kervan.Result{StructuredContent: rawJSON(`{"a":`)}, nil
		}),
		tool("nil_content", func(context.Context) (*kervan.Result, error) { return kervan.ResultOf(nil), nil }),
		kervan.RawTool("nil_raw", "d", nil, func(context.Context, *kervan.Call) (*kervan.Result, error) { return nil, nil }),
	)
	refs := map[string]bool{}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, name := range c.ToolNames() {
			text := c.CallErr(name, nil)
			if !maskedText.MatchString(text) || !strings.Contains(text, `"`+name+`"`) {
				t.Errorf("%s: the client sees %q", name, text)
			}
			ref := text[len(text)-9 : len(text)-1]
			if refs[ref] {
				t.Errorf("%s: the reference %s came twice", name, ref)
			}
			refs[ref] = true
			wantContains(t, rec.logs(), "ref="+ref)
		}
		wantAbsent(t, c.Exchange(), "hunter2", "goroutine", ".go:")
	})
	wantContains(t, rec.logs(), "hunter2", "call_test.go", "runtime.Goexit")
	if got := len(eventsOf[kervan.MaskedEvent](rec)); got != len(refs) {
		t.Errorf("%d events for %d masked errors", got, len(refs))
	}
}

func TestRule1_12a_ToolErrors(t *testing.T) {
	cause := errors.New("dial tcp 10.0.0.5: password=hunter2")
	wrapped := struct{ Err error }{cause}
	first := kervan.ToolErrorf("first")
	tests := map[string]struct {
		err  error
		want string
	}{
		"plain":               {kervan.ToolErrorf("no zone %q", "x"), `no zone "x"`},
		"error argument":      {kervan.ToolErrorf("no weather: %v", cause), "no weather: internal error"},
		"error in a slice":    {kervan.ToolErrorf("no weather: %v", []error{cause}), "no weather: internal error"},
		"error in a struct":   {kervan.ToolErrorf("no weather: %+v", wrapped), "no weather: internal error"},
		"error in a map":      {kervan.ToolErrorf("no weather: %v", map[string]any{"e": cause}), "no weather: internal error"},
		"pointer to a struct": {kervan.ToolErrorf("no weather: %v", &wrapped), "no weather: internal error"},
		"ToolError argument":  {kervan.ToolErrorf("outer: %v", kervan.ToolErrorf("inner")), "outer: inner"},
		"wrapping":            {fmt.Errorf("10.0.0.5: %w", first), "first"},
		"joined":              {errors.Join(cause, first, kervan.ToolErrorf("second")), "first"},
		"cause":               {kervan.ToolErrorf("gone").WithCause(cause), "gone"},
		"cause is ToolError":  {kervan.ToolErrorf("gone").WithCause(first), "gone"},
		"percent":             {kervan.ToolErrorf("100%%"), "100%"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app, rec := newApp()
			c := serve(t, app, tool("fails", func(context.Context) (string, error) { return "", tt.err }))
			if got := c.CallErr("fails", nil); got != tt.want {
				t.Errorf("the client sees %q, want %q", got, tt.want)
			}
			wantAbsent(t, c.Exchange(), "hunter2", "10.0.0.5")
			if strings.Contains(name, "error in") || name == "error argument" || name == "cause" {
				wantContains(t, rec.logs(), "hunter2")
			}
		})
	}
	if err := kervan.ToolErrorf("gone").WithCause(cause); !errors.Is(err, cause) {
		t.Error("a cause is found by errors.Is")
	}
	if err := first.WithCause(cause); !errors.Is(err, first) || errors.Is(err, kervan.ToolErrorf("first")) {
		t.Error("a ToolError with a cause is still the one it was made from, and no other")
	}
}

func TestRule1_13_Progress(t *testing.T) {
	var kept *kervan.Call
	app, rec := newApp()
	app.Add(tool("work", func(ctx context.Context) (string, error) {
		kept = kervan.CallFromContext(ctx)
		for _, v := range []float64{1, 1, 2, nan(), 1.5, 3} {
			kept.Progress(v, 3, "step")
		}
		return "", nil
	}))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		res := c.Call("work", nil)
		got := []float64{}
		for _, p := range res.Progress {
			got = append(got, p.Progress)
		}
		if fmt.Sprint(got) != "[1 2 3]" || res.Progress[0].Total != 3 || res.Progress[0].Message != "step" {
			t.Errorf("progress %+v", res.Progress)
		}
		kept.Progress(4, 4, "after the call")
		c.ToolNames()
		wantAbsent(t, c.Exchange(), "after the call")
	})
	if n := strings.Count(rec.logs(), "it must rise"); n != 4 {
		t.Errorf("%d warnings about progress that does not rise", n)
	}
	if n := strings.Count(rec.logs(), "not a number"); n != 2 {
		t.Errorf("%d warnings about progress that is no number", n)
	}
}

func nan() float64 { var zero float64; return zero / zero }

func TestCallOutsideOfACall(t *testing.T) {
	call := kervan.CallFromContext(context.Background())
	call.Progress(1, 2, "")
	call.Logger().Info("nothing")
	if call.Tool() != "" || call.Auth() != nil || call.Request() != nil || call.ClientInfo() != nil || call.ClientCapabilities() != nil ||
		call.RequestID() != "" || call.ProtocolVersion() != "" || call.InputResponses() != nil || call.RequestState() != "" || string(call.Arguments()) != "{}" {
		t.Errorf("a call outside of a call reports nothing: %+v", call)
	}
}
