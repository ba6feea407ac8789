package doc

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Times in keys count from the start of 2000, as PostgreSQL's do, so that all of its
// range fits. The least and the greatest value are -infinity and infinity.
type (
	Day   int64 // days
	UTC   int64 // microseconds of an instant
	Local int64 // microseconds that a clock without time zone shows
)

// A microsecond is a UTC or a Local.
type microsecond int64

// The times that PostgreSQL has: from 4714-11-24 BC, dates to the year 5874897 and
// times to the year 294276.
const (
	firstDay         Day         = -2451545
	endDay           Day         = 2145031949
	microsADay       microsecond = 24 * 60 * 60 * 1e6
	firstMicrosecond             = microsecond(firstDay) * microsADay
	endMicrosecond   microsecond = 9223371331200000000
)

func (d Day) check() error {
	if _, infinite := infinityOf(int64(d)); !infinite && (d < firstDay || d >= endDay) {
		return fmt.Errorf("is a date out of range: day %d", int64(d))
	}
	return nil
}

func (m microsecond) check() error {
	if _, infinite := infinityOf(int64(m)); !infinite && (m < firstMicrosecond || m >= endMicrosecond) {
		return fmt.Errorf("is a time out of range: microsecond %d", int64(m))
	}
	return nil
}

func infinityOf(n int64) (text string, infinite bool) {
	switch n {
	case math.MinInt64:
		return "-infinity", true
	case math.MaxInt64:
		return "infinity", true
	}
	return "", false
}

// String returns the date as 2026-02-15, "0044-03-15 BC" or infinity.
func (d Day) String() string {
	if text, infinite := infinityOf(int64(d)); infinite {
		return text
	}
	date, era := d.date()
	return date + era
}

// date returns the date and what follows the time of day.
func (d Day) date() (date, era string) {
	year, month, day := time.Unix(int64(d+epochDay)*24*60*60, 0).UTC().Date()
	if year <= 0 {
		year, era = 1-year, " BC"
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, int(month), day), era
}

// epochDay is the first day of 2000, in days since 1970.
const epochDay = 10957

// String returns RFC 3339 with microseconds, with more digits of a year after 9999,
// and " BC" after a year before 1; or infinity.
func (u UTC) String() string { return microsecond(u).text("Z") }

// String returns the time as UTC's String does, without a zone.
func (l Local) String() string { return microsecond(l).text("") }

func (m microsecond) text(zone string) string {
	if text, infinite := infinityOf(int64(m)); infinite {
		return text
	}
	days, rest := m/microsADay, m%microsADay
	if rest < 0 {
		days, rest = days-1, rest+microsADay
	}
	date, era := Day(days).date()
	clock := time.Unix(0, int64(rest)*1000).UTC()
	return date + clock.Format("T15:04:05.000000") + zone + era
}

// ParseDay parses a date as String returns it.
func ParseDay(s string) (Day, error) {
	t := newTimeText(s)
	if t.infinite != 0 {
		return Day(t.infinite), nil
	}
	day := t.day()
	if t.bad || t.rest != "" || day.check() != nil {
		return 0, fmt.Errorf("%q is not a date like 2006-01-02", s)
	}
	return day, nil
}

// ParseUTC parses a time as String returns it. A space may stand in place of the T,
// fewer than six digits may follow the point, and an offset may stand in place of
// the Z.
func ParseUTC(s string) (UTC, error) {
	m, zoned, err := parseMicrosecond(s)
	if err != nil || !zoned {
		return 0, fmt.Errorf("%q is not a time like 2006-01-02T15:04:05.000000Z", s)
	}
	return UTC(m), nil
}

// ParseLocal parses a time as ParseUTC does, without a zone.
func ParseLocal(s string) (Local, error) {
	m, zoned, err := parseMicrosecond(s)
	if _, infinite := infinityOf(int64(m)); err != nil || zoned && !infinite {
		return 0, fmt.Errorf("%q is not a time like 2006-01-02T15:04:05.000000", s)
	}
	return Local(m), nil
}

func parseMicrosecond(s string) (m microsecond, zoned bool, err error) {
	t := newTimeText(s)
	if t.infinite != 0 {
		return microsecond(t.infinite), true, nil
	}
	day := t.day()
	if !t.cut("T") {
		t.expect(" ")
	}
	m = microsecond(day)*microsADay + t.clock()
	offset, zoned := t.zone()
	m -= offset
	if t.bad || t.rest != "" || day.check() != nil || microsecond(day) >= endMicrosecond/microsADay || m.check() != nil {
		return 0, false, fmt.Errorf("%q is not a time", s)
	}
	return m, zoned, nil
}

// A timeText reads a date or time from the left. bad reports an unexpected
// character.
type timeText struct {
	rest     string
	bc, bad  bool
	infinite int64 // of infinity; 0: it is finite
}

func newTimeText(s string) *timeText {
	switch s {
	case "infinity":
		return &timeText{infinite: math.MaxInt64}
	case "-infinity":
		return &timeText{infinite: math.MinInt64}
	}
	rest, bc := strings.CutSuffix(s, " BC")
	return &timeText{rest: rest, bc: bc}
}

func (t *timeText) cut(prefix string) (ok bool) {
	t.rest, ok = strings.CutPrefix(t.rest, prefix)
	return ok
}

func (t *timeText) expect(prefix string) { t.bad = !t.cut(prefix) || t.bad }

// number reads a number of so many digits that is within bounds.
func (t *timeText) number(least, most, from, to int) (n int) {
	i := 0
	for ; i < min(most, len(t.rest)) && '0' <= t.rest[i] && t.rest[i] <= '9'; i++ {
		n = 10*n + int(t.rest[i]-'0')
	}
	t.rest = t.rest[i:]
	t.bad = t.bad || i < least || n < from || n > to
	return n
}

func (t *timeText) day() Day {
	year := t.number(4, 7, 1, 9999999)
	t.expect("-")
	month := t.number(2, 2, 1, 12)
	t.expect("-")
	day := t.number(2, 2, 1, 31)
	if t.bc {
		year = 1 - year
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	t.bad = t.bad || at.Day() != day // the month has fewer days
	return Day(at.Unix()/(24*60*60)) - epochDay
}

func (t *timeText) clock() microsecond {
	seconds := 3600 * t.number(2, 2, 0, 23)
	t.expect(":")
	seconds += 60 * t.number(2, 2, 0, 59)
	t.expect(":")
	seconds += t.number(2, 2, 0, 59)
	micros := 0
	if t.cut(".") {
		digits := len(t.rest)
		micros = t.number(1, 6, 0, 999999)
		for digits -= len(t.rest); digits < 6; digits++ {
			micros *= 10
		}
	}
	return microsecond(seconds)*1e6 + microsecond(micros)
}

// zone reads an optional Z or offset such as +02 or +02:00.
func (t *timeText) zone() (offset microsecond, zoned bool) {
	sign := microsecond(1)
	switch {
	case t.cut("Z"):
		return 0, true
	case t.cut("-"):
		sign = -1
	case !t.cut("+"):
		return 0, false
	}
	minutes := 60 * t.number(2, 2, 0, 15)
	if t.cut(":") {
		minutes += t.number(2, 2, 0, 59)
	}
	return sign * microsecond(minutes) * 60e6, true
}
