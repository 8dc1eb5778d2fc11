// Command soak serves an app over loopback and sends it very many calls that
// succeed, are refused, fail, panic, time out, and are given up by their clients,
// while its tools change. It fails if a call is lost or counted twice, or if
// memory, goroutines or descriptors grow.
//
//	go run ./internal/soak                # 200,000 calls
//	go run ./internal/soak -calls 20000   # as CI runs it
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := config{}
	flag.IntVar(&c.calls, "calls", 200_000, "`number` of calls")
	flag.IntVar(&c.clients, "clients", 16, "`number` of clients that call at the same time")
	flag.Uint64Var(&c.seed, "seed", 1, "of the order of the calls")
	limit := flag.Duration("limit", 5*time.Minute, "the longest that it may take")
	heap := flag.String("heapprofile", "", "write a profile of the heap at the end to `file`")
	flag.Parse()
	if c.calls < 1000 || c.clients < 4 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "soak: at least 1,000 calls and 4 clients, and no arguments")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, *limit, fmt.Errorf("it takes longer than %v", *limit))
	defer cancel()
	if *heap != "" {
		c.profileHeap = func() error { return writeHeap(*heap) }
	}
	ok, err := run(ctx, os.Stdout, c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func writeHeap(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return pprof.Lookup("heap").WriteTo(f, 0)
}

// config says what to do.
type config struct {
	calls, clients int
	seed           uint64
	profileHeap    func() error // at the end
	// anyHeap leaves the size of the heap unjudged, for runs too short for it.
	anyHeap bool
}

// The heap is compared with what it was after this share of the calls.
const warmShare = 0.3

// run does all of it and reports whether every condition holds.
func run(ctx context.Context, out io.Writer, c config) (ok bool, err error) {
	began := time.Now()
	s, err := newSoak(ctx, c)
	if err != nil {
		return false, err
	}
	defer s.server.stop()
	defer func() {
		if err != nil {
			s.tally.printProblems(out)
		}
	}()
	start := measure()

	stop, err := s.background(ctx)
	if err != nil {
		return false, err
	}
	defer stop()
	if err := s.callUntil(ctx, int64(warmShare*float64(c.calls))); err != nil {
		return false, err
	}
	warm, err := s.weigh()
	if err != nil {
		return false, err
	}
	if err := s.callUntil(ctx, int64(c.calls)); err != nil {
		return false, err
	}
	end, err := s.weigh()
	if err != nil {
		return false, err
	}
	if c.profileHeap != nil {
		if err := c.profileHeap(); err != nil {
			return false, err
		}
	}
	announced := s.lastChange(ctx)
	stop()
	left := settle(start)
	r := &report{
		config: c, took: time.Since(began), tally: s.tally, start: start, warm: warm, end: end, left: left,
		listeners: s.listeners, announced: announced,
	}
	r.judge()
	r.print(out)
	if !r.ok() && left.goroutines > start.goroutines+slack {
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	return r.ok(), nil
}
