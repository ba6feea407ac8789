package doc

import "time"

// A Horizon is one reading of a database's open transactions. A snapshot that
// is taken after it sees every row with an updateTime below At that will ever
// be committed, provided that the server itself sets updateTime.
//
// Whoever makes progress of it durable keeps At, Now, Local and Server with it.
type Horizon struct {
	At        time.Time     // no transaction can commit an updateTime below it any more; zero unless Exact
	Now       time.Time     // the database's clock
	Seen      time.Time     // what was committed by then is seen, on a standby; zero: Now
	Local     time.Time     // this machine's clock at the same moment
	Exact     bool          // At is proven
	Hidden    bool          // the beginnings of some transactions are not seen: the more often the horizon is read, the closer At is
	Reason    string        // why it is not, and what to do, on one line
	Pin       *Pin          // who holds At back; nil when it is the clock alone
	Server    string        // another value: a server that was restarted, restored or failed over
	Version   string        // the same value: nothing was committed since; "": not known
	ClockBack time.Duration // how far Now has been set back since the last reading; then At is below all that was stamped since
	Floor     time.Time     // and so is this, also where At is not proven; zero: not known
}

// Shown is the time by which what was committed is seen by every later snapshot.
func (h Horizon) Shown() time.Time {
	if !h.Seen.IsZero() && h.Seen.Before(h.Now) {
		return h.Seen
	}
	return h.Now
}

// SteppedTo is the earliest that may have been stamped since the clock was set
// back. It has gone on since, for as long as nobody read it.
func (h Horizon) SteppedTo() time.Time {
	to := h.Now.Add(-h.ClockBack)
	for _, bound := range []time.Time{h.Floor, h.At} {
		if !bound.IsZero() && bound.Before(to) {
			to = bound
		}
	}
	return to
}

// A Pin is the transaction that holds a horizon back. A prepared one has no
// PID, and says in Application what it is.
type Pin struct {
	PID               int
	User, Application string
	Age               time.Duration
}
