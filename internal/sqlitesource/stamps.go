package sqlitesource

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// stampPage is the number of stamps read in one transaction.
const stampPage = 10_000

// Stamps reads the stamps of the rows whose updateTime is in the window, in the
// order of updateTime and key, then those of rows with a child whose updateTime
// is in the window. A row may come twice. Its stamp may lie outside the window,
// since a child's updateTime may be greater than its own, or the column's text has
// several formats.
//
// A row with an invalid updateTime has a stamp without one, and a row for which
// the SQL fails has an unknown token; fetching the row reports why. All rows with
// an unusable key are one stamp without an OID; Unusable reports why.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if w.Empty() {
			return
		}
		var live condition
		t.live(&live)
		s := &windowScan{view: t.view, window: w, also: live, limit: t.stamps, nulls: true}
		unusable := false
		next := func(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
			l, ok, err := s.page(ctx, tx)
			if !ok {
				return nil, false, err
			}
			p, err := t.list(ctx, tx, l)
			if err == nil && !unusable {
				unusable, err = t.addUnusable(ctx, tx, &p, s.nulls, s.bounds)
			}
			s.advance(p.last)
			return p.stamps, p.more, err
		}
		if !yieldPages(ctx, t, "read a window of "+t.name, next, yield) {
			return
		}
		for _, c := range t.children {
			if !t.parents(ctx, c, w, yield) {
				return
			}
		}
	}
}

// addUnusable adds the stamp without an OID if the page has a row with an unusable
// key. On the first page it also looks for a NULL key anywhere in the window,
// since later pages leave those rows out.
func (t *Table) addUnusable(ctx context.Context, tx *sql.Tx, p *page, first bool, b *bounds) (added bool, err error) {
	if first && p.more && !p.unusable {
		var where condition
		t.inWindow(&where, b)
		if p.unusable, err = t.hasNullKey(ctx, tx, where); err != nil {
			return false, err
		}
	}
	if p.unusable {
		p.stamps = append(p.stamps, doc.Stamp{})
	}
	return p.unusable, nil
}

// parents yields the stamps of the rows that have a child in the window.
func (t *Table) parents(ctx context.Context, c *child, w doc.Window, yield func([]doc.Stamp, error) bool) bool {
	for oids, err := range t.changedKeys(ctx, c.view, w, condition{}) {
		var stamps []doc.Stamp
		if err == nil {
			slices.Sort(oids)
			stamps, err = t.StampsOf(ctx, slices.Compact(oids))
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

// dropLastKey drops the last key of a full page, since more of its rows may
// follow: the next page begins with it. A page of one key keeps it.
func (t *Table) dropLastKey(p *page) {
	if n := len(p.stamps) - 1; n > 0 {
		if before, err := t.parts(p.stamps[n-1].OID); err == nil {
			p.stamps, p.last = p.stamps[:n], before
		}
	}
}

// StampsInRange reads the stamps of all rows in a range, with any updateTime or
// none, in the order of Range and each key once. The token of a key that several
// rows have is unknown.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := t.newScan("read the stamps of a range of " + t.name)
		if err := t.bound(s, r); err != nil {
			yield(nil, t.source.fault(s.doing, err))
			return
		}
		t.live(&s.where)
		yieldPages(ctx, t, s.doing, func(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
			p, err := t.list(ctx, tx, listing{t.remaining(s), t.statements.order, t.stamps})
			if err == nil && p.more {
				t.dropLastKey(&p)
			}
			if p.last != nil {
				s.after = p.last[:len(t.key)]
			}
			return p.stamps, p.more, err
		}, yield)
	}
}
