package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestZonesLoad(t *testing.T) {
	require.Greater(t, len(zones), 500)
	for _, z := range zones {
		loc, err := time.LoadLocation(z.name)
		if assert.NoError(t, err, z.name) {
			assert.Equal(t, z.name, loc.String())
		}
	}
}

func TestZonesList(t *testing.T) {
	assert.True(t, slices.IsSorted(strings.Fields(zoneList)), "zones.txt is sorted")
	assert.Len(t, zoneByName, len(zones), "no two names fold to the same")
	assert.Contains(t, zoneByName, "utc")
	for _, z := range zones {
		assert.True(t, z.name == "UTC" || strings.Contains(z.name, "/"), z.name)
	}
}

func TestLoadZone(t *testing.T) {
	for spelling, want := range map[string]string{
		"Europe/Istanbul":                 "Europe/Istanbul",
		"europe/istanbul":                 "Europe/Istanbul",
		"America/New York":                "America/New_York",
		" america/argentina/BUENOS_aires": "America/Argentina/Buenos_Aires",
		"utc":                             "UTC",
	} {
		loc, err := loadZone(spelling)
		if assert.NoError(t, err, spelling) {
			assert.Equal(t, want, loc.String())
		}
	}
}

func TestUnknownZone(t *testing.T) {
	for name, want := range map[string]string{
		"Europe/Instanbul": "Near names: Europe/Istanbul, Asia/Istanbul.",
		"Istanbul":         "Near names: Asia/Istanbul, Europe/Istanbul.",
		"New York":         "Near names: America/New_York.",
		"Local":            "Find its name with search_zones.",
		"":                 "Find its name with search_zones.",
		"../etc/passwd":    "Find its name with search_zones.",
		"Middle-earth":     "Find its name with search_zones.",
	} {
		_, err := loadZone(name)
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), want)
		}
	}
}

func TestSearchZones(t *testing.T) {
	names := func(query string) []string {
		var names []string
		for _, z := range searchZones(query) {
			names = append(names, z.name)
		}
		return names
	}
	assert.Equal(t, []string{"Asia/Istanbul", "Europe/Istanbul"}, names("ISTANBUL"))
	assert.Equal(t, []string{"America/New_York"}, names("new york"))
	assert.Equal(t, []string{"America/New_York"}, names("New_York"))
	assert.Equal(t, []string{"America/New_York"}, names("york america"))
	assert.Equal(t, []string{"America/New_York"}, names("america/new_york"))
	assert.Equal(t, "Europe/London", names("london")[0])
	assert.Equal(t, []string{"Africa/Porto-Novo"}, names("porto-novo"))
	assert.Equal(t, "America/Argentina/Rio_Gallegos", names("rio")[0], "a place that starts with the query comes first")
	assert.Contains(t, names("rio"), "America/Rosario")
	assert.Empty(t, names("atlantis"))
	assert.Empty(t, names(" _/ "), "no words match nothing")
}

func TestEditDistance(t *testing.T) {
	assert.Equal(t, 0, editDistance("", ""))
	assert.Equal(t, 3, editDistance("", "abc"))
	assert.Equal(t, 3, editDistance("abc", ""))
	assert.Equal(t, 3, editDistance("kitten", "sitting"))
}
