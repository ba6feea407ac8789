package sqlite

import (
	"fmt"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
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
	var s spelling
	local, layout := s.cutOffset(text), time.DateTime
	if len(local) > len(time.DateOnly) {
		if s.sep = local[len(time.DateOnly)]; s.sep == 'T' {
			layout = "2006-01-02T15:04:05"
		}
	}
	s.tick = tickOf(local)
	layout = layout[:min(len(local), len(layout))]
	wall, err := time.Parse(layout, local)
	// Parse allows more spaces and fewer digits.
	if err != nil || s.tick == 0 || s.zoned && s.sep == 0 || !strings.HasPrefix(local, wall.Format(layout)) {
		return spelling{}, fmt.Errorf("%s is not a time", dialect.Show(text))
	}
	s.wall = wall.Truncate(time.Microsecond)
	return s, nil
}

// tickOf returns the unit of the last digit of a local time; 0: it has another form.
func tickOf(local string) time.Duration {
	const seconds = len(time.DateTime)
	switch n := len(local); {
	case n == len(time.DateOnly):
		return 24 * time.Hour
	case n == len("2006-01-02 15:04"):
		return time.Minute
	case n == seconds:
		return time.Second
	case n > seconds+1 && n <= seconds+len(".123456789") && local[seconds] == '.':
		tick := time.Second
		for range local[seconds+1:] {
			tick /= 10
		}
		return max(tick, time.Microsecond)
	}
	return 0
}

// cutOffset returns the text without its offset.
func (s *spelling) cutOffset(text string) (local string) {
	local, s.z = strings.CutSuffix(text, "Z")
	s.zoned = s.z
	if at := len(text) - len("+02:00"); at > len(time.DateOnly) && (text[at] == '+' || text[at] == '-') {
		zone, err := time.Parse("Z07:00", text[at:])
		_, seconds := zone.Zone()
		if s.offset = time.Duration(seconds) * time.Second; err == nil && s.offset.Abs() < 15*time.Hour {
			local, s.zoned = text[:at], true
		}
	}
	return local
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
