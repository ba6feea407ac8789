package pgsource

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/doc"
)

// Left reads the keys of rows with updateTime in the window that may have left
// the SQL's result: those that Changes lists, and those that a column marks
// deleted. A key may come twice. Where neither is configured nothing is asked.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		more := true
		pass := func(oids []doc.OID, err error) bool {
			more = yield(oids, err) && err == nil
			return more
		}
		if t.deleted.column != "" {
			t.changedKeys(ctx, &t.view, t.deleted.marked, w)(pass)
		}
		if more && t.changes != nil {
			t.changedKeys(ctx, t.changes, noCondition, w)(pass)
		}
	}
}

// noCondition is the condition that holds for every row.
func noCondition(*query) string { return "true" }

// changedKeys reads the keys of a view's rows with updateTime in the window
// that meet the condition, in order of (updateTime, key), as pages of their own
// short transactions, without repeats in a page. Unusable keys do not come.
func (t *Table) changedKeys(ctx context.Context, v *view, condition func(*query) string, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if w.Empty() {
			return
		}
		var after []string // updateTime and key of the page's last row
		for {
			rows, err := t.changedPage(ctx, v, condition, w, after)
			if err != nil {
				yield(nil, err)
				return
			}
			var oids []doc.OID
			for _, row := range rows {
				if oid, err := v.key.rawOID(row[1:]); err == nil {
					oids = append(oids, oid)
				}
			}
			slices.Sort(oids)
			if oids = slices.Compact(oids); len(oids) > 0 && !yield(oids, nil) || len(rows) < t.stampPage {
				return
			}
			after = textsOf(rows[len(rows)-1])
		}
	}
}

func (t *Table) changedPage(ctx context.Context, v *view, condition func(*query) string, w doc.Window, after []string) (rows [][][]byte, err error) {
	err = t.read(ctx, func(x *tx) error {
		unit, err := v.unit(ctx, x)
		if err != nil {
			return err
		}
		from, to := v.updated.bounds(w, unit)
		rows, err = x.all(ctx, v.changedQuery(condition, from, to, after, t.stampPage))
		return err
	})
	return rows, err
}

func (v *view) changedQuery(condition func(*query) string, from, to string, after []string, limit int) query {
	var q query
	u := v.sql.column(v.updated.name)
	columns := append([]string{u}, v.key.columns(v.sql)...)
	order := append([]string{u}, v.key.order(v.sql)...)
	next := "true"
	if after != nil {
		from = after[0]
		params := append([]string{q.bind(v.updated.typ, from)}, v.key.afterParams(&q, after[1:])...)
		next = fmt.Sprintf("(%s) > (%s)", strings.Join(order, ", "), strings.Join(params, ", "))
	}
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s >= %s AND %s < %s AND %s AND %s AND %s ORDER BY %s LIMIT %s",
		strings.Join(columns, ", "), v.sql.from(), u, q.bind(v.updated.typ, from), u, q.bind(v.updated.typ, to),
		next, v.key.notNull(v.sql), condition(&q), strings.Join(order, ", "), q.bind(int8OID, strconv.Itoa(limit)))
	return q
}
