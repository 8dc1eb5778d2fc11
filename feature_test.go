package kervan_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

var maskedMethod = regexp.MustCompile(`^Internal error in [a-z/]+ \(ref: [0-9a-f]{8}\)$`)

// A feature is one way to reach user code outside of tools: add puts f behind
// it, and ask makes a client ask for it and returns the text that came.
type feature struct {
	name   string
	method string
	add    func(f func(context.Context) (string, error)) (kervan.Option, func(*kervan.App))
	ask    func(ctx context.Context, c *kerventest.Client) (string, error)
}

func features() []feature {
	reading := func(f func(context.Context) (string, error)) mcp.ResourceHandler {
		return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := f(ctx)
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: text}}}, nil
		}
	}
	read := func(uri string) func(context.Context, *kerventest.Client) (string, error) {
		return func(ctx context.Context, c *kerventest.Client) (string, error) {
			res, err := c.Session().ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				return "", err
			}
			return res.Contents[0].Text, nil
		}
	}
	type adder = func(f func(context.Context) (string, error)) (kervan.Option, func(*kervan.App))
	on := func(add func(app *kervan.App, f func(context.Context) (string, error))) adder {
		return func(f func(context.Context) (string, error)) (kervan.Option, func(*kervan.App)) {
			return kervan.WithTitle("features"), func(app *kervan.App) { add(app, f) }
		}
	}
	return []feature{
		{"prompt", "prompts/get", on(func(app *kervan.App, f func(context.Context) (string, error)) {
			app.Prompt(&mcp.Prompt{Name: "greet", Description: "Greets."}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text, err := f(ctx)
				if err != nil {
					return nil, err
				}
				return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: kervan.Text(text)}}}, nil
			})
		}), func(ctx context.Context, c *kerventest.Client) (string, error) {
			res, err := c.Session().GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
			if err != nil {
				return "", err
			}
			return res.Messages[0].Content.(*mcp.TextContent).Text, nil
		}},
		{"resource", "resources/read", on(func(app *kervan.App, f func(context.Context) (string, error)) {
			app.Resource(&mcp.Resource{URI: "file:///one", Name: "one"}, reading(f))
		}), read("file:///one")},
		{"template", "resources/read", on(func(app *kervan.App, f func(context.Context) (string, error)) {
			app.ResourceTemplate(&mcp.ResourceTemplate{URITemplate: "zone://{name}", Name: "zones"}, reading(f))
		}), read("zone://izmir")},
		{"completion", "completion/complete", func(f func(context.Context) (string, error)) (kervan.Option, func(*kervan.App)) {
			return kervan.WithServerOptions(func(o *mcp.ServerOptions) {
				o.CompletionHandler = func(ctx context.Context, _ *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
					text, err := f(ctx)
					if err != nil {
						return nil, err
					}
					return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{text}}}, nil
				}
			}), func(*kervan.App) {}
		}, func(ctx context.Context, c *kerventest.Client) (string, error) {
			res, err := c.Session().Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "a"}})
			if err != nil {
				return "", err
			}
			return res.Completion.Values[0], nil
		}},
	}
}

// eachFeature runs f for every feature and era, with an app whose feature runs
// handler.
func eachFeature(t *testing.T, handler func(context.Context) (string, error), f func(t *testing.T, kind feature, c *kerventest.Client, rec *recorder)) {
	t.Helper()
	for _, kind := range features() {
		t.Run(kind.name, func(t *testing.T) {
			option, add := kind.add(handler)
			app, rec := newApp(option)
			add(app)
			app.Add(plain("x", "d"))
			kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
				f(t, kind, c, rec)
				if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
					t.Errorf("the server works on: %q", got)
				}
			})
		})
	}
}

// wireError is the JSON-RPC error that a client got.
func wireError(t *testing.T, err error) *jsonrpc.Error {
	t.Helper()
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		t.Fatalf("want a JSON-RPC error, got %v", err)
	}
	return wire
}

func TestFeatures_Work(t *testing.T) {
	eachFeature(t, func(context.Context) (string, error) { return "<hello>", nil }, func(t *testing.T, kind feature, c *kerventest.Client, _ *recorder) {
		got, err := kind.ask(context.Background(), c)
		if err != nil || got != "<hello>" {
			t.Errorf("got %q %v", got, err)
		}
	})
}

func TestFeatures_AreListed(t *testing.T) {
	app, _ := newApp()
	handler := func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil }
	app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil })
	app.Resource(&mcp.Resource{URI: "file:///one", Name: "one"}, handler)
	app.ResourceTemplate(&mcp.ResourceTemplate{URITemplate: "zone://{name}", Name: "zones"}, handler)
	must(t, app.Err())
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx := context.Background()
		prompts, err1 := c.Session().ListPrompts(ctx, nil)
		resources, err2 := c.Session().ListResources(ctx, nil)
		templates, err3 := c.Session().ListResourceTemplates(ctx, nil)
		must(t, errors.Join(err1, err2, err3))
		if prompts.Prompts[0].Name != "greet" || resources.Resources[0].URI != "file:///one" || templates.ResourceTemplates[0].Name != "zones" {
			t.Errorf("%+v %+v %+v", prompts, resources, templates)
		}
	})
}

// TestRule1_12_FeaturesAreMasked: what a feature fails with is in the log, and
// a client sees a reference.
func TestRule1_12_FeaturesAreMasked(t *testing.T) {
	fails := map[string]func() (string, error){
		"error":            func() (string, error) { return "", errors.New(secret) },
		"wrapped error":    func() (string, error) { return "", fmt.Errorf("reading: %w", errors.New(secret)) },
		"panic":            func() (string, error) { panic(secret) },
		"panic error":      func() (string, error) { panic(errors.New(secret)) },
		"panic tool error": func() (string, error) { panic(kervan.ToolErrorf("%s", secret)) },
		"panic wire error": func() (string, error) { panic(&jsonrpc.Error{Code: 1, Message: secret}) },
		"abort":            func() (string, error) { panic(fmt.Errorf("%s: %w", secret, http.ErrAbortHandler)) },
		"Goexit":           func() (string, error) { runtime.Goexit(); return "", nil },
		"bad error":        func() (string, error) { return "", badError{} },
		"nil tool error":   func() (string, error) { var te *kervan.ToolError; return "", te },
		"another server's": func() (string, error) {
			return "", fmt.Errorf("calling \"tools/call\": %w", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: secret})
		},
		"nil wire error":    func() (string, error) { var we *jsonrpc.Error; return "", we },
		"tool error around": func() (string, error) { return "", kervan.ToolErrorf("no: %v", errors.New(secret)) },
	}
	for name, fail := range fails {
		t.Run(name, func(t *testing.T) {
			eachFeature(t, func(context.Context) (string, error) { return fail() }, func(t *testing.T, kind feature, c *kerventest.Client, rec *recorder) {
				_, err := kind.ask(context.Background(), c)
				wire := wireError(t, err)
				wantAbsent(t, c.Exchange(), "hunter2", ".go:", "goroutine")
				if name == "tool error around" {
					if wire.Message != "no: internal error" {
						t.Errorf("got %v", wire)
					}
					wantContains(t, rec.logs(), "hunter2") // the text of the argument goes to the log
					return
				}
				if wire.Code != jsonrpc.CodeInternalError || !maskedMethod.MatchString(wire.Message) || !strings.Contains(wire.Message, kind.method) {
					t.Errorf("got %v", wire)
				}
				wantContains(t, rec.logs(), "ref="+wire.Message[len(wire.Message)-9:len(wire.Message)-1])
				masked := eventsOf[kervan.MaskedEvent](rec)
				if len(masked) == 0 || masked[len(masked)-1].Tool != kind.method {
					t.Errorf("events %+v", masked)
				}
			})
		})
	}
}

// TestRule1_12a_FeatureErrors: what was made to be sent is sent, and nothing
// that is wrapped around it.
func TestRule1_12a_FeatureErrors(t *testing.T) {
	gone := mcp.ResourceNotFoundError("zone://izmir")
	tests := map[string]struct {
		err  error
		code int64
		text string
	}{
		"ToolError":            {kervan.ToolErrorf("no zone %q", "izmir"), jsonrpc.CodeInternalError, `no zone "izmir"`},
		"wrapped ToolError":    {fmt.Errorf("%s: %w", secret, kervan.ToolErrorf("gone")), jsonrpc.CodeInternalError, "gone"},
		"ToolError with cause": {kervan.ToolErrorf("gone").WithCause(errors.New(secret)), jsonrpc.CodeInternalError, "gone"},
		"not found":            {gone, mcp.CodeResourceNotFound, "Resource not found"},
		"wrapped not found":    {fmt.Errorf("%s: %w", secret, gone), mcp.CodeResourceNotFound, "Resource not found"},
		"invalid params":       {&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "who is missing"}, jsonrpc.CodeInvalidParams, "who is missing"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			eachFeature(t, func(context.Context) (string, error) { return "", tt.err }, func(t *testing.T, kind feature, c *kerventest.Client, rec *recorder) {
				_, err := kind.ask(context.Background(), c)
				if wire := wireError(t, err); wire.Code != tt.code || wire.Message != tt.text {
					t.Errorf("got %d %q, want %d %q", wire.Code, wire.Message, tt.code, tt.text)
				}
				wantAbsent(t, c.Exchange(), "hunter2")
				if name == "wrapped ToolError" || name == "ToolError with cause" {
					wantContains(t, rec.logs(), "hunter2") // what is kept from the client is for the log
				}
			})
		})
	}
}

// TestFeatures_Unknown: the SDK's own answers pass.
func TestFeatures_Unknown(t *testing.T) {
	app, _ := newApp()
	app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	app.Resource(&mcp.Resource{URI: "file:///one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
	})
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx := context.Background()
		_, err := c.Session().GetPrompt(ctx, &mcp.GetPromptParams{Name: "none"})
		if wire := wireError(t, err); wire.Code != jsonrpc.CodeInvalidParams || !strings.Contains(wire.Message, "none") {
			t.Error(wire)
		}
		_, err = c.Session().ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///none"})
		if wire := wireError(t, err); wire.Code != mcp.CodeResourceNotFound || !strings.Contains(string(wire.Data), "file:///none") {
			t.Error(wire)
		}
		_, err = c.Session().Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "who"}})
		if wire := wireError(t, err); wire.Code != jsonrpc.CodeMethodNotFound {
			t.Error(wire)
		}
	})
}

// TestRule1_11_FeatureDeadline: a feature that never returns is answered when
// the app's timeout has passed, and what it does later reaches nobody.
func TestRule1_11_FeatureDeadline(t *testing.T) {
	for _, kind := range features() {
		t.Run(kind.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, era kerventest.Option) {
				release := make(chan struct{})
				var cause error
				option, add := kind.add(func(ctx context.Context) (string, error) {
					<-ctx.Done()
					cause = context.Cause(ctx)
					<-release
					panic(secret)
				})
				app, _ := newApp(option, kervan.WithToolTimeout(7*time.Second))
				add(app)
				app.Add(plain("x", "d"))
				c := kerventest.New(t, app, era)
				start := time.Now()
				_, err := kind.ask(context.Background(), c)
				if wire := wireError(t, err); wire.Code != jsonrpc.CodeInternalError || wire.Message != kind.method+" timed out after 7000 ms." {
					t.Errorf("got %v", wire)
				}
				if d := time.Since(start); d != 7*time.Second {
					t.Errorf("answered after %v", d)
				}
				close(release)
				synctest.Wait()
				if cause == nil {
					t.Error("the handler was not told")
				}
				if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
					t.Error(got)
				}
				wantAbsent(t, c.Exchange(), "hunter2")
			})
		})
	}
}

// TestFeatures_Cancelled: a client that gives up cancels the handler.
func TestFeatures_Cancelled(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error)
	eachFeature(t, func(ctx context.Context) (string, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return "", errors.New(secret)
	}, func(t *testing.T, kind feature, c *kerventest.Client, _ *recorder) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { <-started; cancel() }()
		if _, err := kind.ask(ctx, c); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the handler saw %v", err)
		}
	})
}

// TestRule1_12_FeaturesOfNothing: a handler that returns neither a result nor
// an error is answered, and the server lives.
func TestRule1_12_FeaturesOfNothing(t *testing.T) {
	if !inChild(t) {
		return
	}
	app, _ := newApp(kervan.WithServerOptions(func(o *mcp.ServerOptions) {
		o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) { return nil, nil }
	}))
	app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil })
	app.Resource(&mcp.Resource{URI: "file:///one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil })
	app.Resource(&mcp.Resource{URI: "file:///two", Name: "two"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{nil}}, nil
	})
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
		defer cancel()
		asks := map[string]func() error{
			"prompt": func() error { _, err := c.Session().GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"}); return err },
			"resource": func() error {
				_, err := c.Session().ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///one"})
				return err
			},
			"contents": func() error {
				_, err := c.Session().ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///two"})
				return err
			},
			"completion": func() error {
				_, err := c.Session().Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "who"}})
				return err
			},
		}
		for name, ask := range asks {
			err := ask()
			var wire *jsonrpc.Error
			if !errors.As(err, &wire) || !maskedMethod.MatchString(wire.Message) {
				t.Errorf("%s: want a masked error, got %v", name, err)
			}
		}
	})
}

// TestFeatures_Unencodable: a result that does not marshal is answered, and a
// panic in its marshaling costs one request.
func TestFeatures_Unencodable(t *testing.T) {
	app, _ := newApp()
	app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Meta: mcp.Meta{"x": make(chan int)}}, nil
	})
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
		defer cancel()
		_, err := c.Session().GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || !maskedMethod.MatchString(wire.Message) {
			t.Errorf("want a masked error, got %v", err)
		}
	})
}

// TestRule1_12_PanicInFeatureResult: marshaling runs user code.
func TestRule1_12_PanicInFeatureResult(t *testing.T) {
	if !inChild(t) {
		return
	}
	app, _ := newApp()
	app.Prompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Meta: mcp.Meta{"x": brokenJSON{func() error { panic(secret) }}}}, nil
	})
	c := kerventest.New(t, app)
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	if _, err := c.Session().GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"}); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("want an error, got %v", err)
	}
	c.ToolNames()
}

// TestRule1_12_PanicInSubscribe: the subscription handler of a resource is
// reached by another method in each era.
func TestRule1_12_PanicInSubscribe(t *testing.T) {
	if !inChild(t) {
		return
	}
	app, _ := newApp(kervan.WithServerOptions(func(o *mcp.ServerOptions) {
		o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { panic(secret) }
		o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { panic(secret) }
	}))
	app.Resource(&mcp.Resource{URI: "file:///one", Name: "one"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, nil
	})
	app.Add(plain("x", "d"))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
		defer cancel()
		_ = c.Session().Subscribe(ctx, &mcp.SubscribeParams{URI: "file:///one"})
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
		_ = c.Session().Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "file:///one"})
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
		wantAbsent(t, c.Exchange(), "hunter2")
	})
}

// TestRule1_12_PanicInNotificationHandlers: what runs for a notification is
// user code as well, and nobody waits for it.
func TestRule1_12_PanicInNotificationHandlers(t *testing.T) {
	if !inChild(t) {
		return
	}
	app, _ := newApp(kervan.WithServerOptions(func(o *mcp.ServerOptions) {
		o.InitializedHandler = func(context.Context, *mcp.InitializedRequest) { panic(secret) }
		o.RootsListChangedHandler = func(context.Context, *mcp.RootsListChangedRequest) { panic(secret) }
		o.ProgressNotificationHandler = func(context.Context, *mcp.ProgressNotificationServerRequest) { panic(secret) }
	}))
	app.Add(plain("x", "d"))
	c := kerventest.New(t, app, kerventest.InEra(kerventest.Legacy))
	_ = c.Session().NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{ProgressToken: "t", Progress: 1})
	for range 3 {
		if got := kerventest.MustCall[string](c, "x", nil); got != "ok" {
			t.Error(got)
		}
	}
}

// TestFeatures_AddedLater: clients of both eras are told of what comes while
// they are connected, and can use it.
func TestFeatures_AddedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, era kerventest.Option) {
		app, _ := newApp()
		first := func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		}
		app.Prompt(&mcp.Prompt{Name: "one"}, first)
		told := 0
		c := kerventest.New(t, app, era, kerventest.WithClientOptions(func(o *mcp.ClientOptions) {
			o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { told++ }
		}))
		synctest.Wait()
		app.Prompt(&mcp.Prompt{Name: "two"}, first)
		settle()
		if told != 1 {
			t.Errorf("told %d times", told)
		}
		res, err := c.Session().ListPrompts(context.Background(), nil)
		must(t, err)
		if len(res.Prompts) != 2 {
			t.Errorf("%+v", res.Prompts)
		}
		_, err = c.Session().GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "two"})
		must(t, err)
	})
}

func TestRule1_2_FeatureDefinitions(t *testing.T) {
	prompt := func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil }
	read := func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return nil, nil }
	tests := map[string]func(app *kervan.App){
		"nil prompt":               func(app *kervan.App) { app.Prompt(nil, prompt) },
		"prompt without handler":   func(app *kervan.App) { app.Prompt(&mcp.Prompt{Name: "x"}, nil) },
		"prompt without name":      func(app *kervan.App) { app.Prompt(&mcp.Prompt{}, prompt) },
		"nil resource":             func(app *kervan.App) { app.Resource(nil, read) },
		"resource without handler": func(app *kervan.App) { app.Resource(&mcp.Resource{URI: "file:///x"}, nil) },
		"resource without URI":     func(app *kervan.App) { app.Resource(&mcp.Resource{Name: "x"}, read) },
		"relative URI":             func(app *kervan.App) { app.Resource(&mcp.Resource{URI: "x/y", Name: "x"}, read) },
		"no URI at all":            func(app *kervan.App) { app.Resource(&mcp.Resource{URI: "http://[::1", Name: "x"}, read) },
		"nil template":             func(app *kervan.App) { app.ResourceTemplate(nil, read) },
		"template without handler": func(app *kervan.App) { app.ResourceTemplate(&mcp.ResourceTemplate{URITemplate: "x://{a}"}, nil) },
		"template without URI":     func(app *kervan.App) { app.ResourceTemplate(&mcp.ResourceTemplate{Name: "x"}, read) },
		"broken template": func(app *kervan.App) {
			app.ResourceTemplate(&mcp.ResourceTemplate{URITemplate: "x://{a", Name: "x"}, read)
		},
	}
	for name, add := range tests {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp()
			add(app)
			var def *kervan.DefinitionError
			if !errors.As(app.Err(), &def) || def.Hint == "" {
				t.Fatalf("want a definition error with a hint, got %v", app.Err())
			}
			served, rec := newApp()
			c := serve(t, served)
			add(served)
			if served.Err() != nil || len(eventsOf[kervan.DefinitionEvent](rec)) != 1 {
				t.Errorf("after serving it is an event: %v", served.Err())
			}
			c.ToolNames()
		})
	}
}

// TestRule1_1_ServerOptionsThatFail: what the SDK refuses, and what panics, is
// an error of the start.
func TestRule1_1_ServerOptionsThatFail(t *testing.T) {
	for name, configure := range map[string]func(*mcp.ServerOptions){
		"panics": func(*mcp.ServerOptions) { panic("my option") },
		"refused": func(o *mcp.ServerOptions) {
			o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			app, _ := newApp(kervan.WithServerOptions(configure))
			app.Add(plain("x", "d"))
			failed := newFailure(t, app)
			wantContains(t, failed, "INVALID_APP_OPTIONS", "WithServerOptions")
		})
	}
	app, _ := newApp(kervan.WithServerOptions(func(o *mcp.ServerOptions) { o.Instructions += "more" }), kervan.WithInstructions("some "))
	kerventest.EachEra(t, app, func(t *testing.T, c *kerventest.Client) {
		if got := c.Session().InitializeResult().Instructions; got != "some more" {
			t.Errorf("configure runs after Kervan's own: %q", got)
		}
	})
}

// A failingT stands for a test that fails, which New must make of a bad app.
type failingT struct {
	testing.TB
	cleanups []func()
	text     string
}

func (f *failingT) Helper()          {}
func (f *failingT) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *failingT) Failed() bool     { return true }
func (f *failingT) Logf(string, ...any) {
}

func (f *failingT) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// newFailure connects to an app that cannot be served, and returns the text
// of the failure.
func newFailure(t *testing.T, app *kervan.App) string {
	t.Helper()
	f := &failingT{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		kerventest.New(f, app)
	}()
	<-done
	for _, c := range slices.Backward(f.cleanups) {
		c()
	}
	if f.text == "" {
		t.Error("the app was served")
	}
	return f.text
}
