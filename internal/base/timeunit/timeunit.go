// Package timeunit finds the unit of a column of updateTimes: seconds,
// milliseconds, microseconds or nanoseconds since 1970, Julian days, or text.
//
// Each number that is a plausible time in a unit is a vote for that unit. The
// unit with more than half of the votes is that of the column. A time is
// plausible from 1990 to a year after the database's clock. The ranges of the
// units are then a thousand times apart and less than a factor of three wide, so
// no number is plausible in two units. Numbers such as 0, a version number or
// 253402300799 (the last second of 9999, for "never") are plausible in none, and
// do not vote.
//
// A unit that is declared or was found before is never replaced. If rows or the
// declaration contradict it, Decide returns a *Conflict.
package timeunit

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A Unit is the unit of a column of updateTimes, as written in the configuration
// and in timeTrace.
type Unit string

// The units. Julian days and text occur in SQLite only.
const (
	Unknown      Unit = "" // no row has a plausible time
	Seconds      Unit = "s"
	Milliseconds Unit = "ms"
	Microseconds Unit = "us"
	Nanoseconds  Unit = "ns"
	JulianDays   Unit = "julian"
	Text         Unit = "text"
)

// Numbers are the units since 1970, from the longest. A configuration can
// declare them.
var Numbers = numeric[1:]

// numeric are the units of numbers.
var numeric = [...]Unit{JulianDays, Seconds, Milliseconds, Microseconds, Nanoseconds}

// units describes the units. Text has no duration.
var units = map[Unit]struct {
	noun     string
	duration time.Duration
}{
	Unknown:      {"unknown", 0},
	Seconds:      {"seconds", time.Second},
	Milliseconds: {"milliseconds", time.Millisecond},
	Microseconds: {"microseconds", time.Microsecond},
	Nanoseconds:  {"nanoseconds", time.Nanosecond},
	JulianDays:   {"Julian days", 24 * time.Hour},
	Text:         {"text", 0},
}

// Parse returns the unit with this text, other than Unknown.
func Parse(text string) (Unit, error) {
	u := Unit(text)
	if _, ok := units[u]; !ok || u == Unknown {
		return Unknown, fmt.Errorf("%q is not a unit", text)
	}
	return u, nil
}

// Duration returns the duration of a unit, or 0 for text and Unknown.
func (u Unit) Duration() time.Duration { return units[u].duration }

// Declarable reports whether a configuration can declare the unit.
func (u Unit) Declarable() bool { return slices.Contains(Numbers, u) }

// Noun returns the name of the unit in messages.
func (u Unit) Noun() string { return units[u].noun }

// Earliest is the first plausible updateTime.
var Earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// ahead is how far after the database's clock an updateTime is plausible.
const ahead = 366 * 24 * time.Hour

// Latest returns the end of the plausible times, by the database's clock. It is
// never before Earliest, even if the clock was never set.
func Latest(now time.Time) time.Time {
	if latest := now.Add(ahead); latest.After(Earliest) {
		return latest
	}
	return Earliest
}

// Plausible reports whether a time can be that of a row's last change, by the
// database's clock.
func Plausible(t, now time.Time) bool { return !t.Before(Earliest) && t.Before(Latest(now)) }

// julian1970 is 1970-01-01 in Julian days.
const julian1970 = 2440587.5

// mostNanos is close to the largest number of nanoseconds in 64 bits, of the year
// 2262.
const mostNanos = math.MaxInt64 - 1<<10

// Range returns the plausible numbers of a unit, from <= n < to. For Text and
// Unknown there are none.
func (u Unit) Range(now time.Time) (from, to float64) {
	first, last := float64(Earliest.Unix()), float64(Latest(now).Unix())
	switch u {
	case JulianDays:
		return julian1970 + first/86400, julian1970 + last/86400
	case Text, Unknown:
		return 0, 0
	}
	perSecond := float64(time.Second / u.Duration())
	return first * perSecond, math.Min(last*perSecond, mostNanos)
}

// Ranges are the plausible numbers of all units at some time.
type Ranges [5]struct{ from, to float64 }

// RangesAt returns the ranges by the database's clock.
func RangesAt(now time.Time) (r Ranges) {
	for i, u := range numeric {
		r[i].from, r[i].to = u.Range(now)
	}
	return r
}

// Unit returns the unit in which a number is a plausible time, or Unknown.
func (r *Ranges) Unit(n float64) Unit {
	for i := range r {
		if n >= r[i].from && n < r[i].to {
			return numeric[i]
		}
	}
	return Unknown
}
