package refetch_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/refetch"
)

// A table is a source that returns prepared batches, and a sink that counts them.
type table struct {
	batches []doc.Batch
	fault   error // of the source, after the batches
	full    error // of the sink, at its second batch
	put     int
}

func (f *table) Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for _, b := range f.batches {
			if !yield(b, nil) {
				return
			}
		}
		if f.fault != nil {
			yield(doc.Batch{}, f.fault)
		}
	}
}

func (f *table) Put(_ context.Context, b doc.Batch) (doc.Report, error) {
	f.put++
	if f.put == 2 && f.full != nil {
		return doc.Report{}, f.full
	}
	return doc.Report{Read: len(b.Docs), Deleted: len(b.Deleted), Quarantined: len(b.Rejects)}, nil
}

func found(oid doc.OID) doc.Doc { return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}} }

// Only a key of which no fetch found anything is absent, and the number that
// goes with it is the first.
func TestAbsentRowsAreThoseThatNoFetchFound(t *testing.T) {
	f := &table{batches: []doc.Batch{
		{Fetch: 7, Docs: []doc.Doc{found("live")}, Deleted: []doc.OID{"marked"}},
		{Fetch: 9, Rejects: []doc.Reject{{OID: "bad"}}},
	}}
	absent, report, err := refetch.Rows(t.Context(), f, f, []doc.OID{"gone", "live", "marked", "bad", "never"})
	if err != nil || !slices.Equal(absent.OIDs, []doc.OID{"gone", "never"}) || absent.Fetch != 7 {
		t.Errorf("absent: got %q of fetch %d, %v, want gone and never of fetch 7", absent.OIDs, absent.Fetch, err)
	}
	if want := (doc.Report{Read: 1, Deleted: 1, Quarantined: 1}); report != want {
		t.Errorf("report: got %+v, want %+v", report, want)
	}
}

func TestEmptyBatchMeansThatAllRowsAreGone(t *testing.T) {
	f := &table{batches: []doc.Batch{{Fetch: 3}}}
	absent, _, err := refetch.Rows(t.Context(), f, f, []doc.OID{"a", "b"})
	if err != nil || len(absent.OIDs) != 2 || absent.Fetch != 3 {
		t.Errorf("absent: got %q of fetch %d, %v, want both keys of fetch 3", absent.OIDs, absent.Fetch, err)
	}
}

// After an error no key is absent: the fetch may not have looked for it.
func TestErrorMeansThatNoRowIsKnownToBeGone(t *testing.T) {
	fault := errors.New("fault")
	batches := []doc.Batch{{Fetch: 1, Docs: []doc.Doc{found("a")}}, {Fetch: 1, Docs: []doc.Doc{found("b")}}}
	for name, f := range map[string]*table{
		"source": {batches: batches[:1], fault: fault},
		"sink":   {batches: batches, full: fault},
	} {
		absent, report, err := refetch.Rows(t.Context(), f, f, []doc.OID{"a", "b", "c"})
		if !errors.Is(err, fault) || absent.OIDs != nil || absent.Fetch != 0 {
			t.Errorf("fault of the %s: got %+v, %v, want none and the fault", name, absent, err)
		}
		if report.Read != 1 {
			t.Errorf("fault of the %s: report has %d rows, want the 1 that was put", name, report.Read)
		}
	}
}
