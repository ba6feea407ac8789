package doc

import "time"

// A Window is a half-open span of updateTime, [From, To).
type Window struct {
	From, To time.Time
}

// Empty reports whether the window contains no time.
func (w Window) Empty() bool { return !w.From.Before(w.To) }

// Wall returns the bounds of the window for a column that holds local time of
// loc without an offset. Local times are passed as time.Time in UTC with the
// same date and clock reading. [from, to) contains the local time of every
// instant of the window, and every local time that FromWall maps into the
// window. If the zone sets its clocks back inside the window, the bounds include
// all of the repeated hour: they may cover more than the window, never less.
func (w Window) Wall(loc *time.Location) (from, to time.Time) {
	from, to = wall(w.From, loc), wall(w.To, loc)
	for at := w.From; at.Before(w.To); {
		jump := NextJump(at, loc)
		if jump.IsZero() || jump.After(w.To) {
			break
		}
		// A jump exactly at w.To counts too: before it, the clocks showed later
		// times than they do at w.To.
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

// NextJump returns the first instant after t at which loc's clocks are set
// forward or back; the zero time if there is none. In years that the zone's data
// does not list one by one, it may return an instant without a change.
//
// NextJump retries an hour later because ZoneBounds returns t itself at the end
// of some of these years, for example 2040; a loop over jumps would not end.
func NextJump(t time.Time, loc *time.Location) time.Time {
	for at := t; ; at = at.Add(time.Hour) {
		if _, jump := at.In(loc).ZoneBounds(); jump.IsZero() || jump.After(t) {
			return jump
		}
	}
}

// wall returns t's local time in loc, as a time in UTC.
func wall(t time.Time, loc *time.Location) time.Time {
	_, offset := t.In(loc).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// FromWall returns the instant of a local time of loc. t is the local time, in
// UTC. Of a repeated local time FromWall returns the first instant; a skipped one
// maps to the last microsecond before the jump.
func FromWall(t time.Time, loc *time.Location) time.Time {
	u := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
	start, end := u.ZoneBounds()
	// Date maps a skipped local time to either side of the jump.
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

// A Range is a half-open span of keys, [From, To), in the database's order of
// keys. An empty end is unbounded.
type Range struct {
	From, To OID
}
