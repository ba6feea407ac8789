// Package timeunit decides in which unit a column of updateTimes counts.
//
// A number since 1970 does not say whether it counts seconds or milliseconds.
// The rows say it together: each number that is a plausible time in one of the
// units is a vote for that unit, and more than half of the votes decide. The
// ranges of plausible times do not overlap, so no number votes twice, and what
// is a plausible time in no unit votes for none: 0, a version number, the year
// 9999.
//
// A time is plausible from Earliest up to a year after the database's clock.
// The ranges of seconds, milliseconds, microseconds and nanoseconds are then a
// thousand times apart and less than a factor of three wide. The usual words
// for "never", such as 253402300799 (the last second of 9999), are in none.
//
// Invariant: a unit that is declared or was found once is never replaced. What
// contradicts it is a *Conflict.
package timeunit

import (
	"fmt"
	"math"
	"time"
)

// A Unit is what a column of updateTimes counts. Its text is what a
// configuration and timeTrace hold.
type Unit string

// The units. Julian days and text occur in SQLite only.
const (
	Unknown      Unit = "" // no row has told it
	Seconds      Unit = "s"
	Milliseconds Unit = "ms"
	Microseconds Unit = "us"
	Nanoseconds  Unit = "ns"
	JulianDays   Unit = "julian"
	Text         Unit = "text"
)

// Numbers are the units since 1970, which can be declared, from the coarsest.
var Numbers = []Unit{Seconds, Milliseconds, Microseconds, Nanoseconds}

// all are the units that can be kept.
var all = append(append([]Unit{}, Numbers...), JulianDays, Text)

// Parse reads a unit that was kept.
func Parse(text string) (Unit, error) {
	for _, u := range all {
		if string(u) == text {
			return u, nil
		}
	}
	return Unknown, fmt.Errorf("%q is not a unit", text)
}

// Duration returns the length of a unit since 1970, and of a Julian day; 0 for
// text and for what is unknown.
func (u Unit) Duration() time.Duration {
	switch u {
	case Seconds:
		return time.Second
	case Milliseconds:
		return time.Millisecond
	case Microseconds:
		return time.Microsecond
	case Nanoseconds:
		return time.Nanosecond
	case JulianDays:
		return 24 * time.Hour
	}
	return 0
}

// Declarable reports whether a configuration can declare the unit.
func (u Unit) Declarable() bool { return u != Unknown && u != JulianDays && u != Text }

// Noun returns the unit in words.
func (u Unit) Noun() string {
	switch u {
	case Seconds:
		return "seconds"
	case Milliseconds:
		return "milliseconds"
	case Microseconds:
		return "microseconds"
	case Nanoseconds:
		return "nanoseconds"
	case JulianDays:
		return "Julian days"
	case Text:
		return "text"
	}
	return "unknown"
}

// Earliest is the first plausible updateTime.
var Earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// ahead is how far after the database's clock an updateTime is plausible.
const ahead = 366 * 24 * time.Hour

// Latest is the first time after the plausible ones, by the database's clock.
// A clock that was never set makes no time implausible that another one
// would not.
func Latest(now time.Time) time.Time {
	if latest := now.Add(ahead); latest.After(Earliest) {
		return latest
	}
	return Earliest
}

// Plausible reports whether a time can be that of a row's last change.
func Plausible(t, now time.Time) bool { return !t.Before(Earliest) && t.Before(Latest(now)) }

// julian1970 is 1970-01-01 in Julian days.
const julian1970 = 2440587.5

// mostNanos is near the end of the nanoseconds that 64 bits hold, of the year
// 2262.
const mostNanos = math.MaxInt64 - 1<<10

// Range returns the plausible numbers of a unit, from <= n < to. Text has none.
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

// OfNumber returns the unit in which a number is a plausible time, or Unknown.
func OfNumber(n float64, now time.Time) Unit {
	for _, u := range append([]Unit{JulianDays}, Numbers...) {
		if from, to := u.Range(now); n >= from && n < to {
			return u
		}
	}
	return Unknown
}
