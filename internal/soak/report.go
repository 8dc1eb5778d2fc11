package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/kervan-mcp/kervan"
)

// maxGrowth is how many times its size at 30 % the heap may have at the end.
const maxGrowth = 1.1

// A report judges a run.
type report struct {
	config
	took                   time.Duration
	tally                  *tally
	start, warm, end, left gauge
	listeners              []*listener
	announced              bool // the last change

	dropped, begun int64 // calls that were given up at once, and those of them that began
	conditions     []condition
}

// A condition is something that has to hold.
type condition struct {
	what, found string
	holds       bool
}

func (r *report) ok() bool {
	for _, c := range r.conditions {
		if !c.holds {
			return false
		}
	}
	return true
}

func (r *report) add(holds bool, what, format string, args ...any) {
	r.conditions = append(r.conditions, condition{what, fmt.Sprintf(format, args...), holds})
}

// judge compares what was counted.
func (r *report) judge() {
	t := r.tally
	r.dropped, r.begun = t.drops()
	t.ended[indexOf(outcomes, kervan.OutcomeCancelled)].Add(r.begun)
	sent, ended, seen := sum(t.sent)-(r.dropped-r.begun), sum(t.ended), sum(t.seen)+t.strange.Load()
	r.add(sum(t.sent) == int64(r.calls) && sent == ended && sent == seen, "calls that began = answered or cancelled = events", "%d, %d, %d", sent, ended, seen)
	same := true
	for i := range outcomes {
		same = same && t.ended[i].Load() == t.seen[i].Load()
	}
	r.add(same, "the same for each outcome", "see above")
	without, several := r.perCall()
	r.add(without == 0 && several == 0, "each numbered call has one event", "%d have none, %d several", without, several)
	masked := t.seen[indexOf(outcomes, kervan.OutcomeMasked)].Load()
	r.add(t.masked.Load() == masked, "masked events", "%d of %d", t.masked.Load(), masked)
	goesOn := t.sent[indexOf(kinds, stubborn)].Load()
	r.add(t.late.Load() <= goesOn && t.wentOn.Load() <= goesOn, "late events at most the calls that go on", "%d, and %d handlers, of %d", t.late.Load(), t.wentOn.Load(), goesOn)
	r.add(t.failures == 0, "answers that are not as they should be", "%d", t.failures)
	r.add(r.announced, "every listener is told of the last change", "%v", r.announced)
	growth := float64(r.end.heap) / float64(r.warm.heap)
	r.add(growth <= maxGrowth || r.anyHeap, fmt.Sprintf("heap at the end at most %g times that at 30 %%", maxGrowth), "%.3f", growth)
	goroutines := r.left.goroutines - r.start.goroutines
	r.add(goroutines >= -slack && goroutines <= slack, "goroutines left are those of the start ± 5", "%+d", goroutines)
	descriptors := r.left.descriptors - r.start.descriptors
	r.add(descriptors >= -slack && descriptors <= slack, "descriptors left are those of the start ± 5", "%+d", descriptors)
}

// perCall counts the calls that do not have exactly one event. The SDK numbers
// its calls itself, so they have none.
func (r *report) perCall() (without, several int) {
	for i := range r.tally.perCall {
		switch n := r.tally.perCall[i].Load(); {
		case n == 0 && !r.tally.dropped[i].Load():
			without++
		case n > 1:
			several++
		}
	}
	return without - 1 - int(r.tally.sdk.Load()), several // there is no call 0
}

// print writes the tables and the conditions.
func (r *report) print(out io.Writer) {
	t := r.tally
	fmt.Fprintf(out, "%d calls by %d clients in %.1f s, %d of them by the SDK's client in %d sessions; %d lists; %d changes of the tools, %d announced\n\n",
		sum(t.sent), r.clients, r.took.Seconds(), t.sdk.Load(), t.reconnect.Load(), t.lists.Load(), t.changed.Load(), t.told.Load())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tsent")
	for i, k := range kinds {
		fmt.Fprintf(w, "%s\t%d\n", k.name, t.sent[i].Load())
	}
	fmt.Fprintf(w, "of the last, begun\t%d\n", r.begun)
	fmt.Fprintln(w, "\noutcome\tanswers\tevents")
	for i, o := range outcomes {
		mark := ""
		if t.ended[i].Load() != t.seen[i].Load() {
			mark = "\tDIFFERS"
		}
		fmt.Fprintf(w, "%s\t%d\t%d%s\n", o, t.ended[i].Load(), t.seen[i].Load(), mark)
	}
	fmt.Fprintln(w, "\nlistener\ttold")
	for _, l := range r.listeners {
		fmt.Fprintf(w, "%s\t%d\n", l.name, l.times.Load())
	}
	fmt.Fprintln(w, "\nwhen\theap KiB\tgoroutines\tdescriptors")
	for _, each := range []struct {
		when string
		gauge
	}{{"start", r.start}, {"30 %", r.warm}, {"end", r.end}, {"clients gone", r.left}} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", each.when, each.heap/1024, each.goroutines, each.descriptors)
	}
	fmt.Fprintln(w, "\ncondition\tfound\t")
	for _, c := range r.conditions {
		verdict := "ok"
		if !c.holds {
			verdict = "FAILED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.what, c.found, verdict)
	}
	_ = w.Flush() // what cannot be printed is nobody's loss
	t.printProblems(out)
}

func (t *tally) printProblems(out io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.problems {
		fmt.Fprintln(out, "problem:", p)
	}
}
