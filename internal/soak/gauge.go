package main

import (
	"os"
	"runtime"
	"time"
)

// A gauge is what a process holds.
type gauge struct {
	heap        uint64 // bytes, after collection
	goroutines  int
	descriptors int // -1: this system does not tell
}

// measure collects garbage and reads what is left. Pools need two collections to
// be empty, and what has a cleanup needs one more.
func measure() gauge {
	for range 4 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return gauge{m.HeapAlloc, runtime.NumGoroutine(), descriptors()}
}

// slack is how many goroutines and descriptors more or fewer do not matter.
const slack = 5

// settle waits until goroutines and descriptors are those of the start, and
// measures.
func settle(start gauge) gauge {
	eventually(func() bool {
		return runtime.NumGoroutine() <= start.goroutines+slack && descriptors() <= start.descriptors+slack
	})
	return measure()
}

func descriptors() int {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if entries, err := os.ReadDir(dir); err == nil {
			return len(entries)
		}
	}
	return -1
}
