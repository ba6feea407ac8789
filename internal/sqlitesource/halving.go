package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
)

// An error of the SQL must not quarantine rows. So checkStatements first runs the
// statements for no key: if they fail, the SQL is at fault. And rejects are
// yielded after all rows of a batch have been read: if sqlFaultRows or more rows
// failed with one result code, and no row was read, the SQL is at fault.

// sqlFaultRows is the number of rows of a batch from which one common result code is
// an error of the SQL.
const sqlFaultRows = 50

// checkStatements runs every statement of a fetch by key for no key.
func (t *Table) checkStatements(ctx context.Context, tx *sql.Tx) error {
	for _, v := range t.views() {
		if v == t.changes {
			continue
		}
		var where condition
		// NULL equals no key. SQLite does not evaluate that when it prepares.
		if err := v.statements.amongKeys(&where, [][]any{make([]any, len(v.key))}); err != nil {
			return err
		}
		query, columns := v.statements.docs, len(v.columns)
		if v == t.view && t.deletion.marked != "" {
			where.args = append(append([]any{}, t.deletion.values...), where.args...)
			columns++
		}
		err := eachRow(ctx, tx, query+where.String(), where.args, columns, func([]any) bool { return true })
		if isRowFault(err) {
			return fmt.Errorf("%s fails for rows that were not selected: %s", v.paths.sql, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A halving reads rows by key, some of which may fail.
type halving struct {
	table   *Table
	yield   func(doc.Batch, error) bool
	checked bool        // checkStatements has run
	read    int         // rows that did not fail
	kept    []doc.Batch // rejects to yield at the end; their fetches are open until then
	failed  faultTally
}

// end ends the fetches of batches that were not yielded.
func (h *halving) end() {
	for _, b := range h.kept {
		h.table.numbers.End(b.Fetch)
	}
}

// forward counts and yields a batch of rows that did not fail.
func (h *halving) forward(b doc.Batch, err error) bool {
	h.read += len(b.Docs) + len(b.Rejects)
	return h.yield(b, err)
}

// docs reads rows by key, and reports whether the caller wants more.
func (h *halving) docs(ctx context.Context, oids []doc.OID) bool {
	t := h.table
	s, err := t.scanKeys(oids)
	if err != nil {
		h.yield(doc.Batch{}, err)
		return false
	}
	for more := true; more && !s.done; {
		var fault *rowFault
		if more, fault = t.page(ctx, s, h.forward); fault != nil {
			return h.checkStatements(ctx, s.doing) && h.split(ctx, s.unreadOf(oids))
		}
		if !more {
			return false
		}
	}
	return true
}

// checkStatements checks the statements once.
func (h *halving) checkStatements(ctx context.Context, doing string) bool {
	if h.checked {
		return true
	}
	h.checked = true
	err := h.table.read(ctx, func(tx *sql.Tx) error { return h.table.checkStatements(ctx, tx) })
	if err != nil {
		h.yield(doc.Batch{}, h.table.source.fault(doing, err))
	}
	return err == nil
}

// split reads the rest of the rows in halves after one failed.
func (h *halving) split(ctx context.Context, unread []doc.OID) bool {
	switch n := len(unread); n {
	case 0: // a row that was not selected failed
		return true
	case 1:
		return h.readOne(ctx, unread[0])
	default:
		return h.docs(ctx, unread[:n/2]) && h.docs(ctx, unread[n/2:])
	}
}

// readOne reads one row in a new fetch, since the row may have been repaired after
// the last one. If the row fails and exists, it is a reject of that fetch.
func (h *halving) readOne(ctx context.Context, oid doc.OID) bool {
	t := h.table
	s, err := t.scanKeys([]doc.OID{oid})
	if err != nil {
		h.yield(doc.Batch{}, err)
		return false
	}
	x, b, err := t.begin(ctx)
	if err != nil {
		h.yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	kept, err := h.fillOne(ctx, x.tx, s, oid, &b)
	x.end()
	if kept {
		h.kept = append(h.kept, b)
		return true
	}
	defer t.numbers.End(b.Fetch)
	if err != nil {
		h.yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	return h.forward(b, nil)
}

// fillOne fills the batch, and reports whether it is a reject to be yielded
// later.
func (h *halving) fillOne(ctx context.Context, tx *sql.Tx, s *scan, oid doc.OID, b *doc.Batch) (kept bool, err error) {
	empty := *b
	fault := h.table.readPage(ctx, tx, s, b)
	if !isRowFault(fault) {
		return false, fault
	}
	*b = empty
	exists, live, err := h.table.rowState(ctx, tx, oid)
	switch {
	case isRowFault(err): // even its key can't be read, so the row exists
	case err != nil || !exists:
		return false, err
	case !live:
		b.Deleted = append(b.Deleted, oid)
		return false, nil
	}
	groups, err := h.table.groups.read(ctx, tx, oid)
	if err != nil {
		return false, err
	}
	h.failed.add(fault)
	b.Rejects = append(b.Rejects, doc.Reject{OID: oid, Reason: fault.Error(), Groups: groups})
	return true, nil
}

// finish yields the kept rejects, or the error of the SQL that caused them. It
// reports whether the caller wants more.
func (h *halving) finish(doing string) bool {
	if err := h.failed.fault(h.read); err != nil {
		h.yield(doc.Batch{}, h.table.source.fault(doing, err))
		return false
	}
	for len(h.kept) > 0 {
		b := h.kept[0]
		h.kept = h.kept[1:]
		more := h.yield(b, nil)
		h.table.numbers.End(b.Fetch)
		if !more {
			return false
		}
	}
	return true
}

// A faultTally counts rows for which the SQL failed.
type faultTally struct {
	rows  int
	first error
	mixed bool // with several result codes
}

func (f *faultTally) add(err error) {
	if f.rows++; f.first == nil {
		f.first = err
	}
	f.mixed = f.mixed || codeOf(err) != codeOf(f.first)
}

// fault returns an error if the SQL is at fault: sqlFaultRows or more rows of a batch
// failed with one result code, and no row was read.
func (f *faultTally) fault(read int) error {
	if f.rows < sqlFaultRows || f.mixed || read > 0 {
		return nil
	}
	return fmt.Errorf("all %d rows of a batch fail, so the fault is the SQL's: %s", f.rows, f.first)
}

// codeOf returns the result code of a rowFault.
func codeOf(err error) int {
	var f *rowFault
	var e *sqlite.Error
	if errors.As(err, &f) && errors.As(f.err, &e) {
		return e.Code()
	}
	return 0
}
