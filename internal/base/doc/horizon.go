package doc

import "time"

// A Moment is one reading of a database's clock.
//
// On a primary, Seen equals Now. A standby shows everything that its primary had
// committed when the primary's clock showed Seen. It may or may not show later
// commits.
type Moment struct {
	Now    time.Time // the database's clock
	Seen   time.Time // every later snapshot shows all commits up to it; never after Now
	Asked  time.Time // this machine's clock before the reading
	Local  time.Time // this machine's clock after the reading
	Behind string    // why it is unknown what was committed between Seen and Now, and what to do; "": Seen is close to Now
}

// SetBack returns by how much the clock was set back since an earlier moment, and
// the earliest time that it has shown since. If by is 0 or less, the clock was
// not set back. The duration of a reading never makes a clock look set back.
func (m Moment) SetBack(last Moment) (by time.Duration, shown time.Time) {
	by = last.Now.Sub(m.Now.Add(-m.Asked.Sub(last.Local)))
	return by, m.Now.Add(-m.Local.Sub(last.Asked))
}

// A Horizon is one reading of a database's open transactions. A snapshot that
// is taken after the reading shows every row that will ever be committed with an
// updateTime below At, provided that the server sets updateTime.
//
// A caller that stores progress durably stores At, Now, Local and Server with it.
type Horizon struct {
	At        time.Time     // no open or later transaction can commit an updateTime below it; zero unless Exact
	Now       time.Time     // the database's clock
	Seen      time.Time     // on a standby: every later snapshot shows all commits up to it; zero: Now
	Local     time.Time     // this machine's clock at the same moment
	Asked     time.Time     // this machine's clock just before; zero in a horizon that was stored
	Exact     bool          // At is proven
	Hidden    bool          // the start of some transactions is hidden: At is closer the more often the horizon is read
	Reason    string        // why At is not proven, and what to do; one line
	Pin       *Pin          // the transaction that holds At back; nil if only the clock does
	Server    string        // identity of the server; it changes after a restart, restore or failover
	Version   string        // the same value means that nothing was committed in between; "": unknown
	ClockBack time.Duration // how far Now was set back since the last reading; At is below all updateTimes set since
	Quiet     time.Time     // a snapshot taken after the reading has no row of the table, own or child's, with an updateTime at or after it; zero: unknown
	Floor     time.Time     // also below all updateTimes set since, even if At is not proven; zero: unknown
}

// Shown returns the time up to which every later snapshot shows all commits.
func (h Horizon) Shown() time.Time {
	if !h.Seen.IsZero() && h.Seen.Before(h.Now) {
		return h.Seen
	}
	return h.Now
}

// EarliestSinceStep returns a lower bound of the updateTimes set since the clock was set
// back. It is below Now because the clock ran on between the step and the reading.
func (h Horizon) EarliestSinceStep() time.Time {
	to := h.Now.Add(-h.ClockBack)
	for _, bound := range []time.Time{h.Floor, h.At} {
		if !bound.IsZero() && bound.Before(to) {
			to = bound
		}
	}
	return to
}

// A Pin is the transaction that holds a horizon back. A prepared transaction has
// no PID; Application describes it.
type Pin struct {
	PID               int
	User, Application string
	Age               time.Duration
}
