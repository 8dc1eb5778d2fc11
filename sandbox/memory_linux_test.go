package sandbox

import (
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// memorySlack is what a process may grow by without a reason, which is more with
// the race detector.
const memorySlack = 24 << 20

// memoryGrowth returns by how many bytes the largest size of this process exceeds
// the one it had before.
func memoryGrowth(t *testing.T, f func()) int64 {
	t.Helper()
	debug.FreeOSMemory()
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // forget the peak
	before := processMemory(t, "self", "VmRSS")
	f()
	return processMemory(t, "self", "VmHWM") - before
}

// processMemory returns a field of a process's status, in bytes.
func processMemory(t *testing.T, pid, field string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/" + pid + "/status")
	require.NoError(t, err)
	match := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, match)
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}
