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
	Local     time.Time     // this machine's clock at the same moment
	Exact     bool          // At is proven
	Hidden    bool          // the beginnings of some transactions are not seen: the more often the horizon is read, the closer At is
	Reason    string        // why it is not, and what to do, on one line
	Pin       *Pin          // who holds At back; nil when it is the clock alone
	Server    string        // another value: a server that was restarted, restored or failed over
	ClockBack time.Duration // how far Now has been set back since the last reading; then At is below all that was stamped since
}

// A Pin is the transaction that holds a horizon back. A prepared one has no
// PID, and says in Application what it is.
type Pin struct {
	PID               int
	User, Application string
	Age               time.Duration
}
