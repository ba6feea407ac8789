package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
)

// A fault of the SQL must set no row aside. So the statements are run first for
// no key, where they must not fail: then it is the row with a key that fails,
// and no other. And rejects are handed on once all rows of a batch have been
// read: where alike or more rows fail, all with one result code, the fault is
// the SQL's.

// alike is how many rows of a batch fail with one result code, and no other row
// is read, where the fault is the SQL's.
const alike = 50

// sound runs every statement of a fetch by key for no key.
func (t *Table) sound(ctx context.Context, tx *sql.Tx) error {
	for _, v := range t.views() {
		if v == t.changes {
			continue
		}
		var where condition
		// NULL equals no key, and SQLite does not know beforehand.
		if err := v.statements.amongKeys(&where, [][]any{make([]any, len(v.key))}); err != nil {
			return err
		}
		query, columns := v.statements.docs, len(v.columns)
		if v == t.view && t.deletion.marked != "" {
			where.args = append(append([]any{}, t.deletion.values...), where.args...)
			columns++
		}
		err := each(ctx, tx, query+where.String(), where.args, columns, func([]any) bool { return true })
		if isRowFault(err) {
			return fmt.Errorf("%s fails at rows that are not asked for: %s", v.paths.sql, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A halving reads rows by key of which some fail.
type halving struct {
	table   *Table
	yield   func(doc.Batch, error) bool
	checked bool        // that the statements are sound
	read    int         // rows that did not fail
	kept    []doc.Batch // rejects, whose fetches are in flight until the consumer has dealt with them
	failed  faultTally
}

// end ends the fetches of what was not handed on.
func (h *halving) end() {
	for _, b := range h.kept {
		h.table.numbers.End(b.Fetch)
	}
}

// hand hands on what was read.
func (h *halving) hand(b doc.Batch, err error) bool {
	h.read += len(b.Docs) + len(b.Rejects)
	return h.yield(b, err)
}

// docs reads rows by key, and reports whether to go on.
func (h *halving) docs(ctx context.Context, oids []doc.OID) bool {
	t := h.table
	s, err := t.scanKeys(oids)
	if err != nil {
		h.yield(doc.Batch{}, err)
		return false
	}
	for more := true; more && !s.done; {
		var fault *rowFault
		if more, fault = t.page(ctx, s, h.hand); fault != nil {
			return h.sound(ctx, s.doing) && h.split(ctx, s.left(oids))
		}
		if !more {
			return false
		}
	}
	return true
}

// sound checks the statements, once.
func (h *halving) sound(ctx context.Context, doing string) bool {
	if h.checked {
		return true
	}
	h.checked = true
	err := h.table.read(ctx, func(tx *sql.Tx) error { return h.table.sound(ctx, tx) })
	if err != nil {
		h.yield(doc.Batch{}, h.table.source.fault(doing, err))
	}
	return err == nil
}

// split reads the rows that are left after a fault in halves.
func (h *halving) split(ctx context.Context, left []doc.OID) bool {
	switch n := len(left); n {
	case 0: // the row that failed was not asked for
		return true
	case 1:
		return h.alone(ctx, left[0])
	default:
		return h.docs(ctx, left[:n/2]) && h.docs(ctx, left[n/2:])
	}
}

// alone reads one row. A row that fails, and is there, is kept as a reject of the
// fetch in which it failed: it may have been repaired since the fetch before.
func (h *halving) alone(ctx context.Context, oid doc.OID) bool {
	t := h.table
	s, err := t.scanKeys([]doc.OID{oid})
	if err != nil {
		h.yield(doc.Batch{}, err)
		return false
	}
	v, b, err := t.begin(ctx)
	if err != nil {
		h.yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	kept, err := h.readAlone(ctx, v.tx, s, oid, &b)
	v.end()
	if kept {
		h.kept = append(h.kept, b)
		return true
	}
	defer t.numbers.End(b.Fetch)
	if err != nil {
		h.yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	return h.hand(b, nil)
}

// readAlone reports whether the batch is a reject to be kept.
func (h *halving) readAlone(ctx context.Context, tx *sql.Tx, s *scan, oid doc.OID, b *doc.Batch) (kept bool, err error) {
	empty := *b
	fault := h.table.readPage(ctx, tx, s, b)
	if !isRowFault(fault) {
		return false, fault
	}
	*b = empty
	there, live, err := h.table.standing(ctx, tx, oid)
	switch {
	case isRowFault(err): // not even its key can be read, so it is there
	case err != nil:
		return false, err
	case there && !live:
		b.Deleted = append(b.Deleted, oid)
		return false, nil
	case !there:
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

// finish judges the rows that were kept, hands them on, and reports whether to
// go on.
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

// A faultTally counts rows that fail.
type faultTally struct {
	rows  int
	first error
	mixed bool // they fail with several result codes
}

func (f *faultTally) add(err error) {
	if f.rows++; f.first == nil {
		f.first = err
	}
	f.mixed = f.mixed || codeOf(err) != codeOf(f.first)
}

// fault returns the SQL's fault, if it is the SQL's: all rows of a batch have
// it, and no other row was read.
func (f *faultTally) fault(read int) error {
	if f.rows < alike || f.mixed || read > 0 {
		return nil
	}
	return fmt.Errorf("all %d rows of a batch fail, so the fault is the SQL's: %s", f.rows, f.first)
}

// codeOf is the result code of a row's fault.
func codeOf(err error) int {
	var f *rowFault
	var e *sqlite.Error
	if errors.As(err, &f) && errors.As(f.err, &e) {
		return e.Code()
	}
	return 0
}
