package pgsource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"indexerd/internal/doc"
)

// If at least sqlFaultRows rows of a batch fail, all with one SQLSTATE, and no
// other row was read, the fault is the SQL's.
const sqlFaultRows = 50

// docs reads one chunk of OIDs. It reports whether the consumer wants more.
//
// A row for which the SQL fails, for example by a division by zero, fails the
// whole query. The rows then are read by key in halves until the failing row is
// alone. Each half is a fetch, since a failed statement ends its transaction.
//
// A fault of the SQL must not quarantine rows. First, all statements run
// without keys: if one fails even so, the SQL is at fault. Then rejects are
// held back until all rows of the chunk have been read: see sqlFaultRows.
func (t *Table) docs(ctx context.Context, oids []doc.OID, yield func(doc.Batch, error) bool) (more bool, err error) {
	more, err = t.fetch(ctx, yield, func(f *fetch) (bool, error) { return f.byKeys(ctx, oids) })
	if !more || !isRowFault(err) {
		return more, err
	}
	if err := t.checkStatements(ctx); err != nil {
		return true, err
	}
	h := &halving{table: t, yield: yield}
	defer h.end()
	if more, err := h.split(ctx, oids); !more || err != nil {
		return more, err
	}
	return h.finish()
}

// checkStatements runs every statement of a fetch by key without keys. An error
// is the SQL's: a table is missing, the role lacks a privilege, or the SQL
// fails at other rows.
func (t *Table) checkStatements(ctx context.Context) error {
	return t.read(ctx, func(x *tx) error {
		main, err := t.docsQuery(nil)
		if err != nil {
			return err
		}
		if _, err := x.all(ctx, main); err != nil {
			return notRowFault(err)
		}
		for _, c := range t.children {
			of, err := c.bodiesQuery(nil)
			if err != nil {
				return err
			}
			if _, err := x.all(ctx, of); err != nil {
				return notRowFault(c.fault(err))
			}
		}
		_, err = t.marked(ctx, x, nil)
		return notRowFault(err)
	})
}

// A halving reads rows by key of which some fail.
type halving struct {
	table  *Table
	yield  func(doc.Batch, error) bool
	read   int        // rows that did not fail
	kept   []kept     // rejects of rows that failed
	failed faultTally // the count of these
}

// A kept is the reject of one row. Its fetch is in flight until the consumer
// has handled it.
type kept struct {
	batch doc.Batch
	end   func()
}

// errHeldBack ends a fetch whose batch is held back.
var errHeldBack = errors.New("reject held back until its chunk has been read")

// end ends the fetches of rejects that were not yielded.
func (h *halving) end() {
	for _, k := range h.kept {
		k.end()
	}
}

func (h *halving) forward(b doc.Batch, err error) bool {
	h.read += len(b.Docs) + len(b.Rejects)
	return h.yield(b, err)
}

// split reads each half of rows that fail together.
func (h *halving) split(ctx context.Context, oids []doc.OID) (more bool, err error) {
	if len(oids) == 1 {
		return h.readOne(ctx, oids[0])
	}
	middle := len(oids) / 2
	for _, half := range [][]doc.OID{oids[:middle], oids[middle:]} {
		more, err = h.table.fetch(ctx, h.forward, func(f *fetch) (bool, error) { return f.byKeys(ctx, half) })
		if more && isRowFault(err) {
			more, err = h.split(ctx, half)
		}
		if !more || err != nil {
			return more, err
		}
	}
	return true, nil
}

// readOne reads one row. If that fails, the row becomes a reject.
func (h *halving) readOne(ctx context.Context, oid doc.OID) (more bool, err error) {
	more, err = h.table.fetch(ctx, h.forward, func(f *fetch) (bool, error) { return f.byKeys(ctx, []doc.OID{oid}) })
	if !more || !isRowFault(err) {
		return more, err
	}
	h.failed.add(err)
	return h.keepReject(ctx, oid, err)
}

// keepReject holds a reject back. Its groups come from a new fetch, since the
// failed statement has ended its transaction.
func (h *halving) keepReject(ctx context.Context, oid doc.OID, fault error) (more bool, err error) {
	more, err = h.table.fetch(ctx, h.forward, func(f *fetch) (bool, error) {
		groups, err := h.table.groups.read(ctx, f.tx, []doc.OID{oid})
		if err != nil && !isRefused(err) {
			return true, err
		}
		f.batch.Rejects = []doc.Reject{{OID: oid, Reason: fault.Error(), Groups: groups[oid]}}
		h.kept = append(h.kept, kept{f.batch, f.end})
		f.end = func() {}
		return true, errHeldBack
	})
	if errors.Is(err, errHeldBack) {
		err = nil
	}
	return more, err
}

// finish yields the rejects, unless the fault is the SQL's.
func (h *halving) finish() (more bool, err error) {
	if err := h.failed.fault(h.read); err != nil {
		return true, err
	}
	for len(h.kept) > 0 {
		k := h.kept[0]
		h.kept = h.kept[1:]
		more := h.yield(k.batch, nil)
		k.end()
		if !more {
			return false, nil
		}
	}
	return true, nil
}

// A faultTally counts failing rows.
type faultTally struct {
	rows  int
	first error
	mixed bool // with several SQLSTATEs
}

func (f *faultTally) add(err error) {
	if f.rows++; f.first == nil {
		f.first = err
	}
	f.mixed = f.mixed || codeOf(err) != codeOf(f.first)
}

// fault returns an error if the fault is the SQL's: see sqlFaultRows.
func (f *faultTally) fault(read int) error {
	if f.rows < sqlFaultRows || f.mixed || read > 0 {
		return nil
	}
	return notRowFault(fmt.Errorf("all %d rows of a batch fail, so the fault is the SQL's: %w", f.rows, f.first))
}

// bisectKeyPage reads a page of keys that one query could not read.
func (t *Table) bisectKeyPage(ctx context.Context, r doc.Range, after []string, fault error) (p keyPage, err error) {
	p.oids, err = t.bisectKeys(ctx, r, noCondition, after, t.batch, fault)
	p.rows = len(p.oids)
	p.oids = slices.Compact(p.oids)
	if n := len(p.oids); err == nil && n > 0 {
		p.last, err = t.key.texts(p.oids[n-1])
	}
	return p, err
}

// rangeByKeys reads a range in which the SQL fails for some row: pages of keys,
// and then the rows by key.
func (t *Table) rangeByKeys(ctx context.Context, r doc.Range, yield func(doc.Batch, error) bool) error {
	var after []string
	for {
		var page keyPage
		more, err := t.fetch(ctx, yield, func(f *fetch) (_ bool, err error) {
			page, err = t.keyPage(ctx, f.tx, r, noCondition, after)
			f.batch.Rejects = page.rejects
			return true, err
		})
		if more && isRowFault(err) {
			page, err = t.bisectKeyPage(ctx, r, after, err)
		}
		if more && err == nil && len(page.oids) > 0 {
			more, err = t.docs(ctx, page.oids, yield)
		}
		if !more || err != nil {
			return err
		}
		if page.rows < t.batch {
			break
		}
		after = page.last
	}
	if r.To != "" {
		return nil
	}
	more, err := t.fetch(ctx, yield, func(f *fetch) (_ bool, err error) {
		f.batch.Rejects, err = t.nullKey(ctx, f.tx, noCondition)
		return true, err
	})
	if !more || err == nil {
		return nil
	}
	rejects, err := t.failsAtNull(ctx, err)
	if err != nil {
		return err
	}
	_, err = t.fetch(ctx, yield, func(f *fetch) (bool, error) {
		f.batch.Rejects = rejects
		return true, nil
	})
	return err
}
