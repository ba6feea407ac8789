package pgsource

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// Stamps reads the stamps of the live rows with an updateTime, their own or a
// child's, in the window: first of the rows in order of (updateTime, key), then
// of the parents of each child's rows. Each page is a short transaction of its
// own, but for the first ones of rows and of children: an idle window is one.
// A row may come twice, and a row that changes in between may, with a later
// updateTime, not come at all.
//
// The stamp of a document with children may lie behind the window; where
// updateTime is wall-clock time, rows of an hour that the zone's clocks show
// twice may come though they lie outside. A row without a usable key does not
// come: Range reports it. One whose updateTime is unusable, by a child's, comes
// with zero Updated, and fetching it reports it.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if w.Empty() {
			return
		}
		firsts := make([]*changedRows, len(t.children))
		if !t.stampsOfRows(ctx, w, yield, func(x *tx) { t.firstChanged(ctx, x, w, firsts) }) {
			return
		}
		for i, c := range t.children {
			if c.updated != nil && !t.stampsOfParents(ctx, c, w, firsts[i], yield) {
				return
			}
		}
	}
}

// firstChanged reads the first page of each child behind the main rows'. What
// fails there fails the child when it is its turn, and nothing before.
func (t *Table) firstChanged(ctx context.Context, x *tx, w doc.Window, firsts []*changedRows) {
	for i, c := range t.children {
		if c.updated == nil {
			continue
		}
		rows, err := t.readChanged(ctx, x, &c.view, noCondition, w, nil)
		firsts[i] = &changedRows{rows, t.wrap(err)}
		if err != nil {
			return // the transaction is over; the other children have others
		}
	}
}

// stampsOfRows reads by the main rows' updateTime, and calls also in the
// transaction of a page that is the only one. It reports whether the consumer
// wants more.
func (t *Table) stampsOfRows(ctx context.Context, w doc.Window, yield func([]doc.Stamp, error) bool, also func(*tx)) bool {
	var after []string // updateTime and key of the page's last row, in text form
	for {
		page, err := t.page(ctx, func(unit time.Duration, digest bool) (query, error) {
			from, to := t.updated.bounds(w, unit)
			return t.stampsQuery(from, to, after, digest), nil
		}, also)
		if err != nil {
			yield(nil, err)
			return false
		}
		if len(page.stamps) > 0 && !yield(page.stamps, nil) {
			return false
		}
		if page.rows < t.stampPage {
			return true
		}
		n := len(t.key)
		also = nil
		after = append([]string{page.last[n]}, page.last[:n]...)
	}
}

// stampsOfParents reads by a child's updateTime, behind a first page if that has
// been read.
func (t *Table) stampsOfParents(ctx context.Context, c *child, w doc.Window, first *changedRows, yield func([]doc.Stamp, error) bool) bool {
	for oids, err := range t.changedKeys(ctx, &c.view, noCondition, w, first) {
		var stamps []doc.Stamp
		if err == nil {
			stamps, err = t.StampsOf(ctx, oids)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if len(stamps) > 0 && !yield(stamps, nil) {
			return false
		}
	}
	return true
}

func (t *Table) stampsQuery(from, to string, after []string, digest bool) query {
	q := query{of: []*view{&t.view}}
	u := t.sql.column(t.updated.name)
	order := append([]string{u}, t.key.order(t.sql)...)
	next := ""
	if after != nil {
		from = after[0]
		params := append([]string{q.bind(t.updated.typ, from)}, t.key.afterParams(&q, after[1:])...)
		next = fmt.Sprintf(" AND (%s) > (%s)", strings.Join(order, ", "), strings.Join(params, ", "))
	}
	q.sql = fmt.Sprintf("%s WHERE %s >= %s AND %s < %s%s AND %s AND %s ORDER BY %s LIMIT %s", t.stampsOnly(digest),
		u, q.bind(t.updated.typ, from), u, q.bind(t.updated.typ, to), next, t.key.notNull(t.sql), t.live(&q),
		strings.Join(order, ", "), q.bind(int8OID, strconv.Itoa(t.stampPage)))
	return q
}

// stampsOnly selects key, updateTime and token, or NULL for the token.
func (t *Table) stampsOnly(digest bool) string {
	token := "NULL"
	if digest {
		token = t.sql.token()
	}
	return fmt.Sprintf("SELECT %s, %s, %s %s", strings.Join(t.key.columns(t.sql), ", "), t.sql.column(t.updated.name), token, t.sql.from())
}
