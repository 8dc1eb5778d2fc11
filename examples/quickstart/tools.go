package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kervan-mcp/kervan"
)

const instructions = "Time zones of the world, from the IANA database. Names are like Europe/Istanbul; " +
	"search_zones finds them. All answers are computed here, without a network."

// newApp returns the worldclock server. Its only input beside the arguments is
// now, so that a test, or the demo, decides what time it is.
func newApp(now func() time.Time, opts ...kervan.Option) *kervan.App {
	opts = append([]kervan.Option{kervan.WithInstructions(instructions)}, opts...)
	app := kervan.NewApp("worldclock", "1.0.0", opts...)
	c := worldclock{now: now}
	app.Add(
		kervan.Tool("search_zones", "Finds time zones by a part of their name, and says what time offset each has now.",
			c.search).ReadOnly().OpenWorld(false).Title("Search time zones"),
		kervan.Tool("convert_time", "Converts a time from one time zone to another. Says so when clocks skip the time, "+
			"or show it twice.", c.convert).ReadOnly().OpenWorld(false).Title("Convert a time"),
		kervan.Tool("next_clock_change", "Says when the clocks of a time zone are next moved, and by how much.",
			c.nextChange).ReadOnly().OpenWorld(false).Title("Next clock change"),
		kervan.Tool("broken_sundial", "Always fails, on purpose: it shows what a client sees of an internal error.",
			readSundial).ReadOnly().Timeout(2*time.Second),
	)
	return app
}

// worldclock holds what the tools share.
type worldclock struct {
	now func() time.Time
}

type searchIn struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=64,example=new york" jsonschema_description:"Part of a zone name, in any case: istanbul, new york, america/arg"`
	Limit int    `json:"limit" jsonschema:"default=10,minimum=1,maximum=50" jsonschema_description:"How many zones to return at most"`
}

type searchOut struct {
	Total int         `json:"total" jsonschema_description:"How many zones match; more than are listed when the limit cut the list"`
	Zones []zoneState `json:"zones" jsonschema_description:"The closest matches first"`
}

// A zoneState is a zone at the time of the call.
type zoneState struct {
	Name         string `json:"name" jsonschema:"example=Europe/Istanbul"`
	Offset       string `json:"offset" jsonschema:"example=+03:00" jsonschema_description:"Current offset from UTC"`
	Abbreviation string `json:"abbreviation" jsonschema:"example=CET"`
	DST          bool   `json:"dst" jsonschema_description:"Whether daylight saving time is in force"`
}

func (c worldclock) search(_ context.Context, in searchIn) (searchOut, error) {
	found := searchZones(in.Query)
	out := searchOut{Total: len(found)}
	now := c.now()
	for _, z := range found[:min(in.Limit, len(found))] {
		loc, err := time.LoadLocation(z.name)
		if err != nil {
			return searchOut{}, err
		}
		t := now.In(loc)
		abbreviation, _ := t.Zone()
		out.Zones = append(out.Zones, zoneState{z.name, formatOffset(offsetOf(t)), abbreviation, t.IsDST()})
	}
	return out, nil
}

// A zonedTime is an instant as the clocks of a zone show it. RFC 3339 leaves
// out the seconds that offsets had in the nineteenth century; Offset has them.
type zonedTime struct {
	Zone         string `json:"zone"`
	Time         string `json:"time" jsonschema:"example=2026-03-29T02:30:00+02:00"`
	Offset       string `json:"offset" jsonschema:"example=+02:00"`
	Abbreviation string `json:"abbreviation"`
	DST          bool   `json:"dst"`
}

func zoned(t time.Time) zonedTime {
	abbreviation, _ := t.Zone()
	return zonedTime{
		Zone:         t.Location().String(),
		Time:         t.Format(time.RFC3339Nano),
		Offset:       formatOffset(offsetOf(t)),
		Abbreviation: abbreviation,
		DST:          t.IsDST(),
	}
}

type changeIn struct {
	Zone  string     `json:"zone" jsonschema:"minLength=1,maxLength=64,example=Europe/Istanbul" jsonschema_description:"IANA name of the zone"`
	After *time.Time `json:"after" jsonschema_description:"Exact time to look from; now if not given"`
}

type changeOut struct {
	Zone   string     `json:"zone"`
	Found  bool       `json:"found" jsonschema_description:"False when no change is planned in the zone"`
	At     string     `json:"at,omitempty" jsonschema_description:"The instant of the change, in UTC"`
	Before *zonedTime `json:"before,omitempty" jsonschema_description:"What the clocks would have shown at that instant"`
	After  *zonedTime `json:"after,omitempty" jsonschema_description:"What the clocks show at that instant"`
	Shift  string     `json:"shift,omitempty" jsonschema:"example=+1h" jsonschema_description:"How far the clocks are moved"`
}

func (c worldclock) nextChange(_ context.Context, in changeIn) (changeOut, error) {
	loc, err := loadZone(in.Zone)
	if err != nil {
		return changeOut{}, err
	}
	after := c.now()
	if in.After != nil {
		after = *in.After
	}
	next, ok := nextChange(after, loc)
	if !ok {
		return changeOut{Zone: loc.String()}, nil
	}
	was, is := zonedBefore(next), zoned(next.at)
	return changeOut{
		Zone:   loc.String(),
		Found:  true,
		At:     next.at.UTC().Format(time.RFC3339),
		Before: &was,
		After:  &is,
		Shift:  formatShift(next.after - next.before),
	}, nil
}

// zonedBefore is the instant of a change as clocks show it that nobody moved.
func zonedBefore(c change) zonedTime {
	last := c.at.Add(-time.Second)
	was := zoned(last)
	unmoved := time.FixedZone(was.Abbreviation, int(c.before/time.Second))
	was.Time = c.at.In(unmoved).Format(time.RFC3339)
	return was
}

// readSundial fails like a handler whose database is away, with a text that no
// client may see.
func readSundial(context.Context, kervan.None) (kervan.None, error) {
	return kervan.None{}, fmt.Errorf("read the shadow: dial postgres://sundial:not-a-real-password@db.internal:5432/gnomon: %w",
		errors.New("connection refused"))
}
