package sqlite

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A timeFormat converts the updateTimes of one column: stored values to times, and
// the bounds of a window to values that compare with the stored ones, so that an
// index on the column serves the window.
//
// A column holds numbers (Unix time in one unit, or Julian days) or text, as most
// of its rows show (see times.go). A value of the other type is an error.
type timeFormat struct {
	tick   time.Duration // 0 if no row has a plausible time
	unit   time.Duration // of a number; 0 if the column holds text
	julian bool          // numbers are days since noon of -4713-11-24
	zone   *time.Location
	seen   atomic.Uint32 // of text: bits of the spellings that rows had
}

// newTimeFormat returns the format of a column in which no time is plausible, from
// its greatest value.
func newTimeFormat(greatest any, zone *time.Location) (*timeFormat, error) {
	f := &timeFormat{zone: zone}
	switch v := greatest.(type) {
	case int64:
		f.setUnit(float64(v))
	case float64:
		f.setUnit(v)
	case string:
	default:
		return nil, fmt.Errorf("%s is not a time", dialect.Show(v))
	}
	_, err := f.Time(greatest)
	return f, err
}

// Julian days of the years 1000 to 3000. As Unix seconds, all of them would be in
// January and February 1970.
const firstJulian, lastJulian = 2086302.5, 2816787.5

// Tick implements dialect.Times.
func (f *timeFormat) Tick() time.Duration { return f.tick }

// setUnit finds the unit of a number: days if it can be a Julian day, otherwise
// the coarsest unit of Unix time in which it is not after the year 9999.
func (f *timeFormat) setUnit(n float64) {
	switch v := math.Abs(n); {
	case n >= firstJulian && n < lastJulian:
		f.unit, f.julian = 24*time.Hour, true
	case v < maxSeconds:
		f.unit = time.Second
	case v < maxSeconds*1e3:
		f.unit = time.Millisecond
	case v < maxSeconds*1e6:
		f.unit = time.Microsecond
	default:
		f.unit = time.Nanosecond
	}
}

// Time implements dialect.Times. NULL is the zero time, and so is a number outside the
// years 0 to 9999: only the sweep finds changes of such a row.
func (f *timeFormat) Time(v any) (time.Time, error) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case int64:
		if f.unit != 0 && !f.julian {
			return f.integer(v)
		}
		return f.real(v, float64(v))
	case float64:
		return f.real(v, v)
	case string:
		if f.unit == 0 {
			return f.text(v)
		}
	}
	return time.Time{}, f.wrongType(v)
}

// The first second of the year 0, and the first after the year 9999.
const minSeconds, maxSeconds = -62167219200, 253402300800

func (f *timeFormat) integer(v int64) (time.Time, error) {
	perSecond := int64(time.Second / f.unit)
	if v/perSecond <= minSeconds || v/perSecond >= maxSeconds {
		return time.Time{}, nil
	}
	return time.Unix(v/perSecond, v%perSecond*int64(f.unit)).UTC().Truncate(time.Microsecond), nil
}

// unixEpoch is 1970-01-01 in milliseconds of Julian days, SQLite's own unit.
const unixEpoch, millisADay = 210866760000000, 86400000

// real converts the value v, which is n units.
func (f *timeFormat) real(v any, n float64) (time.Time, error) {
	if f.unit == 0 {
		return time.Time{}, f.wrongType(v)
	}
	micros := f.micros(n)
	if math.IsInf(n, 0) {
		return time.Time{}, outOfRange(v)
	}
	if !(micros > minSeconds*1e6 && micros < maxSeconds*1e6) {
		return time.Time{}, nil
	}
	return time.UnixMicro(int64(micros)).UTC(), nil
}

// micros converts n units to microseconds since 1970. It rounds, since most
// fractions of a second have no exact real, and rounds down a fraction of a
// microsecond, as integer does.
func (f *timeFormat) micros(n float64) float64 {
	switch {
	case f.julian:
		return (math.Round(n*millisADay) - unixEpoch) * 1e3
	case f.unit == time.Microsecond:
		return math.Floor(n)
	case f.unit == time.Nanosecond:
		if nanos := int64(math.Floor(n)); math.Abs(n) < math.MaxInt64 {
			return float64(time.Unix(0, nanos).UnixMicro()) // exact, unlike a quotient of reals
		}
		return n / 1e3
	}
	return math.Round(n * float64(f.unit/time.Microsecond))
}

func outOfRange(v any) error {
	return fmt.Errorf("%s is not a time between the years 0 and 9999", dialect.Show(v))
}

func (f *timeFormat) wrongType(v any) error {
	others := "numbers"
	if f.unit == 0 {
		others = "text"
	}
	return fmt.Errorf("%s can't be compared with the other rows' %s", dialect.Show(v), others)
}

// Bounds implements dialect.Times: stored values of times in the window are at least from
// and below to. The bounds may cover more than the window, never less.
func (f *timeFormat) Bounds(w doc.Window) (from, to any) {
	w = doc.Window{From: ceil(w.From), To: ceil(w.To)}
	if f.unit == 0 {
		return f.textBounds(w)
	}
	return f.numberOf(w.From), f.numberOf(w.To)
}

// ceil rounds up to a whole microsecond, the precision of updateTimes.
func ceil(t time.Time) time.Time {
	return t.Add(time.Microsecond - time.Nanosecond).Truncate(time.Microsecond)
}

// numberOf returns the least number that converts to t or later. SQLite compares
// integers with reals exactly.
func (f *timeFormat) numberOf(t time.Time) any {
	micros := t.UnixMicro()
	switch f.unit {
	case time.Microsecond:
		return micros
	case time.Nanosecond:
		return min(max(micros, math.MinInt64/1000), math.MaxInt64/1000) * 1000
	}
	return f.leastReal(micros)
}

// leastReal returns the least real that converts to at least so many microseconds.
// It searches around the quotient, which rounding may put a step or two off.
func (f *timeFormat) leastReal(micros int64) float64 {
	reaches := func(n float64) bool { return int64(f.micros(n)) >= micros }
	n := (float64(micros) - 0.5) / float64(f.unit.Microseconds())
	if f.julian {
		n = (math.Ceil(float64(micros)/1e3) + unixEpoch - 0.5) / millisADay
	}
	for !reaches(n) {
		n = math.Nextafter(n, math.Inf(1))
	}
	for below := math.Nextafter(n, math.Inf(-1)); reaches(below); below = math.Nextafter(n, math.Inf(-1)) {
		n = below
	}
	return n
}
