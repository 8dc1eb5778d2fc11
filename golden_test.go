package kervan_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

type forecastIn struct {
	Zone string `json:"zone" jsonschema:"minLength=2,maxLength=40" jsonschema_description:"Name of the zone"`
	Days int    `json:"days" jsonschema:"minimum=1,maximum=14,default=3"`
	Unit string `json:"unit,omitempty" jsonschema:"enum=celsius,enum=kelvin"`
}

type forecastDay struct {
	Day  int     `json:"day"`
	High float64 `json:"high"`
	Note *string `json:"note"`
}

// weatherApp is the app of the transcripts: one tool of each kind.
func weatherApp(opts ...kervan.Option) *kervan.App {
	app, _ := newApp(append([]kervan.Option{kervan.WithTitle("Weather <demo>"), kervan.WithInstructions("Forecasts & more.")}, opts...)...)
	app.Add(
		kervan.Tool("forecast", "Forecasts the weather of a zone.", func(_ context.Context, in forecastIn) ([]forecastDay, error) {
			if in.Zone == "nowhere" {
				return nil, kervan.ToolErrorf("no zone %q; call zones for the names", in.Zone)
			}
			days := make([]forecastDay, in.Days)
			for i := range days {
				days[i] = forecastDay{Day: i + 1, High: 20.5 + float64(i)}
			}
			return days, nil
		}).ReadOnly().OpenWorld(true),
		tool("zones", func(context.Context) (string, error) { return "Ankara, <İzmir> & Van", nil }).Title("Zone names"),
		tool("station_id", func(context.Context) (int64, error) { return 9007199254740993, nil }),
		tool("broken", func(context.Context) (string, error) {
			return "", fmt.Errorf("reading the station: %w", errors.New(secret))
		}),
		tool("crashing", func(context.Context) (string, error) { panic(secret) }),
		tool("slow", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", nil }).Timeout(250*time.Millisecond),
		tool("drifting", func(context.Context) (map[string]any, error) { return map[string]any{"high": "warm"}, nil }).
			OutputSchema(rawJSON(`{"type":"object","properties":{"high":{"type":"number"}},"required":["high"]}`)),
		tool("admin", func(context.Context) (string, error) { return "secret", nil }).Scopes("weather:admin"),
	)
	return app
}

// transcript records an exchange under fake time in each era, and compares it
// with testdata/NAME.VERSION.txtar. Do sends one thing after the other.
func transcript(t *testing.T, name string, app func() *kervan.App, do func(t *testing.T, c *kerventest.Client, app *kervan.App), opts ...kerventest.Option) {
	t.Helper()
	inBubble(t, func(t *testing.T, era kerventest.Option) {
		a := app()
		c := kerventest.New(t, a, append([]kerventest.Option{era}, opts...)...)
		synctest.Wait()
		do(t, c, a)
		synctest.Wait()
		c.Golden("testdata/" + name + "." + path.Base(t.Name()) + ".txtar")
		wantAbsent(t, c.Exchange(), "hunter2", "\u2028")
	})
}

func TestGolden_List(t *testing.T) {
	transcript(t, "list", func() *kervan.App { return weatherApp() }, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) { c.Tools() })
}

func TestGolden_Calls(t *testing.T) {
	transcript(t, "calls", func() *kervan.App { return weatherApp() }, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) {
		c.Call("forecast", rawJSON(`{"zone":"Van","days":2.0}`))
		c.Call("forecast", rawJSON(`{"zone":"Van","days":1,"unit":null}`))
		c.Call("zones", nil)
		c.Call("station_id", nil)
	})
}

func TestGolden_Refused(t *testing.T) {
	transcript(t, "refused", func() *kervan.App { return weatherApp() }, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) {
		c.Call("forecast", nil)
		c.Call("forecast", rawJSON(`{"zoen":"Van","days":"two","unit":"kelvn"}`))
		c.Call("forecast", rawJSON(`{"zone":"Van","days":9007199254740993}`))
		c.Call("forecast", rawJSON(`["Van"]`))
		c.CallProtocolErr("forecast", rawJSON(`{"zone":"Van","zone":"Izmir"}`))
		c.Call("zones", rawJSON(`{"all":true}`))
		c.Call("admin", nil)
	})
}

func TestGolden_Errors(t *testing.T) {
	transcript(t, "errors", func() *kervan.App { return weatherApp() }, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) {
		c.Call("forecast", rawJSON(`{"zone":"nowhere"}`))
		c.Call("broken", nil)
		c.Call("crashing", nil)
		c.Call("slow", nil)
		c.Call("drifting", nil)
	})
}

func TestGolden_UnknownTool(t *testing.T) {
	transcript(t, "unknown", func() *kervan.App { return weatherApp() }, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) {
		c.CallProtocolErr("forecasts", nil)
		c.CallProtocolErr("xyzzy", nil)
		c.CallProtocolErr("", nil)
		c.CallProtocolErr("a\x1b[31m\u202e\u2028", nil)
		c.CallProtocolErr("Forecast", nil)
	})
}

func TestGolden_ListChanged(t *testing.T) {
	transcript(t, "changed", func() *kervan.App { a, _ := newApp(); return a }, func(t *testing.T, c *kerventest.Client, app *kervan.App) {
		c.Tools()
		must(t, app.AddTool(plain("first", "The first tool.")))
		c.WaitListChanged()
		c.Tools()
		must(t, app.ReplaceTool(plain("first", "The first tool."))) // is told to nobody
		settle()
		app.RemoveTool("first")
		c.WaitListChanged()
		c.Tools()
	})
}

func TestGolden_Interim(t *testing.T) {
	transcript(t, "interim", func() *kervan.App {
		app, _ := newApp()
		app.Add(confirming("order"))
		return app
	}, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) {
		c.Call("order", order{Item: "tea"})
	}, kerventest.WithClientOptions(answering))
}

func TestGolden_Progress(t *testing.T) {
	transcript(t, "progress", func() *kervan.App {
		app, _ := newApp()
		app.Add(tool("work", func(ctx context.Context) (string, error) {
			call := kervan.CallFromContext(ctx)
			call.Progress(0.5, 2, "half of <one>")
			call.Progress(0.5, 2, "not again")
			call.Progress(2, 2, "")
			return "done", nil
		}))
		return app
	}, func(_ *testing.T, c *kerventest.Client, _ *kervan.App) { c.Call("work", nil) })
}

// TestReplay sends the lines of each transcript as they are, which no client
// would, and compares the answers.
func TestReplay(t *testing.T) {
	for _, name := range []string{"garbage", "envelopes", "arguments", "ids", "legacy", "modern"} {
		t.Run(name, func(t *testing.T) {
			app := weatherApp()
			app.Add(
				tool("wait", func(context.Context) (string, error) { time.Sleep(time.Second); return "waited", nil }),
				tool("wait_longer", func(context.Context) (string, error) { time.Sleep(2 * time.Second); return "waited longer", nil }),
				raw("echo", `{"type":"object"}`),
			)
			kerventest.Replay(t, app, "testdata/replay."+name+".txtar")
		})
	}
}
