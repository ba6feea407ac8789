package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// serverStateSQL reads a serverState. The write-ahead log's timeline is part of
// the identity: it changes with a failover or a restore. Whether transactions
// can be prepared changes only when the server starts.
const serverStateSQL = `SELECT
	concat_ws('/', (SELECT system_identifier FROM pg_catalog.pg_control_system()),
		CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
		(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint),
	pg_is_in_recovery(),
	(SELECT min(subname) FROM pg_catalog.pg_subscription WHERE subdbid = d.oid),
	pg_has_role('pg_read_all_stats', 'usage'),
	current_setting('max_prepared_transactions') <> '0'
	FROM pg_catalog.pg_database d WHERE datname = current_database()`

// versionSQL returns the completed transactions. Snapshots with the same ones
// see the same rows, since every writer has a transaction id.
const versionSQL = "SELECT txid_current_snapshot()"

func (x *tx) version(ctx context.Context, server string) (string, error) {
	row, err := x.row(ctx, query{sql: versionSQL})
	if err != nil {
		return "", err
	}
	return server + " " + string(row[0]), nil
}

func (x *tx) serverState(ctx context.Context) (serverState, error) {
	row, err := x.row(ctx, query{sql: serverStateSQL})
	if err != nil {
		return serverState{}, err
	}
	return serverState{
		server: string(row[0]), standby: isTrue(row[1]), subscription: string(row[2]), seesAll: isTrue(row[3]), canPrepare: isTrue(row[4]),
	}, nil
}

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

func (x *tx) sample(ctx context.Context) (sample, error) {
	var s sample
	s.sent = time.Now()
	clock, err := x.row(ctx, query{sql: "SELECT " + clockMicros})
	if err != nil {
		return sample{}, err
	}
	s.received = time.Now()
	if s.clock, err = parseMicros(clock[0]); err != nil {
		return sample{}, err
	}
	q := query{sql: sampleSQL}
	pids, starts := x.src.own.arrays()
	q.bind(pgtype.Int4ArrayOID, pids)
	q.bind(pgtype.Int8ArrayOID, starts)
	rows, err := x.all(ctx, q)
	if err != nil {
		return sample{}, err
	}
	for _, row := range rows {
		silent := isTrue(row[7])
		s.hidesState = s.hidesState || silent
		if silent && row[1] == nil && row[6] == nil {
			continue // without a transaction
		}
		tx, ahead, err := parseOpenTx(row)
		if err != nil {
			return sample{}, fmt.Errorf("pg_stat_activity: %w", err)
		}
		s.open = append(s.open, tx)
		s.ahead = max(s.ahead, ahead)
	}
	return s, nil
}

func parseOpenTx(row [][]byte) (tx openTx, ahead time.Duration, err error) {
	tx = openTx{vxid: string(row[1]), waiting: isTrue(row[3]), user: string(row[4]), application: string(row[5])}
	if tx.pid, err = strconv.Atoi(string(row[0])); err != nil {
		return tx, 0, err
	}
	if row[2] != nil {
		if tx.start, err = parseMicros(row[2]); err != nil {
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

func (x *tx) preparedTxs(ctx context.Context) ([]preparedTx, error) {
	rows, err := x.all(ctx, query{sql: preparedSQL})
	if err != nil {
		return nil, err
	}
	var prepared []preparedTx
	for _, row := range rows {
		since, err := parseMicros(row[3])
		if err != nil {
			return nil, fmt.Errorf("pg_prepared_xacts: %w", err)
		}
		prepared = append(prepared, preparedTx{id: string(row[0]), name: string(row[1]), user: string(row[2]), since: since})
	}
	return prepared, nil
}

// statementTimestampSQL finds a user's function or column default that uses
// statement_timestamp(), whose OID is fixed. In a procedure that commits,
// statement_timestamp() is earlier than the transaction.
const statementTimestampSQL = `SELECT 'function ' || oid::regproc FROM pg_catalog.pg_proc WHERE oid >= 16384 AND prosrc ILIKE '%statement_timestamp%'
	UNION ALL SELECT 'the default of a column of ' || adrelid::regclass FROM pg_catalog.pg_attrdef WHERE adbin::text LIKE '%:funcid 2648 %'
	LIMIT 1`

// statementTimestamp returns one object that uses statement_timestamp, or "".
func (x *tx) statementTimestamp(ctx context.Context) (string, error) {
	rows, err := x.all(ctx, query{sql: statementTimestampSQL})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return strings.TrimSpace(string(rows[0][0])), nil
}

func isTrue(text []byte) bool { return string(text) == "t" }
