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
	if !found && at.Sub(s.saved) < saveEvery {
		trace.Note(table, settle)
		return nil
	}
	if err := trace.UpdateTable(table, settle); err != nil {
		return err
	}
	s.saved = at
	return nil
}
