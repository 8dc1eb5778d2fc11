package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

const (
	slowTimeout  = 10 * time.Millisecond // of the tools that time out
	stubbornTime = 40 * time.Millisecond // how long one goes on that takes no notice of it
	steps        = 3                     // of the tool that reports progress
	maxTotal     = 1000                  // the largest result that the tool total may have
)

// A server is the app and the address that it is served on.
type server struct {
	app   *kervan.App
	tally *tally
	addr  string
	stop  func()
	waits waits
}

// startServer serves the app with everything on that a user gets by default; the
// rate limit counts, but refuses nobody.
func startServer(ctx context.Context, t *tally) (*server, error) {
	s := &server{tally: t, app: kervan.NewApp("soak", "1.0.0", kervan.WithEvents(t.event), kervan.WithLogger(slog.New(slog.DiscardHandler)))}
	s.app.Add(s.tools()...)
	ctx, cancel := context.WithCancel(ctx)
	listening := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- transport.ServeHTTP(ctx, s.app,
			transport.Addr("127.0.0.1:0"), transport.OnListen(func(a net.Addr) { listening <- a }),
			transport.RateLimit(1_000_000_000), transport.WithSessions(transport.SessionOptions{}))
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	select {
	case addr := <-listening:
		s.addr = addr.String()
		return s, nil
	case err := <-ended:
		cancel()
		return nil, err
	}
}

type none struct{}

type addIn struct {
	A int `json:"a"`
	B int `json:"b"`
}

type addOut struct {
	Sum int `json:"sum"`
}

type totalIn struct {
	Items []item  `json:"items" jsonschema:"maxItems=50"`
	Note  *string `json:"note,omitempty"`
}

type item struct {
	Name     string `json:"name" jsonschema:"minLength=1"`
	Quantity int    `json:"quantity" jsonschema:"minimum=1"`
}

type totalOut struct {
	Total int    `json:"total" jsonschema:"maximum=1000"`
	Items []item `json:"items"`
}

type waitIn struct {
	Token string `json:"token"`
}

var errSecret = errors.New("a detail that no client may see")

// tools are one for each way that a call can end.
func (s *server) tools() []*kervan.ToolDef {
	return []*kervan.ToolDef{
		kervan.Tool("add", "Adds.", func(_ context.Context, in addIn) (addOut, error) {
			return addOut{in.A + in.B}, nil
		}),
		kervan.Tool("total", "Adds quantities up.", func(_ context.Context, in totalIn) (totalOut, error) {
			out := totalOut{Items: in.Items}
			for _, i := range in.Items {
				out.Total += i.Quantity
			}
			return out, nil
		}),
		kervan.Tool("steps", "Reports progress.", func(ctx context.Context, _ none) (string, error) {
			call := kervan.CallFromContext(ctx)
			for i := range steps {
				call.Progress(float64(i+1), steps, "a step")
			}
			return "done", nil
		}),
		kervan.Tool("fail", "Fails with a text for the client.", func(context.Context, none) (string, error) {
			return "", kervan.ToolErrorf("it is not possible today")
		}),
		kervan.Tool("break", "Fails with an error that is masked.", func(context.Context, none) (string, error) {
			return "", fmt.Errorf("breaking: %w", errSecret)
		}),
		kervan.Tool("crash", "Panics.", func(context.Context, none) (string, error) { panic(errSecret) }),
		kervan.Tool("slow", "Waits until its deadline.", func(ctx context.Context, _ none) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}).Timeout(slowTimeout),
		kervan.Tool("stubborn", "Goes on after its deadline.", func(context.Context, none) (string, error) {
			time.Sleep(stubbornTime)
			s.tally.wentOn.Add(1)
			return "late", nil
		}).Timeout(slowTimeout),
		kervan.Tool("wait", "Waits until it is cancelled.", func(ctx context.Context, in waitIn) (string, error) {
			w := s.waits.of(in.Token)
			close(w.begun)
			<-ctx.Done()
			close(w.cancelled)
			s.waits.forget(in.Token) // the client may not have waited
			return "", ctx.Err()
		}),
		flip(0),
	}
}

// flip is the tool that comes, goes, and is replaced.
func flip(version int) *kervan.ToolDef {
	return kervan.Tool("flip", fmt.Sprintf("Version %d.", version), func(context.Context, none) (addOut, error) {
		return addOut{version}, nil
	})
}

// waits joins the calls of the tool wait with the clients that cancel them.
type waits struct{ byToken sync.Map }

// A wait tells how far such a call is.
type wait struct {
	begun, cancelled chan struct{}
}

// of returns what belongs to a token, the same for both sides.
func (w *waits) of(token string) *wait {
	if there, ok := w.byToken.Load(token); ok {
		return there.(*wait)
	}
	there, _ := w.byToken.LoadOrStore(token, &wait{make(chan struct{}), make(chan struct{})})
	return there.(*wait)
}

func (w *waits) forget(token string) { w.byToken.Delete(token) }

// others is how many tools come and go besides flip.
const others = 20

func other(i int) string { return fmt.Sprintf("other-%d", i%others) }

// changes changes the tools until ctx ends: flip comes and goes, and others come
// up to a bound. Each change holds quiet.
func (s *server) changes(ctx context.Context, quiet sync.Locker) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		quiet.Lock()
		err := s.change(i)
		quiet.Unlock()
		if err != nil {
			s.tally.fail("change %d of the tools: %v", i, err)
		}
		s.tally.changed.Add(1)
	}
}

// change makes one of a row of changes.
func (s *server) change(i int) error {
	switch i % 6 {
	case 0:
		s.app.RemoveTool("flip")
		return nil
	case 3:
		if name := other(i / 6); !s.app.RemoveTool(name) {
			return s.app.AddTool(kervan.Tool(name, "Comes and goes.", func(context.Context, addIn) (addOut, error) { return addOut{}, nil }))
		}
		return nil
	case 5:
		return s.put(i - 1) // the list stays the same
	}
	return s.put(i)
}

// put makes a version of flip the one that is there.
func (s *server) put(version int) error {
	err := s.app.ReplaceTool(flip(version))
	if missing := new(kervan.DefinitionError); errors.As(err, &missing) && missing.Code == kervan.UnknownTool {
		return s.app.AddTool(flip(version))
	}
	return err
}

// reset leaves the tools that were there at the start, so that what a tool needs
// does not count as growth.
func (s *server) reset() error {
	for i := range others {
		s.app.RemoveTool(other(i))
	}
	return s.put(0)
}
