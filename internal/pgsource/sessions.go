package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/horizon"
)

// sampleSQL reads the sessions with a transaction, those that may be between
// two transactions of one message, and those that hide their state, which may
// have no transaction. A transaction holds its virtual transaction id from
// before its start is visible until after its rows are.
//
// It leaves out this session, the source's own transactions, sessions that are
// idle because their transaction ended or had not begun during the query, other
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
const sampleSQL = `SELECT coalesce(l.pid, a.pid), l.vxid,
	CASE WHEN l.vxid IS NULL OR a.xact_start IS NOT NULL THEN
		(extract(epoch FROM least(a.xact_start, CASE WHEN a.state IN ('active', 'fastpath function call') THEN a.query_start END)) * 1000000)::bigint END,
	CASE WHEN a.state <> 'disabled' THEN a.state LIKE 'idle in transaction%'
		ELSE l.vxid IS NOT NULL AND a.pid IS NOT NULL AND a.backend_xid IS NULL AND a.backend_xmin IS NULL AND l.granted END,
	pg_get_userbyid(a.usesysid), a.application_name,
	(extract(epoch FROM a.xact_start - clock_timestamp()) * 1000000)::bigint,
	a.state = 'disabled'
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
func (w *watchConn) Sample(ctx context.Context) (horizon.Sample, error) {
	var s horizon.Sample
	s.Sent = time.Now()
	clock, err := w.row(ctx, query{sql: "SELECT " + clockMicros})
	if err != nil {
		return horizon.Sample{}, err
	}
	s.Received = time.Now()
	if s.Clock, err = parseMicros(clock[0]); err != nil {
		return horizon.Sample{}, err
	}
	q := query{sql: sampleSQL}
	pids, starts := w.src.own.arrays()
	q.bind(pgtype.Int4ArrayOID, pids)
	q.bind(pgtype.Int8ArrayOID, starts)
	rows, err := w.all(ctx, q)
	if err != nil {
		return horizon.Sample{}, err
	}
	for _, row := range rows {
		silent := isTrue(row[7])
		w.hidesState = w.hidesState || silent
		if silent && row[1] == nil && row[6] == nil {
			continue // without a transaction
		}
		tx, ahead, err := parseOpenTx(row)
		if err != nil {
			return horizon.Sample{}, fmt.Errorf("pg_stat_activity: %w", err)
		}
		s.Open = append(s.Open, tx)
		s.Ahead = max(s.Ahead, ahead)
	}
	return s, nil
}

func parseOpenTx(row [][]byte) (tx horizon.Tx, ahead time.Duration, err error) {
	tx = horizon.Tx{ID: string(row[1]), Waiting: isTrue(row[3]), User: string(row[4]), Application: string(row[5])}
	if tx.PID, err = strconv.Atoi(string(row[0])); err != nil {
		return tx, 0, err
	}
	if row[2] != nil {
		if tx.Start, err = parseMicros(row[2]); err != nil {
			return tx, 0, err
		}
	}
	if row[6] != nil {
		us, err := strconv.ParseInt(string(row[6]), 10, 64)
		if err != nil {
			return tx, 0, err
		}
		ahead = time.Duration(us) * time.Microsecond
	}
	return tx, ahead, nil
}

const preparedSQL = `SELECT concat_ws('/', transaction, extract(epoch FROM prepared), gid), gid, owner, (extract(epoch FROM prepared) * 1000000)::bigint
	FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()`

func (x *tx) preparedTxs(ctx context.Context) ([]horizon.PreparedTx, error) {
	rows, err := x.all(ctx, query{sql: preparedSQL})
	if err != nil {
		return nil, err
	}
	var prepared []horizon.PreparedTx
	for _, row := range rows {
		since, err := parseMicros(row[3])
		if err != nil {
			return nil, fmt.Errorf("pg_prepared_xacts: %w", err)
		}
		prepared = append(prepared, horizon.PreparedTx{ID: string(row[0]), Name: string(row[1]), User: string(row[2]), Since: since})
	}
	return prepared, nil
}

func isTrue(text []byte) bool { return string(text) == "t" }
