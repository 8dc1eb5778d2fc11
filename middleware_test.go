package kervan_test

//lint:file-ignore SA5000 the panic is what is tested

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

// trace makes middleware that writes its name when a call goes in and out.
func trace(log *[]string, name string) kervan.Middleware {
	return func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			*log = append(*log, name+">")
			defer func() { *log = append(*log, "<"+name) }()
			return next(ctx, call)
		}
	}
}

func TestRule2_1_Order(t *testing.T) {
	var log []string
	app, _ := newApp()
	app.Use(trace(&log, "a"), trace(&log, "b"))
	c := serve(t, app, tool("x", func(context.Context) (string, error) { log = append(log, "handler"); return "ok", nil }).
		Use(trace(&log, "c")).Use(trace(&log, "d")))
	c.Call("x", nil)
	if got := strings.Join(log, " "); got != "a> b> c> d> handler <d <c <b <a" {
		t.Error(got)
	}
	log = nil
	app.Use(trace(&log, "e")) // after a client connected
	c.Call("x", nil)
	if got := strings.Join(log, " "); got != "a> b> e> c> d> handler <d <c <e <b <a" {
		t.Error(got)
	}
}

func TestRule2_1_ComposedOnce(t *testing.T) {
	var built, ran atomic.Int64
	app, _ := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		built.Add(1)
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			ran.Add(1)
			return next(ctx, call)
		}
	})
	c := serve(t, app, kervan.Tool("x", "d", ok))
	for range 5 {
		c.Call("x", nil)
	}
	app.Add(kervan.Tool("y", "d", ok)) // another tool does not rebuild the chain
	c.Call("x", nil)
	if built.Load() != 1 || ran.Load() != 6 {
		t.Errorf("built %d times, ran %d times", built.Load(), ran.Load())
	}
}

func TestRule1_2_NilAppMiddleware(t *testing.T) {
	app, _ := newApp()
	app.Use(nil)
	if !errors.Is(app.Err(), &kervan.DefinitionError{Code: kervan.InvalidMiddleware}) {
		t.Error(app.Err())
	}
}

type pair struct {
	Name   string `json:"name"`
	Secret string `json:"secret"`
}

func TestRule2_2_Contract(t *testing.T) {
	plain := errors.New("plain " + secret)
	mine := kervan.ToolErrorf("mine")
	var handlerRuns atomic.Int64
	counted := func(out pair, err error) *kervan.ToolDef {
		return tool("x", func(context.Context) (pair, error) { handlerRuns.Add(1); return out, err })
	}
	type handler = func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error)
	tests := map[string]struct {
		def   *kervan.ToolDef
		run   handler
		text  string // of the answer; "masked" for a masked error
		runs  int64
		log   string
		isErr bool
	}{
		"next returns the error unchanged": {counted(pair{}, plain), func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			if _, err := next(ctx, call); err != plain {
				return nil, fmt.Errorf("got %v", err)
			}
			return nil, mine
		}, "mine", 1, "", true},
		"short circuit": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) {
			return &kervan.Result{StructuredContent: pair{"cached", ""}}, nil
		}, `{"name":"cached","secret":""}`, 0, "", false},
		"short circuit without structured content": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) {
			return kervan.ResultOf(kervan.Text("hello")), nil
		}, "Output validation error", 0, "declares", true},
		"error result without structured content": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) {
			r := kervan.ResultOf(kervan.Text("no"))
			r.IsError, r.StructuredContent = true, pair{}
			return r, nil
		}, "no", 0, "", true},
		"nothing": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) { return nil, nil },
			"masked", 0, "app middleware 1 of 1", true},
		"ToolError": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) { return nil, mine },
			"mine", 0, "", true},
		"other error": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) { return nil, plain },
			"masked", 0, "hunter2", true},
		"panic": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) { panic(secret) },
			"masked", 0, "middleware_test.go", true},
		"error into result": {counted(pair{}, plain), func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			if _, err := next(ctx, call); err == nil {
				return nil, errors.New("want an error")
			}
			return &kervan.Result{StructuredContent: pair{"fallback", ""}}, nil
		}, `{"name":"fallback","secret":""}`, 1, "", false},
		"result changed": {counted(pair{"n", secret}, nil), func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			res, err := next(ctx, call)
			if err != nil {
				return nil, err
			}
			out := res.StructuredContent.(pair)
			out.Secret = "***"
			res.StructuredContent = out
			return res, nil
		}, `{"name":"n","secret":"***"}`, 1, "", false},
		"next twice": {counted(pair{"n", ""}, nil), func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			res, err := next(ctx, call)
			_, _ = next(ctx, call)
			return res, err
		}, "masked", 1, "called next twice", true},
		"next twice at once": {counted(pair{"n", ""}, nil), func(next kervan.Handler, ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { _, _ = next(ctx, call) })
			}
			wg.Wait()
			return &kervan.Result{StructuredContent: pair{}}, nil
		}, "masked", 1, "called next twice", true},
		"next without a call": {counted(pair{}, nil), func(next kervan.Handler, ctx context.Context, _ *kervan.Call) (*kervan.Result, error) {
			return next(ctx, &kervan.Call{})
		}, "masked", 0, "without the call", true},
		"output breaks the schema": {counted(pair{}, nil), func(kervan.Handler, context.Context, *kervan.Call) (*kervan.Result, error) {
			return &kervan.Result{StructuredContent: map[string]any{"name": 5}}, nil
		}, "Output validation error", 0, "/name", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			handlerRuns.Store(0)
			app, rec := newApp()
			app.Use(func(next kervan.Handler) kervan.Handler {
				return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) { return tt.run(next, ctx, call) }
			})
			c := serve(t, app, tt.def)
			res := c.Call("x", nil)
			if tt.text == "masked" {
				if !maskedText.MatchString(res.Text) {
					t.Errorf("want a masked error, got %q", res.Text)
				}
			} else {
				wantContains(t, res.Text, tt.text)
			}
			if res.IsError != tt.isErr {
				t.Errorf("isError is %v", res.IsError)
			}
			if res.IsError && res.Structured != nil {
				t.Error("errors carry no structured content")
			}
			if !res.IsError && string(res.Structured) != res.Text {
				t.Errorf("text and structured content differ: %s", res.Raw)
			}
			if handlerRuns.Load() != tt.runs {
				t.Errorf("the handler ran %d times", handlerRuns.Load())
			}
			wantContains(t, rec.logs(), tt.log)
			wantAbsent(t, c.Exchange(), "hunter2")
		})
	}
}

func TestRule2_2_PanicsReachTheOuterMiddlewareAsErrors(t *testing.T) {
	for name, crash := range map[string]func(){
		"panic": func() { panic(secret) }, "Goexit": runtime.Goexit, "nil map": func() { var m map[int]int; m[1] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp()
			var seen [2]error
			for i := range seen {
				app.Use(func(next kervan.Handler) kervan.Handler {
					return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
						_, err := next(ctx, call)
						seen[i] = err
						return kervan.ResultOf(kervan.Text("saved")), nil
					}
				})
			}
			inner := func(kervan.Handler) kervan.Handler {
				return func(context.Context, *kervan.Call) (*kervan.Result, error) { crash(); return nil, nil }
			}
			c := serve(t, app, kervan.Tool("x", "d", ok).Use(inner))
			if got := kerventest.MustCall[string](c, "x", nil); got != "saved" {
				t.Error(got)
			}
			if seen[1] == nil || seen[0] != nil {
				t.Errorf("the middleware saw %v", seen)
			}
		})
	}
}

func TestRule2_2_RedactingMiddlewareDoesNotLeakThroughText(t *testing.T) {
	app, _ := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			res, err := next(ctx, call)
			if err == nil {
				out := res.StructuredContent.(pair)
				out.Secret = "***"
				res.StructuredContent = out
			}
			return res, err
		}
	})
	app.Add(tool("x", func(context.Context) (pair, error) { return pair{"n", "hunter2"}, nil }))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		res := c.Call("x", nil)
		want := `{"name":"n","secret":"***"}`
		if res.Text != want || string(res.Structured) != want {
			t.Errorf("%s", res.Raw)
		}
		wantAbsent(t, c.Exchange(), "hunter2")
	})
}

func TestRule2_2_ArgumentsAreACopy(t *testing.T) {
	app, _ := newApp()
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			args := call.Arguments()
			for i := range args {
				args[i] = 'x'
			}
			return next(ctx, call)
		}
	})
	c := serve(t, app, raw("open", `{"type":"object"}`))
	if got := kerventest.MustCall[string](c, "open", rawJSON(`{"a":1}`)); got != `{"a":1}` {
		t.Error(got)
	}
}

func TestRule2_2_BrokenConstructors(t *testing.T) {
	for name, m := range map[string]kervan.Middleware{
		"nil handler": func(kervan.Handler) kervan.Handler { return nil },
		"panic":       func(kervan.Handler) kervan.Handler { panic(secret) },
		"Goexit":      func(kervan.Handler) kervan.Handler { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp()
			c := serve(t, app, kervan.Tool("x", "d", ok).Use(m))
			if text := c.CallErr("x", nil); !maskedText.MatchString(text) {
				t.Error(text)
			}
		})
	}
}

func TestRule2_1_UseWhileCallsRun(t *testing.T) {
	app, _ := newApp()
	entered, release := make(chan struct{}), make(chan struct{})
	c := serve(t, app, tool("x", func(context.Context) (string, error) {
		entered <- struct{}{}
		<-release
		return "ok", nil
	}))
	var wrapped atomic.Int64
	done := make(chan string)
	go func() {
		res, err := c.CallContext(context.Background(), "x", nil)
		if err != nil {
			done <- err.Error()
			return
		}
		done <- res.Text
	}()
	<-entered
	app.Use(func(next kervan.Handler) kervan.Handler {
		return func(ctx context.Context, call *kervan.Call) (*kervan.Result, error) {
			wrapped.Add(1)
			return next(ctx, call)
		}
	})
	close(release)
	if got := <-done; got != "ok" || wrapped.Load() != 0 {
		t.Errorf("%s, wrapped %d", got, wrapped.Load())
	}
	go func() { <-entered }()
	c.Call("x", nil)
	if wrapped.Load() != 1 {
		t.Errorf("the next call is wrapped: %d", wrapped.Load())
	}
}
