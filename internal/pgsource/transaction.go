package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The server's clock and the transaction's start as microseconds since 1970,
// which no session setting changes.
const (
	clockMicros = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
	beginMicros = "(extract(epoch FROM now()) * 1000000)::bigint"
)

// lockTimeout limits the wait for a table that is being altered. All later
// readers queue behind a waiting one.
const lockTimeout = 10 * time.Second

const beginSQL = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// openSQL is the first SELECT of a transaction, so it takes the snapshot. For
// this transaction it sets what the text form of a value depends on. It returns
// the search path, the server's version and clock, and the identity of the
// transaction in pg_stat_activity. An empty $1 keeps the session's search path.
//
// A database without an encoding (SQL_ASCII) would fail a whole query for one
// text that is not UTF-8. Without conversion its bytes arrive unchanged, and
// only the row is rejected.
const openSQL = `SELECT
	set_config('search_path', coalesce(nullif($1, ''), current_setting('search_path')), true),
	current_setting('server_version_num')::int / 10000,
	` + clockMicros + `,
	pg_backend_pid(), ` + beginMicros + `,
	set_config('client_encoding', CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' END, true),
	set_config('DateStyle', 'ISO, MDY', true),
	set_config('TimeZone', 'UTC', true),
	set_config('IntervalStyle', 'postgres', true),
	set_config('extra_float_digits', '1', true),
	set_config('bytea_output', 'hex', true),
	set_config('lc_monetary', 'C', true),
	set_config('statement_timeout', $2, true),
	set_config('lock_timeout', $3, true),
	set_config('idle_in_transaction_session_timeout', $2, true)`

// A query is a statement with its parameters in text form.
type query struct {
	sql     string
	values  [][]byte
	types   []uint32
	reads   []*view // views whose keys, updateTimes or digests the query reads by name
	returns *view   // the view whose columns and then digest the query returns; nil: none
}

// A condition returns a condition of a query's WHERE clause and binds its values.
type condition func(*query) string

// bind adds a parameter and returns its placeholder.
func (q *query) bind(oid uint32, value string) string {
	q.values = append(q.values, []byte(value))
	q.types = append(q.types, oid)
	return "$" + strconv.Itoa(len(q.values))
}

// explained puts EXPLAIN in front of the query. The result is a plan and no
// view.
func (q query) explained(explain string) query {
	q.sql, q.reads, q.returns = explain+q.sql, nil, nil
	return q
}

// A tx is a pooled connection and, once begun, its transaction.
type tx struct {
	src  *Source
	conn *pgxpool.Conn
	pg   *pgconn.PgConn
	own  backend   // set while the transaction is open
	at   time.Time // the server's clock just after the snapshot was taken

	unlimited   bool               // statements have no timeout
	stopTimeout context.CancelFunc // releases the last statement's timeout
	described   map[*view]bool     // views found unchanged in this transaction

	statements   int           // the number sent
	sent         time.Time     // when the last one was sent; zero: its time has been noted
	consumerTime time.Duration // the part of the time since then that the consumer of the rows took
}

// An opened is the result of a transaction's first SELECT.
type opened struct {
	searchPath string
	major      int
	at         time.Time // just after the snapshot was taken
	own        backend
}

// acquire takes a connection from the pool or opens one. Only here does a
// caller wait for the source's limits.
func (s *Source) acquire(ctx context.Context) (*tx, error) {
	if err := s.pace.Wait(ctx); err != nil {
		return nil, err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, connectFault(ctx, s, err)
	}
	return &tx{src: s, conn: conn, pg: conn.Conn().PgConn()}, nil
}

// read runs do in a transaction. An empty search path keeps the session's.
func (s *Source) read(ctx context.Context, searchPath string, do func(*tx, opened) error) error {
	x, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer x.end(ctx)
	session, err := x.begin(ctx, searchPath)
	if err != nil {
		return err
	}
	return do(x, session)
}

func (x *tx) noteSent() {
	x.noteAnswered()
	x.sent = time.Now()
	x.statements++
}

// noteAnswered reports the time of the last statement to the source's pace.
func (x *tx) noteAnswered() {
	if !x.sent.IsZero() {
		x.src.pace.Took(time.Since(x.sent) - x.consumerTime)
	}
	x.sent, x.consumerTime = time.Time{}, 0
}

// pauseClock runs the consumer of a statement's rows. Its time is not the
// server's.
func (x *tx) pauseClock(consumer func() bool) bool {
	began := time.Now()
	defer func() { x.consumerTime += time.Since(began) }()
	return consumer()
}

func (x *tx) release() {
	x.noteAnswered()
	if x.stopTimeout != nil {
		x.stopTimeout()
	}
	if x.statements > 1 {
		x.src.pace.Charge(x.statements - 1) // acquire has waited for one
	}
	x.conn.Release()
}

// begin begins the transaction and takes its snapshot in one round trip.
func (x *tx) begin(ctx context.Context, searchPath string) (opened, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	var open query
	open.bind(pgtype.TextOID, searchPath)
	open.bind(pgtype.TextOID, millis(x.src.statementTimeout))
	open.bind(pgtype.TextOID, millis(x.src.lockTimeout))

	var batch pgconn.Batch
	batch.ExecParams(beginSQL, nil, nil, nil, nil)
	batch.ExecParams(openSQL, open.values, open.types, nil, nil)
	x.noteSent()
	results, err := x.pg.ExecBatch(ctx, &batch).ReadAll()
	x.noteAnswered()
	if err != nil {
		return opened{}, x.fault(ctx, err)
	}
	session, err := parseOpened(results[len(results)-1])
	if err != nil {
		return opened{}, err
	}
	x.noticePooler(session.own.pid)
	x.own, x.at = session.own, session.at
	x.src.own.add(x.own)
	return session, nil
}

// noticePooler compares the process id of the session that ran a statement with
// the one that the driver got when it connected. A pooler makes up the latter.
func (x *tx) noticePooler(pid string) {
	if pid != strconv.FormatUint(uint64(x.pg.PID()), 10) {
		x.src.pooled.Store(true)
	}
}

func parseOpened(r *pgconn.Result) (opened, error) {
	if len(r.Rows) != 1 {
		return opened{}, fmt.Errorf("begin: the server returned %d rows, want 1", len(r.Rows))
	}
	row := r.Rows[0]
	major, err := strconv.Atoi(string(row[1]))
	if err != nil {
		return opened{}, fmt.Errorf("begin: server version: %w", err)
	}
	at, err := parseMicros(row[2])
	if err != nil {
		return opened{}, err
	}
	own := backend{pid: string(row[3]), start: string(row[4])}
	return opened{searchPath: string(row[0]), major: major, at: at, own: own}, nil
}

func parseMicros(text []byte) (time.Time, error) {
	us, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("server clock: %w", err)
	}
	return time.UnixMicro(us).UTC(), nil
}

func millis(d time.Duration) string {
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10)
}

// end ends the transaction and returns the connection. The pool closes a
// connection that is broken or has unread rows.
func (x *tx) end(ctx context.Context) {
	x.noteAnswered()
	defer x.release()
	x.src.own.remove(x.own)
	if x.pg.IsClosed() || x.pg.IsBusy() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, roundTripTimeout)
	defer cancel()
	// An error does not matter: nothing was written, and the pool closes a
	// connection that is still in a transaction.
	_, _ = x.pg.ExecParams(ctx, "COMMIT", nil, nil, nil, nil).Close()
}

// rows starts a query and streams its rows. The query ends within the statement
// timeout plus roundTripTimeout, even if the network has failed and the
// server's answer can't arrive.
func (x *tx) rows(ctx context.Context, q query) *result {
	if x.stopTimeout != nil {
		x.stopTimeout() // the previous statement's rows have been read
	}
	if x.unlimited {
		ctx, x.stopTimeout = context.WithCancel(ctx)
	} else {
		ctx, x.stopTimeout = context.WithTimeoutCause(ctx, x.src.statementTimeout+roundTripTimeout, errNoAnswer)
	}
	x.noteSent()
	return x.sendQuery(ctx, q, x.stopTimeout)
}

func (x *tx) all(ctx context.Context, q query) ([][][]byte, error) {
	rows, err := x.rows(ctx, q).all()
	x.noteAnswered()
	if err != nil {
		return nil, x.fault(ctx, err)
	}
	return rows, nil
}

// each calls f with each row of a query until f returns false. It reports
// whether f wants more. The values are valid until f returns.
func (x *tx) each(ctx context.Context, q query, f func(raw [][]byte) bool) (more bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := x.rows(ctx, q)
	for rows.NextRow() {
		if !f(rows.Values()) {
			cancel()            // stops the statement on the server
			_, _ = rows.Close() // reports the cancellation
			return false, nil
		}
	}
	_, err = rows.Close()
	return true, x.fault(ctx, err)
}

// count returns the single number that a query returns.
func (x *tx) count(ctx context.Context, q query) (int64, error) {
	row, err := x.row(ctx, q)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(row[0]), 10, 64)
}

func (x *tx) row(ctx context.Context, q query) ([][]byte, error) {
	rows, err := x.all(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("the server returned %d rows, want 1", len(rows))
	}
	return rows[0], nil
}

// A backend identifies a transaction of this source in pg_stat_activity by
// process id and start in microseconds. The process id alone could be another
// session's after the server has closed this one.
type backend struct{ pid, start string }

// backends are the source's open transactions. They write nothing, so they do
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

// remove must be called before the transaction ends: behind a pooler the
// process serves another client right after.
func (b *backends) remove(own backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, own)
}

// arrays returns process ids and starts as two array literals of equal length.
func (b *backends) arrays() (pids, starts string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var p, s []string
	for own := range b.open {
		p, s = append(p, own.pid), append(s, own.start)
	}
	return arrayLiteral(p), arrayLiteral(s)
}
