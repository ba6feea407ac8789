package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
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
	replayed        time.Time // commit time of the last replayed transaction; zero: none since the server started
	restart         time.Time // the checkpoint that recovery began with, if replayed is zero
	paused          bool      // nothing is replayed
	connected       bool      // the server has a receiver
	messagesVisible bool      // to this role
	sent            time.Time // time of the last message; zero: there was none
	received        time.Time // the same, by the standby's clock
	complete        bool      // everything is replayed that the primary had when it sent the message
	timeout         time.Duration
}

// standbySQL reads a standby. Functions that fail on a primary are not called
// there, so that a promotion between two statements is no error.
const standbySQL = `SELECT (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000000)::bigint,
	CASE WHEN pg_last_xact_replay_timestamp() IS NULL THEN (SELECT (extract(epoch FROM checkpoint_time) * 1000000)::bigint FROM pg_catalog.pg_control_checkpoint()) END,
	CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() END,
	w.pid IS NOT NULL, w.status IS NOT NULL,
	(extract(epoch FROM w.last_msg_send_time) * 1000000)::bigint, (extract(epoch FROM w.last_msg_receipt_time) * 1000000)::bigint,
	w.latest_end_lsn <= pg_last_wal_replay_lsn(),
	(extract(epoch FROM current_setting('wal_receiver_timeout')::interval) * 1000000)::bigint
	FROM (SELECT) one LEFT JOIN pg_catalog.pg_stat_wal_receiver w ON true`

func (x *tx) standby(ctx context.Context) (s standby, err error) {
	row, err := x.row(ctx, query{sql: standbySQL})
	if err != nil {
		return s, err
	}
	for i, t := range map[int]*time.Time{0: &s.replayed, 1: &s.restart, 5: &s.sent, 6: &s.received} {
		if row[i] == nil {
			continue
		}
		if *t, err = parseMicros(row[i]); err != nil {
			return s, err
		}
	}
	timeout, err := strconv.ParseInt(string(row[8]), 10, 64)
	if err != nil {
		return s, fmt.Errorf("wal_receiver_timeout: %w", err)
	}
	s.timeout = time.Duration(timeout) * time.Microsecond
	s.paused, s.connected, s.messagesVisible, s.complete = isTrue(row[2]), isTrue(row[3]), isTrue(row[4]), isTrue(row[7])
	return s, nil
}

// seen returns a time by which everything committed is replayed.
func (s standby) seen() time.Time {
	seen := later(s.replayed, s.restart)
	if s.hasMessage() && s.complete {
		return later(seen, s.sent)
	}
	return seen
}

// hasMessage reports whether the receiver has had a message. Before that it
// shows its own start as both times.
func (s standby) hasMessage() bool { return !s.sent.IsZero() && !s.sent.Equal(s.received) }

// maxSeenLag is how far seen may lie behind the clock of a standby that has
// replayed everything: twice the default time for which an idle primary is
// silent.
const maxSeenLag = time.Minute

// behindReason returns why more may have been committed than is visible, and
// what to do; "" if seen is close to the clock.
func (s standby) behindReason(now time.Time) string {
	seen := s.seen()
	if now.Sub(seen) <= max(maxSeenLag, s.timeout) {
		return ""
	}
	const primary = ", or name the primary in dsn"
	since := " since " + seen.Truncate(time.Second).Format("2006-01-02 15:04:05Z")
	switch {
	case s.paused:
		return "the server is a standby whose replay is paused" + since + ": SELECT pg_wal_replay_resume()" + primary
	case !s.connected:
		return "the server is a standby that is not connected to its primary, and shows nothing that was committed" + since + ": connect it" + primary
	case !s.messagesVisible:
		return "the server is a standby, and this role does not see whether anything was committed" + since + ": GRANT pg_read_all_stats to the daemon's role" + primary
	case s.hasMessage() && !s.complete:
		return "the server is a standby that has not replayed what was committed" + since + ": wait until it has" + primary
	}
	return "the server is a standby that has received no message from its primary" + since + ": check the connection to the primary" + primary
}

// behindSQL reads how far a standby is behind: what it has received, and the
// end of its primary's log. Functions that fail on a primary are not called
// there. A role without the privilege for the receiver's status sees only that
// there is one.
const behindSQL = `SELECT pg_is_in_recovery(),
	CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() END,
	CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), (SELECT min(latest_end_lsn) FROM pg_catalog.pg_stat_wal_receiver)) END,
	(SELECT min(coalesce(status, 'streaming')) FROM pg_catalog.pg_stat_wal_receiver),
	` + clockMicros

const replayedSQL = "SELECT $1::pg_lsn <= pg_last_wal_replay_lsn()"

// A working standby is always a little behind. It may take replayTimeout to
// replay what it had received when it was asked.
const (
	replayTimeout = 5 * time.Second
	replayPoll    = 50 * time.Millisecond
)

// Behind returns why the absence of a row proves nothing: the server is a
// standby that may not have replayed all commits of its primary. It returns ""
// on a primary, and on a standby that has replayed all it had received and
// whose Moment is not Behind.
func (t *Table) Behind(ctx context.Context) (reason string, err error) {
	err = t.read(ctx, func(x *tx) error {
		row, err := x.row(ctx, query{sql: behindSQL})
		if err != nil {
			return err
		}
		switch {
		case !isTrue(row[0]):
			return nil
		case isTrue(row[1]):
			reason = "the server is a standby whose replay is paused"
			return nil
		case string(row[3]) != "streaming":
			reason = "the server is a standby that is not connected to its primary"
			return nil
		}
		replayed, err := x.waitReplayed(ctx, string(row[2]))
		if err != nil || !replayed {
			reason = "the server is a standby that does not replay what it received"
			return err
		}
		now, err := parseMicros(row[4])
		if err != nil {
			return err
		}
		shows, err := x.standby(ctx)
		reason = shows.behindReason(now)
		return err
	})
	return reason, err
}

// waitReplayed waits until a standby has replayed the log up to a position. It
// reports false after replayTimeout.
func (x *tx) waitReplayed(ctx context.Context, position string) (bool, error) {
	var q query
	q.sql = replayedSQL
	q.bind(pgtype.TextOID, position)
	for end := time.Now().Add(x.src.replayTimeout); ; {
		row, err := x.row(ctx, q)
		if err != nil || isTrue(row[0]) || time.Now().After(end) {
			return err == nil && isTrue(row[0]), err
		}
		select {
		case <-time.After(replayPoll):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
