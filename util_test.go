package kervan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// A recorder keeps what an app logs and emits.
type recorder struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	events []kervan.Event
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *recorder) logs() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

func (r *recorder) add(e kervan.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// eventsOf returns the recorded events of one type.
func eventsOf[E kervan.Event](r *recorder) []E {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []E
	for _, e := range r.events {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// newApp makes an app whose log and events are recorded.
func newApp(opts ...kervan.Option) (*kervan.App, *recorder) {
	r := &recorder{}
	opts = append([]kervan.Option{
		kervan.WithLogger(slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		kervan.WithEvents(r.add),
	}, opts...)
	return kervan.NewApp("test", "0.0.1", opts...), r
}

// serve adds tools and connects a client in the new era.
func serve(t *testing.T, app *kervan.App, defs ...*kervan.ToolDef) *kerventest.Client {
	t.Helper()
	app.Add(defs...)
	return kerventest.New(t, app)
}

// raw makes a tool that returns its arguments as text.
func raw(name, schema string) *kervan.ToolDef {
	return kervan.RawTool(name, "Echoes its arguments.", kervan.Schema(schema), echo)
}

func echo(_ context.Context, call *kervan.Call) (*kervan.Result, error) {
	return kervan.ResultOf(kervan.Text(string(call.Arguments()))), nil
}

// tool makes a typed tool without arguments.
func tool[Out any](name string, f func(context.Context) (Out, error)) *kervan.ToolDef {
	return kervan.Tool(name, "A tool of a test.", func(ctx context.Context, _ kervan.None) (Out, error) { return f(ctx) })
}

func wantContains(t *testing.T, s string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(s, part) {
			t.Errorf("%q is missing in:\n%s", part, s)
		}
	}
}

func wantAbsent(t *testing.T, s string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(s, part) {
			t.Errorf("%q must not be in:\n%s", part, s)
		}
	}
}

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }
