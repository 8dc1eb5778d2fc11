package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kervan-mcp/kervan/kerventest"
)

func TestCalculator(t *testing.T) {
	kerventest.EachEra(t, newApp(), func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, []string{"add", "divide"}, c.ToolNames())

		assert.Equal(t, 2.5, kerventest.MustCall[float64](c, "add", operands{A: 2, B: 0.5}))
		assert.Equal(t, 0.25, kerventest.MustCall[float64](c, "divide", operands{A: 1, B: 4}))

		assert.Equal(t, "b is zero; divide by another number", c.CallErr("divide", operands{A: 1}))
		assert.Contains(t, c.CallErr("divide", map[string]any{"a": "one", "b": 4}), "/a")
	})
}
