package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/source/dialect"
)

// A standby is how far a server in recovery has come. Its times are the
// primary's.
//
// An updateTime is earlier than the commit of its row. So what a standby has
// not replayed has no updateTime before the last replayed commit, less the time
// for which a transaction stays open. If the primary is idle, that commit grows
// old though nothing is missing. Then a message of the primary is the proof: it
// contains its time and the end of the primary's log at that time, and the
// standby has replayed that. An idle primary answers every half
// wal_receiver_timeout.
//
// Only roles with pg_read_all_stats see messages; other roles see only that
// there is a receiver. A standby of another standby relies on that one, which
// may have lost its own primary; this is not visible.
type standby struct {
	Replayed  micros // commit time of the last replayed transaction; zero: none since the server started
	Restart   micros // the checkpoint that recovery began with, if Replayed is zero
	Paused    bool   // nothing is replayed
	Connected bool   // the server has a receiver
	Visible   bool   // messages are visible to this role
	Sent      micros // time of the last message; zero: there was none
	Received  micros // the same, by the standby's clock
	Complete  bool   // everything is replayed that the primary had when it sent the message
	Timeout   int64  // wal_receiver_timeout, in microseconds
}

func (x *session) standby(ctx context.Context) (standby, error) {
	return one[standby](ctx, x, stored("standby"))
}

// seen returns a time by which everything committed is replayed.
func (s standby) seen() time.Time {
	seen := []time.Time{s.Replayed.Time, s.Restart.Time}
	if s.hasMessage() && s.Complete {
		seen = append(seen, s.Sent.Time)
	}
	return slices.MaxFunc(seen, time.Time.Compare)
}

// hasMessage reports whether the receiver has had a message. Before that it
// shows its own start as both times.
func (s standby) hasMessage() bool { return !s.Sent.IsZero() && !s.Sent.Equal(s.Received.Time) }

// maxSeenLag is how far seen may lie behind the clock of a standby that has
// replayed everything: twice the default time for which an idle primary is
// silent.
const maxSeenLag = time.Minute

// behindReason returns why more may have been committed than is visible, and
// what to do; "" if seen is close to the clock.
func (s standby) behindReason(now time.Time) string {
	seen := s.seen()
	if now.Sub(seen) <= max(maxSeenLag, time.Duration(s.Timeout)*time.Microsecond) {
		return ""
	}
	const primary = ", or name the primary in dsn"
	since := " since " + seen.Truncate(time.Second).Format("2006-01-02 15:04:05Z")
	switch {
	case s.Paused:
		return "the server is a standby whose replay is paused" + since + ": SELECT pg_wal_replay_resume()" + primary
	case !s.Connected:
		return "the server is a standby that is not connected to its primary, and shows nothing that was committed" + since + ": connect it" + primary
	case !s.Visible:
		return "the server is a standby, and this role does not see whether anything was committed" + since + ": GRANT pg_read_all_stats to the daemon's role" + primary
	case s.hasMessage() && !s.Complete:
		return "the server is a standby that has not replayed what was committed" + since + ": wait until it has" + primary
	}
	return "the server is a standby that has received no message from its primary" + since + ": check the connection to the primary" + primary
}

// A working standby is always a little behind. It may take replayTimeout to replay
// what it had received when it was asked.
const (
	replayTimeout = 5 * time.Second
	replayPoll    = 50 * time.Millisecond
)

// Behind implements dialect.Replica. It returns "" on a primary, and on a standby
// that has replayed all it had received and whose Moment is not Behind.
func (db *DB) Behind(ctx context.Context, s dialect.Session) (string, error) {
	x := s.(*session)
	row, err := one[struct {
		Standby, Paused  bool
		Received, Status string
		Now              micros
	}](ctx, x, stored("behind"))
	switch {
	case err != nil || !row.Standby:
		return "", err
	case row.Paused:
		return "the server is a standby whose replay is paused", nil
	case row.Status != "streaming":
		return "the server is a standby that is not connected to its primary", nil
	}
	if replayed, err := x.waitReplayed(ctx, row.Received); err != nil || !replayed {
		return "the server is a standby that does not replay what it received", err
	}
	shows, err := x.standby(ctx)
	return shows.behindReason(row.Now.Time), err
}

// waitReplayed waits until a standby has replayed the log up to a position. It
// reports false after the replayTimeout.
func (x *session) waitReplayed(ctx context.Context, position string) (bool, error) {
	q := stored("replayed").bind(pgtype.TextOID, position)
	for end := time.Now().Add(x.db.replayTimeout); ; {
		row, err := one[struct{ Done bool }](ctx, x, q)
		if err != nil || row.Done || time.Now().After(end) {
			return row.Done, err
		}
		select {
		case <-time.After(replayPoll):
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}
