package main

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/kerventest"
)

type args = map[string]any

// eachEra runs a test in both eras, at demoNow and without a log.
func eachEra(t *testing.T, test func(t *testing.T, c *kerventest.Client)) {
	t.Helper()
	app := newApp(func() time.Time { return demoNow }, kervan.WithLogger(slog.New(slog.DiscardHandler)))
	stop, err := addSun(t.Context(), app)
	require.NoError(t, err)
	t.Cleanup(stop)
	kerventest.EachEra(t, app, test)
}

func TestToolNames(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		assert.Equal(t, []string{"search_zones", "convert_time", "next_clock_change", "broken_sundial", "sun_times"}, c.ToolNames())
	})
}

func TestSearch(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		out := kerventest.MustCall[searchOut](c, "search_zones", args{"query": "Istanbul"})
		assert.Equal(t, searchOut{Total: 2, Zones: []zoneState{
			{"Asia/Istanbul", "+03:00", "+03", false},
			{"Europe/Istanbul", "+03:00", "+03", false},
		}}, out)

		out = kerventest.MustCall[searchOut](c, "search_zones", args{"query": "lord howe"})
		assert.Equal(t, zoneState{"Australia/Lord_Howe", "+11:00", "+11", true}, out.Zones[0])

		out = kerventest.MustCall[searchOut](c, "search_zones", args{"query": "america"})
		assert.Len(t, out.Zones, 10, "the default limit")
		assert.Greater(t, out.Total, 100)

		out = kerventest.MustCall[searchOut](c, "search_zones", args{"query": "america", "limit": 50})
		assert.Len(t, out.Zones, 50)

		empty := c.Call("search_zones", args{"query": "atlantis"})
		assert.JSONEq(t, `{"total":0,"zones":[]}`, string(empty.Structured), "an empty list, not null")

		assert.Contains(t, c.CallErr("search_zones", args{"query": "america", "limit": 51}), "/limit")
		assert.Contains(t, c.CallErr("search_zones", args{"query": ""}), "/query")
	})
}

func TestConvert(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		out := kerventest.MustCall[convertOut](c, "convert_time",
			args{"time": "2026-07-01T09:00", "from": "europe/istanbul", "to": "America/New York"})
		assert.Equal(t, convertOut{
			From:       zonedTime{"Europe/Istanbul", "2026-07-01T09:00:00+03:00", "+03:00", "+03", false},
			To:         zonedTime{"America/New_York", "2026-07-01T02:00:00-04:00", "-04:00", "EDT", true},
			UTC:        "2026-07-01T06:00:00Z",
			Difference: "-7h",
		}, out)

		out = kerventest.MustCall[convertOut](c, "convert_time",
			args{"time": "2026-07-01T09:00:00.5+02:00", "from": "Asia/Kathmandu", "to": "UTC"})
		assert.Equal(t, "2026-07-01T12:45:00.5+05:45", out.From.Time, "an exact time is shown in the zone it is from")
		assert.Equal(t, "-5h45m", out.Difference)
	})
}

func TestConvertTwice(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		in := args{"time": "2026-10-25 02:30", "from": "Europe/Berlin", "to": "UTC"}
		out := kerventest.MustCall[convertOut](c, "convert_time", in)
		assert.Equal(t, "2026-10-25T00:30:00Z", out.UTC)
		assert.Equal(t, &ambiguity{Taken: "earlier", TakenOffset: "+02:00", OtherOffset: "+01:00"}, out.Ambiguity)

		in["prefer"] = "later"
		out = kerventest.MustCall[convertOut](c, "convert_time", in)
		assert.Equal(t, "2026-10-25T01:30:00Z", out.UTC)
		assert.Equal(t, &ambiguity{Taken: "later", TakenOffset: "+01:00", OtherOffset: "+02:00"}, out.Ambiguity)
	})
}

func TestConvertRefusals(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		for _, test := range []struct {
			time, from string
			want       string
		}{
			{"2026-03-29T02:30", "Europe/Berlin", "2026-03-29T02:30:00 does not exist in Europe/Berlin: " +
				"the clocks are moved forward over it (+1h). The nearest valid local times are " +
				"2026-03-29T01:59:59 (+01:00) and 2026-03-29T03:00:00 (+02:00)."},
			{"2011-12-30T12:00", "Pacific/Apia", "2011-12-30T12:00:00 does not exist in Pacific/Apia: " +
				"the clocks are moved forward over it (+24h). The nearest valid local times are " +
				"2011-12-29T23:59:59 (-10:00) and 2011-12-31T00:00:00 (+14:00)."},
			{"tomorrow", "UTC", `"tomorrow" is not a time. Write a local time like 2026-03-29T02:30, ` +
				"or an exact one like 2026-03-29T02:30:00+02:00."},
			{"2026-02-30T12:00", "UTC", `"2026-02-30T12:00" is not a time. Write a local time like 2026-03-29T02:30, ` +
				"or an exact one like 2026-03-29T02:30:00+02:00."},
			{"9999-12-31T23:00", "UTC", `"9999-12-31T23:00" is outside the years 1 to 9998.`},
			{"2026-03-29T02:30", "Europe/Munich", `There is no time zone "Europe/Munich". ` +
				"Near names: Europe/Zurich. search_zones finds others."},
		} {
			got := c.CallErr("convert_time", args{"time": test.time, "from": test.from, "to": "UTC"})
			assert.Equal(t, test.want, got)
		}
	})
}

func TestNextChangeTool(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		out := kerventest.MustCall[changeOut](c, "next_clock_change", args{"zone": "Australia/Lord_Howe"})
		assert.Equal(t, changeOut{
			Zone:   "Australia/Lord_Howe",
			Found:  true,
			At:     "2026-04-04T15:00:00Z",
			Before: &zonedTime{"Australia/Lord_Howe", "2026-04-05T02:00:00+11:00", "+11:00", "+11", true},
			After:  &zonedTime{"Australia/Lord_Howe", "2026-04-05T01:30:00+10:30", "+10:30", "+1030", false},
			Shift:  "-30m",
		}, out)

		out = kerventest.MustCall[changeOut](c, "next_clock_change",
			args{"zone": "America/New_York", "after": "2026-07-01T00:00:00Z"})
		assert.Equal(t, "2026-11-01T06:00:00Z", out.At)

		none := c.Call("next_clock_change", args{"zone": "Europe/Istanbul"})
		assert.JSONEq(t, `{"zone":"Europe/Istanbul","found":false}`, string(none.Structured))

		assert.Contains(t, c.CallErr("next_clock_change", args{"zone": "UTC", "after": "today"}), "/after")
	})
}

func TestSundialIsMasked(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		got := c.CallErr("broken_sundial", nil)
		assert.Regexp(t, `^Internal error in tool "broken_sundial" \(ref: [0-9a-f]{8}\)$`, got)
	})
}

// TestOutputIsCompact pins that the text of a result is the JSON of its
// structured content, which the demo relies on.
func TestOutputIsCompact(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		result := c.Call("next_clock_change", args{"zone": "UTC"})
		require.True(t, json.Valid([]byte(result.Text)))
		assert.JSONEq(t, string(result.Structured), result.Text)
	})
}
