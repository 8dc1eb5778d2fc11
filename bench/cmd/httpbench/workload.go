package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A workload is a scenario with one server, checked and ready to be repeated.
// One unit of it is all of its requests: a call, or each page of a list.
type workload struct {
	url      *url.URL
	clients  int
	requests []request
	lengths  []int // of the answers' bodies
}

// newWorkload checks what a server answers.
func newWorkload(ctx context.Context, address string, s scenario) (*workload, error) {
	w := &workload{clients: s.clients}
	var err error
	if w.url, err = url.Parse(address); err != nil {
		return nil, err
	}
	c, err := dial(ctx, w.url)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if s.call != nil {
		return w, w.checkCall(c, s.era, s.call)
	}
	return w, w.checkList(c, s.era, s.listed)
}

// checkCall makes the call and checks its answer. Then it checks that wrong
// arguments are refused.
func (w *workload) checkCall(c *conn, e work.Era, call *work.Call) error {
	r := newRequest(w.url, e, "tools/call", call.Tool.Name, call.Request(e))
	answer, length, err := c.ask(r)
	if err != nil {
		return err
	}
	if err := call.Check(answer); err != nil {
		return err
	}
	w.requests, w.lengths = []request{r}, []int{length}
	answer, _, err = c.ask(newRequest(w.url, e, "tools/call", call.Tool.Name, call.BrokenRequest(e)))
	if err != nil {
		return err
	}
	return work.CheckRefused(answer)
}

// checkList walks through the pages and checks that together they have n tools.
func (w *workload) checkList(c *conn, e work.Era, n int) error {
	var list work.List
	for cursor := ""; ; {
		r := newRequest(w.url, e, "tools/list", "", work.ListRequest(e, cursor))
		answer, length, err := c.ask(r)
		if err != nil {
			return err
		}
		next, err := list.Page(answer)
		if err != nil {
			return err
		}
		w.requests, w.lengths = append(w.requests, r), append(w.lengths, length)
		if cursor = next; cursor == "" {
			break
		}
	}
	if list.Len() != n {
		return fmt.Errorf("%d tools are listed, not %d", list.Len(), n)
	}
	return nil
}

// A crowd is clients that do a workload at the same time, each over a connection
// of its own.
type crowd struct {
	work  *workload
	conns []*conn
}

// connect gathers the clients. Each does the work once, so that its connection is
// one that was used before.
func (w *workload) connect(ctx context.Context) (*crowd, error) {
	c := &crowd{work: w}
	for range w.clients {
		conn, err := dial(ctx, w.url)
		if err != nil {
			c.close()
			return nil, err
		}
		c.conns = append(c.conns, conn)
	}
	if _, err := c.do(times(w.clients)); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *crowd) close() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// A pass is what doing a workload took, as the clients see it.
type pass struct {
	units int
	wall  time.Duration
	times []time.Duration // of the units, sorted
}

// do does the work until enough says so, which is asked before each unit. An
// answer that has not the length of the one that was checked is an error.
func (c *crowd) do(enough func() bool) (pass, error) {
	var (
		group  sync.WaitGroup
		failed atomic.Pointer[error]
		times  = make([][]time.Duration, len(c.conns))
		start  = time.Now()
	)
	for i, conn := range c.conns {
		group.Go(func() {
			requests := make([]request, len(c.work.requests))
			for j, r := range c.work.requests {
				requests[j] = r.copied()
			}
			_ = conn.SetDeadline(time.Now().Add(5 * responseTime))
			for failed.Load() == nil && !enough() {
				begun := time.Now()
				if err := c.work.unit(conn, requests); err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				times[i] = append(times[i], time.Since(begun))
			}
		})
	}
	group.Wait()
	p := pass{wall: time.Since(start), times: slices.Concat(times...)}
	if err := failed.Load(); err != nil {
		return p, *err
	}
	slices.Sort(p.times)
	p.units = len(p.times)
	return p, nil
}

// unit does the work once on a connection.
func (w *workload) unit(c *conn, requests []request) error {
	for i, r := range requests {
		n, err := c.exchange(r)
		if err != nil {
			return err
		}
		if n != w.lengths[i] {
			return fmt.Errorf("%d bytes were answered, %d expected", n, w.lengths[i])
		}
	}
	return nil
}

// times lets a pass end after n units.
func times(n int) func() bool {
	var left atomic.Int64
	left.Store(int64(n))
	return func() bool { return left.Add(-1) < 0 }
}

// until lets a pass end after a while, and after one unit for each client.
func until(d time.Duration, clients int) func() bool {
	end := time.Now().Add(d)
	var begun atomic.Int64
	return func() bool { return begun.Add(1) > int64(clients) && time.Now().After(end) }
}

// quantile returns the time that a share of the units took at most.
func (p pass) quantile(share float64) time.Duration {
	return p.times[min(len(p.times)-1, int(share*float64(len(p.times))))]
}
