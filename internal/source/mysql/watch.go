package mysql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/source/stdsql"
)

// Connect implements horizon.Sampler. A sample costs a connection and five round
// trips.
//
// The horizon holds for an updateTime that the server sets by NOW() and the like. No
// start of a transaction is used: a statement that waits for the lock of a table has
// the time of its beginning, and its transaction begins after the wait. So a
// transaction is bounded by the samples.
//
// The list of transactions is a copy that the server refreshes only if nothing has
// read it for 100 ms. Each sample looks for its own transaction in it, by a
// connection that is not used again: an older copy can't have it.
func (d *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, stdsql.ReadingTimeout)
	defer cancel()
	return stdsql.Refusal(read(ctx, &watchConn{db: d}), map[string]string{
		"1227": "this account does not see other sessions' transactions: GRANT PROCESS ON *.* to it, or set horizon: timeout",
	})
}

// A watchConn is a horizon.Conn.
type watchConn struct {
	db      *DB
	replica bool
}

// look runs do with a separate connection.
func (w *watchConn) look(ctx context.Context, do func(*stdsql.Session) error) error {
	s, err := w.db.Session(ctx, w.db.looks)
	if err != nil {
		return err
	}
	defer s.End()
	return do(s)
}

// identity is where the server keeps its data, and when it was started.
const identity = `CONCAT_WS(' ', @@hostname, @@port, @@datadir, UNIX_TIMESTAMP() - (SELECT variable_value FROM ` + globalStatus + ` WHERE variable_name = 'UPTIME'))`

const globalStatus = "/*M!100100 information_schema*/ /*!80000 performance_schema*/ .global_status"

// Identity implements horizon.Conn. The threads that apply a primary's changes set its updateTimes.
func (w *watchConn) Identity(ctx context.Context) (id string, err error) {
	err = w.look(ctx, func(session *stdsql.Session) error {
		rows, err := stdsql.Query(ctx, session, `SELECT `+identity+`,
			@@read_only + (SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'system user' AND command NOT IN ('Daemon', 'Sleep'))`)
		if err == nil {
			id, w.replica = rows[0].Text(0), rows[0].Number(1) > 0
		}
		return err
	})
	return id, err
}

// cacheAge is the time without readers after which the server refreshes its list.
const cacheAge = 100 * time.Millisecond

// looksAtMost is how often a sample looks for its own transaction.
const looksAtMost = 3

// Sample implements horizon.Conn.
func (w *watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	for range looksAtMost {
		seen := false
		err = w.look(ctx, func(session *stdsql.Session) (err error) {
			s, seen, err = sample(ctx, session)
			return err
		})
		if seen || err != nil {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, context.Cause(ctx)
		case <-time.After(2 * cacheAge):
		}
	}
	return s, &dialect.Fault{Subject: dialect.AboutServer, Text: "the list of open transactions is out of date, since another program reads innodb_trx more often than every 100 ms"}
}

// runningSQL lists the sessions, and the milliseconds since those that run a statement
// began it. A session that gets a transaction after it was listed has begun a statement
// since.
const runningSQL = `SELECT id, COALESCE(user, ''), command IN ('Sleep', 'Binlog Dump', 'Binlog Dump GTID'),
	/*M!100100 query_id */ /*!80000 0 */, CAST(CEIL(/*M!100100 time_ms */ /*!80000 (time + 1) * 1000 */) AS SIGNED)
	FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND command <> 'Daemon'`

// openSQL lists the transactions. One that is read-only writes nothing.
const openSQL = `SELECT trx_mysql_thread_id, CONCAT('transaction ', trx_id), trx_is_read_only, trx_mysql_thread_id = CONNECTION_ID() FROM information_schema.innodb_trx`

// sample reads the clock and then the open transactions. It reports whether the list
// has the transaction of the sample itself.
func sample(ctx context.Context, session *stdsql.Session) (s horizon.Sample, seen bool, err error) {
	s.Sent = time.Now()
	own, err := session.Begin(ctx, "")
	if err != nil {
		return s, false, err
	}
	s.Received, s.Clock = time.Now(), own.At
	sessions, err := running(ctx, session, s.Clock)
	if err != nil {
		return s, false, err
	}
	if seen, err = addOpen(ctx, session, sessions); err != nil {
		return s, false, err
	}
	maps.DeleteFunc(sessions, func(_ int64, tx horizon.Tx) bool { return tx.ID == "" })
	s.Open = slices.Collect(maps.Values(sessions))
	return s, seen, nil
}

// running returns the sessions by their ids. One that runs a statement has an ID and
// a start.
func running(ctx context.Context, s *stdsql.Session, clock time.Time) (map[int64]horizon.Tx, error) {
	sessions := map[int64]horizon.Tx{}
	rows, err := stdsql.Query(ctx, s, runningSQL)
	for _, r := range rows {
		tx := horizon.Tx{PID: int(r.Number(0)), User: r.Text(1), Waiting: r.Number(2) != 0}
		if !tx.Waiting {
			tx.ID, tx.Start = fmt.Sprintf("statement %d", r.Number(3)), clock.Add(-time.Duration(r.Number(4))*time.Millisecond)
		}
		sessions[r.Number(0)] = tx
	}
	return sessions, err
}

// addOpen adds the transactions to the sessions. One without a session was prepared,
// or is being rolled back.
func addOpen(ctx context.Context, s *stdsql.Session, sessions map[int64]horizon.Tx) (seen bool, err error) {
	rows, err := stdsql.Query(ctx, s, openSQL)
	for _, r := range rows {
		pid := r.Number(0)
		seen = seen || r.Number(3) != 0
		switch tx := sessions[pid]; {
		case r.Number(2) != 0:
			delete(sessions, pid)
		case pid != 0:
			tx.PID, tx.ID, tx.Start = int(pid), r.Text(1), time.Time{}
			sessions[pid] = tx
		}
	}
	return seen, err
}

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (s horizon.State, err error) {
	s.Remedy = "end it"
	if w.replica {
		s.Reason = "the server is a replica or read-only, and another server sets its updateTimes: name the primary in dsn, or set horizon: timeout"
		return s, nil
	}
	err = w.look(ctx, func(session *stdsql.Session) error {
		rows, err := stdsql.Query(ctx, session, "XA RECOVER")
		for _, r := range rows {
			s.Prepared = append(s.Prepared, horizon.PreparedTx{ID: fmt.Sprint(r...), Name: r.Text(3)})
		}
		return err
	})
	if fault, ok := errors.AsType[*dialect.Fault](err); ok && fault.Subject != dialect.AboutServer {
		s.Reason, err = "this account does not see prepared transactions: GRANT XA_RECOVER_ADMIN ON *.* to it, or set horizon: timeout", nil
	}
	return s, err
}

// Inexact implements dialect.Watcher. Only InnoDB has transactions: rows of other
// engines appear while a statement runs, and the snapshot does not hold for them.
func (*DB) Inexact(ctx context.Context, s dialect.Session, all []*dialect.Described) (string, error) {
	for _, of := range all {
		e, err := explain(ctx, s, of)
		if errors.Is(err, doc.ErrUnknownPlan) {
			return err.Error() + ", so the engines of the tables are not known: set horizon: timeout", nil
		}
		if err != nil {
			return "", err
		}
		for _, t := range e.tables {
			if engine, err := engineOf(ctx, s, t); err != nil {
				return "", err
			} else if engine != "" && engine != "InnoDB" {
				return fmt.Sprintf("table %s has the engine %s, which has no transactions: ALTER TABLE %s ENGINE = InnoDB, or set horizon: timeout", t.sql(), engine, t.sql()), nil
			}
		}
	}
	return "", nil
}
