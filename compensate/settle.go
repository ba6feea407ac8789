package compensate

import (
	"time"

	"indexerd/timetrace"
)

// saveEvery is how far the durable S may lag behind while nothing is found.
const saveEvery = 10 * time.Second

// A settler moves S of one table.
type settler struct {
	saved time.Time // the S that is durable
}

// move moves S forward. What was found makes it durable at once; S over an idle
// time becomes so now and then, since a restart compares that time again at no
// cost.
func (s *settler) move(trace *timetrace.Trace, table string, at time.Time, found bool, settle func(*timetrace.Table)) error {
	if lag := at.Sub(s.saved); !found && 0 <= lag && lag < saveEvery { // below 0: it was rewound
		trace.Note(table, settle)
		return nil
	}
	if err := trace.UpdateTable(table, settle); err != nil {
		return err
	}
	s.saved = at
	return nil
}

// wholeTicks is what S may be when nothing that began before a time can still
// commit. Where updateTime is coarse, a row of the tick in which the time lies
// bears the tick's beginning, and may still come.
func wholeTicks(at time.Time, tick time.Duration) time.Time {
	if tick > time.Microsecond {
		return at.Add(-tick)
	}
	return at
}
