package sandbox

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// The memory of a call grows with its data: a document is many times larger as a
// tree than as text. Small calls have a fixed bound, so that the runtime's own
// limit, which stops the world to change, changes with large ones only.
const (
	smallInput    = 1 << 20 // bytes of data
	smallMemory   = 160 << 20
	memoryPerByte = 80
	watchInterval = 4 * time.Millisecond
)

// maxData is what the system is asked to bound the memory of a process by, beyond
// the largest call's bound: the heap grows by whole arenas, and threads of C code
// have stacks of 8 MiB.
const maxData = smallMemory + memoryPerByte*maxInputCeiling + 256<<20

// memoryFor returns how much memory a process may use for so many bytes of data.
func memoryFor(data int) int64 {
	if data <= smallInput {
		return smallMemory
	}
	return smallMemory + memoryPerByte*int64(data)
}

// A watchdog ends the process when a call needs too much memory, or runs past its
// deadline because the parent, which would have ended it, is gone.
type watchdog struct {
	ticker   *time.Ticker
	deadline atomic.Int64 // on the clock of started
	memory   atomic.Int64
	started  time.Time
}

func newWatchdog() *watchdog {
	w := &watchdog{ticker: time.NewTicker(watchInterval), started: time.Now()}
	w.ticker.Stop()
	w.setMemory(smallMemory)
	go w.watch()
	return w
}

// begin watches a call.
func (w *watchdog) begin(data int, timeLeft time.Duration) {
	if memory := memoryFor(data); memory != w.memory.Load() {
		w.setMemory(memory)
	}
	w.deadline.Store(int64(time.Since(w.started) + timeLeft))
	w.ticker.Reset(watchInterval)
}

// end stops watching.
func (w *watchdog) end() { w.ticker.Stop() }

func (w *watchdog) setMemory(memory int64) {
	w.memory.Store(memory)
	// Close to the bound, the garbage collector works harder.
	debug.SetMemoryLimit(memory / 8 * 7)
}

func (w *watchdog) watch() {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range w.ticker.C {
		if int64(time.Since(w.started)) > w.deadline.Load() {
			exit(exitDeadline)
		}
		metrics.Read(samples)
		if used := samples[0].Value.Uint64() - samples[1].Value.Uint64(); int64(used) > w.memory.Load() {
			exit(exitMemory)
		}
	}
}
