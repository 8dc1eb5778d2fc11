package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kervan-mcp/kervan"
)

// A soak is the server, its clients, and what both counted.
type soak struct {
	config
	server    *server
	tally     *tally
	begun     atomic.Int64 // calls
	listeners []*listener
	quiet     sync.RWMutex // locked for reading by what changes in the background
}

func newSoak(ctx context.Context, c config) (*soak, error) {
	s := &soak{config: c, tally: newTally(c.calls)}
	var err error
	if s.server, err = startServer(context.WithoutCancel(ctx), s.tally); err != nil {
		return nil, err
	}
	return s, nil
}

// weigh measures what the process holds while nothing but the listeners is there.
func (s *soak) weigh() (gauge, error) {
	s.quiet.Lock()
	defer s.quiet.Unlock()
	if err := s.server.reset(); err != nil {
		return gauge{}, err
	}
	time.Sleep(300 * time.Millisecond) // for the announcement
	return measure(), nil
}

// A caller makes calls, one at a time.
type caller interface {
	call(ctx context.Context, number int64, k *kind, r *rand.Rand) error
	close()
}

// callUntil lets the clients work until so many calls were made, and until each
// of them was counted.
func (s *soak) callUntil(ctx context.Context, calls int64) error {
	var group sync.WaitGroup
	for i := range s.clients {
		group.Go(func() { s.work(ctx, i, calls) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.begun.Load() > calls { // each client took one too many
		s.begun.Store(calls)
	}
	dropped, _ := s.tally.drops()
	eventually(func() bool { return sum(s.tally.seen) >= calls-dropped })
	time.Sleep(200 * time.Millisecond) // for those of the dropped ones that began
	s.server.waits.byToken.Clear()     // of those that did not
	return nil
}

// work is one client: two of them are the SDK's, one for each era.
func (s *soak) work(ctx context.Context, i int, calls int64) {
	r := rand.New(rand.NewPCG(s.seed, uint64(i)+uint64(calls)<<8)) // another order in each phase
	var c caller
	switch i {
	case 0:
		c = &sdkCaller{soak: s, era: modern}
	case 1:
		c = &sdkCaller{soak: s, era: legacy}
	default:
		c = &rawCaller{soak: s}
	}
	defer c.close()
	for ctx.Err() == nil {
		number := s.begun.Add(1)
		if number > calls {
			return
		}
		k := pick(r)
		if _, sdk := c.(*sdkCaller); sdk && k.drop {
			k = cancelled // it cannot give up at once
		}
		s.tally.sent[indexOf(kinds, k)].Add(1)
		if err := c.call(ctx, number, k, r); err != nil {
			s.tally.fail("%s: %v", k.name, err)
		}
	}
}

// A rawCaller writes its requests itself, in both eras in turns over one
// connection.
type rawCaller struct {
	*soak
	conn *conn
}

func (c *rawCaller) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

func (c *rawCaller) call(ctx context.Context, number int64, k *kind, r *rand.Rand) error {
	era := [...]string{modern, legacy}[number%2]
	if number%100 == 0 {
		if err := c.list(era); err != nil {
			return err
		}
	}
	if k.cancel {
		return c.cancel(ctx, era, number, k)
	}
	id, arguments := idOf(number), k.arguments(r)
	token := k.progress || number%4 < 2 // either with both eras
	var a answer
	before, err := c.ask(era, "tools/call", k.tool, message(era, id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, k.tool, arguments), token), &a)
	if err != nil {
		return err
	}
	a.progress = before
	if string(a.ID) != strconv.Quote(id) {
		return fmt.Errorf("%s was answered with the id %s", id, a.ID)
	}
	if k.progress && a.progress != steps {
		return fmt.Errorf("%d reports of progress, not %d", a.progress, steps)
	}
	return c.judge(k, arguments, &a)
}

func idOf(number int64) string { return idPrefix + strconv.FormatInt(number, 10) }

// judge counts an answer and checks it.
func (s *soak) judge(k *kind, arguments string, a *answer) error {
	if err := s.tally.end(k, a.outcome()); err != nil {
		return fmt.Errorf("%w: %s %+v", err, a.text(), a.Error)
	}
	if k.check == nil {
		return nil
	}
	return k.check(arguments, a)
}

// ask sends a request over the connection, which it opens if need be.
func (c *rawCaller) ask(era, method, name, message string, into any) (before int, err error) {
	if c.conn == nil {
		if c.conn, err = dial(c.server.addr); err != nil {
			return 0, err
		}
	}
	if err := c.conn.send(era, method, name, message); err != nil {
		c.close()
		return 0, err
	}
	before, closing, err := c.conn.receive(into)
	if closing {
		c.close()
	}
	return before, err
}

// list asks for the tools.
func (c *rawCaller) list(era string) error {
	var l struct {
		Result *struct{ Tools []struct{ Name string } }
	}
	if _, err := c.ask(era, "tools/list", "", message(era, "list", "tools/list", "", false), &l); err != nil {
		return err
	}
	if l.Result == nil || len(l.Result.Tools) < len(kinds)-5 {
		return fmt.Errorf("a list is %+v", l.Result)
	}
	c.tally.lists.Add(1)
	return nil
}

// cancel makes a call on a connection of its own, which it closes while the
// handler runs, or at once.
func (c *rawCaller) cancel(ctx context.Context, era string, number int64, k *kind) error {
	id := idOf(number)
	w := c.server.waits.of(id)
	if !k.drop { // its handler may begin later
		defer c.server.waits.forget(id)
	}
	conn, err := dial(c.server.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.send(era, "tools/call", k.tool, message(era, id, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{"token":%q}`, k.tool, id), false)); err != nil {
		return err
	}
	if k.drop {
		c.tally.dropped[number].Store(true)
		return nil
	}
	if err := await(ctx, w.begun, "the handler does not begin"); err != nil {
		return err
	}
	_ = conn.Close()
	return c.confirm(ctx, k, w)
}

// confirm counts a call that its client has cancelled, once the handler knows.
func (s *soak) confirm(ctx context.Context, k *kind, w *wait) error {
	if err := await(ctx, w.cancelled, "the handler is not cancelled"); err != nil {
		return err
	}
	s.tally.noticed.Add(1)
	return s.tally.end(k, kervan.OutcomeCancelled)
}

func await(ctx context.Context, c <-chan struct{}, otherwise string) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c:
		return nil
	case <-timer.C:
		return fmt.Errorf("%s within %v", otherwise, patience)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// eventually waits until a condition holds, for a while.
func eventually(holds func() bool) bool {
	end := time.Now().Add(patience / 3)
	for !holds() {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}
