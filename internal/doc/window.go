package doc

import "time"

// A Window is a half-open span of updateTime, [From, To).
type Window struct {
	From, To time.Time
}

// Empty reports whether nothing can lie in the window.
func (w Window) Empty() bool { return !w.From.Before(w.To) }

// Slices cuts the window into at most n windows of equal length that cover it
// without a gap. A slice is at least a microsecond long.
func (w Window) Slices(n int) []Window {
	if w.Empty() {
		return nil
	}
	step := max((w.To.Sub(w.From)/time.Duration(max(n, 1)) + time.Microsecond).Truncate(time.Microsecond), time.Microsecond)
	var slices []Window
	for from := w.From; from.Before(w.To); from = from.Add(step) {
		to := from.Add(step)
		if to.After(w.To) {
			to = w.To
		}
		slices = append(slices, Window{from, to})
	}
	return slices
}

// Wall returns bounds for a column that holds local wall-clock time of loc:
// every instant of the window has its wall-clock time in [from, to). Both are
// returned in UTC, carrying the wall clock's figures. Where the zone sets its
// clocks back inside or shortly before the window, the bounds are widened by
// the hour that is written twice, so they may cover more than the window and
// never less.
func (w Window) Wall(loc *time.Location) (from, to time.Time) {
	from, to = wall(w.From, loc), wall(w.To, loc)
	for at := w.From; at.Before(w.To); {
		_, next := at.In(loc).ZoneBounds()
		if next.IsZero() || !next.Before(w.To) {
			break
		}
		if before := wall(next.Add(-time.Microsecond), loc).Add(time.Microsecond); before.After(to) {
			to = before
		}
		if after := wall(next, loc); after.Before(from) {
			from = after
		}
		at = next
	}
	return from, to
}

// wall returns t's wall-clock figures in loc, as if they were UTC.
func wall(t time.Time, loc *time.Location) time.Time {
	_, offset := t.In(loc).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// FromWall is the instant at which loc's clocks show the figures of t, which
// is given as UTC; of two such instants, the first.
func FromWall(t time.Time, loc *time.Location) time.Time {
	u := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
	if start, _ := u.ZoneBounds(); !start.IsZero() {
		_, old := start.Add(-time.Second).Zone()
		if first := t.UTC().Add(-time.Duration(old) * time.Second); first.Before(start) && wall(first, loc).Equal(t) {
			return first.UTC()
		}
	}
	return u.UTC()
}

// A Range is a half-open span of keys, [From, To), in the database's own
// order; an empty end is unbounded.
type Range struct {
	From, To OID
}
