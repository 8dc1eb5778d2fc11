//go:build !race

package sandbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a large call needed is given back after it.
func TestRule8_7_MemoryOfALargeCallIsGivenBack(t *testing.T) {
	p := newTestPool(t, Options{Children: 1})
	_, err := p.Select(within(t, 60*time.Second), "@", filled(t, maxInputCeiling, `{"x":1}`))
	require.NoError(t, err)
	pid := mustSelect(t, p, "attack:pid", "")
	assert.Less(t, processMemory(t, pid, "VmRSS"), int64(100<<20))
	assert.Greater(t, processMemory(t, pid, "VmHWM"), int64(200<<20))
}
