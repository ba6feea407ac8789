package source

import (
	"context"
	"errors"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
)

// A row for which the SQL fails, for example by a division by zero, fails the
// whole statement. The rows then are read by key in halves until the failing row
// is alone. Each half is a transaction, since a failed statement ends its own.
//
// A fault of the SQL must not quarantine rows. First, all statements run for no
// key: if one fails even so, the SQL is at fault. Then rejects are held back until
// all rows of the part have been read: if sqlFaultRows or more rows failed, all
// with one code, and no row was read, the SQL is at fault.

// sqlFaultRows is the number of rows from which one common code is a fault of the
// SQL.
const sqlFaultRows = 50

// A halving reads rows by key of which some may fail, or which may have too much
// text for one page.
type halving struct {
	table   *Table
	some    func(context.Context, []doc.OID) error
	one     func(context.Context, doc.OID) error // one row, if some have failed
	checked bool                                 // checkStatements has run

	read   int // rows that did not fail
	failed faultTally
}

// part reads a part of the rows. It returns an error if the fault is the SQL's.
func (h *halving) part(ctx context.Context, oids []doc.OID) error {
	h.read, h.failed = 0, faultTally{}
	if err := h.halve(ctx, oids); err != nil {
		return err
	}
	return h.failed.fault(h.read)
}

func (h *halving) halve(ctx context.Context, oids []doc.OID) error {
	switch {
	case len(oids) == 0:
		return nil
	case len(oids) == 1 && h.checked:
		return h.one(ctx, oids[0])
	}
	err := h.some(ctx, oids)
	switch fails := isRowFault(err); {
	case !fails && (len(oids) == 1 || !errors.As(err, new(*tooMuchError))):
		return err
	case fails && !h.checked:
		h.checked = true
		if err := h.table.checkStatements(ctx); err != nil {
			return err
		}
	}
	middle := len(oids) / 2
	if err := h.halve(ctx, oids[:middle]); err != nil {
		return err
	}
	return h.halve(ctx, oids[middle:])
}

// docs reads rows by key.
func (t *Table) docs(ctx context.Context, oids []doc.OID, emit func(doc.Batch) error) error {
	r := &docReader{halving: halving{table: t}, emit: emit}
	r.some, r.one = r.readSome, r.readOne
	defer r.end()
	for part := range slices.Chunk(oids, min(t.room.get(), t.maxKeys())) {
		if err := r.part(ctx, part); err != nil {
			return err
		}
		if err := r.release(); err != nil {
			return err
		}
	}
	return nil
}

// A docReader is the halving that reads documents.
type docReader struct {
	halving
	emit func(doc.Batch) error
	kept []kept // rejects of rows that failed
}

// A kept is a batch that is held back. Its fetch is in flight until the consumer
// has handled it.
type kept struct {
	batch doc.Batch
	end   func()
}

// end ends the fetches of batches that were not emitted.
func (r *docReader) end() {
	for _, k := range r.kept {
		k.end()
	}
}

// release emits what was held back.
func (r *docReader) release() error {
	for len(r.kept) > 0 {
		k := r.kept[0]
		r.kept = r.kept[1:]
		err := r.emit(k.batch)
		k.end()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *docReader) forward(b doc.Batch) error {
	r.read += len(b.Docs) + len(b.Rejects)
	return r.emit(b)
}

func (r *docReader) readSome(ctx context.Context, oids []doc.OID) error {
	return r.table.fetch(ctx, r.forward, func(x *tx, b *doc.Batch) error { return r.table.fillKeys(ctx, x, oids, b) })
}

// readOne reads one row. If the SQL fails for it, the row is a reject of the fetch
// that failed: a later number could replace what another pass has read of a row
// that was repaired in between.
func (r *docReader) readOne(ctx context.Context, oid doc.OID) error {
	b, end, err := r.table.open(ctx, func(x *tx, b *doc.Batch) error { return r.table.fillKeys(ctx, x, []doc.OID{oid}, b) })
	if !isRowFault(err) {
		defer end()
		if err != nil {
			return err
		}
		return r.forward(b)
	}
	b = doc.Batch{Fetch: b.Fetch, At: b.At}
	err = r.judge(ctx, oid, err, &b)
	r.kept = append(r.kept, kept{b, end})
	return err
}

// judge fills the batch of a row for which the SQL failed: a reject if the row
// exists and is live.
func (r *docReader) judge(ctx context.Context, oid doc.OID, fault error, b *doc.Batch) error {
	exists, live, err := r.table.state(ctx, oid)
	switch {
	case err != nil || !exists:
		return err
	case !live:
		b.Deleted = []doc.OID{oid}
		return nil
	}
	groups, err := r.table.groupsOf(ctx, oid)
	if err != nil {
		return err
	}
	r.failed.add(fault)
	b.Rejects = []doc.Reject{{OID: oid, Reason: fault.Error(), Groups: groups}}
	return nil
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
			_, err := x.each(ctx, v.bodies().Where(v.noKey(), t.liveOf(v)), func([]any) bool { return true })
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
	if exists, err = t.has(ctx, oid, nil); err == nil && exists {
		live, err = t.has(ctx, oid, t.live())
	}
	if err == nil && live && t.deletion.list != nil {
		listed, e := reading(ctx, t, "read the deletion marks", func(x *tx) (map[doc.OID]bool, error) {
			return t.listed(ctx, x, []doc.OID{oid})
		})
		live, err = !listed[oid], e
	}
	if isRowFault(err) {
		return true, true, nil
	}
	return exists, live, err
}

// has reports whether a row with a key meets a condition.
func (t *Table) has(ctx context.Context, oid doc.OID, where dialect.Condition) (bool, error) {
	among, err := t.among([]doc.OID{oid})
	if err != nil {
		return false, err
	}
	oids, err := t.readKeys(ctx, "look for a row", t.keys().Where(among, where), nil)
	return len(oids) > 0, err
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
