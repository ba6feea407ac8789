// Package calendar divides time into intervals: calendar units, such as months, and
// fixed lengths, in a time zone.
//
// Every instant is in one interval. Intervals are named by the milliseconds since 1970
// of their first instant. They follow the clocks of the zone, so the day on which
// clocks change has 23 or 25 hours. An interval whose first local time does not exist
// begins when the clocks change.
package calendar

import (
	"slices"
	"time"
)

// The units. Those up to an hour have a fixed length.
const (
	Second  = "second"
	Minute  = "minute"
	Hour    = "hour"
	Day     = "day"
	Week    = "week" // from Monday
	Month   = "month"
	Quarter = "quarter"
	Year    = "year"
)

// units are all units. The length of the longer ones is that of the shortest.
var units = map[string]time.Duration{
	Second: time.Second, Minute: time.Minute, Hour: time.Hour, Day: 24 * time.Hour, Week: 7 * 24 * time.Hour,
	Month: 28 * 24 * time.Hour, Quarter: 90 * 24 * time.Hour, Year: 365 * 24 * time.Hour,
}

// An Interval divides time. It has a Unit or a Length.
type Interval struct {
	Unit   string
	Length time.Duration  // whole milliseconds
	Zone   *time.Location // nil is UTC
	Offset time.Duration  // by which every interval begins later
}

// Valid reports whether the interval has a known unit, or a length of at least a
// millisecond.
func (iv Interval) Valid() bool {
	if iv.Unit == "" {
		return iv.Length >= time.Millisecond && iv.Length%time.Millisecond == 0
	}
	return units[iv.Unit] > 0 && iv.Length == 0
}

// Start returns the first instant of the interval that an instant is in.
func (iv Interval) Start(ms int64) int64 {
	offset := iv.Offset.Milliseconds()
	return iv.start(ms-offset) + offset
}

// Next returns the first instant of the interval after the one with a first instant.
func (iv Interval) Next(start int64) int64 {
	step := iv.step()
	at := start + step
	if iv.Unit == "" { // an interval is longer by the hour when clocks change, and a whole step could pass over the next one
		step = min(step, time.Hour.Milliseconds())
	}
	for ; ; at += step {
		if next := iv.Start(at); next > start {
			return next
		}
	}
}

// Shortest returns the length of the shortest interval, without changes of clocks.
func (iv Interval) Shortest() time.Duration {
	if iv.Unit != "" {
		return units[iv.Unit]
	}
	return iv.Length
}

func (iv Interval) step() int64 { return iv.Shortest().Milliseconds() }

func (iv Interval) start(ms int64) int64 {
	if iv.Unit == "" || slices.Contains([]string{Second, Minute, Hour}, iv.Unit) {
		return iv.fixed(ms)
	}
	t := time.UnixMilli(ms).In(iv.zone())
	year, month, day := t.Date()
	switch iv.Unit {
	case Week:
		day -= (int(t.Weekday()) + 6) % 7
	case Month:
		day = 1
	case Quarter:
		month, day = month-(month-1)%3, 1
	case Year:
		month, day = time.January, 1
	}
	return iv.midnight(year, month, day)
}

func (iv Interval) zone() *time.Location {
	if iv.Zone == nil {
		return time.UTC
	}
	return iv.Zone
}

// midnight returns the first instant of a day.
func (iv Interval) midnight(year int, month time.Month, day int) int64 {
	local := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
	t := time.Date(year, month, day, 0, 0, 0, 0, iv.zone())
	from, to := t.ZoneBounds()
	switch clock := t.UnixMilli() + offsetOf(t); {
	case clock < local: // there is no midnight, and t is before the clocks change
		return to.UnixMilli()
	case clock > local:
		return from.UnixMilli()
	case !from.IsZero(): // there may be two, and t may be the second
		if first := local - offsetOf(from.Add(-1)); first < from.UnixMilli() {
			return first
		}
	}
	return t.UnixMilli()
}

// fixed returns the first instant of an interval of a fixed length.
func (iv Interval) fixed(ms int64) int64 {
	step := iv.step()
	if iv.zone() == time.UTC {
		return floor(ms, step)
	}
	t := time.UnixMilli(ms).In(iv.zone())
	local := floor(ms+offsetOf(t), step)
	from, _ := t.ZoneBounds()
	start := local - offsetOf(t)
	if from.IsZero() || start >= from.UnixMilli() {
		return start
	}
	before := from.Add(-time.Millisecond)
	if iv.Unit == "" && local-offsetOf(before) >= from.UnixMilli() {
		return from.UnixMilli() // the first local time does not exist
	}
	return iv.fixed(before.UnixMilli())
}

func offsetOf(t time.Time) int64 {
	_, seconds := t.Zone()
	return 1000 * int64(seconds)
}

// floor returns the greatest multiple of step that is not greater than n.
func floor(n, step int64) int64 {
	rest := n % step
	if rest < 0 {
		rest += step
	}
	return n - rest
}
