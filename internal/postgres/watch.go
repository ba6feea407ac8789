package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/sqlsource"
)

// Connect implements horizon.Sampler. A reading costs five round trips (four if the
// server prepares no transactions), and two more for each further sample.
//
// The horizon holds for an updateTime that this server sets by now(),
// clock_timestamp() or statement_timestamp(). If a transaction's start is hidden
// (another role's session, track_activities off), its virtual transaction id is
// visible.
//
// Behind a connection pooler each statement may run in another session. On one
// server that does not matter: each statement starts after the previous answer,
// reads state that all sessions share, and leaves out its own session, which has
// no transaction beside it. But a pooler may have several servers, and what one of
// them shows does not bound a snapshot of another. So no horizon is exact behind a
// pooler.
func (db *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	x, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer x.End()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	err = read(ctx, &watchConn{session: x})
	if errors.Is(err, errNoAnswer) { // between two statements
		return x.fault(ctx, err)
	}
	if refused := refusal(err); refused != nil {
		return horizon.Refused("the server does not show open transactions: " + refused.Text + ": set horizon: timeout")
	}
	return err
}

// refusal returns the error with which the server refused a statement, and would
// refuse it again; nil if it did not.
func refusal(err error) *sqlsource.Fault {
	var fault *sqlsource.Fault
	if errors.Is(err, doc.ErrUnavailable) || !errors.As(err, &fault) {
		return nil
	}
	return fault
}

// A watchConn is a connection for one reading, outside a transaction.
type watchConn struct {
	*session
	server     serverState
	seen       time.Time // on a standby: what was committed by then is visible; else zero
	hidesState bool      // some session has track_activities off, which hides its start from every role
}

// A serverState is what a server reports beside its transactions.
type serverState struct {
	Identity     string
	Standby      bool
	Subscription string // one that replicates rows into this database; "": none
	SeesAll      bool   // the role sees when other roles' transactions began
	CanPrepare   bool   // transactions can be prepared
	PID          string // of the session that answered
	pooled       bool   // statements may reach several servers
}

// serverStateSQL reads a serverState. The write-ahead log's timeline is part of
// the identity: it changes with a failover or a restore. Whether transactions
// can be prepared changes only when the server starts.
const serverStateSQL = `SELECT
	concat_ws('/', (SELECT system_identifier FROM pg_catalog.pg_control_system()),
		CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
		(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint) AS identity,
	pg_is_in_recovery() AS standby,
	(SELECT min(subname) FROM pg_catalog.pg_subscription WHERE subdbid = d.oid) AS subscription,
	pg_has_role('pg_read_all_stats', 'usage') AS seesall,
	current_setting('max_prepared_transactions') <> '0' AS canprepare,
	pg_backend_pid()::text AS pid
	FROM pg_catalog.pg_database d WHERE datname = current_database()`

// inexactReason returns why no horizon of this server is exact, and what to do;
// "": it may be exact.
func (s serverState) inexactReason() string {
	switch {
	case s.Standby:
		return "the server is a standby, which does not show its primary's transactions: name the primary in dsn, or set horizon: timeout"
	case s.pooled:
		return "the connection leads through a connection pooler, which may have several servers: name the server itself in dsn, or set horizon: timeout"
	case s.Subscription != "":
		return fmt.Sprintf("subscription %q replicates rows whose updateTimes another server set: set horizon: timeout", s.Subscription)
	}
	return ""
}

// remedy is what makes hidden transactions visible.
func (s serverState) remedy() string {
	if s.SeesAll {
		return "turn track_activities on in every session"
	}
	return "GRANT pg_read_all_stats to the daemon's role"
}

// Identity implements horizon.Conn.
func (w *watchConn) Identity(ctx context.Context) (id string, err error) {
	if w.server, err = one[serverState](ctx, w.session, query{sql: serverStateSQL}); err != nil {
		return "", err
	}
	w.noticePooler(w.server.PID)
	w.server.pooled = w.db.pooled.Load() && !w.db.oneServer
	if !w.server.Standby {
		return w.server.Identity, nil
	}
	shows, err := w.standby(ctx)
	w.seen = shows.seen()
	return w.server.Identity, err
}

// sampleSQL reads the sessions with a transaction, those that may be between
// two transactions of one message, and those that hide their state, which may
// have no transaction. A transaction holds its virtual transaction id from
// before its start is visible until after its rows are.
//
// It leaves out this session, the transactions that are open here, sessions that
// are idle because their transaction ended or had not begun during the query, other
// databases, autovacuum (which has no user), parallel workers (their leader is
// included) and streaming replication (one endless statement that writes no
// row).
//
// A session with hidden state waits for its client if it has no snapshot and no
// transaction id and waits for no lock; every role sees that.
//
// The clock is read after the sessions, so a start is later only if the clock
// was set back.
//
// pg_stat_get_activity is the function below the view pg_stat_activity. It
// hides the same from the same roles; the view's joins cost twice as much
// again. Its columns have these names in all versions since 12.
const sampleSQL = `SELECT coalesce(l.pid, a.pid) AS pid, l.vxid AS id,
	CASE WHEN l.vxid IS NULL OR a.xact_start IS NOT NULL THEN
		(extract(epoch FROM least(a.xact_start, CASE WHEN a.state IN ('active', 'fastpath function call') THEN a.query_start END)) * 1000000)::bigint END AS began,
	CASE WHEN a.state <> 'disabled' THEN a.state LIKE 'idle in transaction%'
		ELSE l.vxid IS NOT NULL AND a.pid IS NOT NULL AND a.backend_xid IS NULL AND a.backend_xmin IS NULL AND l.granted END AS waiting,
	pg_get_userbyid(a.usesysid) AS user, a.application_name AS application,
	(extract(epoch FROM a.xact_start - clock_timestamp()) * 1000000)::bigint AS ahead,
	a.state = 'disabled' AS silent
	FROM (SELECT pid, max(virtualxid) FILTER (WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock' AND granted) AS vxid, bool_and(granted) AS granted
		FROM pg_catalog.pg_locks WHERE pid <> pg_backend_pid() GROUP BY pid) l
	FULL JOIN pg_catalog.pg_stat_get_activity(NULL) a ON a.pid = l.pid
	WHERE (l.vxid IS NOT NULL OR a.xact_start IS NOT NULL OR a.state IN ('active', 'fastpath function call', 'disabled'))
	AND a.pid IS DISTINCT FROM pg_backend_pid() AND a.state IS DISTINCT FROM 'idle'
	AND (a.pid IS NULL OR a.datid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND a.usesysid IS NOT NULL)
	AND (a.backend_type = 'parallel worker' OR a.backend_type = 'walsender' AND a.query ILIKE 'START_REPLICATION%') IS NOT TRUE
	AND NOT EXISTS (SELECT FROM unnest($1::int[], $2::bigint[]) own(pid, start)
		WHERE own.pid = a.pid AND own.start = (extract(epoch FROM a.xact_start) * 1000000)::bigint)`

// Sample implements horizon.Conn.
func (w *watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	s.Sent = time.Now()
	clock, err := one[struct{ Now micros }](ctx, w.session, query{sql: "SELECT " + clockMicros + " AS now"})
	if err != nil {
		return s, err
	}
	s.Received, s.Clock = time.Now(), clock.Now.Time
	q := query{sql: sampleSQL}
	pids, starts := w.db.own.lists()
	q.bind(pgtype.Int4ArrayOID, arrayOf(pids))
	q.bind(pgtype.Int8ArrayOID, arrayOf(starts))
	rows, err := many[struct {
		horizon.Tx
		Began  micros
		Ahead  *int64 // microseconds
		Silent bool
	}](ctx, w.session, q)
	for _, row := range rows {
		w.hidesState = w.hidesState || row.Silent
		if row.Silent && row.ID == "" && row.Ahead == nil {
			continue // without a transaction
		}
		row.Start = row.Began.Time
		s.Open = append(s.Open, row.Tx)
		if row.Ahead != nil {
			s.Ahead = max(s.Ahead, time.Duration(*row.Ahead)*time.Microsecond)
		}
	}
	return s, err
}

const preparedSQL = `SELECT concat_ws('/', transaction, extract(epoch FROM prepared), gid) AS id, gid AS name, owner AS user, (extract(epoch FROM prepared) * 1000000)::bigint AS at
	FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()`

// versionSQL returns the completed transactions. Snapshots with the same ones
// see the same rows, since every writer has a transaction id.
const versionSQL = "SELECT txid_current_snapshot() AS version"

// statementTimestampSQL finds a user's function or column default that uses
// statement_timestamp(), whose OID is fixed. In a procedure that commits,
// statement_timestamp() is earlier than the transaction.
const statementTimestampSQL = `SELECT 'function ' || oid::regproc AS what FROM pg_catalog.pg_proc WHERE oid >= 16384 AND prosrc ILIKE '%statement_timestamp%'
	UNION ALL SELECT 'the default of a column of ' || adrelid::regclass FROM pg_catalog.pg_attrdef WHERE adbin::text LIKE '%:funcid 2648 %'
	LIMIT 1`

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (horizon.State, error) {
	s := horizon.State{Seen: w.seen, Reason: w.server.inexactReason(), Remedy: w.server.remedy()}
	if w.server.CanPrepare {
		prepared, err := many[struct {
			horizon.PreparedTx
			At micros
		}](ctx, w.session, query{sql: preparedSQL})
		if err != nil {
			return s, err
		}
		for _, tx := range prepared {
			tx.Since = tx.At.Time
			s.Prepared = append(s.Prepared, tx.PreparedTx)
		}
	}
	if !w.server.SeesAll || w.hidesState {
		users, err := many[struct{ What string }](ctx, w.session, query{sql: statementTimestampSQL})
		if err != nil {
			return s, err
		}
		if len(users) > 0 {
			s.Unbounded = fmt.Sprintf("%s uses statement_timestamp(), and when a statement began can't be seen: %s", strings.TrimSpace(users[0].What), s.Remedy)
		}
	}
	row, err := one[struct{ Version string }](ctx, w.session, query{sql: versionSQL})
	s.Version = w.server.Identity + " " + row.Version
	return s, err
}
