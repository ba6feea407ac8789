package deletecheck_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
)

// A candidate that was found gone by the first of several fetches, and put back
// as it was before the second, stays: it is the first that says it was gone.
func TestFirstFetchSaysGone(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Batch = 2
	row := w.Table.Rows()[w.key(1)]
	for n := 1; n <= 4; n++ {
		w.Table.Delete(w.key(n))
	}
	fetches := 0
	w.Table.Before = func(step string) error {
		if step == "docs" {
			fetches++
		}
		if step == "docs" && fetches == 2 {
			w.Table.PutRow(w.key(1), row)
			for b, err := range w.Table.Docs(t.Context(), w.keysOf(1)) {
				if err == nil {
					_, err = w.Sink.Put(t.Context(), b)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	if got := runSweep(t, w.sweep()); got.Deleted != 3 {
		t.Errorf("deleted: got %d, want 3", got.Deleted)
	}
	w.wantEqual(t)
}

// rejecting is a table whose unfit rows can't even be read.
type rejecting struct{ *fakeworld.Table }

func (r rejecting) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for b, err := range r.Table.Docs(ctx, oids) {
			var fit []doc.Doc
			for _, d := range b.Docs {
				if title, _ := d.Row.Get("title"); title == fakeworld.Unfit {
					b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: "it can't be read"})
				} else {
					fit = append(fit, d)
				}
			}
			b.Docs = fit
			if !yield(b, err) {
				return
			}
		}
	}
}

// A candidate whose row has come back, and can't become a document, is not
// gone: its document stays as it was, and the row is set aside.
func TestRejectedRowIsThere(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(3))
	rests := 0
	s := w.sweep()
	s.Source = rejecting{w.Table}
	s.Rest = func(context.Context, time.Duration) error {
		if rests++; rests == 3 { // all is listed
			w.Table.Put(w.key(3), fakeworld.Unfit)
		}
		return nil
	}
	if got := runSweep(t, s); got.Deleted != 0 || got.Quarantined != 1 {
		t.Errorf("deleted %d, set aside %d, want 0 and 1", got.Deleted, got.Quarantined)
	}
	if _, ok := w.Index.Title(w.key(3)); !ok {
		t.Error("the document is gone")
	}
}
