//go:build upstreams

// These tests need a Prometheus on 127.0.0.1:9090 that watches itself;
// .ci/upstreams starts one.
package prometheus_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/guard"
	"github.com/kervan-mcp/kervan/kerventest"
	"github.com/kervan-mcp/kervan/spec"
)

func newApp(t *testing.T) *kervan.App {
	t.Helper()
	s, err := spec.LoadFile(t.Context(), "kervan.yaml", spec.Options{Network: guard.Policy{AllowPrivate: true}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	app := kervan.NewApp(s.Name(), s.Version())
	app.Add(s.Tools()...)
	return app
}

func TestPrometheus(t *testing.T) {
	kerventest.EachEra(t, newApp(t), func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, []string{"query", "query_range", "list_metrics", "list_targets"}, c.ToolNames())

		type sample struct {
			Metric map[string]string `json:"metric"`
			Value  [2]any            `json:"value"`
		}
		type vector struct {
			ResultType string   `json:"resultType"`
			Result     []sample `json:"result"`
		}
		up := kerventest.MustCall[vector](c, "query", map[string]any{"query": `up{job="prometheus"}`})
		require.Equal(t, "vector", up.ResultType)
		require.Len(t, up.Result, 1)
		assert.Equal(t, "127.0.0.1:9090", up.Result[0].Metric["instance"])
		assert.Equal(t, "1", up.Result[0].Value[1])

		// Text that has a meaning in URLs and forms arrives as it is.
		odd := kerventest.MustCall[vector](c, "query", map[string]any{"query": `label_replace(vector(1), "q", "a&b=c+d %20#/é", "", "")`})
		require.Len(t, odd.Result, 1)
		assert.Equal(t, "a&b=c+d %20#/é", odd.Result[0].Metric["q"])

		type series struct {
			Series []struct {
				Labels  map[string]string `json:"labels"`
				Samples [][2]any          `json:"samples"`
			} `json:"series"`
		}
		end := time.Now().Unix()
		ranged := kerventest.MustCall[series](c, "query_range", map[string]any{
			"query": `vector(7) + 0`, "start": strconv.FormatInt(end-60, 10), "end": strconv.FormatInt(end, 10), "step": "30s",
		})
		require.Len(t, ranged.Series, 1)
		assert.Len(t, ranged.Series[0].Samples, 3)

		type names struct {
			Names []string `json:"names"`
		}
		some := kerventest.MustCall[names](c, "list_metrics", map[string]any{"match": []string{`up{job="prometheus"}`, "go_info"}})
		assert.Equal(t, []string{"go_info", "up"}, some.Names)
		assert.Greater(t, len(kerventest.MustCall[names](c, "list_metrics", nil).Names), 100)

		type targets struct {
			Targets []map[string]string `json:"targets"`
		}
		assert.Equal(t, []map[string]string{{"job": "prometheus", "instance": "127.0.0.1:9090", "health": "up", "lastError": ""}},
			kerventest.MustCall[targets](c, "list_targets", nil).Targets)
	})
}

// TestRefused: an error of the API is named by its status, and its text,
// which may hold anything, stays inside.
func TestRefused(t *testing.T) {
	kerventest.EachEra(t, newApp(t), func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, "Upstream returned 400 Bad Request.", c.CallErr("query", map[string]any{"query": "up {"}))
		assert.Contains(t, c.CallErr("query", map[string]any{"qeury": "up"}), "query")
	})
}

// TestOrder: the members stand in the order in which the select writes them.
func TestOrder(t *testing.T) {
	kerventest.EachEra(t, newApp(t), func(t *testing.T, c *kerventest.Client) {
		text := c.Call("list_targets", nil).Text
		assert.Regexp(t, `^\{"targets":\[\{"job":"prometheus","instance":"127.0.0.1:9090","health":"up","lastError":""\}`, text)
		assert.True(t, json.Valid([]byte(text)))
	})
}
