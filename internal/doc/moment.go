package doc

import "time"

// A Moment is one reading of a database's clock.
//
// On a primary Seen is Now. A standby shows what its primary committed by the
// time Seen of the primary's clock, and may show later commits or not.
type Moment struct {
	Now    time.Time // the database's clock
	Seen   time.Time // what was committed by then is seen by every later snapshot; never after Now
	Asked  time.Time // this machine's clock before the reading, and
	Local  time.Time // after it
	Behind string    // why it is not known what was committed between Seen and Now, and what to do; "": they are close
}

// SetBack reports by how much the clock was set back since an earlier moment,
// and the earliest time that it has shown since. By at most 0: it was not. The
// time that a reading took never makes a clock look set back.
func (m Moment) SetBack(last Moment) (by time.Duration, shown time.Time) {
	by = last.Now.Sub(m.Now.Add(-m.Asked.Sub(last.Local)))
	return by, m.Now.Add(-m.Local.Sub(last.Asked))
}
