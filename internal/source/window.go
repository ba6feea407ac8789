package source

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
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
	return lists(func(emit func([]doc.Stamp) error) error {
		if w.Empty() {
			return nil
		}
		var changed []*changedKeys
		for _, c := range t.children {
			if c.updated != nil {
				changed = append(changed, t.newChangedKeys(c.view, w, nil))
			}
		}
		// The stamps of the page have the children of the same snapshot. An error is
		// kept until the child is read.
		also := func(x *tx, stamps []doc.Stamp) {
			known := doc.SetOf(doc.OIDs(stamps))
			for _, c := range changed {
				if c.readFirst(ctx, x, known) != nil {
					return // the transaction has failed; the other children use new ones
				}
			}
		}
		if err := t.stampsOfRows(ctx, w, emit, also); err != nil {
			return err
		}
		for _, c := range changed {
			err := c.each(ctx, func(oids []doc.OID) error {
				stamps, err := t.StampsOf(ctx, oids)
				if err != nil {
					return err
				}
				return emit(stamps)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A windowScan lists the rows of a view whose updateTime is in a window, in the
// order of updateTime and key. Its bounds stay the same for all pages, even if
// later rows show another format.
type windowScan struct {
	view     *view
	window   doc.Window
	also     dialect.Condition // a further condition
	nulls    bool              // the next page includes rows with a NULL key
	from, to any               // nil: not known yet
	last     []any             // the place of the last row read; nil: none yet
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

func (s *windowScan) where() []dialect.Condition {
	u := s.view.updated
	first := u.Is(" >= ", s.from)
	if s.last != nil {
		first = s.view.after(s.order(), s.last)
	}
	all := []dialect.Condition{first, u.Is(" < ", s.to), s.also}
	if !s.nulls {
		all = append(all, s.view.notNull())
	}
	return all
}

func (s *windowScan) order() dialect.Fields {
	return slices.Insert(s.view.keyOrder(), 0, s.view.updated.Field)
}

func (s *windowScan) place(raw []any) []any {
	k := len(s.view.key)
	return slices.Insert(s.view.place(raw[:k]), 0, keep(raw[k]))
}

// stampsOfRows reads by the main rows' updateTime.
func (t *Table) stampsOfRows(ctx context.Context, w doc.Window, emit func([]doc.Stamp) error, also func(*tx, []doc.Stamp)) error {
	s := &windowScan{view: t.view, window: w, nulls: true}
	for unusable := false; ; {
		p, err := t.listPage(ctx, "read a window", s, also)
		if isRowFault(err) {
			return t.windowByKey(ctx, w, err, emit)
		}
		if err == nil && s.nulls && p.more && !p.unusable {
			// Rows without a key may come after the page.
			p.unusable, err = t.hasNullKey(ctx, w)
		}
		if err != nil {
			return err
		}
		if p.more && p.last == nil {
			p.stamps = nil // the next page, of rows with a key, reads them again
		}
		if p.unusable && !unusable {
			unusable = true
			p.stamps = append(p.stamps, doc.Stamp{})
		}
		if err := emit(p.stamps); err != nil || !p.more {
			return err
		}
		also, s.nulls, s.last = nil, false, p.last
	}
}

// windowByKey reads the rows of a window in the order of keys, since the SQL fails
// for some row even if only keys are read.
func (t *Table) windowByKey(ctx context.Context, w doc.Window, fault error, emit func([]doc.Stamp) error) error {
	unusable, err := t.hasNullKey(ctx, w)
	if err == nil && unusable {
		err = emit([]doc.Stamp{{}})
	}
	if err != nil {
		return err
	}
	in, err := reading(ctx, t, "find the unit of updateTime", func(x *tx) (dialect.Condition, error) { return t.within(ctx, x, w) })
	if err != nil {
		return err
	}
	return t.stampsOfScan(ctx, &scan{view: t.view, also: in}, fault, emit)
}

// hasNullKey reports whether a live row of the window has no key.
func (t *Table) hasNullKey(ctx context.Context, w doc.Window) (bool, error) {
	b, err := t.unusable(ctx, &w, t.nullKey)
	return len(b.Rejects) > 0, err
}

// Left reads the keys of rows with updateTime in the window that may have left the
// SQL's result: those that Changes returns, and those that a column marks deleted.
// A key may come twice. If neither is configured, Left sends no statement.
func (t *Table) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return lists(func(emit func([]doc.OID) error) error {
		var all []*changedKeys
		if marked := t.marked(); marked != nil {
			all = append(all, t.newChangedKeys(t.view, w, marked))
		}
		if t.changes != nil {
			all = append(all, t.newChangedKeys(t.changes, w, nil))
		}
		for _, c := range all {
			if err := c.each(ctx, emit); err != nil {
				return err
			}
		}
		return nil
	})
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

func (t *Table) newChangedKeys(v *view, w doc.Window, also dialect.Condition) *changedKeys {
	return &changedKeys{table: t, scan: &windowScan{view: v, window: w, also: also}}
}

func (c *changedKeys) each(ctx context.Context, emit func([]doc.OID) error) error {
	for more := !c.scan.window.Empty(); more; more = c.more {
		if !c.read {
			c.err = c.table.read(ctx, c.doing(), func(x *tx) error { return c.readPage(ctx, x) })
		}
		c.read = false
		if c.err != nil {
			return c.err
		}
		if err := emit(c.oids); err != nil {
			return err
		}
	}
	return nil
}

func (c *changedKeys) doing() string { return "read the window of " + c.scan.view.paths.sql }

// readFirst reads the first page in a transaction that is open already, without
// the keys that are known.
func (c *changedKeys) readFirst(ctx context.Context, x *tx, known map[doc.OID]bool) error {
	c.read = true
	c.err = c.table.wrap(c.doing(), c.readPage(ctx, x))
	c.oids = slices.DeleteFunc(c.oids, func(oid doc.OID) bool { return known[oid] })
	return c.err
}

func (c *changedKeys) readPage(ctx context.Context, x *tx) error {
	p, err := c.table.readPage(ctx, x, c.scan.view, c.scan, false)
	c.oids, c.more, c.scan.last = distinct(p.stamps), p.more, p.last
	return err
}

// within returns the condition that a main row's updateTime is in the window; one
// that no row meets if no row has an updateTime.
func (t *Table) within(ctx context.Context, x *tx, w doc.Window) (dialect.Condition, error) {
	times, err := t.times(ctx, x)
	if err != nil || times == nil {
		return dialect.Never, err
	}
	return t.updated.Between(times.Bounds(w)), nil
}

// A Since asks whether some SQL of a table returns a row with an updateTime at or
// after a time.
type Since struct {
	Table *Table
	From  time.Time
}

// recentSpan is longer than any clock is ever set back by. A window from a time on
// has its lower bound in a column of wall-clock times however long the window is.
const recentSpan = 48 * time.Hour

// Quiet reports for each table that no SQL returns such a row: windows from that
// time on are empty, whatever their end, in the snapshot in which Quiet asks. It
// sends one statement for all tables that share settings. A table without an
// updateTime of known unit is not quiet.
//
// A table whose SQL has other columns than described fails all: the passes of that
// table report it.
func (s *Source) Quiet(ctx context.Context, all []Since) ([]bool, error) {
	quiet := make([]bool, len(all))
	bySettings := map[string][]int{}
	for i, one := range all {
		if one.Table.canBeQuiet() {
			settings := one.Table.settings
			bySettings[settings] = append(bySettings[settings], i)
		}
	}
	for settings, asked := range bySettings {
		recent, err := snapshotOf(ctx, s, settings, func(x *tx, _ dialect.Snapshot) (map[int]bool, error) { return x.recent(ctx, all, asked) })
		if err != nil {
			return nil, err
		}
		for _, i := range asked {
			quiet[i] = !recent[i]
		}
	}
	return quiet, nil
}

// canBeQuiet reports whether the units of all updateTimes are known.
func (t *Table) canBeQuiet() bool {
	for _, v := range t.timed() {
		if v.updated.known() == nil {
			return false
		}
	}
	return t.updated != nil
}

// recent returns which of the asked tables have such rows.
func (x *tx) recent(ctx context.Context, all []Since, asked []int) (map[int]bool, error) {
	q := dialect.NewQuery(x.source.dialect)
	for n, i := range asked {
		if n > 0 {
			q.Write(" UNION ALL ")
		}
		q.Write("SELECT ", strconv.Itoa(i)).FromOneRow().Write(" WHERE ")
		all[i].recentRow(q)
	}
	recent := map[int]bool{}
	var fault error
	_, err := x.each(ctx, q, func(raw []any) bool {
		i, err := dialect.Integer(raw[0])
		recent[int(i)] = true
		fault = err
		return err == nil
	})
	return recent, cmp.Or(err, fault)
}

// recentRow writes the condition that some SQL of a table returns such a row. The
// bound is that of a window, so it may include more, never less.
func (s Since) recentRow(q *dialect.Query) {
	views := s.Table.timed()
	q.List(len(views), " OR ", func(i int) {
		v := views[i]
		from, _ := v.updated.known().Bounds(doc.Window{From: s.From, To: s.From.Add(recentSpan)})
		q.Reads(&v.Described)
		q.Write("EXISTS (SELECT 1 ", v.From()).Where(v.updated.Is(" >= ", from)).Write(")")
	})
}
