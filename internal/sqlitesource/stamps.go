package sqlitesource

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// stampPage is how many stamps are read in one transaction.
const stampPage = 10_000

// Stamps reads the stamps of the rows whose updateTime is in the window, in
// the order of updateTime and key, then of those that have a child whose
// updateTime is. A row may come twice, and its stamp lie outside of the window:
// its own updateTime is not the greatest, or text is spelled in several ways.
//
// A row whose updateTime can't be read has none in its stamp, and one at which
// the SQL fails has token 0; a fetch reports why. Rows whose key is
// unusable come as one stamp without an OID: Unusable says why.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
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
				unusable, err = t.noteUnusable(ctx, tx, &p, s.nulls, s.bounds)
			}
			s.advance(p.last)
			return p.stamps, p.more, err
		}
		if !walk(ctx, t, "read a window of "+t.name, next, yield) {
			return
		}
		for _, c := range t.children {
			if !t.parents(ctx, c, w, yield) {
				return
			}
		}
	}
}

// noteUnusable adds the stamp that stands for rows with an unusable key, if the
// page has one, or some row without a key lies behind the first page: no later
// page has those.
func (t *Table) noteUnusable(ctx context.Context, tx *sql.Tx, p *page, first bool, b *bounds) (noted bool, err error) {
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
	for oids, err := range t.touched(ctx, c.view, w, condition{}) {
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

// StampsByOID is Stamps in the order of keys, each key once. The token of a key
// that several rows have is not known.
func (t *Table) StampsByOID(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := &keyScan{table: t, window: w}
		walk(ctx, t, "read a window of "+t.name, s.next, yield)
	}
}

// A keyScan walks the keys that have their own updateTime or a child's in a
// window, in byte order. Rows of a window are many and children few, so it
// reads the union of keys first, and then their stamps.
type keyScan struct {
	table  *Table
	window doc.Window
	bounds []*bounds // of the table and each child; nil where none has an updateTime
	after  []any     // the last key; nil: none yet
	later  bool      // the first page has been read
	noted  bool      // that there are rows with an unusable key
}

func (s *keyScan) next(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
	if s.bounds == nil {
		if err := s.spell(ctx, tx); err != nil {
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
			t.border(&p)
		}
		return s.hand(ctx, tx, p, err)
	}
	p, err := s.keys(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	p.stamps, err = t.stampsByHalves(ctx, tx, distinct(p.stamps))
	p.stamps = onceEach(p.stamps)
	slices.SortStableFunc(p.stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	return s.hand(ctx, tx, p, err)
}

// hand hands on a page, and goes on behind it.
func (s *keyScan) hand(ctx context.Context, tx *sql.Tx, p page, err error) ([]doc.Stamp, bool, error) {
	if err == nil && !s.noted && s.bounds[0] != nil {
		s.noted, err = s.table.noteUnusable(ctx, tx, &p, !s.later, s.bounds[0])
	}
	s.later = true
	s.advance(p.last)
	return p.stamps, p.more, err
}

// border takes the last key off a full page, since more of its rows may follow,
// so that the next page begins behind the key before. A page of one key keeps
// it.
func (t *Table) border(p *page) {
	if n := len(p.stamps) - 1; n > 0 {
		if before, err := t.parts(p.stamps[n-1].OID); err == nil {
			p.stamps, p.last = p.stamps[:n], before
		}
	}
}

func (s *keyScan) spell(ctx context.Context, tx *sql.Tx) error {
	for _, v := range s.views() {
		b, err := v.boundsOf(ctx, tx, s.window)
		if err != nil {
			return err
		}
		s.bounds = append(s.bounds, b)
	}
	return nil
}

func (s *keyScan) views() []*view { return s.table.views()[:1+len(s.table.children)] }

func (s *keyScan) advance(last []any) {
	if last != nil {
		s.after = slices.Clone(last[:len(s.table.key)])
	}
}

// where is the condition of what is still to be read of a view.
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

// keys reads the next keys of the union, as stamps of keys alone.
func (s *keyScan) keys(ctx context.Context, tx *sql.Tx) (p page, err error) {
	var selects []string
	var args []any
	for i, v := range s.views() {
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
	err = each(ctx, tx, query, append(args, s.table.stamps), k, func(raw []any) bool {
		n++
		if !slices.Contains(raw, nil) {
			p.last = append(p.last[:0], raw...)
		}
		if oid, err := s.table.oid(raw); err == nil {
			p.stamps = append(p.stamps, doc.Stamp{OID: oid})
		} else {
			p.unusable = true // if it is the main SQL's: a child's is no document's
		}
		return true
	})
	p.more = n == s.table.stamps
	return p, err
}

// StampsInRange reads the stamps of all rows in a range, with any updateTime or
// none, in the order in which Range reads them, each key once. The token of a
// key that several rows have is not known.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := t.scan("read the stamps of a range of " + t.name)
		if err := t.limit(s, r); err != nil {
			yield(nil, t.source.fault(s.doing, err))
			return
		}
		t.live(&s.where)
		walk(ctx, t, s.doing, func(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
			p, err := t.list(ctx, tx, listing{t.rest(s), t.statements.order, t.stamps})
			if err == nil && p.more {
				t.border(&p)
			}
			if p.last != nil {
				s.after = p.last[:len(t.key)]
			}
			return p.stamps, p.more, err
		}, yield)
	}
}
