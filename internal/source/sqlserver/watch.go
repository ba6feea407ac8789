package sqlserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/source/stdsql"
)

// Connect implements horizon.Sampler. A sample costs four round trips.
//
// The horizon holds for an updateTime that the server sets by SYSUTCDATETIME() and
// the like. Such a function has the time when its statement began, so a transaction
// counts from its first write on, and before that the request that runs it. The
// sessions of this process write nothing and are left out, by their program's name.
func (d *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	return d.Reading(ctx, func(ctx context.Context, s *stdsql.Session) error { return read(ctx, &watchConn{Session: s}) }, map[string]string{"297": noSight, "300": noSight, "371": noSight, "262": noSight})
}

const noSight = "this account does not see other sessions' transactions: GRANT VIEW SERVER STATE to its login (in Azure SQL Database: VIEW DATABASE STATE to its user), or set horizon: timeout"

// A watchConn is a horizon.Conn.
type watchConn struct {
	*stdsql.Session
	replica bool
}

// Identity implements horizon.Conn: where the database is, and when the server was
// started. Without the right the server shows an account its own sessions alone, with
// no error.
func (w *watchConn) Identity(ctx context.Context) (id string, err error) {
	rows, err := stdsql.Query(ctx, w, "SELECT CAST(COALESCE("+sightSQL+", 0) AS bit), CAST(CASE WHEN DATABASEPROPERTYEX(DB_NAME(), 'Updateability') = 'READ_ONLY' THEN 1 ELSE 0 END AS bit)")
	if err != nil {
		return "", err
	}
	if w.replica = rows[0][1] == true; rows[0][0] != true {
		return "", horizon.Refused(noSight)
	}
	if rows, err = stdsql.Query(ctx, w, "SELECT CONCAT(@@SERVERNAME, N' ', DB_NAME(), N' ', CONVERT(varchar(30), sqlserver_start_time, 126)) FROM sys.dm_os_sys_info"); err == nil {
		id = rows[0].Text(0)
	}
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

// Sample implements horizon.Conn: it reads the clock and then what is open. Of the
// requests of a session the longest counts.
func (w *watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	now, err := w.Moment(ctx)
	if err != nil {
		return s, err
	}
	s.Sent, s.Received, s.Clock = now.Asked, now.Local, now.Now
	rows, err := stdsql.Query(ctx, w, sessionsSQL)
	if err != nil {
		return s, err
	}
	sessions := map[int64]horizon.Tx{}
	for _, r := range rows {
		tx := horizon.Tx{PID: int(r.Number(0)), User: r.Text(1), Application: r.Text(2), Waiting: r[3] == nil}
		if !tx.Waiting {
			tx.ID, tx.Start = "request "+r.Text(3), s.Clock.Add(-time.Duration(r.Number(4))*time.Millisecond)
		}
		if other, ok := sessions[r.Number(0)]; !ok || other.Start.After(tx.Start) {
			sessions[r.Number(0)] = tx
		}
	}
	open, err := stdsql.Query(ctx, w, openSQL)
	for _, r := range open {
		if pid := r.Number(0); pid != 0 {
			tx := sessions[pid]
			tx.PID, tx.ID, tx.Start = int(pid), fmt.Sprint("transaction ", r.Number(1)), time.Time{}
			sessions[pid] = tx
		}
	}
	maps.DeleteFunc(sessions, func(_ int64, tx horizon.Tx) bool { return tx.ID == "" })
	s.Open = slices.Collect(maps.Values(sessions))
	return s, err
}

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (s horizon.State, err error) {
	s.Remedy = "end it"
	if w.replica {
		s.Reason = "the database is a replica or read-only, and another server sets its updateTimes: name the primary in dsn, or set horizon: timeout"
		return s, nil
	}
	open, err := stdsql.Query(ctx, w, openSQL)
	for _, r := range open {
		if r.Number(0) == 0 {
			id := fmt.Sprint(r.Number(1))
			s.Prepared = append(s.Prepared, horizon.PreparedTx{ID: id, Name: "transaction " + id})
		}
	}
	return s, err
}

// Inexact implements dialect.Watcher. The lists of transactions have none of
// memory-optimized tables, and none of other databases.
func (d *DB) Inexact(ctx context.Context, s dialect.Session, all []*dialect.Described) (string, error) {
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
