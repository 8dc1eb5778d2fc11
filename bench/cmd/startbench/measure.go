package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// goal is how much of the TypeScript SDK's time Kervan may take with one tool.
const goal = 0.15

// A row is a program with its samples, one of each round.
type row struct {
	program program
	samples []sample
}

// measure starts the programs in turns, each round beginning with another one,
// after a round that does not count.
func measure(ctx context.Context, e work.Era, programs []program, rounds int) ([]*row, error) {
	rows := make([]*row, len(programs))
	for i, p := range programs {
		rows[i] = &row{program: p}
		if _, err := p.start(ctx, e); err != nil {
			return nil, err
		}
	}
	for round := range rounds {
		for i := range rows {
			r := rows[(round+i)%len(rows)]
			s, err := r.program.start(ctx, e)
			if err != nil {
				return nil, err
			}
			r.samples = append(r.samples, s)
		}
	}
	return rows, nil
}

// printTable prints what was measured. Ratios are taken within a round.
func printTable(w io.Writer, e work.Era, rows []*row) {
	fmt.Fprintf(w, "\nstart, %s, %d rounds\n", e, len(rows[0].samples))
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tabs, "\tms\tfirst row / this\t(lowest–highest)\tCPU ms\tfirst row / this\tgoal\tmet\t")
	wall := func(s sample) time.Duration { return s.wall }
	cpu := func(s sample) time.Duration { return s.cpu }
	for _, r := range rows {
		ratios := rows[0].against(r, wall)
		ratio, text, met := work.Median(ratios), "", ""
		if r.program.command[0] == "node" {
			text, met = fmt.Sprintf("≤ %g", goal), "no"
			if ratio <= goal {
				met = "yes"
			}
		}
		fmt.Fprintf(tabs, "%s\t%.1f\t%.3f\t(%.3f–%.3f)\t%.1f\t%.3f\t%s\t%s\t\n", r.program.name,
			r.median(wall), ratio, slices.Min(ratios), slices.Max(ratios), r.median(cpu), work.Median(rows[0].against(r, cpu)), text, met)
	}
	_ = tabs.Flush() // what cannot be printed is nobody's loss
}

// against returns a number of each round in units of that of another row.
func (r *row) against(other *row, number func(sample) time.Duration) []float64 {
	ratios := make([]float64, len(r.samples))
	for i, s := range r.samples {
		ratios[i] = float64(number(s)) / float64(number(other.samples[i]))
	}
	return ratios
}

// median returns the median of a number in milliseconds.
func (r *row) median(number func(sample) time.Duration) float64 {
	values := make([]float64, len(r.samples))
	for i, s := range r.samples {
		values[i] = float64(number(s)) / 1e6
	}
	return work.Median(values)
}
