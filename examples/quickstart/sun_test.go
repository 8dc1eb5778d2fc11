package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan/kerventest"
)

// TestSunOn compares with facts of almanacs: equinox and solstices, a polar
// day and a polar night.
func TestSunOn(t *testing.T) {
	for _, test := range []struct {
		name     string
		lat, lon float64
		date     string
		noon     string // UTC, to the minute or so
		daylight time.Duration
		rises    bool
	}{
		{"Greenwich at the March equinox", 51.48, 0, "2026-03-20", "12:07", 12*time.Hour + 10*time.Minute, true},
		{"Istanbul at the June solstice", 41.01, 28.95, "2026-06-21", "10:06", 15*time.Hour + 8*time.Minute, true},
		{"Sydney at the June solstice", -33.87, 151.21, "2026-06-21", "01:57", 9*time.Hour + 54*time.Minute, true},
		{"Quito, where all days are equal", -0.18, -78.47, "2026-12-21", "17:12", 12*time.Hour + 8*time.Minute, true},
		{"Tromsø, polar day", 69.65, 18.96, "2026-06-21", "10:46", 24 * time.Hour, false},
		{"Tromsø, polar night", 69.65, 18.96, "2026-12-21", "10:42", 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			day, err := time.Parse(time.DateOnly, test.date)
			require.NoError(t, err)
			got := sunOn(test.lat, test.lon, day)
			assert.Equal(t, test.rises, got.rises)
			assert.InDelta(t, test.daylight.Minutes(), got.daylight.Minutes(), 4)
			noon, err := time.Parse("2006-01-02 15:04", test.date+" "+test.noon)
			require.NoError(t, err)
			assert.InDelta(t, 0, got.noon.Sub(noon).Minutes(), 3, got.noon)
		})
	}
}

// TestSunTimes calls the tool of kervan.yaml, and through it the API.
func TestSunTimes(t *testing.T) {
	eachEra(t, func(t *testing.T, c *kerventest.Client) {
		got := c.Call("sun_times", args{"latitude": 41.01, "longitude": 28.95, "date": "2026-06-21"})
		assert.Regexp(t, `^\{"sunrise":"2026-06-21T02:3\d:\d\dZ","sunset":"2026-06-21T17:3\d:\d\dZ","daylightMinutes":90\d\}$`, got.Text)
		assert.Equal(t, got.Text, string(got.Structured))

		polar := c.Call("sun_times", args{"latitude": 69.65, "longitude": 18.96, "date": "2026-06-21"})
		assert.Equal(t, `{"sunrise":null,"sunset":null,"daylightMinutes":1440}`, polar.Text)

		assert.Contains(t, c.CallErr("sun_times", args{"latitude": 91, "longitude": 0, "date": "2026-06-21"}), "/latitude")
		assert.Contains(t, c.CallErr("sun_times", args{"latitude": 1, "longitude": 1, "date": "2026-06-31"}), "/date")
	})
}

// TestSunAPI: the API has checks of its own, for callers without a schema.
func TestSunAPI(t *testing.T) {
	for query, status := range map[string]int{
		"lat=1&lon=1&date=2026-06-21":  http.StatusOK,
		"lat=91&lon=1&date=2026-06-21": http.StatusBadRequest,
		"lat=1&lon=1&date=yesterday":   http.StatusBadRequest,
		"":                             http.StatusBadRequest,
	} {
		w := httptest.NewRecorder()
		sunAPI().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/sun?"+query, nil))
		assert.Equal(t, status, w.Code, query)
	}
}
