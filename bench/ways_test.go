//go:build linux

package bench

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/proc"
	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A way is one of the ways to do the same thing.
type way struct {
	name  string
	do    func() error
	costs []cost // of each round
}

// A cost is what doing it once took in a round, in microseconds.
type cost struct {
	wall     float64 // median
	cpu      float64 // mean, of this process and its children
	children float64 // the part of the children
}

// A contest compares ways.
type contest struct {
	title string
	calls int // a round
	ways  []*way
	goal  *goal // nil: none
	// without are child processes that do not count.
	without []int
}

// A goal says what the second way may cost, compared with the first.
type goal struct {
	text string
	met  func(ratio, added float64) bool // of wall time
}

func (g *goal) judge(wall comparison) string {
	if g.met(work.Median(wall.ratios), work.Median(wall.differences)) {
		return "yes"
	}
	return "no"
}

func atMostTimes(limit float64) *goal {
	return &goal{fmt.Sprintf("≤ %g times", limit), func(ratio, _ float64) bool { return ratio <= limit }}
}

func atMostAdded(micros float64) *goal {
	return &goal{fmt.Sprintf("≤ +%g µs", micros), func(_, added float64) bool { return added <= micros }}
}

// run measures the ways in turns, each round beginning with another one, and
// prints the table. Ratios and differences are taken within a round.
func (c contest) run(t *testing.T, rounds int) {
	for _, w := range c.ways {
		c.measure(t, w, max(1, c.calls/5)) // a warm-up
	}
	for round := range rounds {
		for i := range c.ways {
			w := c.ways[(round+i)%len(c.ways)]
			w.costs = append(w.costs, c.measure(t, w, c.calls))
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%s, %d rounds of %d\n", c.title, rounds, c.calls)
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\twall µs\tfirst row = 1\t(lowest–highest)\tadded µs\tCPU µs\tof children\tCPU, first row = 1\tgoal\tmet\t")
	for i, each := range c.ways {
		wall := each.compared(c.ways[0], func(c cost) float64 { return c.wall })
		cpu := each.compared(c.ways[0], func(c cost) float64 { return c.cpu })
		children := each.compared(c.ways[0], func(c cost) float64 { return c.children })
		text, met := "", ""
		if c.goal != nil && i > 0 {
			text, met = c.goal.text, c.goal.judge(wall)
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.2f\t(%.2f–%.2f)\t%.1f\t%.1f\t%.1f\t%.2f\t%s\t%s\t\n", each.name,
			work.Median(wall.values), work.Median(wall.ratios), slices.Min(wall.ratios), slices.Max(wall.ratios), work.Median(wall.differences),
			work.Median(cpu.values), work.Median(children.values), work.Median(cpu.ratios), text, met)
	}
	_ = w.Flush() // into memory
	t.Log(table.String())
}

// measure does it n times, from a collected heap.
func (c contest) measure(t *testing.T, w *way, n int) cost {
	t.Helper()
	runtime.GC()
	before, err := proc.ReadClock(os.Getpid(), c.without...)
	if err != nil {
		t.Fatal(err)
	}
	times := make([]float64, n)
	for i := range times {
		start := time.Now()
		if err := w.do(); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		times[i] = float64(time.Since(start)) / 1e3
	}
	after, err := proc.ReadClock(os.Getpid(), c.without...)
	if err != nil {
		t.Fatal(err)
	}
	own, children := after.Since(before)
	each := func(d time.Duration) float64 { return float64(d) / 1e3 / float64(n) }
	return cost{wall: work.Median(times), cpu: each(own + children), children: each(children)}
}

// A comparison is a number of each round, beside that of another way.
type comparison struct{ values, ratios, differences []float64 }

func (w *way) compared(base *way, number func(cost) float64) comparison {
	var c comparison
	for i, each := range w.costs {
		value, first := number(each), number(base.costs[i])
		c.values = append(c.values, value)
		c.ratios = append(c.ratios, value/first)
		c.differences = append(c.differences, value-first)
	}
	return c
}
