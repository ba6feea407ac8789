package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// lockTimeout limits the wait for a table that is being altered. All later
// readers queue behind a waiting one.
const lockTimeout = 10 * time.Second

const beginSQL = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// A session is a pooled connection and, once begun, its transaction.
type session struct {
	db   *DB
	conn *pgxpool.Conn
	pg   *pgconn.PgConn
	own  backend // set while the transaction is open

	unlimited bool                        // statements have no timeout
	described map[*dialect.Described]bool // found unchanged in this transaction
	texts     []string                    // the values of the current row
	raw       []any                       // nil for NULL, or a pointer into texts
}

// Begin implements dialect.Session. It takes one round trip, and one more for the first
// transaction of a connection. Settings is a search path.
func (x *session) Begin(ctx context.Context, settings string) (dialect.Snapshot, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	open := repeated("open").bind(pgtype.TextOID, settings).bind(pgtype.TextOID, millis(x.db.statementTimeout)).bind(pgtype.TextOID, millis(x.db.lockTimeout))
	var batch pgconn.Batch
	batch.ExecParams(beginSQL, nil, nil, nil, nil)
	if x.db.direct.Load() {
		if err := x.prepare(ctx, open); err != nil {
			return dialect.Snapshot{}, x.fault(ctx, err)
		}
		batch.ExecPrepared(open.name, open.values, nil, nil)
	} else {
		batch.ExecParams(open.sql, open.values, open.types, nil, nil)
	}
	results, err := x.pg.ExecBatch(ctx, &batch).ReadAll()
	if err != nil {
		x.db.direct.Store(false) // a pooler in between may have lost the statement: noticePooler looks again
		return dialect.Snapshot{}, x.fault(ctx, err)
	}
	rows := results[len(results)-1].Rows
	if len(rows) != 1 {
		return dialect.Snapshot{}, fmt.Errorf("begin: the server returned %d rows, want 1", len(rows))
	}
	row := rows[0]
	at, err := parseMicros(row[2])
	if err != nil {
		return dialect.Snapshot{}, err
	}
	x.noticePooler(string(row[3]))
	x.own = backend{pid: string(row[3]), start: string(row[4])}
	x.db.own.add(x.own)
	return dialect.Snapshot{At: at, Settings: string(row[0]), Epoch: string(row[1]) + open.sql}, nil
}

// noticePooler compares the process id of the session that ran a statement with
// the one that the driver got when it connected. A pooler makes up the latter.
func (x *session) noticePooler(pid string) {
	same := pid == strconv.FormatUint(uint64(x.pg.PID()), 10)
	x.db.direct.Store(same)
	if !same {
		x.db.pooled.Store(true)
	}
}

func parseMicros(text []byte) (time.Time, error) {
	us, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("server clock: %w", err)
	}
	return time.UnixMicro(us).UTC(), nil
}

func millis(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }

// Moment implements dialect.Session. On a standby Seen is earlier than the
// clock.
func (x *session) Moment(ctx context.Context) (m doc.Moment, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	m.Asked = time.Now()
	row, err := one[struct {
		Now     micros
		Standby bool
	}](ctx, x, stored("moment"))
	if err != nil {
		return m, err
	}
	m.Local, m.Now, m.Seen = time.Now(), row.Now.Time, row.Now.Time
	if !row.Standby {
		return m, nil
	}
	shows, err := x.standby(ctx)
	if err != nil {
		return m, err
	}
	if seen := shows.seen(); seen.Before(m.Now) {
		m.Seen = seen
	}
	m.Behind = shows.behindReason(m.Now)
	return m, nil
}

// End implements dialect.Session. The pool closes a connection that is broken or
// has unread rows.
func (x *session) End() {
	defer x.conn.Release()
	if x.own == (backend{}) {
		return
	}
	x.db.own.remove(x.own)
	if x.pg.IsClosed() || x.pg.IsBusy() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), roundTripTimeout)
	defer cancel()
	// An error does not matter: nothing was written, and the pool closes a
	// connection that is still in a transaction.
	_, _ = x.pg.ExecParams(ctx, "COMMIT", nil, nil, nil, nil).Close()
}

// A backend identifies an open transaction in pg_stat_activity by process id and
// start. The process id alone could be another session's after the server has
// closed this one.
type backend struct{ pid, start string }

// backends are the transactions that are open here. They write nothing, so they do
// not hold the horizon back.
type backends struct {
	mu   sync.Mutex
	open map[backend]bool
}

func (b *backends) add(own backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[backend]bool{}
	}
	b.open[own] = true
}

// remove must be called before the transaction ends: behind a pooler the process
// serves another client right after.
func (b *backends) remove(own backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, own)
}

// lists returns process ids and starts as two lists of equal length.
func (b *backends) lists() (pids, starts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for own := range b.open {
		pids, starts = append(pids, own.pid), append(starts, own.start)
	}
	return pids, starts
}
