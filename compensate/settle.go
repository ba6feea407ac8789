package compensate

import (
	"time"

	"indexerd/timetrace"
)

// saveEvery is how far the durable S may lag while no row is found.
const saveEvery = 10 * time.Second

// A settler moves S of one table.
type settler struct {
	saved time.Time // the durable S
}

// move moves S forward. If rows were found, S is durable when move returns. If
// not, S is written when it is saveEvery ahead of the durable one, because a
// restart can compare an idle time again at no cost.
func (s *settler) move(trace *timetrace.Trace, table string, at time.Time, found bool, settle func(*timetrace.Table)) error {
	if lag := at.Sub(s.saved); !found && 0 <= lag && lag < saveEvery { // below 0 after a rewind
		trace.Note(table, settle)
		return nil
	}
	if err := trace.UpdateTable(table, settle); err != nil {
		return err
	}
	s.saved = at
	return nil
}

// wholeTicks returns the largest S for a horizon. If updateTime is coarse, a row
// of the tick in which the horizon lies has the tick's beginning as its
// updateTime, and may still commit: S stays one tick behind.
func wholeTicks(at time.Time, tick time.Duration) time.Time {
	if tick > time.Microsecond {
		return at.Add(-tick)
	}
	return at
}
