package sqlite

import (
	"cmp"
	"strconv"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source/dialect"
)

// anyTimes is the Epochs of every column: numbers or text, as the rows show.
type anyTimes struct{}

// UnknownTick implements dialect.Epochs: the rows might be dates.
func (anyTimes) UnknownTick() time.Duration { return 24 * time.Hour }

// Plausible implements dialect.Epochs. Texts begin with the year; the local time
// of an offset may be a day before or after UTC.
func (anyTimes) Plausible(q *dialect.Query, expr string, _ *dialect.Column, now time.Time) {
	q.Write("(")
	for _, unit := range append([]timeunit.Unit{timeunit.JulianDays}, timeunit.Numbers...) {
		from, to := unit.Range(now)
		q.Write(expr, " >= ").Bind(from, nil).Write(" AND ", expr, " < ").Bind(to, nil).Write(" OR ")
	}
	const day = 24 * time.Hour
	first, last := timeunit.Earliest.Add(-day), timeunit.Latest(now).Add(2*day)
	q.Write(expr, " >= ").Bind(first.Format(time.DateOnly), nil).Write(" AND ", expr, " < ").Bind(last.Format(time.DateOnly), nil).Write(")")
}

// Units implements dialect.Epochs.
func (anyTimes) Units(now time.Time) func(raw any) timeunit.Unit {
	ranges := timeunit.RangesAt(now)
	return func(raw any) timeunit.Unit {
		switch v := raw.(type) {
		case int64:
			return ranges.Unit(float64(v))
		case float64:
			return ranges.Unit(v)
		case string:
			if s, err := parseSpelling(v); err == nil && timeunit.Plausible(s.wall.Add(-s.offset), now) {
				return timeunit.Text
			}
		}
		return timeunit.Unknown
	}
}

// UsesSample implements dialect.Epochs. The values show the precision, but where it is a
// microsecond in any case.
func (anyTimes) UsesSample(unit timeunit.Unit) bool {
	return unit.Duration() == 0 || unit.Duration() > time.Microsecond
}

// Times implements dialect.Epochs.
func (a anyTimes) Times(unit timeunit.Unit, sample []any, zone *time.Location) dialect.Times {
	f := &timeFormat{zone: zone, unit: unit.Duration()}
	switch unit {
	case timeunit.Unknown:
		return nil
	case timeunit.Text:
		if f.tick = f.noteTexts(sample); f.tick == 0 {
			return nil
		}
	case timeunit.JulianDays:
		f.julian, f.tick = true, time.Millisecond
	default:
		f.tick = max(f.unit, time.Microsecond)
		if mostlyReal(sample) {
			f.tick = time.Microsecond
		}
	}
	return f
}

// mostlyReal reports whether most numbers of a sample are reals, which have
// fractions of the unit.
func mostlyReal(sample []any) bool {
	reals, numbers := 0, 0
	for _, v := range sample {
		switch v.(type) {
		case float64:
			reals++
			numbers++
		case int64:
			numbers++
		}
	}
	return 2*reals > numbers
}

// noteTexts notes the spellings of a sample, and returns the tick of most, the
// coarser one on a tie; 0: there is no text.
func (f *timeFormat) noteTexts(sample []any) (common time.Duration) {
	ticks := map[time.Duration]int{}
	for _, v := range sample {
		if text, ok := v.(string); ok {
			if s, err := parseSpelling(text); err == nil {
				f.note(s)
				ticks[s.tick]++
			}
		}
	}
	for tick, n := range ticks {
		if cmp.Or(cmp.Compare(n, ticks[common]), cmp.Compare(tick, common)) > 0 {
			common = tick
		}
	}
	return common
}

// Guess implements dialect.Guesser: the greatest value that is a time shows the
// format of a column in which no time is plausible. Invalid values must not keep
// the table from being read.
func (anyTimes) Guess(ask func(condition, order string, row func(any) bool) error, _ string, zone *time.Location) (found dialect.Times, err error) {
	var fault error
	row := func(raw any) bool {
		f, err := newTimeFormat(raw, zone)
		if err == nil {
			found = f
			return false
		}
		if fault == nil {
			fault = &dialect.NoTimesError{What: err.Error(), Do: "it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05"}
		}
		return true
	}
	// Numbers, and text that begins with a digit, sort before ':'.
	for _, which := range []string{" < ':'", " IS NOT NULL"} {
		if err := ask(which, " DESC", row); err != nil || found != nil {
			return found, err
		}
		if fault != nil {
			return nil, fault
		}
	}
	return nil, nil
}

// Zone implements dialect.Waller.
func (f *timeFormat) Zone() *time.Location {
	if f.unit != 0 {
		return nil
	}
	return f.zone
}

// ShownIn implements dialect.Waller, for text without an offset.
func (f *timeFormat) ShownIn(q *dialect.Query, expr string, _ *dialect.Column, figures doc.Window) {
	const form = "2006-01-02 15:04:05"
	shown := "replace(substr(" + expr + ", 1, 19), 'T', ' ')"
	q.Write(shown, " >= ").Bind(figures.From.Format(form), nil).Write(" AND ", shown, " < ").Bind(figures.To.Format(form), nil)
	q.Write(" AND substr(", expr, ", ", strconv.Itoa(len("2006-01-02 15:04")+1), ") NOT GLOB '*[-+Z]*'")
}
