package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// A standby is what a server in recovery tells of how far it is. Its times are
// the primary's.
//
// An updateTime is older than the commit that shows it. So what a standby has
// not replayed bears no updateTime that is older than the last commit it has
// replayed, less the time for which a transaction stays open. While the primary
// is idle that commit becomes old though nothing is missing. Then a message of
// the primary is the proof: it bears the time at which it was sent and the end of
// the primary's log at that time, and the standby has replayed up to there. A
// primary that has nothing to send answers every half wal_receiver_timeout.
//
// Only roles with pg_read_all_stats see messages; all others see that there is
// a receiver. A standby that follows another standby believes that one, which
// may have lost its own primary: this can't be seen.
type standby struct {
	replayed        time.Time // when the last transaction that was replayed was committed; zero: none since the server started
	restart         time.Time // the checkpoint that recovery began with, where replayed is zero
	paused          bool      // nothing is replayed
	connected       bool      // there is a receiver
	messagesVisible bool      // its messages are shown to this role
	sent            time.Time // when its last message was sent; zero: there was none
	received        time.Time // when that was received, by the standby's clock
	complete        bool      // all is replayed that the primary had when it sent that message
	timeout         time.Duration
}

// standbySQL asks for what a standby is. What fails on a primary is not called
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

// seen is the time by which all that was committed is replayed.
func (s standby) seen() time.Time {
	seen := later(s.replayed, s.restart)
	if s.hasMessage() && s.complete {
		return later(seen, s.sent)
	}
	return seen
}

// heard reports whether the receiver had a message. Until it has one, it shows
// the time at which it was started as both times of a message.
func (s standby) hasMessage() bool { return !s.sent.IsZero() && !s.sent.Equal(s.received) }

// believed is how far seen may lie behind the clock of a standby that has
// replayed everything: twice as long as an idle primary is silent, by default.
const maxSeenLag = time.Minute

// doubt says why more may have been committed than is seen, and what to do; ""
// where seen lies close to the clock.
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
	return "the server is a standby that has heard nothing of its primary" + since + ": see whether the primary answers it" + primary
}
