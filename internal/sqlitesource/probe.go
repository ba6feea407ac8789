package sqlitesource

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// What check asks of the rows. None of it is asked by the daemon at work, and
// each may read the whole table: the caller bounds it by its context, and takes
// a deadline that passed for an answer that is not worth its price.

// Sample returns the keys of at most n rows, whichever SQLite finds first.
func (t *Table) Sample(ctx context.Context, n int) (oids []doc.OID, err error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	oids, err = t.keysOf(ctx, t.statements.keys+where.String()+" LIMIT ?", append(where.args, n))
	return oids, t.source.fault("read keys of "+t.name, err)
}

// Duplicate returns a key that several rows have; "" where there is none.
func (t *Table) Duplicate(ctx context.Context) (doc.OID, error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	by := strings.Trim(t.statements.inBytes(), "()")
	oids, err := t.keysOf(ctx, t.statements.keys+where.String()+" GROUP BY "+by+" HAVING count(*) > 1 LIMIT 1", where.args)
	if err != nil || len(oids) == 0 {
		return "", t.source.fault("look for keys that come twice in "+t.name, err)
	}
	return oids[0], nil
}

// keysOf returns the keys that a query finds, without those that are unusable.
func (t *Table) keysOf(ctx context.Context, query string, args []any) (oids []doc.OID, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		return each(ctx, tx, query, args, len(t.key), func(raw []any) bool {
			if oid, err := t.oid(raw); err == nil {
				oids = append(oids, oid)
			}
			return true
		})
	})
	return oids, err
}

// Estimate is 0: SQLite does not guess.
func (t *Table) Estimate(context.Context) (int64, error) { return 0, nil }

// WithoutUpdated counts the rows whose updateTime is NULL, up to a number.
func (t *Table) WithoutUpdated(ctx context.Context, most int) (n int, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		n, err = t.few(ctx, tx, most, t.statements.updated+" IS NULL")
		return err
	})
	return n, t.source.fault("count rows of "+t.name, err)
}

// UpdatedIn counts the rows with updateTime in a window, up to a number.
func (t *Table) UpdatedIn(ctx context.Context, w doc.Window, most int) (n int, err error) {
	u := t.statements.updated
	err = t.read(ctx, func(tx *sql.Tx) error {
		b, err := t.boundsOf(ctx, tx, w)
		if b == nil || err != nil {
			return err
		}
		n, err = t.few(ctx, tx, most, u+" >= ? AND "+u+" < ?", b.from, b.to)
		return err
	})
	return n, t.source.fault("count rows of "+t.name, err)
}

// ShownIn counts the rows whose updateTime has figures in a window, given as
// UTC, and says no offset, up to a number. It is for those with a Wall.
func (t *Table) ShownIn(ctx context.Context, figures doc.Window, most int) (n int, err error) {
	const form = "2006-01-02 15:04:05"
	u := t.statements.updated
	shown := "replace(substr(" + u + ", 1, 19), 'T', ' ')"
	err = t.read(ctx, func(tx *sql.Tx) error {
		n, err = t.few(ctx, tx, most, shown+" >= ? AND "+shown+" < ? AND substr("+u+", 17) NOT GLOB '*[-+Z]*'",
			figures.From.Format(form), figures.To.Format(form))
		return err
	})
	return n, t.source.fault("count rows of "+t.name, err)
}

// few counts the rows that meet a condition, up to a number.
func (t *Table) few(ctx context.Context, tx *sql.Tx, most int, term string, args ...any) (n int, err error) {
	var where condition
	where.and(term, args...)
	t.live(&where)
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1"+t.statements.from+where.String()+" LIMIT ?)", append(where.args, most)...).Scan(&n)
	return n, err
}

// Constant reports whether all rows have the same updateTime. It is false where
// none has one.
func (t *Table) Constant(ctx context.Context) (bool, error) {
	u := t.statements.updated
	var same sql.NullBool
	err := t.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT (SELECT min("+u+")"+t.statements.from+") = (SELECT max("+u+")"+t.statements.from+")").Scan(&same)
	})
	return same.Bool, t.source.fault("compare updateTimes of "+t.name, err)
}

// Wall is the zone whose clocks updateTime is read from; nil where its values
// need none.
func (t *Table) Wall() *time.Location {
	if c := t.clock.Load(); c == nil || c.unit != 0 {
		return nil
	}
	return t.conf.zone
}

// Shown is nil: SQLite knows no zones that could differ.
func (t *Table) Shown(context.Context, []time.Time) ([]time.Time, error) { return nil, nil }
