package main

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zone database, for machines that have none

	"github.com/kervan-mcp/kervan"
)

// zoneList holds the Area/Location names of the database that Go embeds, and
// UTC, one a line. The database itself cannot be listed at run time.
//
//go:generate sh -c "{ unzip -Z1 \"$(go env GOROOT)/lib/time/zoneinfo.zip\" | grep '/.*[^/]$'; echo UTC; } | LC_ALL=C sort > zones.txt"
//go:embed zones.txt
var zoneList string

// A zone is one name of the list, and the forms in which it is compared.
type zone struct {
	name   string // "America/New_York"
	folded string // "america new york"
	place  string // "new york"
}

var (
	zones      = parseZones(zoneList)
	zoneByName = indexZones(zones)
)

func parseZones(list string) []zone {
	var zones []zone
	for line := range strings.Lines(list) {
		name := strings.TrimSpace(line)
		place := name[strings.LastIndex(name, "/")+1:]
		zones = append(zones, zone{name: name, folded: fold(name), place: fold(place)})
	}
	return zones
}

func indexZones(zones []zone) map[string]zone {
	index := make(map[string]zone, len(zones))
	for _, z := range zones {
		index[z.folded] = z
	}
	return index
}

// fold makes "America/New_York", "america/new york" and "AMERICA  NEW_YORK"
// the same text.
func fold(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" \t_/,", r)
	})
	return strings.Join(words, " ")
}

// loadZone returns the zone of that name, in any case, with blanks or
// underscores. It reads only names of the list, so that "Local" is not the
// time zone of the server. The error for an unknown name lists near ones.
func loadZone(name string) (*time.Location, error) {
	z, ok := zoneByName[fold(name)]
	if !ok {
		return nil, unknownZone(name)
	}
	return time.LoadLocation(z.name)
}

func unknownZone(name string) error {
	near := nearZones(name, 3)
	if len(near) == 0 {
		return kervan.ToolErrorf("There is no time zone %q. Find its name with search_zones.", name)
	}
	return kervan.ToolErrorf("There is no time zone %q. Near names: %s. search_zones finds others.",
		name, strings.Join(near, ", "))
}

// searchZones returns the zones whose name holds every word of the query, the
// closest match first: the place itself, then a place that starts with the
// query, then a name that holds it in one piece, then the rest.
func searchZones(query string) []zone {
	folded := fold(query)
	words := strings.Fields(folded)
	if len(words) == 0 {
		return nil
	}
	var found []zone
	for _, z := range zones {
		if holdsAll(z.folded, words) {
			found = append(found, z)
		}
	}
	slices.SortStableFunc(found, func(a, b zone) int {
		return cmp.Compare(matchRank(a, folded), matchRank(b, folded))
	})
	return found
}

func holdsAll(s string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(s, word) })
}

func matchRank(z zone, folded string) int {
	switch {
	case z.place == folded || z.folded == folded:
		return 0
	case strings.HasPrefix(z.place, folded):
		return 1
	case strings.Contains(z.folded, folded):
		return 2
	default:
		return 3
	}
}

// nearZones returns at most n names that are few typing errors away from name
// or from its last part, the nearest first.
func nearZones(name string, n int) []string {
	type candidate struct {
		name         string
		edits, whole int
	}
	whole := fold(name)
	place := fold(name[strings.LastIndex(name, "/")+1:])
	var near []candidate
	for _, z := range zones {
		inName := editDistance(whole, z.folded)
		edits := min(inName, editDistance(place, z.place))
		if edits <= max(1, len(place)/3) {
			near = append(near, candidate{z.name, edits, inName})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.whole, b.whole))
	})
	names := make([]string, 0, n)
	for _, c := range near[:min(n, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// editDistance counts the bytes to insert, delete or replace to make b of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
