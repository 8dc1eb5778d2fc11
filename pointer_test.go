package kervan_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

func TestRule1_10_PointersAreAsWhatTheyPointTo(t *testing.T) {
	app, _ := newApp()
	app.Add(
		tool("text", func(context.Context) (*string, error) { s := "hello"; return &s, nil }),
		tool("none", func(context.Context) (*kervan.None, error) { return &kervan.None{}, nil }),
		tool("nil_text", func(context.Context) (*string, error) { return nil, nil }),
		tool("nil_none", func(context.Context) (*kervan.None, error) { return nil, nil }),
	)
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		for _, listed := range c.Tools() {
			if listed.OutputSchema != nil {
				t.Errorf("%s has an output schema", listed.Name)
			}
		}
		if res := c.Call("text", nil); res.Text != "hello" || res.Structured != nil {
			t.Errorf("%s", res.Raw)
		}
		if res := c.Call("none", nil); res.IsError || len(res.Content) != 0 || res.Structured != nil {
			t.Errorf("%s", res.Raw)
		}
		for _, name := range []string{"nil_text", "nil_none"} {
			if text := c.CallErr(name, nil); !maskedText.MatchString(text) {
				t.Errorf("%s: %s", name, text)
			}
		}
	})
}

// A panicky handler cannot log.
type panicky struct{ slog.Handler }

func (panicky) Handle(context.Context, slog.Record) error { panic(secret) }

func TestRule1_12_PanickingLogHandler(t *testing.T) {
	app := kervan.NewApp("test", "1", kervan.WithLogger(slog.New(panicky{slog.DiscardHandler})))
	app.Add(tool("fails", func(ctx context.Context) (string, error) {
		kervan.CallFromContext(ctx).Logger().Error("this panics")
		panic(secret)
	}))
	c := kerventest.New(t, app)
	if text := c.CallErr("fails", nil); !maskedText.MatchString(text) {
		t.Error(text)
	}
}

func (panicky) Enabled(context.Context, slog.Level) bool { return true }
