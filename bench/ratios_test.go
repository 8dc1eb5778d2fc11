//go:build unix

package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A row is one line of a table: a server and its samples, one of each round.
type row struct {
	name    string
	work    *workload
	samples []sample
}

// TestRatios measures the peers in turns, round by round, and prints what they
// cost compared with Kervan; -v shows the tables. It asserts that every answer
// is right, and nothing about time. BENCH_ROUNDS sets the number of rounds,
// otherwise there are three with -v and one without.
func TestRatios(t *testing.T) {
	rounds := roundsFor(t)
	for _, s := range []scenario{callAdd, callOrder, list200, list5000} {
		bed := newBed(s)
		for _, e := range work.Eras {
			t.Run(s.title()+"/"+string(e), func(t *testing.T) {
				var rows []*row
				for _, p := range s.peers {
					rows = append(rows, &row{name: p.name, work: bed.workload(t, p, e)})
				}
				rows = append(rows, &row{name: "(harness)", work: rows[0].work.replayed(t)})
				compare(t, rows, rounds, s.calls)
			})
		}
	}
	few, many := newBed(callAdd), newBed(callMany)
	for _, e := range work.Eras {
		t.Run(callMany.title()+"/"+string(e), func(t *testing.T) {
			compare(t, []*row{
				{name: "kervan, 1 tool", work: few.workload(t, kervanPeer, e)},
				{name: "kervan, 5,000 tools", work: many.workload(t, kervanPeer, e)},
			}, rounds, callMany.calls)
		})
	}
}

// compare measures the rows in turns, each round beginning with another one, and
// prints the table. The first row is the one that the ratios refer to.
func compare(t *testing.T, rows []*row, rounds, calls int) {
	for _, r := range rows {
		measure(t, r.work, max(1, calls/5))
	}
	for round := range rounds {
		for i := range rows {
			r := rows[(round+i)%len(rows)]
			r.samples = append(r.samples, measure(t, r.work, calls))
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d rounds of %d\n", rounds, calls)
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tCPU µs\tallocs\tKiB\tCPU, first row = 1\t(lowest–highest)\tfirst row / this\t")
	base := rows[0]
	for _, r := range rows {
		ratios := make([]float64, rounds)
		for i, s := range r.samples {
			ratios[i] = s.cpu / base.samples[i].cpu
		}
		ratio := work.Median(ratios)
		fmt.Fprintf(w, "%s\t%.1f\t%.0f\t%.1f\t%.2f\t(%.2f–%.2f)\t%.3f\t\n", r.name,
			r.median(func(s sample) float64 { return s.cpu })/1e3,
			r.median(func(s sample) float64 { return s.allocs }),
			r.median(func(s sample) float64 { return s.bytes })/1024,
			ratio, slices.Min(ratios), slices.Max(ratios), 1/ratio)
	}
	_ = w.Flush() // into memory
	t.Log(table.String())
}

func (r *row) median(of func(sample) float64) float64 {
	values := make([]float64, len(r.samples))
	for i, s := range r.samples {
		values[i] = of(s)
	}
	return work.Median(values)
}
