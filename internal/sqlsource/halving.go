package sqlsource

import (
	"context"
	"errors"
	"fmt"

	"indexerd/internal/doc"
)

// A row for which the SQL fails, for example by a division by zero, fails the
// whole statement. The rows then are read by key in halves until the failing row
// is alone. Each half is a fetch, since a failed statement ends its transaction.
//
// A fault of the SQL must not quarantine rows. First, all statements run for no
// key: if one fails even so, the SQL is at fault. Then rejects are held back until
// all rows of the part have been read: if sqlFaultRows or more rows failed, all
// with one code, and no row was read, the SQL is at fault.

// sqlFaultRows is the number of rows from which one common code is a fault of the
// SQL.
const sqlFaultRows = 50

// docs reads some rows by key. It reports whether the consumer wants more.
func (t *Table) docs(ctx context.Context, oids []doc.OID, yield func(doc.Batch, error) bool) (more bool, err error) {
	h := &halving{table: t, yield: yield, size: len(oids), most: len(oids)}
	defer h.end()
	if more, err := h.readAll(ctx, oids); !more || err != nil {
		return more, err
	}
	return h.finish()
}

// A halving reads rows by key of which some may fail.
type halving struct {
	table   *Table
	yield   func(doc.Batch, error) bool
	size    int        // keys of a fetch
	most    int        // keys of a fetch at most
	checked bool       // checkStatements has run
	read    int        // rows that did not fail
	kept    []kept     // rejects of rows that failed
	failed  faultTally // the count of these
}

// A kept is a batch that is held back. Its fetch is in flight until the consumer
// has handled it.
type kept struct {
	batch doc.Batch
	end   func()
}

// end ends the fetches of batches that were not yielded.
func (h *halving) end() {
	for _, k := range h.kept {
		k.end()
	}
}

func (h *halving) forward(b doc.Batch, err error) bool {
	h.read += len(b.Docs) + len(b.Rejects)
	return h.yield(b, err)
}

// readAll reads rows in fetches of the present size.
func (h *halving) readAll(ctx context.Context, oids []doc.OID) (more bool, err error) {
	for len(oids) > 0 {
		n := min(h.size, len(oids))
		if n == 1 && h.checked {
			more, err = h.readOne(ctx, oids[0])
		} else {
			more, err = h.readSome(ctx, oids[:n])
		}
		var tooMuch *tooMuchError
		if errors.As(err, &tooMuch) {
			h.size = max(min(tooMuch.rows, n/2), 1)
			continue
		}
		if !more || err != nil {
			return more, err
		}
		oids = oids[n:]
		h.size = min(2*h.size, h.most) // the excess may have been one row's
	}
	return true, nil
}

// readSome reads rows in one fetch. If it fails for one of them, each half is read.
func (h *halving) readSome(ctx context.Context, oids []doc.OID) (more bool, err error) {
	t := h.table
	more, err = t.fetch(ctx, h.forward, func(x *tx, b *doc.Batch) error { return t.fillKeys(ctx, x, oids, b) })
	if !more || !isRowFault(err) {
		return more, err
	}
	if !h.checked {
		h.checked = true
		if err := t.checkStatements(ctx); err != nil {
			return true, err
		}
	}
	middle := len(oids) / 2
	if more, err := h.readAll(ctx, oids[:middle]); !more || err != nil {
		return more, err
	}
	return h.readAll(ctx, oids[middle:])
}

// readOne reads one row. If the SQL fails for it, the row is a reject of the fetch
// that failed: a later number could replace what another pass has read of a row
// that was repaired in between.
func (h *halving) readOne(ctx context.Context, oid doc.OID) (more bool, err error) {
	t := h.table
	b, end, err := t.open(ctx, func(x *tx, b *doc.Batch) error { return t.fillKeys(ctx, x, []doc.OID{oid}, b) })
	if !isRowFault(err) {
		defer end()
		if err != nil {
			return true, err
		}
		return h.forward(b, nil), nil
	}
	b = doc.Batch{Fetch: b.Fetch, At: b.At}
	if err := h.judge(ctx, oid, err, &b); err != nil {
		end()
		return true, err
	}
	h.kept = append(h.kept, kept{b, end})
	return true, nil
}

// judge fills the batch of a row for which the SQL failed: a reject if the row
// exists and is live.
func (h *halving) judge(ctx context.Context, oid doc.OID, fault error, b *doc.Batch) error {
	t := h.table
	exists, live, err := t.state(ctx, oid)
	switch {
	case err != nil || !exists:
		return err
	case !live:
		b.Deleted = []doc.OID{oid}
		return nil
	}
	groups, err := t.groupsOf(ctx, oid)
	if err != nil {
		return err
	}
	h.failed.add(fault)
	b.Rejects = []doc.Reject{{OID: oid, Reason: fault.Error(), Groups: groups}}
	return nil
}

// finish yields what was held back, unless the fault is the SQL's.
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

// checkStatements runs every statement of a fetch by key for no key. An error is
// the SQL's: a table is missing, the role lacks a privilege, or the SQL fails at
// other rows.
func (t *Table) checkStatements(ctx context.Context) error {
	err := t.read(ctx, "test the SQLs", func(x *tx) error {
		for _, v := range t.views() {
			if v == t.changes {
				continue
			}
			where := []condition{v.noKey()}
			if v == t.view {
				where = append(where, t.live())
			}
			_, err := x.each(ctx, v.bodies().where(where...), func([]any) bool { return true })
			if isRowFault(err) {
				return fmt.Errorf("%s fails for rows that were not selected: %w", v.paths.sql, err)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return notRowFault(err)
}

// state reports whether a row exists and whether it is not marked deleted. It
// reads the key alone. A row whose key or mark can't be read exists, and is live.
func (t *Table) state(ctx context.Context, oid doc.OID) (exists, live bool, err error) {
	exists, err = t.has(ctx, oid, nil)
	if isRowFault(err) {
		return true, true, nil
	}
	if err != nil || !exists {
		return exists, false, err
	}
	live, err = t.has(ctx, oid, t.live())
	if isRowFault(err) {
		return true, true, nil
	}
	if err != nil || !live || t.deletion.list == nil {
		return true, live, err
	}
	var listed map[doc.OID]bool
	err = t.read(ctx, "read the deletion marks", func(x *tx) error {
		listed, err = t.listed(ctx, x, []doc.OID{oid})
		return err
	})
	if isRowFault(err) {
		return true, true, nil
	}
	return true, !listed[oid], err
}

// has reports whether a row with a key meets a condition.
func (t *Table) has(ctx context.Context, oid doc.OID, where condition) (found bool, err error) {
	err = t.read(ctx, "look for a row", func(x *tx) error {
		among, err := t.among([]doc.OID{oid})
		if err != nil {
			return err
		}
		oids, err := t.keysOf(ctx, x, t.keys().where(among, where))
		found = len(oids) > 0
		return err
	})
	return found, err
}

// A faultTally counts rows for which the SQL failed.
type faultTally struct {
	rows  int
	first error
	mixed bool // with several codes
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
