// Package docs holds the guide. Its Go code stands in these test files, so it
// is compiled and run; TestDocumentedCode holds the pages to them.
package docs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/transport"
)

type forecastIn struct {
	City string `json:"city" jsonschema:"minLength=1,maxLength=80" jsonschema_description:"Name of the city"`
	Days int    `json:"days" jsonschema:"default=3,minimum=1,maximum=14"`
	Unit string `json:"unit,omitempty" jsonschema:"enum=celsius,enum=fahrenheit"`
}

type forecast struct {
	City string `json:"city"`
	Days []day  `json:"days"`
}

type day struct {
	Date time.Time `json:"date"`
	High float64   `json:"high"`
}

func getForecast(ctx context.Context, in forecastIn) (forecast, error) {
	if in.City == "Atlantis" {
		return forecast{}, kervan.ToolErrorf("there is no city %q; check the spelling", in.City)
	}
	return forecast{City: in.City}, nil
}

func newApp() *kervan.App {
	app := kervan.NewApp("weather", "1.0.0", kervan.WithInstructions("Forecasts for cities."))
	app.Add(kervan.Tool("get_forecast", "Daily highs for a city.", getForecast).ReadOnly().Timeout(5 * time.Second))
	app.Add(kervan.RawTool("legacy", "Echoes its arguments.",
		kervan.Schema(`{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`),
		func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			return kervan.ResultOf(kervan.Text(string(call.Arguments()))), nil
		}))
	app.Add(kervan.Tool("count", "Counts.", count))
	return app
}

type countIn struct {
	To int `json:"to" jsonschema:"maximum=10"`
}

func count(ctx context.Context, in countIn) (string, error) {
	call := kervan.CallFromContext(ctx)
	for i := range in.To {
		if err := ctx.Err(); err != nil {
			return "", err // the client cancelled, or the deadline passed
		}
		call.Progress(float64(i+1), float64(in.To), "counting")
	}
	call.Logger().Info("counted", "to", in.To)
	return "done", nil
}

func TestForecast(t *testing.T) {
	kerventest.EachEra(t, newApp(), func(t *testing.T, c *kerventest.Client) {
		got := kerventest.MustCall[forecast](c, "get_forecast", map[string]any{"city": "Izmir"})
		if got.City != "Izmir" {
			t.Errorf("got %+v", got)
		}
		if text := c.CallErr("get_forecast", map[string]any{"city": "Atlantis"}); !strings.Contains(text, "no city") {
			t.Error(text)
		}
	})
}

func TestTranscript(t *testing.T) {
	c := kerventest.New(t, newApp())
	c.Call("get_forecast", map[string]any{"city": "Izmir", "days": 2})
	c.Golden("testdata/forecast.txtar")
}

func TestToolsPage(t *testing.T) {
	c := kerventest.New(t, newApp())
	refused := `Input validation error: the arguments of "get_forecast" were refused (2 problems):
- /citty: unknown member; did you mean "city"?
- /city: required member is missing; it must be a string`
	if got := c.CallErr("get_forecast", map[string]any{"citty": "Izmir"}); !strings.HasPrefix(got, "Input validation error") || !sameLines(got, refused) {
		t.Errorf("the page shows\n%s\nthe client sees\n%s", refused, got)
	}
	if got := kerventest.MustCall[string](c, "legacy", map[string]any{"id": 7}); got != `{"id":7}` {
		t.Error(got)
	}
	res := c.Call("count", countIn{To: 3})
	if res.Text != "done" || len(res.Progress) != 3 {
		t.Errorf("%s %+v", res.Text, res.Progress)
	}
}

// sameLines compares texts whose lines may come in any order.
func sameLines(a, b string) bool {
	count := map[string]int{}
	for line := range strings.Lines(a) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(b) {
		count[strings.TrimSpace(line)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

type withdrawal struct {
	Account string `json:"account"`
	Amount  int64  `json:"amount"`
}

var errNoAccount = errors.New("row 17 of accounts is missing")

func loadBalance(_ context.Context, name string) (int64, error) {
	switch name {
	case "a":
		return 100, nil
	case "broken":
		return 0, errors.New("dial tcp 10.0.0.5: refused")
	}
	return 0, errNoAccount
}

func withdraw(ctx context.Context, in withdrawal) (kervan.None, error) {
	balance, err := loadBalance(ctx, in.Account)
	if errors.Is(err, errNoAccount) {
		return kervan.None{}, kervan.ToolErrorf("there is no account %q", in.Account).WithCause(err)
	}
	if err != nil {
		return kervan.None{}, err // masked
	}
	if balance < in.Amount {
		return kervan.None{}, kervan.ToolErrorf("the balance is %d; withdraw at most that", balance)
	}
	return kervan.None{}, nil
}

func TestErrorsPage(t *testing.T) {
	app := kervan.NewApp("bank", "1", kervan.WithLogger(discard))
	app.Add(kervan.Tool("withdraw", "Withdraws money.", withdraw))
	c := kerventest.New(t, app)
	for args, want := range map[withdrawal]string{
		{"x", 1}: `there is no account "x"`, {"a", 101}: "the balance is 100; withdraw at most that", {"broken", 1}: `Internal error in tool "withdraw" (ref: `,
	} {
		if got := c.CallErr("withdraw", args); !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %s", args, got)
		}
	}
	def := kervan.Tool("withdraw", "Withdraws more money.", withdraw)
	if err := addOrReplace(app, def); err != nil {
		t.Error(err)
	}
}

func addOrReplace(app *kervan.App, def *kervan.ToolDef) error {
	err := app.AddTool(def)
	if errors.Is(err, &kervan.DefinitionError{Code: kervan.DuplicateTool}) {
		return app.ReplaceTool(def.Clone())
	}
	return err
}

func TestReadmeHandler(t *testing.T) {
	handler, err := transport.NewHandler(newApp(), transport.AllowedHosts("tools.example.com"))
	if err != nil {
		t.Fatal(err)
	}
	if err := handler.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
