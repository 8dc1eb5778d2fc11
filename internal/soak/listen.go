package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kervan-mcp/kervan"
)

// A listener is told of changes while the calls go on.
type listener struct {
	name  string
	times atomic.Int64 // that it was told
}

// rawListeners is how many streams are read as they are.
const rawListeners = 4

// background starts what goes on beside the calls: the tools change, and clients
// listen. The returned function ends it.
func (s *soak) background(ctx context.Context) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
	for i := range rawListeners {
		l := &listener{name: fmt.Sprintf("stream %d", i+1)}
		s.listeners = append(s.listeners, l)
		ready := make(chan error, 1)
		group.Go(func() { s.listen(ctx, l, ready) })
		if err := <-ready; err != nil {
			stop()
			return nil, err
		}
	}
	for _, era := range []string{modern, legacy} {
		l := &listener{name: "SDK client, " + era}
		s.listeners = append(s.listeners, l)
		session, transport, err := s.connectSDK(ctx, era, &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { l.times.Add(1) },
		})
		if err != nil {
			stop()
			return nil, err
		}
		group.Go(func() {
			<-ctx.Done()
			_ = session.Close()
			transport.CloseIdleConnections()
		})
	}
	group.Go(func() { s.reopen(ctx) })
	group.Go(func() { s.server.changes(ctx, s.quiet.RLocker()) })
	return stop, nil
}

// listen reads one stream until ctx ends.
func (s *soak) listen(ctx context.Context, l *listener, ready chan<- error) {
	err := s.stream(ctx, func() { ready <- nil }, func() { l.times.Add(1) })
	if ctx.Err() == nil {
		s.tally.fail("%s: %v", l.name, err)
	}
	select {
	case ready <- err:
	default:
	}
}

// reopen opens a stream and closes it again, over and over.
func (s *soak) reopen(ctx context.Context) {
	for ctx.Err() == nil {
		s.quiet.RLock()
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		if err := s.stream(short, func() {}, func() {}); short.Err() == nil {
			s.tally.fail("a stream that is opened again: %v", err)
		}
		cancel()
		s.quiet.RUnlock()
	}
}

// stream opens a stream of changes and reads it until ctx ends.
func (s *soak) stream(ctx context.Context, opened, told func()) error {
	c, err := dial(s.server.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.send(modern, "subscriptions/listen", "", message(modern, "listen", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, false)); err != nil {
		return err
	}
	_ = c.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	lines := bufio.NewScanner(c.in)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, "notifications/subscriptions/acknowledged"):
			opened()
		case strings.Contains(line, "notifications/tools/list_changed"):
			told()
		}
	}
	return fmt.Errorf("the stream ended: %v", lines.Err())
}

// lastChange changes the tools once more and reports whether every listener is
// told of it.
func (s *soak) lastChange(ctx context.Context) bool {
	before := make([]int64, len(s.listeners))
	for i, l := range s.listeners {
		before[i] = l.times.Load()
	}
	name := fmt.Sprintf("last-%d", s.begun.Load())
	if err := s.server.app.AddTool(kervan.Tool(name, "The last change.", func(context.Context, none) (string, error) { return "", nil })); err != nil {
		return false
	}
	return eventually(func() bool {
		for i, l := range s.listeners {
			if l.times.Load() == before[i] {
				return false
			}
		}
		return true
	})
}
