package sqlitesource

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// walk yields the pages that next reads until there is none, and reports
// whether to go on. Each is a transaction of its own, which has ended when the
// page is handed out. Empty pages are not.
func walk[T any](ctx context.Context, t *Table, doing string, next func(context.Context, *sql.Tx) (page []T, more bool, err error), yield func([]T, error) bool) bool {
	for more := true; more; {
		var page []T
		err := t.read(ctx, func(tx *sql.Tx) (err error) {
			page, more, err = next(ctx, tx)
			return err
		})
		if err != nil {
			yield(nil, t.source.fault(doing, err))
			return false
		}
		if len(page) > 0 && !yield(page, nil) {
			return false
		}
	}
	return true
}

// A windowScan walks the rows of a view whose updateTime is in a window, in the
// order of updateTime and key.
type windowScan struct {
	view   *view
	window doc.Window
	also   condition // that rows meet beside
	limit  int       // rows of a page
	nulls  bool      // the page to come has rows without a key too

	bounds *bounds
	after  []any // updateTime and key of the last row; nil: none yet
}

// bounds are a window as a column spells it.
type bounds struct{ from, to any }

// boundsOf spells a window; nil where no row has an updateTime. Whoever walks
// it by pages does so once: each must go on where the last one ended, also
// where another spelling has been met by then.
func (v *view) boundsOf(ctx context.Context, tx *sql.Tx, w doc.Window) (*bounds, error) {
	clock, err := v.findClock(ctx, tx)
	if clock == nil || err != nil {
		return nil, err
	}
	from, to := clock.bounds(w)
	return &bounds{from, to}, nil
}

// page is what the next page is asked for; false where there is none.
func (s *windowScan) page(ctx context.Context, tx *sql.Tx) (listing, bool, error) {
	if s.bounds == nil {
		var err error
		if s.bounds, err = s.view.boundsOf(ctx, tx, s.window); s.bounds == nil {
			return listing{}, false, err
		}
	}
	statements := &s.view.statements
	var where condition
	if s.after == nil {
		where.and(statements.updated+" >= ?", s.bounds.from)
	} else {
		where.and(statements.stamp+" > "+tuple(slices.Repeat([]string{"?"}, len(s.after))), s.after...)
	}
	where.and(statements.updated+" < ?", s.bounds.to)
	if !s.nulls {
		where.and("NOT " + statements.isNull)
	}
	where.terms, where.args = append(where.terms, s.also.terms...), append(where.args, s.also.args...)
	return listing{where, statements.byStamp, s.limit}, true, nil
}

// advance notes the last row of a page that has a key, of key and updateTime.
func (s *windowScan) advance(last []any) {
	s.nulls = false
	if k := len(s.view.key); last != nil {
		s.after = append([]any{last[k]}, last[:k]...)
	}
}

// touched walks the keys of a view's rows in a window.
func (t *Table) touched(ctx context.Context, v *view, w doc.Window, also condition) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		s := &windowScan{view: v, window: w, also: also, limit: t.stamps}
		walk(ctx, t, "read a window of "+v.paths.sql+" of "+t.name, s.keys, yield)
	}
}

func (s *windowScan) keys(ctx context.Context, tx *sql.Tx) (oids []doc.OID, more bool, err error) {
	l, ok, err := s.page(ctx, tx)
	if !ok {
		return nil, false, err
	}
	n, k := 0, len(s.view.key)
	var last []any
	query := s.view.statements.times + l.where.String() + l.order + " LIMIT ?"
	err = each(ctx, tx, query, append(l.where.args, l.limit), k+1, func(raw []any) bool {
		if n++; n == l.limit {
			last = slices.Clone(raw)
		}
		if oid, err := s.view.oid(raw[:k]); err == nil && (len(oids) == 0 || oids[len(oids)-1] != oid) {
			oids = append(oids, oid)
		}
		return true
	})
	s.advance(last)
	return oids, last != nil, err
}

// Left walks the keys of rows with updateTime in the window that may have left
// the SQL's result: those that the changes SQL lists, and those that a column
// marks deleted. It asks nothing where neither is configured.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if t.changes != nil {
			for oids, err := range t.touched(ctx, t.changes, w, condition{}) {
				if !yield(oids, err) {
					return
				}
			}
		}
		if t.deletion.marked != "" {
			var marked condition
			marked.and("("+t.deletion.marked+") IS TRUE", t.deletion.values...)
			t.touched(ctx, t.view, w, marked)(yield)
		}
	}
}
