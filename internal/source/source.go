// Package source reads the tables of an SQL database: rows with their children
// by key range and by key, stamps by window of updateTime, by key range and by key.
// It is the same for every database. What differs between vendors is a Dialect:
// package dialect says what the engine asks of it.
//
// A user's SQL is never edited. It becomes a subquery, so that one SQL serves every
// query:
//
//	SELECT x.a, x.b, <token> FROM (<sql>
//	) x WHERE <condition on key or updateTime> AND <not marked deleted>
//
// Guarantees:
//   - Only SELECT and the dialect's statements that describe, plan, begin and end
//     reach the database. Every transaction is read-only, and every value is a
//     parameter.
//   - One page is one fetch: one snapshot for the main SQL, the children's SQL and
//     the deletion marks. FetchSeq and snapshot are taken in one step, so that a
//     higher number means a newer snapshot. Neither transaction nor connection
//     waits for the consumer of a page.
//   - A stamp is the same whether it is read with its document, by window, by range
//     or by key. What a token depends on beside the rows (SQL, key, columns,
//     session settings, server version) is hashed into its epoch.
//   - No row that is marked deleted is read as a row or stamp.
//   - A row that can't become a document is a doc.Reject, never an error, even if
//     the SQL itself fails for it. It keeps no other row from being read.
//   - A child row belongs to the row whose key has the same bytes, whatever the
//     database takes for equal.
//   - If an SQL returns other columns than when the table was described, the
//     statement fails with doc.ErrChangedResult before a row is used.
//
// Rows with the same key come in one batch. A stamp of theirs has an unknown token,
// so that each pass fetches them and the sink quarantines the key. If a window has a
// row with an unusable key, its stamps include one without an OID; the caller then
// asks Unusable for the reasons.
//
// Cost. A page of rows or stamps is a transaction with one statement, one more for
// each child and for the deletion marks. An idle window costs one transaction with
// a statement for the rows and for each child with an updateTime. With an index on
// the key, and one on updateTime and key, a page reads no more rows than it
// returns, plus two, and plus the keys that a column's order takes for equal to its
// first or last. Only the last two pages may read all that is left. A row for which
// the SQL fails costs two fetches per halving of its batch, and about 64 statements
// more if even its key can't be read. Memory is one page: a batch of at most 8 MiB
// of text with as much of children, or one row up to the table's limit; or as many
// stamps as the dialect's MaxKeys, 10,000 on most.
package source

import (
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/base/pace"
	"indexerd/internal/source/dialect"
	"time"
)

// A Source is one database. It is safe for concurrent use.
type Source struct {
	dialect dialect.Dialect
	pace    *pace.Pace
}

// New returns a source that reads a database within limits.
func New(d dialect.Dialect, limits pace.Limits) *Source {
	return &Source{dialect: d, pace: pace.New(limits)}
}

// Dialect returns the vendor's part, for abilities that only some have.
func (s *Source) Dialect() dialect.Dialect { return s.dialect }

// Address names the database without secrets.
func (s *Source) Address() string { return s.dialect.Address() }

// Figures returns the statements sent and the time they took.
func (s *Source) Figures() pace.Figures { return s.pace.Figures() }

// Close closes all connections. It waits for those in use.
func (s *Source) Close() { s.dialect.Close() }

// freeWithin is how long Ping waits for a free connection.
const freeWithin = time.Second

// Ping checks that the server answers. It does not wait for the source's limits, which say
// nothing of the server: while all connections are in use, it opens another one for a
// moment, if the dialect can.
func (s *Source) Ping(ctx context.Context) error {
	s.pace.Charge(1)
	prober, probes := s.dialect.(dialect.Prober)
	waiting, stop := ctx, context.CancelFunc(func() {})
	if probes {
		waiting, stop = context.WithTimeout(ctx, freeWithin)
	}
	session, err := s.dialect.Acquire(waiting)
	stop()
	if probes && err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return cancelled(ctx, prober.Probe(ctx))
	}
	if err != nil {
		return cancelled(ctx, err)
	}
	x := &tx{source: s, session: session}
	defer x.end()
	x.note(ctx, func() { _, err = session.Moment(ctx) })
	return err
}

func (s *Source) moment(ctx context.Context) (m doc.Moment, err error) {
	x, err := s.acquire(ctx)
	if err != nil {
		return m, err
	}
	defer x.end()
	x.note(ctx, func() { m, err = x.session.Moment(ctx) })
	return m, err
}

// Paced runs about so many statements that the caller sends by itself, within the
// source's limits.
func (s *Source) Paced(ctx context.Context, statements int, run func() error) error {
	if err := s.pace.Wait(ctx); err != nil {
		return err
	}
	began := time.Now()
	err := run()
	s.pace.Took(ctx, time.Since(began))
	s.pace.Charge(statements - 1)
	return err
}

// Server describes the database server, the connection and the role.
func (s *Source) Server(ctx context.Context) (doc.Server, error) {
	inspector, ok := s.dialect.(dialect.Inspector)
	if !ok {
		return doc.Server{}, s.Ping(ctx)
	}
	return snapshotOf(ctx, s, "", func(x *tx, _ dialect.Snapshot) (doc.Server, error) { return inspector.Server(ctx, x.session) })
}

// A tx is a connection and, once begun, its transaction.
type tx struct {
	source     *Source
	session    dialect.Session
	at         time.Time // of the snapshot
	mixed      bool      // each statement has its own
	statements int       // the number sent
}

// acquire takes a connection. Only here does a caller wait for the source's
// limits, so that no connection or transaction is open during the wait.
func (s *Source) acquire(ctx context.Context) (*tx, error) {
	if err := s.pace.Wait(ctx); err != nil {
		return nil, err
	}
	session, err := s.dialect.Acquire(ctx)
	if err != nil {
		return nil, cancelled(ctx, err)
	}
	return &tx{source: s, session: session}, nil
}

// snapshotOf returns what do reads in a transaction.
func snapshotOf[T any](ctx context.Context, s *Source, settings string, do func(*tx, dialect.Snapshot) (T, error)) (result T, err error) {
	x, err := s.acquire(ctx)
	if err != nil {
		return result, err
	}
	defer x.end()
	snapshot, err := x.begin(ctx, settings)
	if err != nil {
		return result, err
	}
	return do(x, snapshot)
}

// note runs a statement and reports its time to the source's pace.
func (x *tx) note(ctx context.Context, run func()) {
	sent := time.Now()
	run()
	x.source.pace.Took(ctx, time.Since(sent))
	x.statements++
}

func (x *tx) begin(ctx context.Context, settings string) (s dialect.Snapshot, err error) {
	x.note(ctx, func() { s, err = x.session.Begin(ctx, settings) })
	x.at, x.mixed = s.At, s.Mixed
	return s, notRowFault(cancelled(ctx, err))
}

// end ends the transaction and returns the connection.
func (x *tx) end() {
	x.session.End()
	if x.statements > 1 {
		x.source.pace.Charge(x.statements - 1) // acquire has waited for one
	}
}

// each calls row with each row of a query until row returns false, and gives way to
// searches in between. It reports whether row took all.
func (x *tx) each(ctx context.Context, q *dialect.Query, row func(raw []any) bool) (all bool, err error) {
	work := giveway.Background()
	defer work.End()
	sent := time.Now()
	all, err = x.session.Query(ctx, q.Statement(), func(raw []any) bool { work.Step(); return row(raw) })
	x.source.pace.Took(ctx, time.Since(sent)-work.Gave()) // the database did not take the rest
	x.statements++
	return all, cancelled(ctx, err)
}

// one returns the only row of a query.
func (x *tx) one(ctx context.Context, q *dialect.Query) (row []any, err error) {
	n := 0
	_, err = x.each(ctx, q, func(raw []any) bool {
		n++
		row = keepAll(raw)
		return true
	})
	if err == nil && n != 1 {
		err = fmt.Errorf("the database returned %d rows, want 1", n)
	}
	return row, err
}

// count returns the number that a query returns.
func (x *tx) count(ctx context.Context, q *dialect.Query) (int64, error) {
	row, err := x.one(ctx, q)
	if err != nil {
		return 0, err
	}
	return dialect.Integer(row[0])
}

// keep returns a raw value that stays valid, for use as a parameter of its column.
func keep(raw any) any {
	switch v := raw.(type) {
	case *string:
		return *v
	case []byte:
		return append([]byte{}, v...) // nil would be NULL
	}
	return raw
}

func keepAll(raw []any) []any {
	kept := make([]any, len(raw))
	for i, v := range raw {
		kept[i] = keep(v)
	}
	return kept
}

// size returns the bytes of text of a row.
func size(raw []any) (n int) {
	for _, v := range raw {
		switch v := v.(type) {
		case *string:
			n += len(*v)
		case string:
			n += len(v)
		case []byte:
			n += 2 * len(v)
		}
	}
	return n
}
