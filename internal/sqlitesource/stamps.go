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
// the SQL fails has token 0; whoever fetches it learns why. A row whose key
// can't be read has no stamp.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		var live condition
		t.live(&live)
		s := &windowScan{view: t.view, window: w, also: live, limit: t.stamps}
		next := func(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
			l, ok, err := s.page(ctx, tx)
			if !ok {
				return nil, false, err
			}
			stamps, last, err := t.list(ctx, tx, l)
			s.advance(last)
			return stamps, last != nil, err
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

// StampsByOID is Stamps in the order of keys, each row once.
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
		stamps, last, err := t.list(ctx, tx, listing{where, t.statements.byBytes, t.stamps})
		s.advance(last)
		return stamps, last != nil, err
	}
	oids, more, err := s.keys(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	stamps, err := t.stampsAmong(ctx, tx, oids)
	slices.SortStableFunc(stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	return stamps, more, err
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
	where.and(v.statements.updated+" >= ?", b.from)
	where.and(v.statements.updated+" < ?", b.to)
	if s.after != nil {
		where.and(v.statements.inBytes()+" > "+v.statements.marks, s.after...)
	}
	where.and("NOT " + v.statements.isNull)
	return where
}

// keys reads the next keys of the union.
func (s *keyScan) keys(ctx context.Context, tx *sql.Tx) (oids []doc.OID, more bool, err error) {
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
		return nil, false, nil
	}
	k := len(s.table.key)
	query := strings.Join(selects, " UNION ") + ordinals(k) + " LIMIT ?"
	n := 0
	err = each(ctx, tx, query, append(args, s.table.stamps), k, func(raw []any) bool {
		if n++; n == s.table.stamps {
			s.advance(raw)
		}
		if oid, err := s.table.oid(raw); err == nil {
			oids = append(oids, oid)
		}
		return true
	})
	return oids, n == s.table.stamps, err
}

// StampsInRange reads the stamps of all rows in a range, with any updateTime or
// none, in the order in which Range reads them. Of rows that share a key those
// at the border of a page may be left out, but for one.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := t.scan("read the stamps of a range of " + t.name)
		if err := t.limit(s, r); err != nil {
			yield(nil, t.source.fault(s.doing, err))
			return
		}
		t.live(&s.where)
		walk(ctx, t, s.doing, func(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, bool, error) {
			stamps, last, err := t.list(ctx, tx, listing{t.rest(s), t.statements.order, t.stamps})
			if last != nil {
				s.after = last[:len(t.key)]
			}
			return stamps, last != nil, err
		}, yield)
	}
}
