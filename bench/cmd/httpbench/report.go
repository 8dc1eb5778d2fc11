package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// A report is what is written as JSON.
type report struct {
	Began     time.Time         `json:"began"`
	Go        string            `json:"go"`
	Cores     int               `json:"cores"`
	Pinned    bool              `json:"pinned"`
	Versions  map[string]string `json:"versions"` // of the peers
	Scenarios []*table          `json:"scenarios"`
}

// A table is the outcome of a scenario. Times are in microseconds of processor
// time of the server for a unit of work; a unit is a call, or a whole list.
type table struct {
	Name    string   `json:"name"`
	Era     work.Era `json:"era"`
	Clients int      `json:"clients"`
	Rounds  int      `json:"rounds"`
	Rows    []line   `json:"servers"`
	// Within says whether the ratio of the second server is as near to 1 as the
	// scenario demands.
	Within *bool `json:"within,omitempty"`

	title string
	limit float64
}

// A line is a server's row.
type line struct {
	Name      string    `json:"name"`
	Units     int       `json:"units_per_round"`
	CPU       spread    `json:"cpu_us"`
	Children  float64   `json:"children_cpu_us,omitempty"` // the part of CPU that child processes used
	Ratio     spread    `json:"ratio"`                     // to the first server
	Inverse   spread    `json:"inverse"`                   // the first server to this one
	Goal      float64   `json:"goal,omitempty"`
	PerSecond float64   `json:"units_per_second"`
	P50       float64   `json:"p50_us"`
	P99       float64   `json:"p99_us"`
	Samples   []float64 `json:"cpu_us_by_round"`
}

// A spread is the median of the rounds and their bounds.
type spread struct {
	Median  float64 `json:"median"`
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
}

func spreadOf(values []float64) spread {
	return spread{work.Median(values), slices.Min(values), slices.Max(values)}
}

// newTable sums the rows of a scenario up. A ratio is taken within a round.
func newTable(s scenario, rows []*row) *table {
	t := &table{Name: s.name, Era: s.era, Clients: s.clients, title: s.title(), limit: s.within, Rounds: len(rows[0].samples)}
	base := rows[0].of(sample.micros)
	for _, r := range rows {
		l := line{Name: r.server.name, Units: r.units, Samples: r.of(sample.micros), Goal: s.goals[r.server.kind]}
		ratios, inverses := make([]float64, t.Rounds), make([]float64, t.Rounds)
		for i, cpu := range l.Samples {
			ratios[i], inverses[i] = cpu/base[i], base[i]/cpu
		}
		l.CPU, l.Ratio, l.Inverse = spreadOf(l.Samples), spreadOf(ratios), spreadOf(inverses)
		l.Children = work.Median(r.of(func(s sample) float64 { return micros(s.children) }))
		l.PerSecond = work.Median(r.of(func(s sample) float64 { return s.perSecond }))
		l.P50 = work.Median(r.of(func(s sample) float64 { return micros(s.p50) }))
		l.P99 = work.Median(r.of(func(s sample) float64 { return micros(s.p99) }))
		t.Rows = append(t.Rows, l)
	}
	if s.within > 0 {
		ok := math.Abs(t.Rows[1].Ratio.Median-1) <= s.within
		t.Within = &ok
	}
	return t
}

func (s sample) micros() float64 { return micros(s.cpu) }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// of returns a number of each sample.
func (r *row) of(number func(sample) float64) []float64 {
	values := make([]float64, len(r.samples))
	for i, s := range r.samples {
		values[i] = number(s)
	}
	return values
}

// print writes the table for people.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s, %d rounds\n", t.title, t.Rounds)
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tabs, "\tCPU µs\tfirst row = 1\t(lowest–highest)\tfirst row / this\tgoal\tmet\t/s\tp50 µs\tp99 µs\t\n")
	for _, l := range t.Rows {
		goal, met := "", ""
		if l.Goal > 0 {
			goal, met = fmt.Sprintf("≤ %g", l.Goal), "yes"
			if l.Inverse.Median > l.Goal {
				met = "no"
			}
		}
		fmt.Fprintf(tabs, "%s\t%.1f\t%.2f\t(%.2f–%.2f)\t%.3f\t%s\t%s\t%.0f\t%.0f\t%.0f\t\n", l.Name,
			l.CPU.Median, l.Ratio.Median, l.Ratio.Lowest, l.Ratio.Highest, l.Inverse.Median, goal, met, l.PerSecond, l.P50, l.P99)
	}
	_ = tabs.Flush() // what cannot be printed is nobody's loss
	for _, l := range t.Rows {
		if l.Children > 0 {
			fmt.Fprintf(w, "%s: %.1f of its CPU µs are those of child processes\n", l.Name, l.Children)
		}
	}
	if t.Within == nil {
		return
	}
	verdict := "within"
	if !*t.Within {
		verdict = "NOT within"
	}
	r := t.Rows[1].Ratio
	fmt.Fprintf(w, "%s / %s = %.3f (%.3f–%.3f): %s %.0f %%\n", t.Rows[1].Name, t.Rows[0].Name, r.Median, r.Lowest, r.Highest, verdict, 100*t.limit)
}

// write writes the report to a file.
func (r *report) write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
