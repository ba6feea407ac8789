package compensate

import (
	"time"

	"indexerd/timetrace"
)

// saveEvery is how far the durable S may lag while no row is found.
const saveEvery = 10 * time.Second

// move moves S forward. If rows were found, S is durable when move returns. If
// not, S is written when it is saveEvery ahead of the durable one, because a
// restart can compare an idle time again at no cost. The table that first is so far
// ahead makes the marks of all tables durable.
func move(trace *timetrace.Trace, table string, at time.Time, found bool, settle func(*timetrace.Table)) error {
	if !found && mayLag(trace, table, at) {
		trace.Note(table, settle)
		return nil
	}
	return trace.UpdateTable(table, settle)
}

// WholeTicks returns the largest S for a horizon. If updateTime is coarse, a row
// of the tick in which the horizon lies has the tick's beginning as its
// updateTime, and may still commit: S stays one tick behind.
func WholeTicks(at time.Time, tick time.Duration) time.Time {
	if tick > time.Microsecond {
		return at.Add(-tick)
	}
	return at
}

// mayLag reports whether the durable S may stay behind at.
func mayLag(trace *timetrace.Trace, table string, at time.Time) bool {
	return at.Sub(trace.DurableTable(table).Settled) < saveEvery
}
