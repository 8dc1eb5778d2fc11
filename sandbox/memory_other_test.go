//go:build !linux

package sandbox

import (
	"runtime/metrics"
	"testing"
)

const memorySlack = 24 << 20

// memoryGrowth returns by how many bytes the runtime's memory has grown.
func memoryGrowth(t *testing.T, f func()) int64 {
	t.Helper()
	before := runtimeMemory()
	f()
	return runtimeMemory() - before
}

func runtimeMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}
