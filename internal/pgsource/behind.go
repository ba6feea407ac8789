package pgsource

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// behindSQL asks a standby how far it is: what it has received, and what its
// primary had by its own word. The functions of a standby fail on a primary,
// where they are not called. A role that may not see the receiver's status sees
// that there is one.
const behindSQL = `SELECT pg_is_in_recovery(),
	CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() END,
	CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), (SELECT min(latest_end_lsn) FROM pg_catalog.pg_stat_wal_receiver)) END,
	(SELECT min(coalesce(status, 'streaming')) FROM pg_catalog.pg_stat_wal_receiver),
	` + clockMicros

const replayedSQL = "SELECT $1::pg_lsn <= pg_last_wal_replay_lsn()"

// A standby at work is always a little behind what it receives: it is given so
// long to replay what it had received when it was asked.
const (
	replayWithin = 5 * time.Second
	replayPoll   = 50 * time.Millisecond
)

// Behind says why the absence of a row proves nothing here: the server is a
// standby that does not replay what its primary has committed. It is "" on a
// primary, and on a standby once it has replayed what it had received and is
// known to lack nothing, by the same proof that lets marks move.
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

// replays waits until a standby has replayed up to a position of the log.
func (x *tx) waitReplayed(ctx context.Context, position string) (bool, error) {
	var q query
	q.sql = replayedSQL
	q.bind(pgtype.TextOID, position)
	for end := time.Now().Add(replayWithin); ; {
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
