package pgsource

import (
	"context"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// Left reads the keys of rows with updateTime in the window that may have left
// the SQL's result: those that Changes returns, and those that a column marks
// deleted. A key may come twice. If neither is configured, Left sends no
// statement.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		more := true
		pass := func(oids []doc.OID, err error) bool {
			more = yield(oids, err) && err == nil
			return more
		}
		if t.deleted.column != "" {
			t.changedKeys(ctx, &t.view, t.deleted.marked, w, nil)(pass)
		}
		if more && t.changes != nil {
			t.changedKeys(ctx, t.changes, noCondition, w, nil)(pass)
		}
	}
}

// noCondition is true for every row.
func noCondition(*query) string { return "true" }

// changedRows is a page of rows of updateTime and key, or its error.
type changedRows struct {
	rows [][][]byte
	err  error
}

// changedKeys reads the keys of a view's rows with updateTime in the window
// that meet the condition, in order of (updateTime, key). Each page is a short
// transaction and has no key twice. first is the first page, if already read.
// Unusable keys are left out.
func (t *Table) changedKeys(ctx context.Context, v *view, where condition, w doc.Window, first *changedRows) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if w.Empty() {
			return
		}
		var after []string // updateTime and key of the page's last row
		for {
			page := first
			if first = nil; page == nil {
				page = t.changedPage(ctx, v, where, w, after)
			}
			if page.err != nil {
				yield(nil, page.err)
				return
			}
			rows := page.rows
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

func (t *Table) changedPage(ctx context.Context, v *view, where condition, w doc.Window, after []string) *changedRows {
	var page changedRows
	page.err = t.read(ctx, func(x *tx) (err error) {
		page.rows, err = t.readChanged(ctx, x, v, where, w, after)
		return err
	})
	return &page
}

func (t *Table) readChanged(ctx context.Context, x *tx, v *view, where condition, w doc.Window, after []string) ([][][]byte, error) {
	unit, err := v.unit(ctx, x)
	if err != nil {
		return nil, err
	}
	from, to := v.updated.bounds(w, unit)
	return x.all(ctx, v.changedQuery(where, from, to, after, t.stampPage))
}

func (v *view) changedQuery(where condition, from, to string, after []string, limit int) query {
	columns := append([]string{v.sql.column(v.updated.name)}, v.key.columns(v.sql)...)
	selects := "SELECT " + strings.Join(columns, ", ") + " " + v.sql.from()
	return v.windowQuery(selects, windowPage{from: from, to: to, after: after}, where, limit)
}
