package oracle

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/source/stdsql"
)

// sightGrant is what makes the horizon exact.
const sightGrant = "SELECT ON SYS.GV_$SESSION, SYS.GV_$TRANSACTION and SYS.DBA_2PC_PENDING"

const unseen = "this account does not see other sessions' transactions: GRANT " + sightGrant + " to it, each by a statement, or set horizon: timeout"

// Connect implements horizon.Sampler. A sample costs four round trips.
//
// The horizon holds for an updateTime that the server sets by SYSTIMESTAMP, SYSDATE and
// the like. A statement has the time of its beginning, and its transaction begins when
// it first changes a row, after a wait for a lock: so the start of a transaction is not
// used, and the samples bound it. The views show all instances of a cluster.
func (d *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	return d.Reading(ctx, func(ctx context.Context, s *stdsql.Session) error { return read(ctx, watchConn{s}) }, map[string]string{"ORA-00942": unseen, "ORA-01031": unseen})
}

// A watchConn is a horizon.Conn.
type watchConn struct{ *stdsql.Session }

// Identity implements horizon.Conn: the database, and when its instances were started.
func (w watchConn) Identity(ctx context.Context) (id string, err error) {
	rows, err := stdsql.Query(ctx, w, `SELECT SYS_CONTEXT('USERENV', 'DB_UNIQUE_NAME') || ' ' || SYS_CONTEXT('USERENV', 'CON_NAME'), (SELECT TO_CHAR(MIN(s.logon_time)) FROM gv$session s WHERE s.type = 'BACKGROUND') FROM DUAL`)
	if err == nil {
		id = rows[0].Text(0) + " " + rows[0].Text(1)
	}
	return id, err
}

// runningSQL lists the sessions, and the seconds since those that run a statement, or a
// block of PL/SQL, began it. A session that gets a transaction after it was listed has
// begun a statement since.
const runningSQL = `SELECT s.inst_id * 1000000 + s.sid, s.username, CASE s.status WHEN 'ACTIVE' THEN 0 ELSE 1 END, s.serial#, s.last_call_et
	FROM gv$session s WHERE s.type = 'USER' AND NOT (s.sid = SYS_CONTEXT('USERENV', 'SID') AND s.inst_id = SYS_CONTEXT('USERENV', 'INSTANCE'))`

// openSQL lists the transactions. One without a session is a branch that waits for its
// coordinator, or is being rolled back.
const openSQL = `SELECT NVL(s.inst_id * 1000000 + s.sid, -1 - t.xidusn * 65536 - t.xidslot), t.xidusn || '.' || t.xidslot || '.' || t.xidsqn, s.username
	FROM gv$transaction t LEFT JOIN gv$session s ON s.inst_id = t.inst_id AND s.taddr = t.addr`

// late is how late the server updates the time of a session's call, in whole seconds.
const late = 5 * time.Second

// Sample implements horizon.Conn: it reads the clock and then what is open.
func (w watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	now, err := w.Moment(ctx)
	if err != nil {
		return s, err
	}
	s.Sent, s.Received, s.Clock = now.Asked, now.Local, now.Now
	sessions, err := stdsql.Query(ctx, w, runningSQL)
	if err != nil {
		return s, err
	}
	transactions, err := stdsql.Query(ctx, w, openSQL)
	open := map[int64]horizon.Tx{}
	for _, r := range sessions {
		if r.Number(2) == 0 {
			open[r.Number(0)] = horizon.Tx{
				PID: int(r.Number(0)), User: r.Text(1), ID: fmt.Sprintf("statement of session %d", r.Number(3)),
				Start: s.Clock.Add(-late - time.Duration(r.Number(4))*time.Second),
			}
		}
	}
	for _, r := range transactions {
		tx := open[r.Number(0)]
		open[r.Number(0)] = horizon.Tx{PID: int(r.Number(0)), User: r.Text(2), ID: "transaction " + r.Text(1), Waiting: tx.ID == ""}
	}
	s.Open = slices.Collect(maps.Values(open))
	return s, err
}

// State implements horizon.Conn.
func (w watchConn) State(ctx context.Context) (s horizon.State, err error) {
	s.Remedy = "end it"
	rows, err := stdsql.Query(ctx, w, "SELECT SYS_CONTEXT('USERENV', 'DATABASE_ROLE') FROM DUAL")
	if err != nil {
		return s, err
	}
	if role := rows[0].Text(0); role != "PRIMARY" {
		s.Reason = "the database is a " + role + ", and another one sets its updateTimes: name the primary in dsn, or set horizon: timeout"
		return s, nil
	}
	rows, err = stdsql.Query(ctx, w, "SELECT p.local_tran_id, p.global_tran_id FROM dba_2pc_pending p WHERE p.state IN ('collecting', 'prepared')")
	for _, r := range rows {
		s.Prepared = append(s.Prepared, horizon.PreparedTx{ID: r.Text(0), Name: r.Text(1)})
	}
	return s, err
}

// overLink finds a table of another database.
var overLink = regexp.MustCompile(`[\w$#"]@[\w"]`)

// Inexact implements dialect.Watcher. A link in a view is not found.
func (*DB) Inexact(_ context.Context, _ dialect.Session, all []*dialect.Described) (string, error) {
	for _, of := range all {
		if overLink.MatchString(of.SQL) {
			return "its SQL reads over a database link, and the transactions of the other database are not seen: set horizon: timeout", nil
		}
	}
	return "", nil
}
