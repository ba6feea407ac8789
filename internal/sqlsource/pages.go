package sqlsource

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// pageText bounds the text of a page, and that of its children: a worker holds a
// page several times, as text, as JSON and as what the index receives. Ordinary
// pages are much smaller. A larger row is a page by itself, up to the table's
// limit.
const pageText = 4 << 20

// A tooMuchError reports that a page exceeds pageText. It is read again with fewer
// rows.
type tooMuchError struct{ rows int }

func (e *tooMuchError) Error() string { return "the page has too much text" }

// Range reads the live rows with From <= OID < To in the database's order of keys,
// whatever their updateTime. Each page is one fetch. Rows with the same key are on
// one page. If To is empty, rows whose key is NULL are included as one reject.
//
// If the SQL fails for a row, a page is read by key.
func (t *Table) Range(ctx context.Context, r doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		const doing = "read a range"
		s, err := t.newScan(r)
		for more := true; more && err == nil && !s.done; {
			more, err = t.rangePage(ctx, s, yield)
			if isRowFault(err) {
				more, err = t.pageByKeys(ctx, s, err, yield)
			}
			if more && err == nil && s.split != "" {
				more, err = t.docs(ctx, []doc.OID{s.split}, yield)
			}
			if !more {
				return
			}
		}
		if err == nil && s.nulls {
			_, err = t.rangeOfNull(ctx, yield)
		}
		if err != nil {
			yield(doc.Batch{}, t.wrap(doing, err))
		}
	}
}

// rangeOfNull yields a reject for the rows without a key, if there are any. A
// single condition that included them could not use an index.
func (t *Table) rangeOfNull(ctx context.Context, yield func(doc.Batch, error) bool) (more bool, err error) {
	b, end, err := t.open(ctx, func(x *tx, b *doc.Batch) (err error) {
		b.Rejects, err = t.nullKey(ctx, x, nil)
		return err
	})
	defer end()
	if err != nil {
		b.Rejects, err = t.failsAtNull(ctx, err)
	}
	if err != nil || len(b.Rejects) == 0 {
		return true, err
	}
	return yield(b, nil), nil
}

// A scan reads a range page by page.
type scan struct {
	from, to *place // nil: no bound
	after    *place // the last row read; nil: none yet
	limit    int    // rows of a page
	done     bool
	nulls    bool    // rows without a key are still to be read
	split    doc.OID // the last page's last key, if more rows of it may follow: it is read by key
}

func (t *Table) newScan(r doc.Range) (s *scan, err error) {
	s = &scan{limit: t.batch}
	if r.From != "" {
		if s.from, err = t.placeOfOID(r.From); err != nil {
			return s, err
		}
	}
	if r.To != "" {
		s.to, err = t.placeOfOID(r.To)
	}
	return s, err
}

// where returns the conditions of the rows that are still to be read. There is one
// lower bound: of two, a planner may start at the lower one.
func (s *scan) where(t *Table) []condition {
	all := []condition{t.notNull()}
	if s.to != nil {
		all = append(all, within(t.dialect, t.terms(s.to), " < "))
	}
	switch {
	case s.after != nil:
		all = append(all, t.afterPlace(t.terms(s.after), s.after))
	case s.from != nil:
		all = append(all, within(t.dialect, t.terms(s.from), " >= "))
	}
	return all
}

// rangePage yields the next page, which is one fetch.
func (t *Table) rangePage(ctx context.Context, s *scan, yield func(doc.Batch, error) bool) (more bool, err error) {
	for {
		next := *s
		more, err = t.fetch(ctx, yield, func(x *tx, b *doc.Batch) error {
			q := t.bodies().where(append(s.where(t), t.live())...).order(t.keyOrder()).limit(s.limit + 1)
			p, err := t.fillPage(ctx, x, q, s.limit, nil, b)
			if err != nil {
				return err
			}
			next.done, next.after, next.split = !p.more, p.last, p.split
			next.limit = min(2*s.limit, t.batch)
			if p.text > pageText/2 {
				next.limit = s.limit
			}
			if next.done && s.to == nil {
				rejects, err := t.nullKey(ctx, x, nil)
				if err != nil && !isRowFault(err) {
					return err
				}
				next.nulls = err != nil // it is asked again
				b.Rejects = append(b.Rejects, rejects...)
			}
			*s = next // before the page is yielded
			return nil
		})
		var tooMuch *tooMuchError
		if !errors.As(err, &tooMuch) {
			return more, err
		}
		s.limit = max(tooMuch.rows, 1)
	}
}

// pageByKeys reads a page in which the SQL fails for some row: first the keys,
// then the rows by key. The fetch of the keys yields rejects for unusable keys.
func (t *Table) pageByKeys(ctx context.Context, s *scan, fault error, yield func(doc.Batch, error) bool) (more bool, err error) {
	var oids []doc.OID
	next, limit := *s, min(t.batch, t.maxKeys())
	more, err = t.fetch(ctx, yield, func(x *tx, b *doc.Batch) error {
		oids, next = nil, *s
		n := 0
		q := t.keys().where(s.where(t)...).order(t.keyOrder()).limit(limit)
		_, err := x.each(ctx, q, func(raw []any) bool {
			n++
			if n == limit {
				next.after = t.placeOf(raw)
			}
			oid, err := t.oid(raw)
			if err != nil {
				b.Rejects = append(b.Rejects, doc.Reject{Reason: err.Error()})
				return true
			}
			oids = append(oids, oid)
			return true
		})
		next.done = n < limit
		return err
	})
	if more && isRowFault(err) {
		oids, err = t.bisectKeys(ctx, s, nil, limit, err)
		if next.done = len(oids) < limit; err == nil && !next.done {
			next.after, err = t.placeOfOID(oids[len(oids)-1])
		}
	}
	if !more || err != nil {
		return more, err
	}
	next.split, next.nulls = "", next.done && s.to == nil
	*s = next
	return t.docs(ctx, slices.Compact(oids), yield)
}

// Docs reads the rows with these OIDs in no particular order, one fetch for each
// part of at most a batch of OIDs. An OID that is in none of the batches of its
// part has no row, or has left the SQL's result without a deletion mark.
//
// If the SQL fails for a row, the OIDs are halved until the row is alone. The row
// then is a reject, which comes at the end of its part.
func (t *Table) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for part := range slices.Chunk(oids, min(t.batch, t.maxKeys())) {
			more, err := t.docs(ctx, part, yield)
			if err != nil {
				yield(doc.Batch{}, t.wrap(fmt.Sprintf("read %d rows by key", len(part)), err))
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// open takes a number with its snapshot and fills a batch from it. The transaction
// ends before open returns: neither snapshot nor connection waits for the
// consumer. The caller calls end, which returns the number, also on an error.
func (t *Table) open(ctx context.Context, fill func(*tx, *doc.Batch) error) (b doc.Batch, end func(), err error) {
	end = func() {}
	// Numbers are handed out under a lock, which must not wait for a free
	// connection.
	x, err := t.source.acquire(ctx)
	if err != nil {
		return b, end, err
	}
	defer x.end()
	b.Fetch, err = t.numbers.Begin(func() error {
		_, err := x.begin(ctx, t.settings)
		return err
	})
	if err != nil {
		return b, end, err
	}
	b.At = x.at
	fetch := b.Fetch
	err = fill(x, &b)
	return b, func() { t.numbers.End(fetch) }, err
}

// fetch yields the batch that fill fills from one snapshot. It reports whether the
// consumer wants more. The number stays in flight until the consumer is done with
// the batch.
func (t *Table) fetch(ctx context.Context, yield func(doc.Batch, error) bool, fill func(*tx, *doc.Batch) error) (more bool, err error) {
	b, end, err := t.open(ctx, fill)
	defer end()
	if err != nil {
		return true, err
	}
	return yield(b, nil), nil
}

// fillPage fills a batch with the rows of a query, in the order of keys, then with
// their deletion marks, children and groups. asked are the keys to read; nil: all.
func (t *Table) fillPage(ctx context.Context, x *tx, q *Query, limit int, asked map[doc.OID]bool, b *doc.Batch) (*pageReader, error) {
	times, err := t.times(ctx, x)
	if err != nil {
		return nil, err
	}
	p := &pageReader{table: t, times: times, batch: b, limit: limit, asked: asked}
	all, err := x.each(ctx, q, p.add)
	if err != nil {
		return nil, err
	}
	if !all {
		return nil, &tooMuchError{p.rows}
	}
	p.finish()
	if err := t.dropListed(ctx, x, asked, b); err != nil {
		return nil, err
	}
	if err := t.addChildren(ctx, x, b, p.rows); err != nil {
		return nil, err
	}
	return p, t.groups.fill(ctx, x, b.Rejects)
}
