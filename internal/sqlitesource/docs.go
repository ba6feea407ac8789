package sqlitesource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// Breakpoints returns every every-th key in the order of ranges, without the
// first: where the ranges of a load begin. SQLite runs in this process, so to
// step over the keys between costs less than to number them in SQL.
func (t *Table) Breakpoints(ctx context.Context, every int) (points []doc.OID, err error) {
	var where condition
	where.and("NOT " + t.statements.isNull)
	t.live(&where)
	err = t.read(ctx, func(tx *sql.Tx) error {
		n := -1
		return each(ctx, tx, t.statements.keys+where.String()+t.statements.order, where.args, len(t.key), func(raw []any) bool {
			if n++; n == 0 || n%every != 0 {
				return true
			}
			// A key of the wrong type bounds no range; it is rejected when it is read.
			if oid, err := t.oid(raw); err == nil {
				points = append(points, oid)
			}
			return true
		})
	})
	return points, t.source.fault("find the ranges of "+t.name, err)
}

// Range reads the rows whose key is in [From, To), in the order of the key
// column's collation, with any updateTime or none, but for those that are
// marked deleted. A key that is NULL lies in no range and is rejected, once
// for all rows that have it, by the range without a lower end.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		s := t.scan("read a range of " + t.name)
		s.nullKeys = r.From == ""
		if err := t.limit(s, r); err != nil {
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

// limit limits a scan to a range.
func (t *Table) limit(s *scan, r doc.Range) (err error) {
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

// pageByKeys reads a page in which the SQL fails at a row: its keys first, then
// the rows by key. The fetch of the keys yields those that are unusable.
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

// readKeys reads the keys of a page. Rows of one key that the page tears apart
// are read together all the same: by their key.
func (t *Table) readKeys(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) (oids []doc.OID, err error) {
	where := t.rest(s)
	n := 0
	err = each(ctx, tx, t.statements.keys+where.String()+t.statements.order+" LIMIT ?", append(where.args, s.most), len(t.key), func(raw []any) bool {
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
	s.done = n < s.most
	return oids, err
}

// Docs reads the rows with these keys, a fetch for each batch of keys. Rows
// that are gone are absent; the batch that does not have them says by its
// number when that was.
//
// Where the SQL fails at a row, the keys that are left are halved until the
// row is alone: n rows of which one is bad take 2 log2(n) fetches. It is a
// reject, which comes when the batch has been read.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, min(t.batch, maxKeys)) {
			if !t.docs(ctx, chunk, yield) {
				return
			}
		}
	}
}

// docs reads rows by key, and reports whether to go on.
func (t *Table) docs(ctx context.Context, oids []doc.OID, yield func(doc.Batch, error) bool) bool {
	h := &halving{table: t, yield: yield}
	defer h.end()
	return h.docs(ctx, oids) && h.finish(t.doingKeys(oids))
}

func (t *Table) doingKeys(oids []doc.OID) string {
	return fmt.Sprintf("read %d rows of %s", len(oids), t.name)
}

// scanKeys scans the rows with these keys.
func (t *Table) scanKeys(oids []doc.OID) (*scan, error) {
	s := t.scan(t.doingKeys(oids))
	if err := t.among(&s.where, oids); err != nil {
		return nil, t.source.fault(s.doing, err)
	}
	s.only = make(map[doc.OID]bool, len(oids))
	for _, oid := range oids {
		s.only[oid] = true
	}
	return s, nil
}

// A scan reads rows by pages, in the order of keys.
type scan struct {
	doing    string
	where    condition        // without a lower end, which moves
	from     []any            // the first key; nil: no lower end
	only     map[doc.OID]bool // what no page has had yet; nil: all
	nullKeys bool             // look for keys that are NULL first
	most     int              // rows of a page
	after    []any            // the last key that was read; nil: none yet
	done     bool
}

func (t *Table) scan(doing string) *scan { return &scan{doing: doing, most: t.batch} }

// left returns the keys that no page has had yet, in their order, each once.
func (s *scan) left(oids []doc.OID) (left []doc.OID) {
	seen := make(map[doc.OID]bool, len(s.only))
	for _, oid := range oids {
		if s.only[oid] && !seen[oid] {
			seen[oid] = true
			left = append(left, oid)
		}
	}
	return left
}

// rest is the condition of what is still to be read. It has one lower end at
// most: of two, SQLite might seek the one that is behind.
func (t *Table) rest(s *scan) condition {
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

// page yields the next page, which is one fetch. Where the SQL fails at a row
// the scan is as it was, and nothing was yielded.
func (t *Table) page(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) (more bool, fault *rowFault) {
	before := *s
	more, fault = t.fetch(ctx, s.doing, func(tx *sql.Tx, b *doc.Batch) error { return t.readPage(ctx, tx, s, b) }, yield)
	if fault != nil {
		*s = before
	}
	return more, fault
}

// fetch yields a batch that read fills from one snapshot, and reports whether
// to go on. The fetch has ended when the caller has dealt with the batch; a
// fault of a row it leaves to whoever reads.
func (t *Table) fetch(ctx context.Context, doing string, read func(*sql.Tx, *doc.Batch) error, yield func(doc.Batch, error) bool) (more bool, fault *rowFault) {
	v, b, err := t.begin(ctx)
	if err != nil {
		yield(doc.Batch{}, t.source.fault(doing, err))
		return false, nil
	}
	defer t.numbers.End(b.Fetch)
	err = read(v.tx, &b)
	v.end() // before the caller works on the page: see the package
	switch {
	case errors.As(err, &fault):
		return false, fault
	case err != nil:
		yield(doc.Batch{}, t.source.fault(doing, err))
		return false, nil
	}
	return yield(b, nil), nil
}

// begin takes a number and a snapshot: in SQLite it is the first read after
// BEGIN that takes it, not BEGIN. The clock comes before, and touches no file;
// and before the number the connection, since numbers are handed out under a
// lock.
func (t *Table) begin(ctx context.Context) (v *visit, b doc.Batch, err error) {
	if v, err = t.source.visit(ctx); err != nil {
		return nil, b, err
	}
	b.Fetch, err = t.numbers.Begin(func() (err error) {
		if err := v.begin(ctx); err != nil {
			return err
		}
		if b.At, err = clockOf(ctx, v.tx); err != nil {
			return err
		}
		var n int
		return v.tx.QueryRowContext(ctx, firstRead).Scan(&n)
	})
	if err == nil {
		if err = t.describeAgain(v); err != nil {
			t.numbers.End(b.Fetch)
		}
	}
	if err != nil {
		v.end()
	}
	return v, b, err
}
