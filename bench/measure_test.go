//go:build unix

package bench

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// cpuTime returns the processor time that the process has used, its own and the
// kernel's for it.
func cpuTime(tb testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// roundsFor returns how many rounds a test takes: BENCH_ROUNDS, otherwise three
// with -v and one without.
func roundsFor(t *testing.T) int {
	text := os.Getenv("BENCH_ROUNDS")
	switch {
	case text == "" && testing.Verbose():
		return 3
	case text == "":
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("BENCH_ROUNDS is %q; it must be a number of 1 or more", text)
	}
	return n
}

// A sample is what one operation cost.
type sample struct {
	cpu    float64 // nanoseconds
	allocs float64
	bytes  float64
}

// measure does the work n times, from a collected heap.
func measure(tb testing.TB, w *workload, n int) sample {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := cpuTime(tb)
	for range n {
		w.once(tb)
	}
	cpu := cpuTime(tb) - start
	runtime.ReadMemStats(&after)
	each := func(x uint64) float64 { return float64(x) / float64(n) }
	return sample{each(uint64(cpu)), each(after.Mallocs - before.Mallocs), each(after.TotalAlloc - before.TotalAlloc)}
}
