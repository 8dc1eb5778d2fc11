package kervan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// A logLine is a logging notification as it came over the wire.
type logLine struct {
	Level  string `json:"level"`
	Logger string `json:"logger"`
	Data   struct {
		Message string         `json:"message"`
		Data    map[string]any `json:"data"`
	} `json:"data"`
}

// logLines returns the logging notifications of an exchange.
func logLines(t *testing.T, c *kerventest.Client) []logLine {
	t.Helper()
	var lines []logLine
	for line := range strings.Lines(c.Exchange()) {
		rest, ours := strings.CutPrefix(line, "server ")
		if !ours || !strings.Contains(rest, "notifications/message") {
			continue
		}
		var msg struct {
			Params json.RawMessage `json:"params"`
		}
		must(t, json.Unmarshal([]byte(rest), &msg))
		var l logLine
		must(t, json.Unmarshal(msg.Params, &l))
		lines = append(lines, l)
	}
	return lines
}

// callAt calls a tool with the log level that a client asks for, "" for none.
func callAt(t *testing.T, c *kerventest.Client, name, level string) {
	t.Helper()
	params := &mcp.CallToolParams{Name: name}
	if level != "" {
		params.Meta = mcp.Meta{mcp.MetaKeyLogLevel: level}
	}
	_, err := c.Session().CallTool(context.Background(), params)
	must(t, err)
	c.ToolNames() // what was sent before its answer has come
}

// talkative logs at each level.
func talkative(name string) *kervan.ToolDef {
	return tool(name, func(ctx context.Context) (string, error) {
		log := kervan.CallFromContext(ctx).Logger()
		for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.Log(ctx, l, "at "+l.String())
		}
		return "done", nil
	})
}

func TestRule1_14_ProtocolLogging(t *testing.T) {
	app, rec := newApp(kervan.WithProtocolLogging())
	app.Add(tool("import", func(ctx context.Context) (string, error) {
		log := kervan.CallFromContext(ctx).Logger().With("batch", 7)
		log.WithGroup("row").Info("read", "n", 3, "big", int64(9007199254740993), "why", errors.New(secret), "also", struct{ Err error }{errors.New(secret)})
		return "done", nil
	}))
	c := kerventest.New(t, app)
	if caps := c.Session().InitializeResult().Capabilities; caps.Logging == nil {
		t.Error("the capability is missing")
	}
	callAt(t, c, "import", "info")
	lines := logLines(t, c)
	if len(lines) != 1 || lines[0].Level != "info" || lines[0].Logger != "import" || lines[0].Data.Message != "read" {
		t.Fatalf("want one notification, got %+v", lines)
	}
	want := map[string]any{"batch": 7.0, "row.n": 3.0, "row.why": "internal error", "row.also": "internal error"}
	for key, v := range want {
		if got := lines[0].Data.Data[key]; got != v {
			t.Errorf("%s is %v, want %v", key, got, v)
		}
	}
	wantContains(t, c.Exchange(), `"row.big":9007199254740993`)
	wantAbsent(t, c.Exchange(), "hunter2")
	wantContains(t, rec.logs(), "read", "tool=import", "batch=7", "row.n=3", "hunter2") // the app's own log has all
}

func TestRule1_14_Levels(t *testing.T) {
	app, _ := newApp(kervan.WithProtocolLogging())
	app.Add(talkative("x"))
	for level, want := range map[string]string{
		"": "", "debug": "debug info warning error", "info": "info warning error", "notice": "warning error",
		"warning": "warning error", "error": "error", "critical": "", "alert": "", "emergency": "", "loud": "", "DEBUG": "",
	} {
		t.Run(level, func(t *testing.T) {
			c := kerventest.New(t, app)
			callAt(t, c, "x", level)
			var got []string
			for _, l := range logLines(t, c) {
				got = append(got, l.Level)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestRule1_14_LevelsBetween: slog has room between its levels, where the
// protocol has names.
func TestRule1_14_LevelsBetween(t *testing.T) {
	app, _ := newApp(kervan.WithProtocolLogging())
	app.Add(tool("x", func(ctx context.Context) (string, error) {
		log := kervan.CallFromContext(ctx).Logger()
		for _, l := range []slog.Level{slog.LevelInfo + 2, slog.LevelError + 2, slog.LevelError + 4, slog.LevelError + 6} {
			log.Log(ctx, l, "m")
		}
		return "done", nil
	}))
	for level, want := range map[string]int{"notice": 4, "critical": 3, "alert": 2, "emergency": 1} {
		c := kerventest.New(t, app)
		callAt(t, c, "x", level)
		if got := len(logLines(t, c)); got != want {
			t.Errorf("a client that asks for %s gets %d records, want %d", level, got, want)
		}
	}
}

// TestRule1_14_OnlyIfAsked: not without the option, and not without the level
// in the request's own _meta, in either era.
func TestRule1_14_OnlyIfAsked(t *testing.T) {
	off, _ := newApp()
	off.Add(talkative("x"))
	kerventest.EachEra(t, off, func(t *testing.T, c *kerventest.Client) {
		if caps := c.Session().InitializeResult().Capabilities; caps.Logging != nil {
			t.Error("the capability is there without the option")
		}
		callAt(t, c, "x", "debug")
		if lines := logLines(t, c); lines != nil {
			t.Errorf("got %+v", lines)
		}
	})
	on, _ := newApp(kervan.WithProtocolLogging())
	on.Add(talkative("x"))
	kerventest.EachEra(t, on, func(t *testing.T, c *kerventest.Client) {
		callAt(t, c, "x", "")
		if lines := logLines(t, c); lines != nil {
			t.Errorf("got %+v", lines)
		}
	})
	c := kerventest.New(t, on, kerventest.InEra(kerventest.Legacy))
	must(t, c.Session().SetLoggingLevel(context.Background(), &mcp.SetLoggingLevelParams{Level: "debug"}))
	callAt(t, c, "x", "")
	if lines := logLines(t, c); lines != nil {
		t.Errorf("a level for the session is no level of the request: %+v", lines)
	}
	callAt(t, c, "x", "warning")
	if lines := logLines(t, c); len(lines) != 2 {
		t.Errorf("want two notifications, got %+v", lines)
	}
}

// TestRule1_14_AfterTheCall: nothing is sent once the call was answered, by
// whichever logger.
func TestRule1_14_AfterTheCall(t *testing.T) {
	kept := make(chan *slog.Logger, 1)
	app, rec := newApp(kervan.WithProtocolLogging())
	app.Add(tool("x", func(ctx context.Context) (string, error) {
		kept <- kervan.CallFromContext(ctx).Logger().With("k", 1)
		return "done", nil
	}))
	c := kerventest.New(t, app)
	callAt(t, c, "x", "debug")
	(<-kept).Error("too late")
	c.ToolNames()
	if lines := logLines(t, c); lines != nil {
		t.Errorf("got %+v", lines)
	}
	wantContains(t, rec.logs(), "too late")
}

// failing is a value that cannot be printed or resolved.
type failing struct{}

func (failing) String() string       { panic(secret) }
func (failing) LogValue() slog.Value { panic(secret) }

// TestRule1_14_OddValues: whatever a handler logs, the notification is JSON,
// and the call lives.
func TestRule1_14_OddValues(t *testing.T) {
	app, _ := newApp(kervan.WithProtocolLogging())
	app.Add(tool("x", func(ctx context.Context) (string, error) {
		kervan.CallFromContext(ctx).Logger().Info("odd\u2028\xff", "channel", make(chan int), "failing", failing{}, "group", slog.GroupValue(slog.Any("err", errors.New(secret))),
			"nil", nil, "errors", []error{errors.New(secret)}, "tool error", kervan.ToolErrorf("shown"), "!", func() {}, "bytes", []byte("b"))
		return "done", nil
	}))
	c := kerventest.New(t, app)
	callAt(t, c, "x", "debug")
	lines := logLines(t, c)
	if len(lines) != 1 {
		t.Fatalf("want one notification, got %+v", lines)
	}
	d := lines[0].Data.Data
	if d["tool error"] != "shown" || d["errors"] != "internal error" || d["group"] != "internal error" || d["nil"] != nil {
		t.Errorf("got %+v", d)
	}
	wantAbsent(t, c.Exchange(), "hunter2", "\u2028")
}

// TestRule1_14_NumbersThatAreNone: JSON has no NaN, and a record that holds one
// is forwarded all the same.
func TestRule1_14_NumbersThatAreNone(t *testing.T) {
	app, _ := newApp(kervan.WithProtocolLogging())
	app.Add(tool("x", func(ctx context.Context) (string, error) {
		kervan.CallFromContext(ctx).Logger().Info("ratio", "nan", nan(), "infinity", math.Inf(1), "n", 1.5)
		return "done", nil
	}))
	c := kerventest.New(t, app)
	callAt(t, c, "x", "debug")
	if lines := logLines(t, c); len(lines) != 1 || lines[0].Data.Data["n"] != 1.5 || lines[0].Data.Data["nan"] == nil {
		t.Errorf("want one notification, got %+v", lines)
	}
}

// TestLogs_NoArgumentsNoResults: whatever becomes of a call, the app's log has
// nothing of what was sent and returned, at any level.
func TestLogs_NoArgumentsNoResults(t *testing.T) {
	type in struct {
		Zone string `json:"zone" jsonschema:"maxLength=30"`
	}
	const private = "istanbul-7c1f"
	cause := errors.New("upstream down")
	app, rec := newApp(kervan.WithArgumentRepair())
	add := func(name string, f func(ctx context.Context, v in) (map[string]any, error)) {
		app.Add(kervan.Tool(name, "d", f))
	}
	add("ok", func(_ context.Context, v in) (map[string]any, error) { return map[string]any{"zone": v.Zone}, nil })
	add("tool_error", func(_ context.Context, v in) (map[string]any, error) {
		return nil, kervan.ToolErrorf("no zone %q", v.Zone)
	})
	add("tool_error_with_cause", func(_ context.Context, v in) (map[string]any, error) {
		return nil, kervan.ToolErrorf("no zone %q", v.Zone).WithCause(cause)
	})
	add("tool_error_wrapped", func(_ context.Context, v in) (map[string]any, error) {
		return nil, fmt.Errorf("looking up: %w", kervan.ToolErrorf("no zone %q", v.Zone))
	})
	add("tool_error_hiding", func(_ context.Context, v in) (map[string]any, error) {
		return nil, kervan.ToolErrorf("no zone %q: %v", v.Zone, cause)
	})
	add("masked", func(context.Context, in) (map[string]any, error) { return nil, cause })
	add("panic", func(context.Context, in) (map[string]any, error) { panic("lost") })
	add("unencodable", func(_ context.Context, v in) (map[string]any, error) {
		return map[string]any{v.Zone: make(chan int)}, nil
	})
	app.Add(kervan.Tool("bad_output", "d", func(_ context.Context, v in) (map[string]any, error) { return map[string]any{"n": v.Zone}, nil }).
		OutputSchema(rawJSON(`{"type":"object","properties":{"n":{"type":"integer"}}}`)))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, name := range c.ToolNames() {
			c.Call(name, in{Zone: private})
			c.Call(name, map[string]any{"zone": private, "extra": private})
			c.Call(name, map[string]any{"zone": strings.Repeat(private, 3)})
		}
		_, _ = c.CallContext(context.Background(), "none_"+private, in{Zone: private})
	})
	logs := rec.logs()
	for line := range strings.Lines(logs) {
		if strings.Contains(line, private) {
			t.Errorf("logged: %s", line)
		}
	}
	wantContains(t, logs, "upstream down", "lost")
	for _, e := range eventsOf[kervan.CallEvent](rec) {
		if strings.Contains(fmt.Sprintf("%+v", e), private) && e.Outcome != kervan.OutcomeUnknownTool {
			t.Errorf("event %+v", e)
		}
	}
}

// TestLogs_Default: an app logs warnings and errors to stderr, and never to
// stdout.
func TestLogs_Default(t *testing.T) {
	stderr := capture(t, &os.Stderr)
	stdout := capture(t, &os.Stdout)
	app := kervan.NewApp("test", "1")
	app.Add(tool("x", func(ctx context.Context) (string, error) {
		log := kervan.CallFromContext(ctx).Logger()
		log.Info("an info")
		log.Warn("a warning")
		return "", errors.New("a failure")
	}))
	c := kerventest.New(t, app)
	text := c.CallErr("x", nil)
	errs, outs := stderr(), stdout()
	wantContains(t, errs, "a warning", "a failure", "tool=x", text[len(text)-9:len(text)-1])
	wantAbsent(t, errs, "an info")
	if outs != "" {
		t.Errorf("on stdout: %q", outs)
	}
}

// capture replaces a standard stream until the returned function, which gives
// what was written, is called.
func capture(t *testing.T, stream **os.File) func() string {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	old := *stream
	*stream = w
	got := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, r)
		_ = r.Close()
		got <- b.String()
	}()
	return func() string {
		*stream = old
		_ = w.Close()
		return <-got
	}
}

// TestEvents: every call ends in one event, with the outcome, the id that the
// client sent, and the reference of a masked error.
func TestEvents(t *testing.T) {
	app, rec := newApp()
	app.Add(
		returning("ok", Position{}),
		tool("tool_error", func(context.Context) (string, error) { return "", kervan.ToolErrorf("no") }),
		returning("is_error", &kervan.Result{IsError: true}),
		tool("masked", func(context.Context) (string, error) { return "", errors.New("x") }),
		tool("timeout", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", nil }).Timeout(1),
		raw("refused", `{"type":"object","required":["a","b"]}`),
		returning("bad_output", map[string]any{}).OutputSchema(rawJSON(`{"type":"object","required":["a"]}`)),
		plain("rejected", "d").Scopes("s"),
	)
	want := []kervan.Outcome{"ok", "tool_error", "tool_error", "masked", "timeout", "refused", "bad_output", "rejected", "unknown_tool"}
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		before := len(eventsOf[kervan.CallEvent](rec))
		names := append(c.ToolNames(), "unknown_tool")
		refs := map[string]string{}
		for _, name := range names {
			if res, err := c.CallContext(context.Background(), name, nil); err == nil && maskedText.MatchString(res.Text) {
				refs[name] = res.Text[len(res.Text)-9 : len(res.Text)-1]
			}
		}
		events := eventsOf[kervan.CallEvent](rec)[before:]
		if len(events) != len(names) {
			t.Fatalf("%d events for %d calls", len(events), len(names))
		}
		var ids []string
		for i, e := range events {
			if e.Tool != names[i] || e.Outcome != want[i] || e.Duration <= 0 || e.Ref != refs[names[i]] {
				t.Errorf("event %+v, want %s", e, want[i])
			}
			if slices.Contains(ids, e.RequestID) || !strings.Contains(c.Exchange(), `"id":`+e.RequestID+`,`) {
				t.Errorf("the id %q is not the request's", e.RequestID)
			}
			ids = append(ids, e.RequestID)
		}
		if events[5].Problems != 2 || events[6].Problems != 1 || events[0].Problems != 0 {
			t.Errorf("problems: %+v", events)
		}
	})
	masked := eventsOf[kervan.MaskedEvent](rec)
	if len(masked) != 2 || masked[0].Tool != "masked" || masked[0].Err.Error() != "x" || masked[0].Ref == masked[1].Ref {
		t.Errorf("masked events %+v", masked)
	}
}

// TestEvents_PanickingSink: a sink that panics harms no call, and is logged.
func TestEvents_PanickingSink(t *testing.T) {
	app, rec := newApp(kervan.WithEvents(func(kervan.Event) { panic("a sink") }))
	app.Add(plain("x", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
		c.CallProtocolErr("none", nil)
		wantAbsent(t, c.Exchange(), "a sink")
	})
	wantContains(t, rec.logs(), "the event sink panicked", "a sink")
}
