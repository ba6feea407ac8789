// Package horizon computes the horizon of a database: no transaction can commit
// a row with an earlier updateTime any more.
//
// A horizon is proven from samples of the open transactions, which a vendor's
// Sampler reads. It holds for an updateTime that the server sets to its time
// during the transaction. The caller takes its snapshot after the horizon, never
// before it or in the same statement.
//
// A visible start bounds what a transaction stamps. A hidden start is bounded by
// the samples: the transaction began after the last sample without it. So the
// bound is the closer the more often a horizon is read, and one reading takes
// several samples if that helps. A prepared transaction is bounded by the
// previous reading. A hidden transaction that is open when a watch begins has
// no bound but what an earlier watch proved: see Options.
//
// One message may bring several transactions, "BEGIN; ...; COMMIT; BEGIN; ...",
// and the server may stamp all of them with the time of the message. So a hidden
// session that is never seen waiting for a message holds the horizon. One gap
// remains: a sample between two transactions of such a message takes the session
// for waiting. This matters if the message has taken longer than the slack, and
// only if starts are hidden.
//
// The slack covers the time from a session's reading of the clock until its
// transaction is visible to others, and small steps of the clock. A larger step
// back lowers the horizon below all that may be stamped after the step, until
// what was open has ended.
//
// A reading costs the statements of one Conn, one more Sample for each further
// sample, and up to 50 ms of waiting for hidden sessions. The watches of a
// server share readings: a reading is valid for every later snapshot. Each watch
// proves its horizon from its own memory.
package horizon

import (
	"context"
	"time"
)

// A Sampler connects to a server whose transactions are watched.
type Sampler interface {
	// Connect calls read with a connection. It returns the error of read, or
	// Refused if the server does not show open transactions to this role. The
	// context of read may end earlier than ctx.
	Connect(ctx context.Context, read func(context.Context, Conn) error) error
}

// A Conn is a connection for one reading, outside a transaction. Its methods are
// called in this order: Identity once, Sample once or several times, State once.
type Conn interface {
	// Identity returns the identity of the server. It changes after a restart,
	// restore or failover.
	Identity(context.Context) (string, error)

	// Sample reads the clock and then the open transactions.
	Sample(context.Context) (Sample, error)

	// State reads the rest. The prepared transactions include those that the
	// last sample no longer shows as open, and the version includes what these
	// committed.
	State(context.Context) (State, error)
}

// Refused is why a server does not show open transactions, and what to do.
type Refused string

func (r Refused) Error() string { return string(r) }

// A Moment is one reading of the database's clock, with this machine's clock
// before and after.
type Moment struct {
	Sent, Received time.Time
	Clock          time.Time
}

// shownSince returns the least and the greatest time that the clock can have
// shown just after an earlier moment, if it was set back then.
func (m Moment) shownSince(last Moment) (low, high time.Time) {
	return m.Clock.Add(-m.Received.Sub(last.Sent)), m.Clock.Add(-m.Sent.Sub(last.Received))
}

// A Sample is one reading of the open transactions. Its clock was read first: a
// transaction that the sample does not have began later. Transactions that write
// nothing may be left out.
type Sample struct {
	Moment
	Ahead time.Duration // how far a transaction's start lies in the future of the same clock
	Open  []Tx
}

// A Tx is a session with an open transaction, or between two transactions of
// one message.
type Tx struct {
	PID         int       // of the session, which has one transaction at a time
	ID          string    // of the transaction, unique in its session; "" between two transactions
	Start       time.Time // lower bound of what it stamps; zero: hidden from this role
	Waiting     bool      // for its client, so that its next transaction comes with a new message
	User        string
	Application string
}

// A PreparedTx waits for the second phase of its commit.
type PreparedTx struct {
	ID    string // unique for ever
	Name  string
	User  string
	Since time.Time // when it was prepared
}

// A State is what a server reports beside its transactions.
type State struct {
	Version  string    // of all that has been committed; "": unknown
	Catalog  string    // of what decides which tables and functions SQLs read; "": unknown
	Seen     time.Time // on a standby: what was committed by then is visible; else zero
	Prepared []PreparedTx

	// Reason is why no horizon of this server is exact, and what to do; "": it
	// may be exact.
	Reason string

	// Unbounded is why the samples do not bound what hidden transactions stamp,
	// and what to do; "": they do. If they do not, no horizon is exact.
	Unbounded string

	// Remedy is what makes hidden starts visible.
	Remedy string
}
