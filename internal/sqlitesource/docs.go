package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"indexerd/internal/doc"
)

// Breakpoints returns every every-th key in the order of ranges, without the
// first: the bounds of the ranges of a load. It reads all keys: SQLite runs in
// this process, so skipping keys costs less than numbering them in SQL.
func (t *Table) Breakpoints(ctx context.Context, every int) (points []doc.OID, err error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	err = t.read(ctx, func(tx *sql.Tx) error {
		n := -1
		return eachRow(ctx, tx, t.statements.keys+where.String()+t.statements.order, where.args, len(t.key), func(raw []any) bool {
			if n++; n == 0 || n%every != 0 {
				return true
			}
			// A key of the wrong type can't bound a range. Range rejects it.
			if oid, err := t.oid(raw); err == nil {
				points = append(points, oid)
			}
			return true
		})
	})
	return points, t.source.fault("find the ranges of "+t.name, err)
}

// Range reads the rows whose key is in [From, To), in the order of the key
// column's collation, with any updateTime or none. It leaves out rows that are
// marked deleted. Rows with a NULL in their key are one reject, of the range
// without a lower end.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		s := t.newScan("read a range of " + t.name)
		s.nullKeys = r.From == ""
		if err := t.bound(s, r); err != nil {
			yield(doc.Batch{}, t.source.fault(s.doing, err))
			return
		}
		t.live(&s.where)
		for more := true; more && !s.done; {
			var fault *rowFault
			if more, fault = t.page(ctx, s, yield); fault != nil {
				more = t.pageByKeys(ctx, s, yield)
			}
		}
	}
}

// bound limits a scan to a range.
func (t *Table) bound(s *scan, r doc.Range) (err error) {
	if r.From != "" {
		if s.from, err = t.parts(r.From); err != nil {
			return err
		}
	}
	if r.To != "" {
		to, err := t.parts(r.To)
		if err != nil {
			return err
		}
		s.where.and(t.statements.key+" < "+t.statements.marks, to...)
	}
	return nil
}

// pageByKeys reads a page that has a row for which the SQL fails: first the keys,
// then the rows by key. The fetch of the keys yields rejects for unusable keys.
func (t *Table) pageByKeys(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) bool {
	var oids []doc.OID
	more, fault := t.fetch(ctx, s.doing, func(tx *sql.Tx, b *doc.Batch) (err error) {
		if err := t.rejectNullKeys(ctx, tx, s, b); err != nil {
			return err
		}
		oids, err = t.readKeys(ctx, tx, s, b)
		return err
	}, yield)
	if fault != nil {
		yield(doc.Batch{}, t.source.fault(s.doing, fault))
		return false
	}
	return more && (len(oids) == 0 || t.docs(ctx, oids, yield))
}

// readKeys reads the keys of a page. A key whose rows continue on the next page is
// read again there; each time all its rows are read, by key.
func (t *Table) readKeys(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) (oids []doc.OID, err error) {
	where := t.remaining(s)
	n := 0
	err = eachRow(ctx, tx, t.statements.keys+where.String()+t.statements.order+" LIMIT ?", append(where.args, s.limit), len(t.key), func(raw []any) bool {
		n++
		s.after = slices.Clone(raw)
		oid, err := t.oid(raw)
		if err != nil {
			b.Rejects = append(b.Rejects, doc.Reject{Reason: err.Error()})
		} else if len(oids) == 0 || oids[len(oids)-1] != oid {
			oids = append(oids, oid)
		}
		return true
	})
	s.done = n < s.limit
	return oids, err
}

// Docs reads the rows with these keys, one fetch for each batch of keys. A row that
// no longer exists is missing from its batch, as of the batch's FetchSeq.
//
// If the SQL fails for a row, Docs halves the remaining keys until the row is
// alone: n rows, one of which fails, take 2 log2(n) fetches. The row is a reject,
// yielded after the rest of its batch.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, min(t.batch, maxKeys)) {
			if !t.docs(ctx, chunk, yield) {
				return
			}
		}
	}
}

// docs reads rows by key, and reports whether the caller wants more.
func (t *Table) docs(ctx context.Context, oids []doc.OID, yield func(doc.Batch, error) bool) bool {
	h := &halving{table: t, yield: yield}
	defer h.end()
	return h.docs(ctx, oids) && h.finish(t.reading(oids))
}

// reading names the reading of these keys in errors.
func (t *Table) reading(oids []doc.OID) string {
	return fmt.Sprintf("read %d rows of %s", len(oids), t.name)
}

// scanKeys returns a scan of the rows with these keys.
func (t *Table) scanKeys(oids []doc.OID) (*scan, error) {
	s := t.newScan(t.reading(oids))
	if err := t.among(&s.where, oids); err != nil {
		return nil, t.source.fault(s.doing, err)
	}
	s.unread = doc.SetOf(oids)
	return s, nil
}

// A scan reads rows page by page in the order of keys.
type scan struct {
	doing    string
	where    condition        // without the lower bound, which moves
	from     []any            // the first key; nil: no lower bound
	unread   map[doc.OID]bool // keys that are still to be read; nil: all
	nullKeys bool             // look for keys that are NULL first
	limit    int              // rows of a page
	after    []any            // the last key that was read; nil: none yet
	done     bool
}

func (t *Table) newScan(doing string) *scan { return &scan{doing: doing, limit: t.batch} }

// unreadOf returns the keys that no page has had yet, in their order, each once.
func (s *scan) unreadOf(oids []doc.OID) (left []doc.OID) {
	unread := maps.Clone(s.unread)
	for _, oid := range oids {
		if unread[oid] {
			delete(unread, oid)
			left = append(left, oid)
		}
	}
	return left
}

// remaining returns the condition of the rows that are still to be read. It has at
// most one lower bound: of two, SQLite might start at the lower one.
func (t *Table) remaining(s *scan) condition {
	where := condition{slices.Clone(s.where.terms), slices.Clone(s.where.args)}
	where.and("NOT " + t.statements.isNull)
	switch {
	case s.after != nil:
		t.statements.afterKey(&where, s.after)
	case s.from != nil:
		where.and(t.statements.key+" >= "+t.statements.marks, s.from...)
	}
	return where
}

// page yields the next page, which is one fetch. If the SQL fails for a row, page
// restores the scan and yields nothing.
func (t *Table) page(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) (more bool, fault *rowFault) {
	before := *s
	more, fault = t.fetch(ctx, s.doing, func(tx *sql.Tx, b *doc.Batch) error { return t.readPage(ctx, tx, s, b) }, yield)
	if fault != nil {
		*s = before
	}
	return more, fault
}

// fetch yields a batch that read fills from one snapshot, and reports whether the
// caller wants more. The fetch ends when the caller has handled the batch. fetch
// returns a rowFault and yields any other error.
func (t *Table) fetch(ctx context.Context, doing string, read func(*sql.Tx, *doc.Batch) error, yield func(doc.Batch, error) bool) (more bool, fault *rowFault) {
	x, b, err := t.begin(ctx)
	if err != nil {
		yield(doc.Batch{}, t.source.fault(doing, err))
		return false, nil
	}
	defer t.numbers.End(b.Fetch)
	err = read(x.tx, &b)
	x.end() // before the caller works on the page: see the package comment
	switch {
	case errors.As(err, &fault):
		return false, fault
	case err != nil:
		yield(doc.Batch{}, t.source.fault(doing, err))
		return false, nil
	}
	return yield(b, nil), nil
}

// begin begins a fetch: it takes the number and the snapshot. It reads the clock
// before the snapshot, which does not read the file. It takes the connection
// before the number, since numbers are assigned under a lock.
func (t *Table) begin(ctx context.Context) (x *session, b doc.Batch, err error) {
	if x, err = t.source.acquire(ctx); err != nil {
		return nil, b, err
	}
	b.Fetch, err = t.numbers.Begin(func() (err error) {
		if err := x.begin(ctx); err != nil {
			return err
		}
		if b.At, err = readClock(ctx, x.tx); err != nil {
			return err
		}
		return takeSnapshot(ctx, x.tx)
	})
	if err == nil {
		if err = t.checkColumns(x); err != nil {
			t.numbers.End(b.Fetch)
		}
	}
	if err != nil {
		x.end()
	}
	return x, b, err
}
