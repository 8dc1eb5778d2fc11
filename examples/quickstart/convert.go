package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kervan-mcp/kervan"
)

type convertIn struct {
	Time   string `json:"time" jsonschema:"minLength=1,maxLength=64,example=2026-03-29T02:30" jsonschema_description:"A local time of the zone 'from', such as 2026-03-29T02:30, or an exact time with its offset, such as 2026-03-29T02:30:00+02:00"`
	From   string `json:"from" jsonschema:"minLength=1,maxLength=64,example=Europe/Istanbul" jsonschema_description:"IANA name of the zone the time is in"`
	To     string `json:"to" jsonschema:"minLength=1,maxLength=64,example=America/New_York" jsonschema_description:"IANA name of the zone to convert to"`
	Prefer string `json:"prefer" jsonschema:"enum=earlier,enum=later,default=earlier" jsonschema_description:"Which one to take of a local time that clocks show twice"`
}

type convertOut struct {
	From       zonedTime  `json:"from"`
	To         zonedTime  `json:"to"`
	UTC        string     `json:"utc" jsonschema_description:"The same instant in UTC"`
	Difference string     `json:"difference" jsonschema:"example=-7h" jsonschema_description:"How far the clocks in 'to' are ahead of those in 'from'"`
	Ambiguity  *ambiguity `json:"ambiguity,omitempty" jsonschema_description:"Only when the clocks in 'from' show the local time twice"`
}

// An ambiguity says which of two readings of a local time was taken.
type ambiguity struct {
	Taken       string `json:"taken" jsonschema:"enum=earlier,enum=later"`
	TakenOffset string `json:"taken_offset" jsonschema:"example=+02:00"`
	OtherOffset string `json:"other_offset" jsonschema:"example=+01:00" jsonschema_description:"Offset of the reading that 'prefer' selects instead"`
}

func (c worldclock) convert(_ context.Context, in convertIn) (convertOut, error) {
	from, err := loadZone(in.From)
	if err != nil {
		return convertOut{}, err
	}
	to, err := loadZone(in.To)
	if err != nil {
		return convertOut{}, err
	}
	t, twice, err := readTime(in.Time, from, in.Prefer)
	if err != nil {
		return convertOut{}, err
	}
	target := t.In(to)
	return convertOut{
		From:       zoned(t),
		To:         zoned(target),
		UTC:        t.UTC().Format(time.RFC3339Nano),
		Difference: formatShift(offsetOf(target) - offsetOf(t)),
		Ambiguity:  twice,
	}, nil
}

// readTime reads an exact time, or a local time of loc.
func readTime(s string, loc *time.Location, prefer string) (time.Time, *ambiguity, error) {
	t, err := time.Parse(time.RFC3339, s)
	exact := err == nil
	if !exact {
		if t, err = parseLocal(s); err != nil {
			return time.Time{}, nil, err
		}
	}
	if t.Year() < 1 || t.Year() > 9998 { // so that every zone can write it
		return time.Time{}, nil, kervan.ToolErrorf("%q is outside the years 1 to 9998.", s)
	}
	if exact {
		return t.In(loc), nil, nil
	}
	return readLocal(t, loc, prefer)
}

// readLocal decides which instant a local time of loc is.
func readLocal(wall time.Time, loc *time.Location, prefer string) (time.Time, *ambiguity, error) {
	found := readings(wall, loc)
	if len(found) == 0 {
		return time.Time{}, nil, skipped(wall, loc)
	}
	taken, other := found[0], found[len(found)-1]
	if taken.Equal(other) {
		return taken, nil, nil
	}
	if prefer == "later" {
		taken, other = other, taken
	}
	return taken, &ambiguity{
		Taken:       prefer,
		TakenOffset: formatOffset(offsetOf(taken)),
		OtherOffset: formatOffset(offsetOf(other)),
	}, nil
}

// parseLocal reads a time without an offset, as if it were UTC.
func parseLocal(s string) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, kervan.ToolErrorf("%q is not a time. Write a local time like 2026-03-29T02:30, "+
		"or an exact one like 2026-03-29T02:30:00+02:00.", s)
}

// skipped reports a local time that the clocks of loc jump over.
func skipped(wall time.Time, loc *time.Location) error {
	gap, ok := gapAround(wall, loc)
	if !ok {
		return fmt.Errorf("no reading and no gap for %s in %s", wall, loc)
	}
	const layout = "2006-01-02T15:04:05"
	return kervan.ToolErrorf("%s does not exist in %s: the clocks are moved forward over it (%s). "+
		"The nearest valid local times are %s (%s) and %s (%s).",
		wall.Format(layout), loc, formatShift(gap.after-gap.before),
		gap.at.Add(-time.Second).Format(layout), formatOffset(gap.before),
		gap.at.Format(layout), formatOffset(gap.after))
}
