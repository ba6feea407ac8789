package sqlitesource

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// yieldPages yields the pages that next reads until there are no more, and reports
// whether the caller wants more. Each page has its own transaction, which ends
// before the page is yielded. It yields no empty page.
func yieldPages[T any](ctx context.Context, t *Table, doing string, next func(context.Context, *sql.Tx) (page []T, more bool, err error), yield func([]T, error) bool) bool {
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

// A windowScan reads the rows of a view whose updateTime is in a window, in the
// order of updateTime and key.
type windowScan struct {
	view   *view
	window doc.Window
	also   condition // a further condition on the rows
	limit  int       // rows of a page
	nulls  bool      // the next page includes rows with a NULL key

	bounds *bounds
	after  []any // updateTime and key of the last row; nil: none yet
}

// bounds are a window in the format of a column.
type bounds struct{ from, to any }

// boundsOf returns a window in the format of the view's updateTime; nil if no row
// has one. A scan of several pages calls it once: its bounds must stay the same
// even if later rows show another format.
func (v *view) boundsOf(ctx context.Context, tx *sql.Tx, w doc.Window) (*bounds, error) {
	format, err := v.findFormat(ctx, tx)
	if format == nil || err != nil {
		return nil, err
	}
	from, to := format.bounds(w)
	return &bounds{from, to}, nil
}

// page returns the listing of the next page; false if no row has an updateTime.
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

// advance moves the scan behind the last row of a page, given as key and
// updateTime; nil: no row of the page has a key.
func (s *windowScan) advance(last []any) {
	s.nulls = false
	if k := len(s.view.key); last != nil {
		s.after = append([]any{last[k]}, last[:k]...)
	}
}

// changedKeys reads the keys of a view's rows in a window.
func (t *Table) changedKeys(ctx context.Context, v *view, w doc.Window, also condition) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		s := &windowScan{view: v, window: w, also: also, limit: t.stamps}
		yieldPages(ctx, t, "read a window of "+v.paths.sql+" of "+t.name, s.keys, yield)
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
	err = eachRow(ctx, tx, query, append(l.where.args, l.limit), k+1, func(raw []any) bool {
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

// Left reads the keys of rows with updateTime in the window that may have left the
// SQL's result: those that the changes SQL lists, and those that a column marks
// deleted. Without either it runs no query.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if w.Empty() {
			return
		}
		if t.changes != nil {
			for oids, err := range t.changedKeys(ctx, t.changes, w, condition{}) {
				if !yield(oids, err) || err != nil {
					return
				}
			}
		}
		if t.deletion.marked != "" {
			var marked condition
			marked.and("("+t.deletion.marked+") IS TRUE", t.deletion.values...)
			t.changedKeys(ctx, t.view, w, marked)(yield)
		}
	}
}
