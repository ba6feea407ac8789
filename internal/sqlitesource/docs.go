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

// pageBytes bounds the text of a page.
const pageBytes = 16 << 20

// Breakpoints returns every every-th key in the order of ranges, without the
// first: where the ranges of a load begin. SQLite runs in this process, so to
// step over the keys between costs less than to number them in SQL.
func (t *Table) Breakpoints(ctx context.Context, every int) (points []doc.OID, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, t.statements.keys+" WHERE NOT "+t.statements.isNull+t.statements.order)
		if err != nil {
			return err
		}
		defer rows.Close()
		s := newScanner(len(t.key))
		for n := 0; rows.Next(); n++ {
			if n == 0 || n%every != 0 {
				continue
			}
			if err := s.scan(rows); err != nil {
				return err
			}
			// A key of the wrong type bounds no range; it is rejected when it is read.
			if oid, err := t.oid(s.raw); err == nil {
				points = append(points, oid)
			}
		}
		return rows.Err()
	})
	return points, t.source.fault("find the ranges of "+t.name, err)
}

// Range reads the rows whose key is in [From, To), in the order of the key
// column's collation, with any updateTime or none. A key that is NULL lies in
// no range and is rejected, once for all rows that have it, by the range
// without a lower end.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		s := &scan{doing: "read a range of " + t.name, nullKeys: r.From == ""}
		if err := t.limit(s, r); err != nil {
			yield(doc.Batch{}, t.source.fault(s.doing, err))
			return
		}
		t.pages(ctx, s, yield)
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

// parts decodes a key of this table.
func (t *Table) parts(oid doc.OID) ([]any, error) {
	parts, err := oid.Parts()
	if err != nil {
		return nil, err
	}
	if len(parts) != len(t.key) {
		return nil, fmt.Errorf("key %v has %d parts: this table's key has %d", oid, len(parts), len(t.key))
	}
	_, err = t.oid(parts)
	return parts, err
}

// Docs reads the rows with these keys. Rows that are gone are absent; the
// batch that does not have them says by its number when that was.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for chunk := range slices.Chunk(oids, min(t.batch, maxKeys)) {
			s := &scan{doing: fmt.Sprintf("read %d rows of %s", len(chunk), t.name)}
			if err := t.among(s, chunk); err != nil {
				yield(doc.Batch{}, t.source.fault(s.doing, err))
				return
			}
			if !t.pages(ctx, s, yield) {
				return
			}
		}
	}
}

// among limits a scan to some keys. What is equal under the column's collation
// alone is read too, and left out.
func (t *Table) among(s *scan, oids []doc.OID) error {
	keys := make([][]any, len(oids))
	s.only = make(map[doc.OID]bool, len(oids))
	for i, oid := range oids {
		parts, err := t.parts(oid)
		if err != nil {
			return err
		}
		keys[i], s.only[oid] = parts, true
	}
	return t.statements.amongKeys(&s.where, keys)
}

// A scan reads rows by pages, in the order of keys.
type scan struct {
	doing    string
	where    condition        // without a lower end, which moves
	from     []any            // the first key; nil: no lower end
	only     map[doc.OID]bool // nil: all
	nullKeys bool             // look for keys that are NULL first
	after    []any            // the last key that was read; nil: none yet
	done     bool
}

// pages yields the pages of a scan, and reports whether to go on.
func (t *Table) pages(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) bool {
	for !s.done {
		if !t.page(ctx, s, yield) {
			return false
		}
	}
	return true
}

// page yields the next page, which is one fetch: it has ended when the caller
// has dealt with the page.
func (t *Table) page(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) bool {
	tx, b, err := t.begin(ctx)
	if err != nil {
		yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	defer t.numbers.End(b.Fetch)
	err = t.readPage(ctx, tx, s, &b)
	tx.Rollback() // before the caller works on the page: see the package
	if err != nil {
		yield(doc.Batch{}, t.source.fault(s.doing, err))
		return false
	}
	return yield(b, nil)
}

// begin takes a number and a snapshot: in SQLite it is the first read after
// BEGIN that takes it, not BEGIN. The clock comes before, and touches no file.
func (t *Table) begin(ctx context.Context) (tx *sql.Tx, b doc.Batch, err error) {
	b.Fetch, err = t.numbers.Begin(func() (err error) {
		if tx, err = t.source.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
			return err
		}
		if b.At, err = clockOf(ctx, tx); err != nil {
			return err
		}
		var n int
		return tx.QueryRowContext(ctx, firstRead).Scan(&n)
	})
	if err != nil && tx != nil {
		tx.Rollback()
	}
	return tx, b, err
}

// readPage reads rows until the page is full. Rows of one key are never torn
// apart, so that whoever gets them sees that they are several; of more than
// two the rest is left out.
func (t *Table) readPage(ctx context.Context, tx *sql.Tx, s *scan, b *doc.Batch) error {
	clock, err := t.findClock(ctx, tx)
	if err != nil {
		return err
	}
	if s.nullKeys {
		if err := t.rejectNullKeys(ctx, tx, b); err != nil {
			return err
		}
		s.nullKeys = false
	}
	where := t.rest(s)
	rows, err := tx.QueryContext(ctx, t.statements.docs+where.String()+t.statements.order, where.args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	p := &pageReader{table: t, scan: s, clock: clock, batch: b}
	row := newScanner(len(t.columns))
	for rows.Next() {
		if err := row.scan(rows); err != nil {
			return err
		}
		if !p.add(row.raw) {
			return nil
		}
	}
	s.done = true
	return rows.Err()
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

// rejectNullKeys adds one reject for all rows without a key: nothing tells
// them apart.
func (t *Table) rejectNullKeys(ctx context.Context, tx *sql.Tx, b *doc.Batch) error {
	for i, column := range t.key {
		name := t.columns[column]
		query := "SELECT 1" + t.statements.from + " WHERE " + qualify([]string{name})[0] + " IS NULL LIMIT 1"
		err := tx.QueryRowContext(ctx, query).Scan(new(int))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		b.Rejects = append(b.Rejects, doc.Reject{Reason: fmt.Sprintf("key %s is NULL: this table's key is %v", name, t.kinds[i])})
	}
	return nil
}

// A pageReader fills one page.
type pageReader struct {
	table *Table
	scan  *scan
	clock *clock
	batch *doc.Batch

	rows, bytes int
	last        doc.OID // of the last row, "" where it was none
	run         int     // how many rows had it
}

// add adds a row, or reports that it belongs to the next page.
func (p *pageReader) add(raw []any) bool {
	key := make([]any, len(p.table.key))
	for i, column := range p.table.key {
		key[i] = raw[column]
	}
	oid, err := p.table.oid(key)
	if oid != "" && oid == p.last {
		p.run++
	} else {
		if p.rows >= p.table.batch || p.bytes >= pageBytes {
			return false
		}
		p.last, p.run = oid, 1
	}
	p.scan.after = key
	if p.run > 2 || p.scan.only != nil && !p.scan.only[oid] {
		return true
	}
	p.rows++
	p.bytes += size(raw)
	var d doc.Doc
	if err == nil {
		d, err = p.table.document(oid, raw, p.clock)
	}
	if err != nil {
		p.batch.Rejects = append(p.batch.Rejects, doc.Reject{OID: oid, Reason: err.Error()})
		return true
	}
	d.Fetch, d.Fetched = p.batch.Fetch, p.batch.At
	p.batch.Docs = append(p.batch.Docs, d)
	return true
}
