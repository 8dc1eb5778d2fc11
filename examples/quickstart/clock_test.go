package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := loadZone(name)
	require.NoError(t, err)
	return loc
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	require.NoError(t, err)
	return at
}

func TestNextChange(t *testing.T) {
	for _, test := range []struct {
		zone, after    string
		at             string // "" when there is none
		before, after2 string
		shift          string
	}{
		{"Europe/Istanbul", "2026-03-01T00:00:00Z", "", "", "", ""},
		{"UTC", "2026-03-01T00:00:00Z", "", "", "", ""},
		{"Europe/Istanbul", "2016-06-01T00:00:00Z", "", "", "", ""}, // +03 became standard time: no clock was moved
		{"America/New_York", "2026-06-01T00:00:00Z", "2026-11-01T06:00:00Z", "-04:00", "-05:00", "-1h"},
		{"America/New_York", "2026-11-01T05:59:59Z", "2026-11-01T06:00:00Z", "-04:00", "-05:00", "-1h"},
		{"America/New_York", "2026-11-01T06:00:00Z", "2027-03-14T07:00:00Z", "-05:00", "-04:00", "+1h"},
		{"Australia/Lord_Howe", "2026-03-01T12:00:00Z", "2026-04-04T15:00:00Z", "+11:00", "+10:30", "-30m"},
		{"Africa/Casablanca", "2026-01-01T00:00:00Z", "2026-02-15T02:00:00Z", "+01:00", "+00:00", "-1h"},
		{"Africa/Casablanca", "2026-03-01T00:00:00Z", "2026-03-22T02:00:00Z", "+00:00", "+01:00", "+1h"},
		{"Pacific/Apia", "2011-12-01T00:00:00Z", "2011-12-30T10:00:00Z", "-10:00", "+14:00", "+24h"},
		{"Pacific/Apia", "2026-01-01T00:00:00Z", "", "", "", ""},
		{"Europe/Istanbul", "1850-01-01T00:00:00Z", "1879-12-31T22:04:08Z", "+01:55:52", "+01:56:56", "+1m4s"},
		// The last day of a leap year that only a rule describes.
		{"America/New_York", "2088-12-31T12:00:00Z", "2089-03-13T07:00:00Z", "-05:00", "-04:00", "+1h"},
		{"Australia/Sydney", "2088-12-31T12:00:00Z", "2089-04-02T16:00:00Z", "+11:00", "+10:00", "-1h"},
		{"America/New_York", "9999-12-31T23:59:59Z", "", "", "", ""},
	} {
		t.Run(test.zone+" after "+test.after, func(t *testing.T) {
			c, ok := nextChange(instant(t, test.after), zoneOf(t, test.zone))
			require.Equal(t, test.at != "", ok, "found %v", c)
			if ok {
				assert.Equal(t, test.at, c.at.UTC().Format(time.RFC3339))
				assert.Equal(t, test.before, formatOffset(c.before))
				assert.Equal(t, test.after2, formatOffset(c.after))
				assert.Equal(t, test.shift, formatShift(c.after-c.before))
			}
		})
	}
}

// TestEveryZoneForACentury walks all changes of all zones: the walk ends, goes
// forward, and an offset holds from one change to the next.
func TestEveryZoneForACentury(t *testing.T) {
	start, end := instant(t, "1990-01-01T00:00:00Z"), instant(t, "2090-01-01T00:00:00Z")
	for _, z := range zones {
		loc := zoneOf(t, z.name)
		last, offset := start, offsetOf(start.In(loc))
		for c := range changesBetween(start, end, loc) {
			require.True(t, c.at.After(last), "%s: %s after %s", z.name, c.at, last)
			require.Equal(t, offset, c.before, "%s at %s", z.name, c.at)
			require.Equal(t, c.before, offsetOf(c.at.Add(-time.Second)), "%s at %s", z.name, c.at)
			require.NotEqual(t, c.before, c.after, "%s at %s", z.name, c.at)
			last, offset = c.at, c.after
		}
		require.Equal(t, offset, offsetOf(end.Add(-time.Second).In(loc)), z.name)
	}
}

func TestReadings(t *testing.T) {
	for _, test := range []struct {
		zone, wall string
		want       []string
	}{
		{"Europe/Istanbul", "2026-03-29T02:30:00Z", []string{"2026-03-29T02:30:00+03:00"}},
		{"Europe/Berlin", "2026-03-29T01:59:59Z", []string{"2026-03-29T01:59:59+01:00"}},
		{"Europe/Berlin", "2026-03-29T02:00:00Z", nil},
		{"Europe/Berlin", "2026-03-29T02:59:59Z", nil},
		{"Europe/Berlin", "2026-03-29T03:00:00Z", []string{"2026-03-29T03:00:00+02:00"}},
		{"Europe/Berlin", "2026-10-25T02:30:00Z", []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"}},
		{"Europe/Berlin", "2026-10-25T03:00:00Z", []string{"2026-10-25T03:00:00+01:00"}},
		{"America/New_York", "2026-11-01T01:00:00Z", []string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00"}},
		{"Australia/Lord_Howe", "2026-04-05T01:45:00Z", []string{"2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30"}},
		{"Australia/Lord_Howe", "2026-04-05T01:29:00Z", []string{"2026-04-05T01:29:00+11:00"}},
		{"Pacific/Apia", "2011-12-30T12:00:00Z", nil}, // Samoa had no 30 December 2011
		{"Pacific/Apia", "2011-12-31T00:00:00Z", []string{"2011-12-31T00:00:00+14:00"}},
	} {
		t.Run(test.zone+" "+test.wall, func(t *testing.T) {
			var got []string
			for _, at := range readings(instant(t, test.wall), zoneOf(t, test.zone)) {
				got = append(got, at.Format(time.RFC3339))
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// TestReadingsInvertTheClock: what a clock shows at an instant is read as that
// instant, alone or as one of two, and only skipped times have no reading.
func TestReadingsInvertTheClock(t *testing.T) {
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata"} {
		loc := zoneOf(t, name)
		for at := instant(t, "2026-01-01T00:00:00Z"); at.Year() == 2026; at = at.Add(15 * time.Minute) {
			wall := at.Add(offsetOf(at.In(loc)))
			found := readings(wall, loc)
			require.True(t, slices.ContainsFunc(found, at.Equal), "%s at %s: %v", name, at, found)
			require.True(t, slices.IsSortedFunc(found, time.Time.Compare), "%s: %v", name, found)
			_, gap := gapAround(wall, loc)
			require.False(t, gap, "%s at %s", name, at)
		}
	}
}

func TestGapAround(t *testing.T) {
	c, ok := gapAround(instant(t, "2011-12-30T12:00:00Z"), zoneOf(t, "Pacific/Apia"))
	require.True(t, ok)
	assert.Equal(t, "2011-12-31T00:00:00+14:00", c.at.Format(time.RFC3339))
	_, ok = gapAround(instant(t, "2026-10-25T02:30:00Z"), zoneOf(t, "Europe/Berlin"))
	assert.False(t, ok, "an overlap is no gap")
}

func TestFormats(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		0:                               {"+00:00", "0h"},
		3 * time.Hour:                   {"+03:00", "+3h"},
		-30 * time.Minute:               {"-00:30", "-30m"},
		5*time.Hour + 45*time.Minute:    {"+05:45", "+5h45m"},
		-(3*time.Hour + 30*time.Minute): {"-03:30", "-3h30m"},
		time.Hour + 56*time.Minute + 56*time.Second: {"+01:56:56", "+1h56m56s"},
	} {
		assert.Equal(t, want[0], formatOffset(d))
		assert.Equal(t, want[1], formatShift(d))
	}
}
