package kerventest_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"go.uber.org/goleak"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type exact struct {
	ID  int64 `json:"id"`
	Any any   `json:"any"`
}

func newApp() *kervan.App {
	app := kervan.NewApp("test", "1", kervan.WithLogger(slog.New(slog.DiscardHandler)))
	app.Add(
		kervan.Tool("exact", "Returns what it gets.", func(_ context.Context, in exact) (exact, error) { return in, nil }),
		kervan.Tool("list", "Lists.", func(context.Context, kervan.None) ([]int, error) { return []int{1, 2}, nil }),
		kervan.Tool("text", "Says who calls.", func(ctx context.Context, _ kervan.None) (string, error) {
			call := kervan.CallFromContext(ctx)
			call.Progress(1, 2, "half")
			if info := call.Auth(); info != nil {
				return "I see " + info.UserID, nil
			}
			return "I see nobody", nil
		}),
		kervan.Tool("fails", "Fails.", func(context.Context, kervan.None) (string, error) { return "", errors.New("hidden") }),
	)
	return app
}

var ways = map[string][]kerventest.Option{
	"memory": nil,
	"stdio":  {kerventest.OverStdio()},
	"http":   {kerventest.OverHTTP()},
	"socket": {kerventest.OverSocket()},
}

func TestEveryWayInEachEra(t *testing.T) {
	for name, opts := range ways {
		t.Run(name, func(t *testing.T) {
			app := newApp()
			started, ended := make(chan bool), make(chan bool)
			app.Add(kervan.Tool("waits", "Waits to be cancelled.", func(ctx context.Context, _ kervan.None) (string, error) {
				started <- true
				<-ctx.Done()
				ended <- true
				return "", ctx.Err()
			}))
			kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
				if names := strings.Join(c.ToolNames(), " "); names != "exact list text fails waits" {
					t.Error(names)
				}
				sent := json.RawMessage(`{"id":9007199254740993,"any":[12345678901234567890,1e40]}`)
				if got := c.Call("exact", sent); string(got.Structured) != string(sent) || got.Text != string(sent) {
					t.Errorf("sent %s, got %s", sent, got.Raw)
				}
				if got := kerventest.MustCall[exact](c, "exact", sent); got.ID != 9007199254740993 || got.Any.([]any)[0] != json.Number("12345678901234567890") {
					t.Errorf("got %+v", got)
				}
				if got := kerventest.MustCall[[]int](c, "list", nil); len(got) != 2 {
					t.Errorf("a list is read from under items: %v", got)
				}
				res := c.Call("text", nil)
				if res.Text != "I see nobody" || len(res.Progress) != 1 || res.Progress[0].Message != "half" {
					t.Errorf("%+v", res)
				}
				if text := c.CallErr("fails", nil); strings.Contains(text, "hidden") {
					t.Error(text)
				}
				if err := c.CallProtocolErr("unknown", nil); err.Code != -32602 {
					t.Error(err)
				}
				ctx, cancel := context.WithCancel(context.Background())
				go func() {
					<-started
					cancel()
				}()
				if _, err := c.CallContext(ctx, "waits", nil); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				<-ended
				for _, part := range []string{"client {", "server {", `"name":"exact"`, "9007199254740993"} {
					if !strings.Contains(c.Exchange(), part) {
						t.Errorf("%q is missing in the exchange", part)
					}
				}
			}, opts...)
		})
	}
}

func TestListChanged(t *testing.T) {
	for name, opts := range ways {
		t.Run(name, func(t *testing.T) {
			app := newApp()
			c := kerventest.New(t, app, opts...)
			app.RemoveTool("fails")
			c.WaitListChanged()
			if c.ListChanges() != 1 {
				t.Errorf("%d changes", c.ListChanges())
			}
		})
	}
}

func TestWithAuth(t *testing.T) {
	ada := kerventest.WithAuth(&auth.TokenInfo{UserID: "ada"})
	for name, opts := range ways {
		if name == "stdio" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			kerventest.EachEra(t, newApp(), func(t *testing.T, c *kerventest.Client) {
				if got := kerventest.MustCall[string](c, "text", nil); got != "I see ada" {
					t.Error(got)
				}
			}, append(opts, ada)...)
		})
	}
}

func TestOptionsOfTheHandler(t *testing.T) {
	prefix := transport.MaxBody(4096)
	c := kerventest.New(t, newApp(), kerventest.OverHTTP(prefix))
	if _, err := c.CallContext(context.Background(), "exact", exact{ID: 1, Any: strings.Repeat("x", 8192)}); err == nil {
		t.Error("the handler has the options it was given")
	}
}

func TestDecode(t *testing.T) {
	r := &kerventest.Result{}
	if err := r.Decode(new(int)); err == nil {
		t.Error("there is nothing to decode")
	}
	r.Structured = json.RawMessage(`{"value":7}`)
	var n int
	if err := r.Decode(&n); err != nil || n != 7 {
		t.Error(n, err)
	}
	var closed struct {
		Other int `json:"other"`
	}
	if err := r.Decode(&closed); err == nil {
		t.Error("an unknown member is an error")
	}
}
