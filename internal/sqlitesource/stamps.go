package sqlitesource

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"

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

// StampsByOID reads what Stamps reads, in the byte order of keys and each key once.
// The token of a key that several rows have is unknown.
func (t *Table) StampsByOID(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := &keyScan{table: t, window: w}
		yieldPages(ctx, t, "read a window of "+t.name, s.next, yield)
	}
}

// A keyScan reads, in byte order, the keys whose own updateTime or a child's is in
// a window. Of a table with children it reads a page of the union of keys first,
// then their stamps.
type keyScan struct {
	table    *Table
	window   doc.Window
	bounds   []*bounds // of the main SQL and each child; nil: no row has an updateTime
	after    []any     // the last key; nil: none yet
	later    bool      // the first page has been read
	unusable bool      // the stamp without an OID has been added
}

func (s *keyScan) next(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
	if s.bounds == nil {
		if err := s.findBounds(ctx, tx); err != nil {
			return nil, false, err
		}
	}
	t := s.table
	if len(t.children) == 0 {
		if s.bounds[0] == nil {
			return nil, false, nil
		}
		where := s.where(t.view, s.bounds[0])
		t.live(&where)
		p, err := t.list(ctx, tx, listing{where, t.statements.byBytes, t.stamps})
		if err == nil && p.more {
			t.dropLastKey(&p)
		}
		return s.finish(ctx, tx, p, err)
	}
	p, err := s.keys(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	p.stamps, err = t.stampsByHalves(ctx, tx, distinct(p.stamps))
	p.stamps = onceEach(p.stamps)
	slices.SortStableFunc(p.stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	return s.finish(ctx, tx, p, err)
}

// finish returns the stamps of a page and moves the scan behind it.
func (s *keyScan) finish(ctx context.Context, tx *sql.Tx, p page, err error) ([]doc.Stamp, bool, error) {
	if err == nil && !s.unusable && s.bounds[0] != nil {
		s.unusable, err = s.table.addUnusable(ctx, tx, &p, !s.later, s.bounds[0])
	}
	s.later = true
	s.advance(p.last)
	return p.stamps, p.more, err
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

func (s *keyScan) findBounds(ctx context.Context, tx *sql.Tx) error {
	for _, v := range s.table.rowViews() {
		b, err := v.boundsOf(ctx, tx, s.window)
		if err != nil {
			return err
		}
		s.bounds = append(s.bounds, b)
	}
	return nil
}

func (s *keyScan) advance(last []any) {
	if last != nil {
		s.after = slices.Clone(last[:len(s.table.key)])
	}
}

// where returns the condition of the rows of a view that are still to be read.
func (s *keyScan) where(v *view, b *bounds) (where condition) {
	v.inWindow(&where, b)
	if s.after != nil {
		where.and(v.statements.inBytes()+" > "+v.statements.marks, s.after...)
	}
	if s.later || v != s.table.view {
		where.and("NOT " + v.statements.isNull)
	}
	return where
}

// keys reads the next keys of the union, as stamps with nothing but a key.
func (s *keyScan) keys(ctx context.Context, tx *sql.Tx) (p page, err error) {
	var selects []string
	var args []any
	for i, v := range s.table.rowViews() {
		if s.bounds[i] != nil {
			where := s.where(v, s.bounds[i])
			selects = append(selects, v.statements.byBytesKeys+where.String())
			args = append(args, where.args...)
		}
	}
	if len(selects) == 0 {
		return p, nil
	}
	k := len(s.table.key)
	query := strings.Join(selects, " UNION ") + ordinals(k) + " LIMIT ?"
	n := 0
	err = eachRow(ctx, tx, query, append(args, s.table.stamps), k, func(raw []any) bool {
		n++
		if !slices.Contains(raw, nil) {
			p.last = append(p.last[:0], raw...)
		}
		if oid, err := s.table.oid(raw); err == nil {
			p.stamps = append(p.stamps, doc.Stamp{OID: oid})
		} else {
			p.unusable = true // a child's unusable key counts too
		}
		return true
	})
	p.more = n == s.table.stamps
	return p, err
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
