package sqlitesource

import (
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"indexerd/internal/doc"
)

// A clock reads updateTime as one column has it, and spells the bounds of a
// window the same way, so that they compare with the stored values as those
// are and an index on them serves.
//
// A column holds numbers (Unix time in some unit, or Julian days) or text; most
// rows tell which (see unit.go). A value of the other sort is no updateTime: it
// would lie in no window.
type clock struct {
	tick   time.Duration
	unit   time.Duration // of a number; 0 where the column holds text
	julian bool          // numbers are days since noon of -4713-11-24
	zone   *time.Location
	seen   atomic.Uint32 // text: which spellings were met
}

// newClock makes the clock of a column without a plausible time, from its
// greatest value.
func newClock(newest any, zone *time.Location) (*clock, error) {
	c := &clock{zone: zone}
	switch v := newest.(type) {
	case int64:
		c.setUnit(float64(v))
		c.tick = max(c.unit, time.Microsecond)
	case float64:
		c.setUnit(v)
		c.tick = time.Microsecond
	case string:
		s, err := parseSpelling(v)
		if err != nil {
			return nil, err
		}
		c.tick = s.tick
		c.note(s)
	default:
		return nil, fmt.Errorf("%s is no time", describe(v))
	}
	if c.julian {
		c.tick = time.Millisecond
	}
	_, err := c.time(newest)
	return c, err
}

// Julian days of the years 1000 to 3000. As seconds they would all be of
// January and February 1970.
const firstJulian, lastJulian = 2086302.5, 2816787.5

// setUnit finds the unit of a number: days where it can be a Julian day, else
// the coarsest unit of Unix time in which it is not after the year 9999.
func (c *clock) setUnit(n float64) {
	switch v := math.Abs(n); {
	case n >= firstJulian && n < lastJulian:
		c.unit, c.julian = 24*time.Hour, true
	case v < maxSeconds:
		c.unit = time.Second
	case v < maxSeconds*1e3:
		c.unit = time.Millisecond
	case v < maxSeconds*1e6:
		c.unit = time.Microsecond
	default:
		c.unit = time.Nanosecond
	}
}

// time reads a value. NULL is the zero time, and so is a number that is no time
// of the years 0 to 9999: the sweep alone finds changes of such a row.
func (c *clock) time(v any) (time.Time, error) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case int64:
		if c.unit != 0 && !c.julian {
			return c.integer(v)
		}
		return c.real(v, float64(v))
	case float64:
		return c.real(v, v)
	case string:
		if c.unit == 0 {
			return c.text(v)
		}
	}
	return time.Time{}, c.misfit(v)
}

// The first second of the year 0, and the first after the year 9999.
const minSeconds, maxSeconds = -62167219200, 253402300800

func (c *clock) integer(v int64) (time.Time, error) {
	perSecond := int64(time.Second / c.unit)
	if v/perSecond <= minSeconds || v/perSecond >= maxSeconds {
		return time.Time{}, nil
	}
	return time.Unix(v/perSecond, v%perSecond*int64(c.unit)).UTC().Truncate(time.Microsecond), nil
}

// unixEpoch is 1970-01-01 in milliseconds of Julian days, which is what SQLite
// computes with.
const unixEpoch, millisADay = 210866760000000, 86400000

// real reads the value v, which is n units.
func (c *clock) real(v any, n float64) (time.Time, error) {
	var micros float64
	switch {
	case c.unit == 0:
		return time.Time{}, c.misfit(v)
	case c.julian:
		micros = (math.Round(n*millisADay) - unixEpoch) * 1e3
	default:
		micros = math.Round(n * float64(c.unit) / float64(time.Microsecond))
	}
	if math.IsInf(n, 0) {
		return time.Time{}, outOfRange(v)
	}
	if !(micros > minSeconds*1e6 && micros < maxSeconds*1e6) {
		return time.Time{}, nil
	}
	return time.UnixMicro(int64(micros)).UTC(), nil
}

func outOfRange(v any) error {
	return fmt.Errorf("%s is no time between the years 0 and 9999", describe(v))
}

func (c *clock) misfit(v any) error {
	others := "numbers"
	if c.unit == 0 {
		others = "text"
	}
	return fmt.Errorf("%s can't be compared with the other rows' %s", describe(v), others)
}

// bounds spells the bounds of a window: what lies in it is stored as at least
// from and below to. They may cover more than the window, never less.
func (c *clock) bounds(w doc.Window) (from, to any) {
	w = doc.Window{From: ceil(w.From), To: ceil(w.To)}
	if c.unit == 0 {
		return c.textBounds(w)
	}
	return c.numberOf(w.From), c.numberOf(w.To)
}

// ceil is the next whole microsecond: no updateTime lies between.
func ceil(t time.Time) time.Time {
	return t.Add(time.Microsecond - time.Nanosecond).Truncate(time.Microsecond)
}

// numberOf is the least number that is read as t or later. SQLite compares
// integers with reals exactly.
func (c *clock) numberOf(t time.Time) any {
	micros := t.UnixMicro()
	switch {
	case c.julian:
		millis := t.Add(time.Millisecond - time.Microsecond).UnixMilli()
		return (float64(millis+unixEpoch) - 0.5) / millisADay
	case c.unit == time.Microsecond:
		return micros
	case c.unit == time.Nanosecond:
		return min(max(micros, math.MinInt64/1000), math.MaxInt64/1000) * 1000
	}
	return c.leastReal(float64(micros))
}

// leastReal is the least real that is read as so many microseconds: division and
// rounding may leave it a step or two of the number away.
func (c *clock) leastReal(micros float64) float64 {
	read := func(n float64) float64 { return math.Round(n * float64(c.unit) / float64(time.Microsecond)) }
	n := (micros - 0.5) / float64(c.unit.Microseconds())
	for read(n) < micros {
		n = math.Nextafter(n, math.Inf(1))
	}
	for below := math.Nextafter(n, math.Inf(-1)); read(below) >= micros; below = math.Nextafter(n, math.Inf(-1)) {
		n = below
	}
	return n
}

// describe shows a value in an error, shortened.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return "integer " + strconv.FormatInt(v, 10)
	case float64:
		return "real " + strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > 40 {
			v = v[:40] + "..."
		}
		return "text " + strconv.Quote(v)
	case []byte:
		return fmt.Sprintf("a blob of %d bytes", len(v))
	}
	return fmt.Sprintf("a %T", v)
}
