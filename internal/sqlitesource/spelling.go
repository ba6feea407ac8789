package sqlitesource

import (
	"fmt"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// A spelling is an updateTime as text has it:
//
//	2006-01-02[( |T)15:04[:05[.999999]][Z|+02:00]]
type spelling struct {
	wall   time.Time     // the figures, as if they were UTC's
	tick   time.Duration // what the last figure counts
	sep    byte          // ' ' or 'T'; 0 where there is only a date
	zoned  bool          // it says its offset
	z      bool          // as Z
	offset time.Duration
}

// What clock.seen remembers of the spellings in a column.
const (
	seenSpace  = 1 << iota // 2006-01-02 15:04
	seenT                  // 2006-01-02T15:04
	seenZ                  // 2006-01-02T15:04Z
	seenOffset             // an offset that is not the column's zone
)

// parseSpelling reads a text.
func parseSpelling(text string) (spelling, error) {
	p := &figures{rest: text}
	s := spelling{tick: 24 * time.Hour}
	year, month, day := p.number(4), p.literal('-').number(2), p.literal('-').number(2)
	var hour, minute, second, nanos int
	if p.rest != "" && !p.bad {
		s.sep, s.tick = p.rest[0], time.Minute
		p.bad = s.sep != ' ' && s.sep != 'T'
		p.rest = p.rest[1:]
		hour, minute = p.number(2), p.literal(':').number(2)
		if strings.HasPrefix(p.rest, ":") {
			second, s.tick = p.literal(':').number(2), time.Second
			if strings.HasPrefix(p.rest, ".") {
				nanos, s.tick = p.literal('.').fraction()
			}
		}
		s.z = p.rest == "Z"
		s.offset, s.zoned = p.zone()
	}
	s.wall = time.Date(year, time.Month(month), day, hour, minute, second, nanos-nanos%1000, time.UTC)
	// Figures that overflow into the next one make another date.
	if p.bad || p.rest != "" || s.wall.Day() != day || s.wall.Month() != time.Month(month) || hour > 23 || minute > 59 || second > 59 {
		return spelling{}, fmt.Errorf("%s is no time", describe(text))
	}
	return s, nil
}

// figures reads a text from the left and remembers whether it was as expected.
type figures struct {
	rest string
	bad  bool
}

func (p *figures) number(digits int) (n int) {
	if len(p.rest) < digits {
		p.bad, p.rest = true, ""
		return 0
	}
	for _, c := range []byte(p.rest[:digits]) {
		p.bad = p.bad || c < '0' || c > '9'
		n = 10*n + int(c) - '0'
	}
	p.rest = p.rest[digits:]
	return n
}

func (p *figures) literal(c byte) *figures {
	if p.rest == "" || p.rest[0] != c {
		p.bad, p.rest = true, ""
		return p
	}
	p.rest = p.rest[1:]
	return p
}

// fraction reads 1 to 9 digits of a second.
func (p *figures) fraction() (nanos int, tick time.Duration) {
	unit := time.Second
	for p.rest != "" && p.rest[0] >= '0' && p.rest[0] <= '9' && unit > 1 {
		unit /= 10
		nanos += int(p.rest[0]-'0') * int(unit)
		p.rest = p.rest[1:]
	}
	p.bad = p.bad || unit == time.Second
	return nanos, max(unit, time.Microsecond)
}

// zone reads nothing, Z, or an offset.
func (p *figures) zone() (offset time.Duration, zoned bool) {
	switch {
	case p.rest == "":
		return 0, false
	case p.rest == "Z":
		p.rest = ""
		return 0, true
	case p.rest[0] == '+' || p.rest[0] == '-':
		sign := time.Duration(',' - int(p.rest[0])) // '+' and '-' stand on either side of ','
		p.rest = p.rest[1:]
		hours, minutes := p.number(2), p.literal(':').number(2)
		p.bad = p.bad || hours > 14 || minutes > 59
		return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
	}
	p.bad = true
	return 0, false
}

// text reads an updateTime and remembers how it was spelled.
func (c *clock) text(v string) (time.Time, error) {
	s, err := parseSpelling(v)
	if err != nil {
		return time.Time{}, err
	}
	c.note(s)
	if s.zoned {
		return inYears(v, s.wall.Add(-s.offset))
	}
	return inYears(v, doc.FromWall(s.wall, c.zone))
}

func inYears(v string, t time.Time) (time.Time, error) {
	if t.Year() < 0 || t.Year() > 9999 {
		return t, outOfRange(v)
	}
	return t, nil
}

// note remembers a spelling. The greatest value told one when the clock was
// made; the rows that are read tell the others.
func (c *clock) note(s spelling) {
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
	if s.zoned && (s.offset != 0 || c.zone != time.UTC) {
		seen |= seenOffset
	}
	if c.seen.Load()&seen != seen {
		c.seen.Or(seen)
	}
}

// The offsets that places on earth have.
const westmost, eastmost = 12 * time.Hour, 14 * time.Hour

// textBounds spells a window so that text compares as time does:
//
//   - A bound is written as short as it can be, without ":00" and "00:00" at
//     its end. Every way to spell an instant begins with that, so none of them
//     sorts below the bound that is the instant itself.
//   - ' ' sorts before 'T'. Where both were seen the lower bound has a space
//     and the upper one a T, and a window covers its first and last day whole.
//   - 'Z' sorts after ':' and '.', so 10:00Z after 10:00:05. Where it was seen
//     the upper bound is a whole minute.
//   - Where offsets were seen, figures say little about the order in time, and
//     a window covers all that may be written for it anywhere: 26 hours more.
func (c *clock) textBounds(w doc.Window) (from, to any) {
	lower, upper := w.Wall(c.zone)
	seen := c.seen.Load()
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

// shortest spells the figures of t.
func shortest(t time.Time, sep byte) string {
	switch {
	case t.Year() < 0:
		return "" // below all text
	case t.Year() > 9999:
		return ":" // above every digit
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
