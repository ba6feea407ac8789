package sqlite

import (
	"fmt"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
)

// A spelling is a parsed updateTime of text:
//
//	2006-01-02[( |T)15:04[:05[.999999]][Z|+02:00]]
type spelling struct {
	wall   time.Time     // the local time, in UTC
	tick   time.Duration // the unit of the last digit
	sep    byte          // ' ' or 'T'; 0 for a date alone
	zoned  bool          // it has an offset
	z      bool          // the offset is Z
	offset time.Duration
}

// Bits of timeFormat.seen.
const (
	seenSpace  = 1 << iota // 2006-01-02 15:04
	seenT                  // 2006-01-02T15:04
	seenZ                  // 2006-01-02T15:04Z
	seenOffset             // an offset other than that of the column's zone
)

// parseSpelling parses a text.
func parseSpelling(text string) (spelling, error) {
	p := &timeParser{rest: text}
	s := spelling{tick: 24 * time.Hour}
	year, month, day := p.number("0000"), p.number("-00"), p.number("-00")
	var hour, minute, second, nanos int
	if p.rest != "" && !p.bad {
		s.sep, s.tick = p.rest[0], time.Minute
		p.bad = s.sep != ' ' && s.sep != 'T'
		p.rest = p.rest[1:]
		hour, minute = p.number("00"), p.number(":00")
		if strings.HasPrefix(p.rest, ":") {
			second, s.tick = p.number(":00"), time.Second
			if strings.HasPrefix(p.rest, ".") {
				nanos, s.tick = p.fraction()
			}
		}
		s.z = p.rest == "Z"
		s.offset, s.zoned = p.zone()
	}
	s.wall = time.Date(year, time.Month(month), day, hour, minute, second, nanos-nanos%1000, time.UTC)
	// time.Date normalizes overflowing values to another date.
	if p.bad || p.rest != "" || s.wall.Day() != day || s.wall.Month() != time.Month(month) || hour > 23 || minute > 59 || second > 59 {
		return spelling{}, fmt.Errorf("%s is not a time", sqlsource.Show(text))
	}
	return s, nil
}

// A timeParser reads a text from the left. bad reports an unexpected character.
type timeParser struct {
	rest string
	bad  bool
}

// number reads a number of a form such as ":00", in which 0 is any digit.
func (p *timeParser) number(form string) (n int) {
	if len(p.rest) < len(form) {
		p.bad, p.rest = true, ""
		return 0
	}
	for i, f := range []byte(form) {
		c := p.rest[i]
		if f != '0' {
			p.bad = p.bad || c != f
			continue
		}
		p.bad = p.bad || c < '0' || c > '9'
		n = 10*n + int(c) - '0'
	}
	p.rest = p.rest[len(form):]
	return n
}

// fraction reads a point and 1 to 9 digits of a fraction of a second.
func (p *timeParser) fraction() (nanos int, tick time.Duration) {
	unit := time.Second
	p.rest = p.rest[1:]
	for p.rest != "" && p.rest[0] >= '0' && p.rest[0] <= '9' && unit > 1 {
		unit /= 10
		nanos += int(p.rest[0]-'0') * int(unit)
		p.rest = p.rest[1:]
	}
	p.bad = p.bad || unit == time.Second
	return nanos, max(unit, time.Microsecond)
}

// zone reads an optional Z or offset.
func (p *timeParser) zone() (offset time.Duration, zoned bool) {
	switch {
	case p.rest == "":
		return 0, false
	case p.rest == "Z":
		p.rest = ""
		return 0, true
	case p.rest[0] == '+' || p.rest[0] == '-':
		sign := time.Duration(',' - int(p.rest[0])) // ',' lies between '+' and '-'
		p.rest = p.rest[1:]
		hours, minutes := p.number("00"), p.number(":00")
		p.bad = p.bad || hours > 14 || minutes > 59
		return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
	}
	p.bad = true
	return 0, false
}

// text converts a text and notes its spelling.
func (f *timeFormat) text(v string) (time.Time, error) {
	s, err := parseSpelling(v)
	if err != nil {
		return time.Time{}, err
	}
	f.note(s)
	if s.zoned {
		return inYears(v, s.wall.Add(-s.offset))
	}
	return inYears(v, doc.FromWall(s.wall, f.zone))
}

func inYears(v string, t time.Time) (time.Time, error) {
	if t.Year() < 0 || t.Year() > 9999 {
		return t, outOfRange(v)
	}
	return t, nil
}

// note adds a spelling to those seen: first those of the sample, then those of all
// rows that are read.
func (f *timeFormat) note(s spelling) {
	var seen uint32
	switch s.sep {
	case ' ':
		seen = seenSpace
	case 'T':
		seen = seenT
	}
	if s.z {
		seen |= seenZ
	}
	if s.zoned && (s.offset != 0 || f.zone != time.UTC) {
		seen |= seenOffset
	}
	if f.seen.Load()&seen != seen {
		f.seen.Or(seen)
	}
}

// The extreme offsets of time zones.
const westmost, eastmost = 12 * time.Hour, 14 * time.Hour

// textBounds returns the bounds of a window as texts:
//
//   - A bound has the shortest spelling, without ":00" or "00:00" at its end. All
//     spellings of an instant begin with it, so none sorts below it.
//   - ' ' sorts before 'T'. If rows have both, the lower bound has a space and the
//     upper one a T, so the bounds cover the first and last day completely.
//   - 'Z' sorts after ':' and '.', so 10:00Z after 10:00:05. If rows have it, the
//     upper bound is a whole minute.
//   - With offsets, texts do not sort by time. If rows have them, the bounds cover
//     all local times of the window in any time zone: 26 hours more.
func (f *timeFormat) textBounds(w doc.Window) (from, to any) {
	lower, upper := w.Wall(f.zone)
	seen := f.seen.Load()
	if seen&seenOffset != 0 {
		if l := w.From.UTC().Add(-westmost); l.Before(lower) {
			lower = l
		}
		if u := w.To.UTC().Add(eastmost); u.After(upper) {
			upper = u
		}
	}
	first, last := byte(' '), byte(' ')
	if seen&seenT != 0 {
		last = 'T'
		if seen&seenSpace == 0 {
			first = 'T'
		}
	}
	if seen&seenZ != 0 {
		upper = upper.Add(time.Minute - 1).Truncate(time.Minute)
	}
	return shortest(lower, first), shortest(upper, last)
}

// shortest returns the shortest spelling of t.
func shortest(t time.Time, sep byte) string {
	switch {
	case t.Year() < 0:
		return "" // sorts before all text
	case t.Year() > 9999:
		return ":" // sorts after every digit
	}
	text := t.UTC().Format("2006-01-02" + string(sep) + "15:04:05.999999")
	if t.Nanosecond() != 0 {
		return text
	}
	text = strings.TrimSuffix(text, ":00")
	if len(text) == len("2006-01-02 15:04") {
		text = strings.TrimSuffix(text, string(sep)+"00:00")
	}
	return text
}
