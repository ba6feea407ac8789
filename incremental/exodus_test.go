package incremental_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// exodus is a table without rows, and a sink that has a document for each key.
type exodus struct {
	rows                 int
	most, deleted, least int // of Delete: keys of the largest call, keys of all calls, left of the last call
}

func (*exodus) Moment(context.Context) (doc.Moment, error) {
	return doc.Moment{Now: time.Unix(1e9, 0), Seen: time.Unix(1e9, 0)}, nil
}
func (*exodus) Tick() time.Duration { return time.Microsecond }
func (*exodus) Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(func([]doc.Stamp, error) bool) {}
}
func (*exodus) Unusable(context.Context, doc.Window) (doc.Batch, error)  { return doc.Batch{}, nil }
func (*exodus) StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error) { return nil, nil }
func (e *exodus) Left(context.Context, doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		for n := 0; n < e.rows; n += 1000 {
			var page []doc.OID
			for i := range min(1000, e.rows-n) {
				page = append(page, fakeworld.Key(n+i))
			}
			if !yield(page, nil) {
				return
			}
		}
	}
}
func (*exodus) Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) { yield(doc.Batch{Fetch: 1}, nil) }
}
func (*exodus) Different([]doc.Stamp) ([]doc.OID, error) { return nil, nil }
func (*exodus) Stored(oids []doc.OID) (stored []doc.Stamp, err error) {
	for _, oid := range oids {
		stored = append(stored, doc.Stamp{OID: oid})
	}
	return stored, nil
}
func (*exodus) Put(context.Context, doc.Batch) (doc.Report, error) { return doc.Report{}, nil }
func (e *exodus) Delete(_ context.Context, stamps []doc.Stamp, _ doc.FetchSeq, left int) (doc.Report, error) {
	e.most, e.deleted, e.least = max(e.most, len(stamps)), e.deleted+len(stamps), left
	return doc.Report{Deleted: len(stamps)}, nil
}

// If more rows leave in a window than are kept in memory, the guard is asked for
// all of them, and those beyond the limit count as held.
func TestMoreRowsLeaveThanAreKept(t *testing.T) {
	const remembered, more = 100_000, 2500
	w := newWorld(t)
	e := &exodus{rows: remembered + more}
	w.pass.Source, w.pass.Sink, w.pass.Batch = e, e, 1000
	w.mark(t, time.Unix(1e9-1, 0))
	report, err := w.pass.Run(t.Context())
	if err != nil || report.Deleted != remembered || report.Held != more {
		t.Errorf("got %+v, %v, want %d deleted, %d held", report, err, remembered, more)
	}
	if e.most != 1000 || e.deleted != remembered || e.least != 1000+more {
		t.Errorf("got %d of %d in one call, the last of %d left, want 1000, %d, %d", e.most, e.deleted, e.least, remembered, 1000+more)
	}
}
