package sqlitesource

import (
	"context"
	"database/sql"
	"time"
)

// A session holds one connection while it reads. The pace counts it as one
// statement, whatever it runs: further statements cost no round trip.
type session struct {
	source *Source
	conn   *sql.Conn
	tx     *sql.Tx // nil until begin
	began  time.Time
}

// acquire takes a connection. It waits for the source's limits first, so that no
// connection or transaction is open during the wait.
func (s *Source) acquire(ctx context.Context) (*session, error) {
	if err := s.pace.Wait(ctx); err != nil {
		return nil, err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{source: s, conn: conn, began: time.Now()}, nil
}

// begin begins the transaction.
func (x *session) begin(ctx context.Context) (err error) {
	x.tx, err = x.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return err
}

// end rolls the transaction back and returns the connection.
func (x *session) end() {
	if x.tx != nil {
		_ = x.tx.Rollback()
	}
	_ = x.conn.Close()
	x.source.pace.Took(time.Since(x.began))
}

// inTransaction runs f in a session with an open transaction.
func (s *Source) inTransaction(ctx context.Context, f func(*session) error) error {
	x, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer x.end()
	if err := x.begin(ctx); err != nil {
		return err
	}
	return f(x)
}

// read runs f in a transaction.
func (s *Source) read(ctx context.Context, f func(*sql.Tx) error) error {
	return s.inTransaction(ctx, func(x *session) error { return f(x.tx) })
}

// read runs f in a transaction in which the SQLs return the columns that the
// table was described with.
func (t *Table) read(ctx context.Context, f func(*sql.Tx) error) error {
	return t.source.inTransaction(ctx, func(x *session) error {
		if err := takeSnapshot(ctx, x.tx); err != nil {
			return err
		}
		if err := t.checkColumns(x); err != nil {
			return err
		}
		return f(x.tx)
	})
}

// takeSnapshot takes the snapshot of a transaction. In SQLite the first read takes
// it, not BEGIN.
func takeSnapshot(ctx context.Context, tx *sql.Tx) error {
	var n int
	return tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n)
}
