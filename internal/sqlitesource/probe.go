package sqlitesource

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// The methods of this file serve the check command. Each may read the whole table,
// so the caller sets a deadline and does without the answer if it passes.

// Sample returns the keys of at most n rows, in no particular order.
func (t *Table) Sample(ctx context.Context, n int) (oids []doc.OID, err error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	oids, err = t.keysOf(ctx, t.statements.keys+where.String()+" LIMIT ?", append(where.args, n))
	return oids, t.source.fault("read keys of "+t.name, err)
}

// Duplicate returns a key that several rows have; "" if there is none.
func (t *Table) Duplicate(ctx context.Context) (doc.OID, error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	by := strings.Trim(t.statements.inBytes(), "()")
	oids, err := t.keysOf(ctx, t.statements.keys+where.String()+" GROUP BY "+by+" HAVING count(*) > 1 LIMIT 1", where.args)
	if err != nil || len(oids) == 0 {
		return "", t.source.fault("look for duplicate keys in "+t.name, err)
	}
	return oids[0], nil
}

// keysOf returns the usable keys that a query selects.
func (t *Table) keysOf(ctx context.Context, query string, args []any) (oids []doc.OID, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		return eachRow(ctx, tx, query, args, len(t.key), func(raw []any) bool {
			if oid, err := t.oid(raw); err == nil {
				oids = append(oids, oid)
			}
			return true
		})
	})
	return oids, err
}

// Estimate returns 0: SQLite has no estimate.
func (t *Table) Estimate(context.Context) (int64, error) { return 0, nil }

// WithoutUpdated counts the rows whose updateTime is NULL, up to most.
func (t *Table) WithoutUpdated(ctx context.Context, most int) (n int, err error) {
	return t.countUpTo(ctx, most, func(_ *sql.Tx, where *condition) error {
		where.and(t.statements.updated + " IS NULL")
		return nil
	})
}

// UpdatedIn counts the rows with updateTime in a window, up to most.
func (t *Table) UpdatedIn(ctx context.Context, w doc.Window, most int) (n int, err error) {
	return t.countUpTo(ctx, most, func(tx *sql.Tx, where *condition) error {
		b, err := t.boundsOf(ctx, tx, w)
		if b == nil { // no row has an updateTime
			where.and("FALSE")
			return err
		}
		t.inWindow(where, b)
		return err
	})
}

// ShownIn counts the rows whose updateTime is text without an offset and whose
// local time is in a window, up to most. The window's times are local times in
// UTC. It is for tables that have a Wall.
func (t *Table) ShownIn(ctx context.Context, local doc.Window, most int) (n int, err error) {
	const form = "2006-01-02 15:04:05"
	u := t.statements.updated
	shown := "replace(substr(" + u + ", 1, 19), 'T', ' ')"
	return t.countUpTo(ctx, most, func(_ *sql.Tx, where *condition) error {
		where.and(shown+" >= ? AND "+shown+" < ? AND substr("+u+", 17) NOT GLOB '*[-+Z]*'", local.From.Format(form), local.To.Format(form))
		return nil
	})
}

// countUpTo counts the live rows that meet a condition, up to most.
func (t *Table) countUpTo(ctx context.Context, most int, limit func(*sql.Tx, *condition) error) (n int, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		var where condition
		if err := limit(tx, &where); err != nil {
			return err
		}
		t.live(&where)
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1"+t.statements.from+where.String()+" LIMIT ?)", append(where.args, most)...).Scan(&n)
	})
	return n, t.source.fault("count rows of "+t.name, err)
}

// Constant reports whether all rows have the same updateTime. It is false if no
// row has one.
func (t *Table) Constant(ctx context.Context) (bool, error) {
	u := t.statements.updated
	var same sql.NullBool
	err := t.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT (SELECT min("+u+")"+t.statements.from+") = (SELECT max("+u+")"+t.statements.from+")").Scan(&same)
	})
	return same.Bool, t.source.fault("compare updateTimes of "+t.name, err)
}

// Wall returns the time zone of updateTime; nil if its values need none.
func (t *Table) Wall() *time.Location {
	if c := t.format.Load(); c == nil || c.unit != 0 {
		return nil
	}
	return t.conf.zone
}

// Shown returns nothing: SQLite has no time zones that could differ.
func (t *Table) Shown(context.Context, []time.Time) ([]time.Time, error) { return nil, nil }
