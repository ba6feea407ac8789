package sqlitesource

import (
	"context"
	"database/sql"
	"time"
)

// A visit is a connection while it reads. It counts as one statement: what a
// page asks beside its rows is asked of this process.
type visit struct {
	source *Source
	conn   *sql.Conn
	tx     *sql.Tx // nil until begin
	began  time.Time
}

// visit takes a connection. It waits here, and nowhere later, for what the
// source's limits leave.
func (s *Source) visit(ctx context.Context) (*visit, error) {
	if err := s.pace.Wait(ctx); err != nil {
		return nil, err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &visit{source: s, conn: conn, began: time.Now()}, nil
}

// begin begins the transaction.
func (v *visit) begin(ctx context.Context) (err error) {
	v.tx, err = v.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	return err
}

// end rolls the transaction back, since nothing was written, and gives the
// connection back.
func (v *visit) end() {
	if v.tx != nil {
		_ = v.tx.Rollback()
	}
	_ = v.conn.Close()
	v.source.pace.Took(time.Since(v.began))
}

// read runs f in a transaction.
func (s *Source) read(ctx context.Context, f func(*sql.Tx) error) error {
	v, err := s.visit(ctx)
	if err != nil {
		return err
	}
	defer v.end()
	if err := v.begin(ctx); err != nil {
		return err
	}
	return f(v.tx)
}
