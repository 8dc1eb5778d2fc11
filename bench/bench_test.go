//go:build unix

package bench

import (
	"testing"

	"github.com/kervan-mcp/kervan/bench/internal/work"
)

// BenchmarkCall measures tools/call as scenario/era/peer.
func BenchmarkCall(b *testing.B) {
	benchmark(b, callAdd, callOrder, callMany)
}

// BenchmarkList measures tools/list, all pages of it, as tools/era/peer.
func BenchmarkList(b *testing.B) {
	benchmark(b, list200, list5000)
}

func benchmark(b *testing.B, scenarios ...scenario) {
	for _, s := range scenarios {
		b.Run(s.name, func(b *testing.B) {
			bed := newBed(s)
			for _, e := range work.Eras {
				b.Run(string(e), func(b *testing.B) {
					for _, p := range s.peers {
						b.Run(p.name, func(b *testing.B) { bed.workload(b, p, e).benchmark(b) })
					}
				})
			}
		})
	}
}

// benchmark reports the processor time of the whole process besides what the
// testing package reports.
func (w *workload) benchmark(b *testing.B) {
	b.ReportAllocs()
	w.once(b)
	start := cpuTime(b)
	for b.Loop() {
		w.once(b)
	}
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
}
