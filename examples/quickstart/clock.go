package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

const day = 24 * time.Hour

// A change is an instant at which the clocks of a zone move.
type change struct {
	at            time.Time // first instant with the new offset, in the zone
	before, after time.Duration
}

// nextChange returns the first change of the UTC offset of loc after an
// instant. A new abbreviation with the same offset is no change.
func nextChange(after time.Time, loc *time.Location) (change, bool) {
	t := after.In(loc)
	before := offsetOf(t)
	for t.Year() <= 9999 { // beyond, RFC 3339 has no spelling
		t = boundAfter(t)
		if t.IsZero() {
			break
		}
		if now := offsetOf(t); now != before && t.Year() <= 9999 {
			return change{at: t, before: before, after: now}, true
		}
	}
	return change{}, false
}

// boundAfter returns the end of the period of t, after t, or the zero time if
// the period has no end. For years that only a rule describes, ZoneBounds also
// ends a period 365 days into the year: in a leap year that is one day early,
// and on that year's last day it lies in the past.
func boundAfter(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		end = end.Add(day)
	}
	return end
}

// changesBetween yields the changes of loc after start and before end.
func changesBetween(start, end time.Time, loc *time.Location) iter.Seq[change] {
	return func(yield func(change) bool) {
		for {
			c, ok := nextChange(start, loc)
			if !ok || !c.at.Before(end) || !yield(c) {
				return
			}
			start = c.at
		}
	}
}

// changesAround yields the changes that can bear on a wall-clock time, which
// is given as if it were UTC. No zone was ever two days away from UTC.
func changesAround(wall time.Time, loc *time.Location) iter.Seq[change] {
	return changesBetween(wall.Add(-2*day), wall.Add(2*day), loc)
}

// readings returns the instants at which a clock on the wall in loc shows
// wall, the earlier first: one on most days, none when the clocks were moved
// forward over it, two when they were moved back over it.
func readings(wall time.Time, loc *time.Location) []time.Time {
	offsets := []time.Duration{offsetOf(wall.Add(-2 * day).In(loc))}
	for c := range changesAround(wall, loc) {
		offsets = append(offsets, c.after)
	}
	slices.Sort(offsets)
	var found []time.Time
	for _, offset := range slices.Backward(slices.Compact(offsets)) {
		if t := wall.Add(-offset).In(loc); offsetOf(t) == offset {
			found = append(found, t)
		}
	}
	return found
}

// gapAround returns the change that skips wall.
func gapAround(wall time.Time, loc *time.Location) (change, bool) {
	for c := range changesAround(wall, loc) {
		first, next := c.at.Add(c.before), c.at.Add(c.after)
		if !wall.Before(first) && wall.Before(next) {
			return c, true
		}
	}
	return change{}, false
}

// offsetOf returns how far the clocks of t's location are ahead of UTC.
func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// formatOffset writes an offset as "+03:00". Offsets of the nineteenth century
// may have seconds: "+01:56:56".
func formatOffset(d time.Duration) string {
	sign := '+'
	if d < 0 {
		sign, d = '-', -d
	}
	s := fmt.Sprintf("%c%02d:%02d", sign, d/time.Hour, d%time.Hour/time.Minute)
	if seconds := d % time.Minute / time.Second; seconds != 0 {
		s += fmt.Sprintf(":%02d", seconds)
	}
	return s
}

// formatShift writes a difference as "+1h", "-30m" or "+5h45m", and none as
// "0h".
func formatShift(d time.Duration) string {
	if d == 0 {
		return "0h"
	}
	var b strings.Builder
	sign := byte('+')
	if d < 0 {
		sign, d = '-', -d
	}
	b.WriteByte(sign)
	for _, unit := range []struct {
		size time.Duration
		name byte
	}{{time.Hour, 'h'}, {time.Minute, 'm'}, {time.Second, 's'}} {
		if n := d / unit.size; n > 0 {
			fmt.Fprintf(&b, "%d%c", n, unit.name)
		}
		d %= unit.size
	}
	return b.String()
}
