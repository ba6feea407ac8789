package doc

import "time"

// A Window is a half-open span of updateTime, [From, To).
type Window struct {
	From, To time.Time
}

// Empty reports whether nothing can lie in the window.
func (w Window) Empty() bool { return !w.From.Before(w.To) }

// Slices cuts the window into at most n windows that cover it without a gap,
// of equal length in whole microseconds but for a shorter last one.
func (w Window) Slices(n int) []Window {
	if w.Empty() {
		return nil
	}
	n = max(n, 1)
	step := (w.To.Sub(w.From)/time.Duration(n) + time.Microsecond).Truncate(time.Microsecond)
	var slices []Window
	for from := w.From; from.Before(w.To); {
		to := from.Add(step)
		// The last slice takes all that is left: Sub knows no more than 292 years.
		if to.After(w.To) || len(slices) == n-1 {
			to = w.To
		}
		slices = append(slices, Window{from, to})
		from = to
	}
	return slices
}

// Wall returns the bounds of the window for a column that holds local
// wall-clock time of loc, in UTC with the wall clock's figures. Every instant
// of the window has its figures in [from, to), and so has every value that
// FromWall puts into the window. Where the zone sets its clocks back inside
// the window, the bounds hold both ends of the time that is written twice:
// they may cover more than the window, and never less.
func (w Window) Wall(loc *time.Location) (from, to time.Time) {
	from, to = wall(w.From, loc), wall(w.To, loc)
	for at := w.From; at.Before(w.To); {
		jump := NextJump(at, loc)
		if jump.IsZero() || jump.After(w.To) {
			break
		}
		// A jump at the very end counts too: set back there, the clocks have
		// shown more than they show at the end.
		if last := wall(jump.Add(-time.Nanosecond), loc).Add(time.Nanosecond); last.After(to) {
			to = last
		}
		if first := wall(jump, loc); jump.Before(w.To) && first.Before(from) {
			from = first
		}
		at = jump
	}
	return from, to
}

// NextJump is when loc's clocks are next set after t; zero where that is never.
// Of years that the zone's data does not list one by one, it may be a moment at
// which nothing is set.
//
// ZoneBounds returns the moment itself at the end of some of these years, as of
// 2040: whoever walks on from it stays there for ever.
func NextJump(t time.Time, loc *time.Location) time.Time {
	for at := t; ; at = at.Add(time.Hour) {
		if _, jump := at.In(loc).ZoneBounds(); jump.IsZero() || jump.After(t) {
			return jump
		}
	}
}

// wall returns t's wall-clock figures in loc, as if they were UTC.
func wall(t time.Time, loc *time.Location) time.Time {
	_, offset := t.In(loc).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// FromWall is the instant at which loc's clocks show the figures of t, which
// is given as UTC; of two such instants, the first. Figures that the clocks
// skip belong to the last microsecond before the jump.
func FromWall(t time.Time, loc *time.Location) time.Time {
	u := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
	start, end := u.ZoneBounds()
	// Date takes skipped figures to either side of the jump.
	switch shown := wall(u, loc); {
	case shown.After(t):
		return start.Add(-time.Microsecond).UTC()
	case shown.Before(t):
		return end.Add(-time.Microsecond).UTC()
	}
	if start.IsZero() {
		return u.UTC()
	}
	_, old := start.Add(-time.Second).Zone()
	if first := t.UTC().Add(-time.Duration(old) * time.Second); first.Before(start) && wall(first, loc).Equal(t) {
		return first
	}
	return u.UTC()
}

// A Range is a half-open span of keys, [From, To), in the database's own
// order; an empty end is unbounded.
type Range struct {
	From, To OID
}
