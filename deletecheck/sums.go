package deletecheck

import (
	"context"
	"fmt"
	"iter"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// A reading is what Prepare read of the database, by the ranges of the documents.
type reading struct {
	marks  timetrace.Table
	at     time.Time // the database's, before the sums were read
	bounds []doc.OID
	writes int // number of writes before the sums were read
	sums   []doc.Sum
	every  int  // documents of a range
	again  bool // sum ranges again that are written meanwhile
}

// Prepare reads the sums, for a Sweep that has them. It needs no lane. It costs one
// statement that reads all rows, and lists the documents of the ranges that have no sum.
func (s *Sweep) Prepare(ctx context.Context) error {
	if s.Sums == nil {
		return nil
	}
	if err := s.prepare(ctx); err != nil {
		return fmt.Errorf("sweep %s, sums: %w", s.Table, err)
	}
	return nil
}

func (s *Sweep) prepare(ctx context.Context) (err error) {
	var r reading
	if r.marks, r.at, err = s.now(ctx); err != nil {
		return err
	}
	c := comparison{source: s.Source, index: s.Index, pages: s.Pages}
	if r.bounds, err = s.Stored.read(&c); err != nil {
		return err
	}
	r.every, r.writes, r.again = c.chunk, s.Stored.count(), s.Source.Ordered()
	if r.sums, err = s.Sums(ctx, r.bounds); err != nil {
		return err
	}
	if r.sums != nil {
		s.read = &r
	}
	return nil
}

// compareSpans compares the ranges to list, from a key on.
func (w *sweep) compareSpans(ctx context.Context, from doc.OID, compare func(context.Context, doc.OID) (part, error)) error {
	whole := w.chunk
	defer func() { w.to, w.chunk = "", whole }()
	for _, of := range w.list {
		w.join() // what it listed ahead ends with the range before
		w.to, w.chunk = of.To, min(whole, of.documents)
		parts := chunks(ctx, max(from, of.From), compare)
		if of.again {
			parts = w.unlessSummed(ctx, of.Range, parts)
		}
		if err := w.compare(ctx, parts); err != nil {
			return err
		}
	}
	return nil
}

// unlessSummed returns one part without a difference if the rows of a range have the sum
// of its documents by now, and its parts otherwise. The sweep has the lane, so that no
// document is written meanwhile.
func (w *sweep) unlessSummed(ctx context.Context, of doc.Range, parts iter.Seq2[part, error]) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		sum, known, err := w.sumOfRows(ctx, of)
		switch {
		case err != nil:
			yield(part{}, err)
		case known && w.Stored.isSum(of, sum):
			yield(part{compared: int(sum.Rows)}, nil)
		default:
			parts(yield)
		}
	}
}

// sumOfRows returns the sum of the rows of a range, in the key order of the database. It
// reports false if the token of a row is unknown.
func (w *sweep) sumOfRows(ctx context.Context, of doc.Range) (sum doc.Sum, known bool, err error) {
	known = true
	for rows, err := range w.source.StampsInRange(ctx, of) {
		if err != nil {
			return doc.Sum{}, false, err
		}
		for _, row := range rows {
			known = known && sum.Add(row.Token)
		}
	}
	return sum, known, nil
}

// maxSpans is the number of ranges up to which one statement reads their rows. It reads
// all keys, so that it costs less than a listing of everything only for some ranges.
const maxSpans = 100

// rows returns the rows to compare with documents, from a key on, where the database
// orders keys otherwise than OIDs are ordered.
func (w *sweep) rows(ctx context.Context, from doc.OID) iter.Seq2[[]doc.Stamp, error] {
	if w.read == nil || len(w.list) > maxSpans {
		return w.source.StampsInRange(ctx, doc.Range{From: from})
	}
	list := make([]doc.Range, len(w.list))
	for i, of := range w.list {
		list[i] = of.Range
	}
	if len(list) == 0 {
		return func(func([]doc.Stamp, error) bool) {}
	}
	return w.source.StampsInRanges(ctx, list)
}

// documentsOf returns about how many documents and rows there are to list.
func (w *sweep) documentsOf(list []span) (n int64) {
	for _, of := range list {
		n += int64(of.documents)
	}
	if !w.source.Ordered() {
		n *= 2
	}
	return n
}
