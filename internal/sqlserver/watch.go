package sqlserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"indexerd/internal/horizon"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// Connect implements horizon.Sampler. A sample costs four round trips.
//
// The horizon holds for an updateTime that the server sets by SYSUTCDATETIME() and
// the like. Such a function has the time when its statement began, so a transaction
// counts from its first write on, and before that the request that runs it. The
// sessions of this process write nothing and are left out, by their program's name.
func (d *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, readingTimeout)
	defer cancel()
	conn, err := d.pool.Conn(ctx)
	if err != nil {
		return stdsql.ConnectFault(ctx, d.address, err, connectFault)
	}
	defer conn.Close()
	err = read(ctx, &watchConn{conn: conn})
	if errors.As(err, new(horizon.Refused)) {
		return err
	}
	err = stdsql.Fault(err, func(err error) error { return classify(err) })
	return stdsql.Refusal(err, map[string]string{"297": noSight, "300": noSight, "371": noSight, "262": noSight})
}

const (
	readingTimeout = 30 * time.Second
	noSight        = "this account does not see other sessions' transactions: GRANT VIEW SERVER STATE to its login (in Azure SQL Database: VIEW DATABASE STATE to its user), or set horizon: timeout"
)

// A watchConn is a horizon.Conn.
type watchConn struct {
	conn    *sql.Conn
	replica bool
}

// Identity implements horizon.Conn: where the database is, and when the server was
// started. Without the right the server shows an account its own sessions alone, with
// no error.
func (w *watchConn) Identity(ctx context.Context) (id string, err error) {
	var sees bool
	err = w.conn.QueryRowContext(ctx, "SELECT CAST(COALESCE("+sightSQL+", 0) AS bit), CAST(CASE WHEN DATABASEPROPERTYEX(DB_NAME(), 'Updateability') = 'READ_ONLY' THEN 1 ELSE 0 END AS bit)").Scan(&sees, &w.replica)
	if err != nil {
		return "", err
	}
	if !sees {
		return "", horizon.Refused(noSight)
	}
	err = w.conn.QueryRowContext(ctx, "SELECT CONCAT(@@SERVERNAME, N' ', DB_NAME(), N' ', CONVERT(varchar(30), sqlserver_start_time, 126)) FROM sys.dm_os_sys_info").Scan(&id)
	return id, err
}

// sessionsSQL lists the sessions, and for how long those that run a request have run
// it. A session that writes first after it was listed has begun a request since.
const sessionsSQL = `SELECT CAST(s.session_id AS int), COALESCE(s.login_name, N''), COALESCE(s.program_name, N''), CONVERT(varchar(30), r.start_time, 126), CAST(r.total_elapsed_time AS bigint)
	FROM sys.dm_exec_sessions s LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
	WHERE s.session_id <> @@SPID AND (s.is_user_process = 1 OR s.database_id = DB_ID()) AND COALESCE(s.program_name, N'') <> APP_NAME()`

// openSQL lists the transactions that have written to the database. One without a
// session is prepared, or is being rolled back.
const openSQL = `SELECT CAST(COALESCE(t.session_id, 0) AS int), d.transaction_id
	FROM sys.dm_tran_database_transactions d LEFT JOIN sys.dm_tran_session_transactions t ON t.transaction_id = d.transaction_id
	WHERE d.database_id = DB_ID() AND d.database_transaction_begin_time IS NOT NULL AND d.database_transaction_type = 1`

// Sample implements horizon.Conn.
func (w *watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	s.Sent = time.Now()
	if s.Clock, err = stdsql.ReadClock(ctx, w.conn, clockSQL); err != nil {
		return s, err
	}
	s.Received = time.Now()
	sessions, err := w.sessions(ctx, s.Clock)
	if err != nil {
		return s, err
	}
	open, err := w.open(ctx)
	for _, t := range open {
		if t.session != 0 {
			tx := sessions[t.session]
			tx.PID, tx.ID, tx.Start = t.session, fmt.Sprint("transaction ", t.id), time.Time{}
			sessions[t.session] = tx
		}
	}
	for _, tx := range sessions {
		if tx.ID != "" {
			s.Open = append(s.Open, tx)
		}
	}
	return s, err
}

// sessions returns the sessions by their ids. One that runs a request has an ID and a
// start, of its longest request.
func (w *watchConn) sessions(ctx context.Context, clock time.Time) (map[int]horizon.Tx, error) {
	rows, err := w.conn.QueryContext(ctx, sessionsSQL)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int]horizon.Tx{}
	for rows.Next() {
		var tx horizon.Tx
		var began sql.NullString
		var millis sql.NullInt64
		if err := rows.Scan(&tx.PID, &tx.User, &tx.Application, &began, &millis); err != nil {
			return nil, err
		}
		if tx.Waiting = !began.Valid; began.Valid {
			tx.ID, tx.Start = "request "+began.String, clock.Add(-time.Duration(millis.Int64)*time.Millisecond)
		}
		if other, ok := all[tx.PID]; !ok || other.Start.After(tx.Start) {
			all[tx.PID] = tx
		}
	}
	return all, rows.Err()
}

// An openTx is a transaction that has written.
type openTx struct {
	session int // 0: none
	id      int64
}

func (w *watchConn) open(ctx context.Context) (all []openTx, err error) {
	rows, err := w.conn.QueryContext(ctx, openSQL)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t openTx
		if err := rows.Scan(&t.session, &t.id); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (s horizon.State, err error) {
	s.Remedy = "end it"
	if w.replica {
		s.Reason = "the database is a replica or read-only, and another server sets its updateTimes: name the primary in dsn, or set horizon: timeout"
		return s, nil
	}
	open, err := w.open(ctx)
	for _, t := range open {
		if t.session == 0 {
			s.Prepared = append(s.Prepared, horizon.PreparedTx{ID: fmt.Sprint(t.id), Name: fmt.Sprint("transaction ", t.id)})
		}
	}
	return s, err
}

// Inexact implements sqlsource.Watcher. The lists of transactions have none of
// memory-optimized tables, and none of other databases.
func (d *DB) Inexact(ctx context.Context, s sqlsource.Session, all []*sqlsource.Described) (string, error) {
	for _, t := range tables(all...) {
		if t.database != "" && !strings.EqualFold(t.database, d.conf.Database) {
			return fmt.Sprintf("table %s is in another database, whose transactions are not listed: set horizon: timeout", t.sql()), nil
		}
	}
	rows, err := stdsql.Query(ctx, s, "SELECT TOP (1) "+tableSQL+" FROM sys.tables t WHERE t.is_memory_optimized = 1 ORDER BY t.object_id")
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return fmt.Sprintf("table %s is memory-optimized, and transactions of such tables are not listed: set horizon: timeout", rows[0].Text(0)), nil
}
