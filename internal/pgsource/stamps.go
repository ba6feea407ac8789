package pgsource

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"indexerd/internal/doc"
)

// Stamps reads the stamps of the rows with updateTime in the window, in order
// of (updateTime, key), as pages of their own short transactions. A row that
// changes in between may come twice or, with a later updateTime, not at all.
//
// Where updateTime is wall-clock time, rows of an hour that the zone's clocks
// show twice may come though they lie outside the window. A row without a
// usable key or updateTime does not come: Range reports it.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if w.Empty() {
			return
		}
		var after []string // updateTime and key of the page's last row, in text form
		for {
			page, last, err := t.stampsAfter(ctx, w, after)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page) > 0 && !yield(page, nil) {
				return
			}
			if last == nil {
				return
			}
			after = last
		}
	}
}

// stampsAfter reads one page. last is nil when there is no further one.
func (t *Table) stampsAfter(ctx context.Context, w doc.Window, after []string) (page []doc.Stamp, last []string, err error) {
	err = t.read(ctx, func(x *tx) error {
		unit, err := t.unit(ctx, x)
		if err != nil {
			return err
		}
		from, to := t.updated.bounds(w, unit)
		rows := x.rows(ctx, t.stampsQuery(from, to, after))
		d := t.stampDecoder(unit)
		n := 0
		for ; rows.NextRow(); n++ {
			if s, ok := d.loadStamp(rows.Values()); ok {
				page = append(page, s)
			}
		}
		if n == t.stampPage {
			last = append([]string{d.texts[d.updated]}, d.texts[:len(t.key)]...)
		}
		_, err = rows.Close()
		return x.fault(ctx, err)
	})
	return page, last, err
}

func (t *Table) stampsQuery(from, to string, after []string) query {
	var q query
	u, keys := t.sql.column(t.updated.name), t.key.columns(t.sql)
	order := append([]string{u}, keys...)
	next := ""
	if after != nil {
		from = after[0]
		params := []string{q.bind(t.updated.typ, after[0])}
		for i, p := range t.key {
			params = append(params, q.bind(p.param, after[i+1]))
		}
		next = fmt.Sprintf(" AND (%s) > (%s)", strings.Join(order, ", "), strings.Join(params, ", "))
	}
	q.sql = fmt.Sprintf("SELECT %s, %s, %s %s WHERE %s >= %s AND %s < %s%s AND %s ORDER BY %s LIMIT %s",
		strings.Join(keys, ", "), u, t.sql.token(), t.sql.from(),
		u, q.bind(t.updated.typ, from), u, q.bind(t.updated.typ, to), next, t.key.notNull(t.sql),
		strings.Join(order, ", "), q.bind(int8OID, strconv.Itoa(t.stampPage)))
	return q
}
