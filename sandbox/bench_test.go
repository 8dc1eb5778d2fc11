package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/sandbox/internal/jmes"
)

const benchExpression = "items[?price > `5`].{id: id, n: name}[:10]"

var benchSizes = []int{1 << 10, 100 << 10, 1 << 20}

// BenchmarkSelect is a warm call. It differs from BenchmarkInProcess by what the
// process costs.
func BenchmarkSelect(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := New(Options{})
			defer func() { _ = p.Close() }()
			data := filled(b, size, record)
			ctx := within(b, maxCall)
			_, err := p.Select(ctx, benchExpression, data)
			require.NoError(b, err)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Select(ctx, benchExpression, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSelectParallel has more callers than processes.
func BenchmarkSelectParallel(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := New(Options{})
			defer func() { _ = p.Close() }()
			data := filled(b, size, record)
			ctx := within(b, maxCall)
			b.SetBytes(int64(size))
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := p.Select(ctx, benchExpression, data); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

func BenchmarkInProcess(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			data := filled(b, size, record)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var e jmes.Evaluator
			for b.Loop() {
				if _, err := e.Evaluate(benchExpression, data, maxOutputCeiling); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart is a cold call: the start of a process, and its end.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p := New(Options{})
		if _, err := p.Select(b.Context(), "@", []byte("1")); err != nil {
			b.Fatal(err)
		}
		_ = p.Close()
	}
}
