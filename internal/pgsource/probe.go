package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// Sample returns the keys of at most n live rows, in no particular order.
//
// Sample and the methods below serve the command check, not the running daemon.
// Each may read the whole table, so the caller limits it by its context.
func (t *Table) Sample(ctx context.Context, n int) ([]doc.OID, error) {
	var q query
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s AND %s LIMIT %s", strings.Join(t.key.columns(t.sql), ", "), t.sql.from(),
		t.key.notNull(t.sql), t.live(&q), q.bind(int8OID, strconv.Itoa(n)))
	return t.readKeys(ctx, q)
}

// Duplicate returns a key that several live rows have, or "".
func (t *Table) Duplicate(ctx context.Context) (oid doc.OID, err error) {
	var q query
	key := strings.Join(t.key.byteOrder(t.sql), ", ")
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s AND %s GROUP BY %s HAVING count(*) > 1 LIMIT 1", key, t.sql.from(), t.key.notNull(t.sql), t.live(&q), key)
	oids, err := t.readKeys(ctx, q)
	if len(oids) > 0 {
		oid = oids[0]
	}
	return oid, err
}

func (t *Table) readKeys(ctx context.Context, q query) (oids []doc.OID, err error) {
	err = t.read(ctx, func(x *tx) error {
		oids, err = t.keysOf(ctx, x, q)
		return err
	})
	return oids, err
}

// keysOf returns the keys that a query finds, without unusable ones.
func (t *Table) keysOf(ctx context.Context, x *tx, q query) (oids []doc.OID, err error) {
	rows, err := x.all(ctx, q)
	for _, row := range rows {
		if oid, err := t.key.rawOID(row); err == nil {
			oids = append(oids, oid)
		}
	}
	return oids, err
}

// Estimate returns the planner's estimate of the number of rows.
func (t *Table) Estimate(ctx context.Context) (n int64, err error) {
	err = t.read(ctx, func(x *tx) error {
		plan, err := x.explain(ctx, t.everything())
		n = int64(plan.Rows)
		return err
	})
	return n, err
}

// WithoutUpdated counts the live rows whose updateTime is NULL, up to most.
func (t *Table) WithoutUpdated(ctx context.Context, most int) (int, error) {
	return t.countUpTo(ctx, most, func(*query, time.Duration) string { return t.sql.column(t.updated.name) + " IS NULL" })
}

// UpdatedIn counts the live rows with updateTime in a window, up to most.
func (t *Table) UpdatedIn(ctx context.Context, w doc.Window, most int) (int, error) {
	return t.countUpTo(ctx, most, func(q *query, unit time.Duration) string {
		from, to := t.updated.bounds(w, unit)
		return t.between(q, from, to)
	})
}

// ShownIn counts the live rows whose updateTime, as a wall clock shows it, is
// in a window given as UTC, up to most. It needs a table with a Wall.
func (t *Table) ShownIn(ctx context.Context, figures doc.Window, most int) (int, error) {
	return t.countUpTo(ctx, most, func(q *query, _ time.Duration) string {
		return t.between(q, timeBound(figures.From), timeBound(figures.To))
	})
}

// between is the condition that updateTime, as the column writes it, is in
// [from, to).
func (v *view) between(q *query, from, to string) string {
	u := v.sql.column(v.updated.name)
	return fmt.Sprintf("%s >= %s AND %s < %s", u, q.bind(v.updated.typ, from), u, q.bind(v.updated.typ, to))
}

// countUpTo counts the live rows that meet a condition, up to most.
func (t *Table) countUpTo(ctx context.Context, most int, condition func(*query, time.Duration) string) (n int, err error) {
	err = t.read(ctx, func(x *tx) error {
		unit, err := t.unit(ctx, x)
		if err != nil {
			return err
		}
		var q query
		q.sql = fmt.Sprintf("SELECT count(*) FROM (SELECT %s WHERE %s AND %s LIMIT %s) few",
			t.sql.from(), condition(&q, unit), t.live(&q), q.bind(int8OID, strconv.Itoa(most)))
		rows, err := x.count(ctx, q)
		n = int(rows)
		return err
	})
	return n, err
}

// Constant reports whether all rows have the same updateTime; false if no row
// has one.
func (t *Table) Constant(ctx context.Context) (same bool, err error) {
	err = t.read(ctx, func(x *tx) error {
		u := t.sql.column(t.updated.name)
		row, err := x.row(ctx, query{sql: fmt.Sprintf("SELECT min(%s) = max(%s) %s", u, u, t.sql.from())})
		same = err == nil && isTrue(row[0])
		return err
	})
	return same, err
}

// Wall returns the zone of a wall-clock updateTime; nil if the values need
// none.
func (t *Table) Wall() *time.Location {
	if t.updated.form != wall {
		return nil
	}
	return t.updated.zone
}

// Shown returns what the clocks of the Wall's zone showed at some times,
// according to the server.
func (t *Table) Shown(ctx context.Context, at []time.Time) (figures []time.Time, err error) {
	var micros []string
	for _, instant := range at {
		micros = append(micros, strconv.FormatInt(instant.UnixMicro(), 10))
	}
	err = t.read(ctx, func(x *tx) error {
		q := query{sql: `SELECT ('epoch'::timestamptz + us * interval '1 us') AT TIME ZONE $2 FROM unnest($1::bigint[]) WITH ORDINALITY k(us, n) ORDER BY n`}
		q.bind(pgtype.Int8ArrayOID, arrayLiteral(micros))
		q.bind(pgtype.TextOID, t.updated.zone.String())
		rows, err := x.all(ctx, q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			shown, err := parseTime(string(row[0]))
			if err != nil {
				return err
			}
			figures = append(figures, shown)
		}
		return nil
	})
	return figures, err
}
