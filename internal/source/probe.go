package source

import (
	"context"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source/dialect"
	"time"
)

// The methods of this file serve the command check, not the running daemon. Each
// may read the whole table, so the caller limits it by its context.

// Sample returns the keys of at most n live rows, in no particular order.
func (t *Table) Sample(ctx context.Context, n int) ([]doc.OID, error) {
	return t.readKeys(ctx, "read some keys", t.keys().Where(t.notNull(), t.live()).Limit(n), nil)
}

// Duplicate returns a key that several live rows have, or "".
func (t *Table) Duplicate(ctx context.Context) (oid doc.OID, err error) {
	q := t.keys().Where(t.notNull(), t.live()).Write(" GROUP BY ", t.keyOrder().List(), " HAVING count(*) > 1").Limit(1)
	oids, err := t.readKeys(ctx, "look for duplicate keys", q, nil)
	if len(oids) > 0 {
		oid = oids[0]
	}
	return oid, err
}

// WithoutUpdated counts the live rows whose updateTime is NULL, up to most.
func (t *Table) WithoutUpdated(ctx context.Context, most int) (int, error) {
	return t.countUpTo(ctx, most, func(dialect.Times) dialect.Condition { return dialect.SQL(t.updated.Expr + " IS NULL") })
}

// UpdatedIn counts the live rows with updateTime in a window, up to most.
func (t *Table) UpdatedIn(ctx context.Context, w doc.Window, most int) (int, error) {
	return t.countUpTo(ctx, most, func(times dialect.Times) dialect.Condition {
		if times == nil { // no row has an updateTime
			return dialect.Never
		}
		return t.updated.Between(times.Bounds(w))
	})
}

// ShownIn counts the live rows whose updateTime, as a wall clock shows it, is in a
// window given as UTC, up to most. It needs a table with a Wall.
func (t *Table) ShownIn(ctx context.Context, figures doc.Window, most int) (int, error) {
	return t.countUpTo(ctx, most, func(times dialect.Times) dialect.Condition {
		waller, ok := times.(dialect.Waller)
		if !ok {
			return dialect.Never
		}
		return func(q *dialect.Query) { waller.ShownIn(q, t.updated.Expr, t.updated.As, figures) }
	})
}

// countUpTo counts the live rows that meet a condition, up to most.
func (t *Table) countUpTo(ctx context.Context, most int, condition func(dialect.Times) dialect.Condition) (int, error) {
	return reading(ctx, t, "count rows", func(x *tx) (int, error) {
		times, err := t.times(ctx, x)
		if err != nil {
			return 0, err
		}
		q := t.ask("SELECT count(*) FROM (SELECT 1 AS one ", t.From()).Where(condition(times), t.live()).Limit(most).Write(") few")
		n, err := x.count(ctx, q)
		return int(n), err
	})
}

// Constant reports whether all rows have the same updateTime; false if no row has
// one.
func (t *Table) Constant(ctx context.Context) (bool, error) {
	// Two subqueries can use an index, and one aggregate with both can't.
	u := t.updated.Expr
	q := t.ask("SELECT CASE WHEN (SELECT min(", u, ") ", t.From(), ") = (SELECT max(", u, ") ", t.From(), ") THEN 1 ELSE 0 END").FromOneRow()
	n, err := reading(ctx, t, "compare the updateTimes", func(x *tx) (int64, error) { return x.count(ctx, q) })
	return n == 1, err
}

// OutOfRange counts the live rows and children's rows whose updateTime is not a
// plausible time; NULL does not count. Without an index on the column it reads the
// table.
func (t *Table) OutOfRange(ctx context.Context) (int64, error) {
	return reading(ctx, t, "count updateTimes", func(x *tx) (n int64, err error) {
		plausible := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(x.at)}
		for _, v := range t.rowViews() {
			times, err := v.times(ctx, x)
			if err != nil {
				return 0, err
			}
			if times == nil {
				continue
			}
			from, to := times.Bounds(plausible)
			where := []dialect.Condition{dialect.Or(v.updated.Is(" < ", from), v.updated.Is(" >= ", to)), t.liveOf(v)}
			if v == t.view {
				where = append(where, t.unlisted())
			}
			q := v.query("count(*)").Where(where...)
			q.ReadsAll()
			rows, err := x.count(ctx, q)
			if err != nil {
				return 0, err
			}
			n += rows
		}
		return n, nil
	})
}

// Wall returns the zone of a wall-clock updateTime; nil if the values need none.
func (t *Table) Wall() *time.Location {
	if waller, ok := t.updated.known().(dialect.Waller); ok {
		return waller.Zone()
	}
	return nil
}

// Shown returns what the clocks of the Wall's zone showed at some times, according
// to the database; none if it has no time zones.
func (t *Table) Shown(ctx context.Context, at []time.Time) ([]time.Time, error) {
	return asking(ctx, t, "ask for times in a zone", func(d dialect.ZoneShower, x *tx) ([]time.Time, error) {
		return d.Shown(ctx, x.session, t.updated.zone.String(), at)
	})
}
