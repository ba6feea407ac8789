package sqlsource

import (
	"context"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// Stamps reads the stamps of the live rows with an updateTime, their own or a
// child's, in the window: first of the rows, in order of (updateTime, key), then
// of the parents of each child's rows. Each page is a short transaction; the first
// pages of rows and children share one, so an idle window costs one transaction. A
// row may come twice. A row that changes in between may be missing if its new
// updateTime is later.
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
		changed := make([]*changedKeys, len(t.children))
		for i, c := range t.children {
			if c.updated != nil {
				changed[i] = t.newChangedKeys(c.view, w, nil)
			}
		}
		// The stamps of the page have the children of the same snapshot. An error is
		// kept until the child is read.
		also := func(x *tx, stamps []doc.Stamp) {
			known := doc.SetOf(doc.OIDs(stamps))
			for _, c := range changed {
				if c != nil && c.readFirst(ctx, x, known) != nil {
					return // the transaction has failed; the other children use new ones
				}
			}
		}
		if !t.stampsOfRows(ctx, w, yield, also) {
			return
		}
		for _, c := range changed {
			if c != nil && !t.stampsOfParents(ctx, c, yield) {
				return
			}
		}
	}
}

// A windowScan lists the rows of a view whose updateTime is in a window, in the
// order of updateTime and key. Its bounds stay the same for all pages, even if
// later rows show another format.
type windowScan struct {
	view     *view
	window   doc.Window
	also     condition // a further condition
	nulls    bool      // the next page includes rows with a NULL key
	from, to any       // nil: not known yet
	after    *place    // the last row read; nil: none yet
}

func (s *windowScan) begin(ctx context.Context, x *tx) (bool, error) {
	if s.from != nil {
		return true, nil
	}
	times, err := s.view.times(ctx, x)
	if err != nil || times == nil {
		return false, err
	}
	s.from, s.to = times.Bounds(s.window)
	return true, nil
}

func (s *windowScan) where() []condition {
	v := s.view
	expr, as := v.exprs[v.updated.at], &v.Columns[v.updated.at]
	var all []condition
	if s.after == nil {
		all = append(all, compare(expr, " >= ", s.from, as))
	} else {
		all = append(all, v.afterPlace(v.windowTerms(s.after), s.after))
	}
	all = append(all, compare(expr, " < ", s.to, as), s.also)
	if !s.nulls {
		all = append(all, v.notNull())
	}
	return all
}

func (s *windowScan) order() []string                     { return s.view.windowOrder() }
func (s *windowScan) place(key []any, updated any) *place { return s.view.windowPlace(key, updated) }

// next moves to the page after a row, or to the first page of rows with a key if
// the row is nil: it had none.
func (s *windowScan) next(last *place) {
	s.nulls = false
	if last != nil {
		s.after = last
	}
}

// stampsOfRows reads by the main rows' updateTime. It reports whether the consumer
// wants more.
func (t *Table) stampsOfRows(ctx context.Context, w doc.Window, yield func([]doc.Stamp, error) bool, also func(*tx, []doc.Stamp)) bool {
	const doing = "read a window"
	s := &windowScan{view: t.view, window: w, nulls: true}
	for unusable := false; ; {
		p, err := t.listPage(ctx, doing, s, also)
		if isRowFault(err) {
			return t.windowByKey(ctx, w, err, yield)
		}
		if err == nil && s.nulls && p.more && !p.unusable {
			// Rows without a key may come after the page.
			p.unusable, err = t.hasNullKey(ctx, w)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if p.more && p.last == nil {
			p.stamps = nil // the next page reads them again
		}
		if p.unusable && !unusable {
			unusable = true
			p.stamps = append(p.stamps, doc.Stamp{})
		}
		if len(p.stamps) > 0 && !yield(p.stamps, nil) {
			return false
		}
		if !p.more {
			return true
		}
		also = nil
		s.next(p.last)
	}
}

// windowByKey reads the rows of a window in the order of keys, since the SQL fails
// for some row even if only keys are read.
func (t *Table) windowByKey(ctx context.Context, w doc.Window, fault error, yield func([]doc.Stamp, error) bool) bool {
	unusable, err := t.hasNullKey(ctx, w)
	if err == nil && unusable && !yield([]doc.Stamp{{}}, nil) {
		return false
	}
	var in condition
	if err == nil {
		in, err = t.inWindow(ctx, w)
	}
	for s := (&scan{}); !s.done; {
		var p page
		if err == nil {
			p, err = t.bisectPage(ctx, s, in, fault)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		s.done, s.after = !p.more, p.last
		if len(p.stamps) > 0 && !yield(p.stamps, nil) {
			return false
		}
	}
	return true
}

// hasNullKey reports whether a live row of the window has no key.
func (t *Table) hasNullKey(ctx context.Context, w doc.Window) (bool, error) {
	b, err := t.unusable(ctx, &w, t.nullKey)
	return len(b.Rejects) > 0, err
}

// stampsOfParents reads by a child's updateTime.
func (t *Table) stampsOfParents(ctx context.Context, c *changedKeys, yield func([]doc.Stamp, error) bool) bool {
	for oids, err := range c.pages(ctx) {
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

// Left reads the keys of rows with updateTime in the window that may have left the
// SQL's result: those that Changes returns, and those that a column marks deleted.
// A key may come twice. If neither is configured, Left sends no statement.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		var all []*changedKeys
		if marked := t.markedBy(t.deletion); marked != nil {
			all = append(all, t.newChangedKeys(t.view, w, marked))
		}
		if t.changes != nil {
			all = append(all, t.newChangedKeys(t.changes, w, nil))
		}
		for _, c := range all {
			for oids, err := range c.pages(ctx) {
				if !yield(oids, err) || err != nil {
					return
				}
			}
		}
	}
}

// A changedKeys reads the keys of a view's rows with updateTime in a window, in
// order of (updateTime, key). Each page is a short transaction and has no key
// twice. Unusable keys are left out.
type changedKeys struct {
	table *Table
	scan  *windowScan

	read bool // the next page has been read
	oids []doc.OID
	more bool
	err  error
}

func (t *Table) newChangedKeys(v *view, w doc.Window, also condition) *changedKeys {
	return &changedKeys{table: t, scan: &windowScan{view: v, window: w, also: also}}
}

func (c *changedKeys) pages(ctx context.Context) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		if c.scan.window.Empty() {
			return
		}
		for {
			if !c.read {
				c.err = c.table.read(ctx, "read the window of "+c.scan.view.paths.sql, func(x *tx) error { return c.readPage(ctx, x) })
			}
			c.read = false
			if c.err != nil {
				yield(nil, c.err)
				return
			}
			if len(c.oids) > 0 && !yield(c.oids, nil) {
				return
			}
			if !c.more {
				return
			}
		}
	}
}

// readFirst reads the first page in a transaction that is open already, without
// the keys that are known.
func (c *changedKeys) readFirst(ctx context.Context, x *tx, known map[doc.OID]bool) error {
	c.read = true
	c.err = c.table.wrap("read the window of "+c.scan.view.paths.sql, c.readPage(ctx, x))
	c.oids = slices.DeleteFunc(c.oids, func(oid doc.OID) bool { return known[oid] })
	return c.err
}

func (c *changedKeys) readPage(ctx context.Context, x *tx) error {
	c.oids, c.more = nil, false
	if ok, err := c.scan.begin(ctx, x); !ok || err != nil {
		return err
	}
	v, n, limit := c.scan.view, 0, c.table.stampPage
	k := len(v.key)
	exprs := append(v.selected(v.key...), v.updatedExpr())
	q := v.ask("SELECT ", joined(exprs), " ", v.From()).where(c.scan.where()...).order(c.scan.order()).limit(limit)
	var last *place
	_, err := x.each(ctx, q, func(raw []any) bool {
		if n++; n == limit {
			last, c.more = v.windowPlace(raw[:k], raw[k]), true
		}
		if oid, err := v.oid(raw); err == nil {
			c.oids = append(c.oids, oid)
		}
		return true
	})
	slices.Sort(c.oids)
	c.oids = slices.Compact(c.oids)
	if last != nil {
		c.scan.after = last
	}
	return err
}

// inWindow returns the condition that a main row's updateTime is in the window;
// one that no row meets if no row has an updateTime.
func (t *Table) inWindow(ctx context.Context, w doc.Window) (in condition, err error) {
	err = t.read(ctx, "find the unit of updateTime", func(x *tx) error {
		in, err = t.within(ctx, x, w)
		return err
	})
	return in, err
}

func (t *Table) within(ctx context.Context, x *tx, w doc.Window) (condition, error) {
	times, err := t.times(ctx, x)
	if err != nil || times == nil {
		return text("1 = 0"), err
	}
	from, to := times.Bounds(w)
	return between(t.exprs[t.updated.at], from, to, &t.view.Columns[t.updated.at]), nil
}
