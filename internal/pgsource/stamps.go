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
// child's, in the window: first of the rows, in order of (updateTime, key),
// then of the parents of each child's rows. Each page is a short transaction;
// the first pages of rows and children share one, so an idle window costs one
// transaction. A row may come twice. A row that changes in between may be
// missing if its new updateTime is later.
//
// The stamp of a document with children may be later than the window. If
// updateTime is wall-clock time, rows of an hour that the clocks show twice may
// come although they are outside. Rows without a usable key come as one stamp
// without an OID. A row with an unusable updateTime of a child comes with zero
// Updated; fetching it returns the reason.
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

// firstChanged reads the first page of each child in the main rows'
// transaction. An error is kept until the child is read.
func (t *Table) firstChanged(ctx context.Context, x *tx, w doc.Window, firsts []*changedRows) {
	for i, c := range t.children {
		if c.updated == nil {
			continue
		}
		rows, err := t.readChanged(ctx, x, &c.view, noCondition, w, nil)
		firsts[i] = &changedRows{rows, t.wrap(err)}
		if err != nil {
			return // the transaction has failed; the other children use new ones
		}
	}
}

// stampsOfRows reads by the main rows' updateTime. If one page is all, it calls
// also in the same transaction. It reports whether the consumer wants more.
func (t *Table) stampsOfRows(ctx context.Context, w doc.Window, yield func([]doc.Stamp, error) bool, also func(*tx)) bool {
	p := windowPage{first: true}
	for unusable := false; ; {
		page, err := t.page(ctx, func(unit time.Duration, digest bool) (query, error) {
			p.from, p.to = t.updated.bounds(w, unit)
			return t.stampsQuery(p, digest), nil
		}, also)
		if isRowFault(err) {
			return t.windowByKey(ctx, w, err, yield)
		}
		full := page.rows >= t.stampPage
		if err == nil && p.first && full && !page.unusable {
			// Rows without a key may come after the page.
			page.unusable, err = t.hasNullKey(ctx, w)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if page.unusable && !unusable {
			unusable = true
			page.stamps = append(page.stamps, doc.Stamp{})
		}
		if len(page.stamps) > 0 && !yield(page.stamps, nil) {
			return false
		}
		if !full {
			return true
		}
		also = nil
		p.next(page.last, len(t.key))
	}
}

// windowByKey reads the rows of a window in the order of keys, since one query
// could not read them.
func (t *Table) windowByKey(ctx context.Context, w doc.Window, fault error, yield func([]doc.Stamp, error) bool) bool {
	unusable, err := t.hasNullKey(ctx, w)
	if err != nil {
		yield(nil, err)
		return false
	}
	if unusable && !yield([]doc.Stamp{{}}, nil) {
		return false
	}
	return t.bisectWindow(ctx, w, fault, yield)
}

// hasNullKey reports whether a live row of the window has no key.
func (t *Table) hasNullKey(ctx context.Context, w doc.Window) (bool, error) {
	b, err := t.unusable(ctx, &w, t.nullKey)
	return len(b.Rejects) > 0, err
}

// A windowPage is a page of a window. The first one includes the rows without a
// key, after which no page could continue.
type windowPage struct {
	from, to string
	first    bool
	after    []string // updateTime and key of the last row with a key; nil: none
}

// next moves to the page after a row of key and updateTime, or to the first
// page of rows with a key if last is nil.
func (p *windowPage) next(last []string, n int) {
	p.first = false
	if last != nil {
		p.after = append([]string{last[n]}, last[:n]...)
	}
}

// stampsOfParents reads by a child's updateTime. first is the first page, if
// already read.
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

func (t *Table) stampsQuery(p windowPage, digest bool) query {
	return t.windowQuery(t.stampsOnly(digest), p, t.liveFor(digest), t.stampPage)
}

// windowQuery selects a page of a window in order of (updateTime, key).
func (v *view) windowQuery(selects string, p windowPage, where condition, limit int) query {
	q := query{reads: []*view{v}}
	order := append([]string{v.sql.column(v.updated.name)}, v.key.order(v.sql)...)
	from, next := p.from, ""
	if p.after != nil {
		from = p.after[0]
		params := append([]string{q.bind(v.updated.typ, from)}, v.key.afterParams(&q, p.after[1:])...)
		next = fmt.Sprintf(" AND (%s) > (%s)", strings.Join(order, ", "), strings.Join(params, ", "))
	}
	if !p.first {
		next += " AND " + v.key.notNull(v.sql)
	}
	q.sql = fmt.Sprintf("%s WHERE %s%s AND %s ORDER BY %s LIMIT %s", selects, v.between(&q, from, p.to), next, where(&q),
		strings.Join(order, ", "), q.bind(int8OID, strconv.Itoa(limit)))
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
