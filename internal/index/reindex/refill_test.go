package reindex

import (
	"context"
	"errors"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// An index that was deleted and made again gets the documents of the pages, but those that
// are skipped, damaged or of another generation. Rows that are written or removed meanwhile
// are as they were written. A refill that was interrupted continues.
func TestRefill(t *testing.T) {
	w := filled(t, t.TempDir(), 8)
	w.tear(key(3))
	lost := &renewed{Index: fakeworld.NewIndex(w.Index.Generation())}
	w.live.Set(lost)
	r := w.reindex(t)
	skip := func(oid doc.OID) bool { return oid == key(2) }
	interrupt := errors.New("interrupted")
	r.Rest = func(context.Context, time.Duration) error { return interrupt }
	if _, err := r.Refill(t.Context(), lost, w.pages.All(), skip); !errors.Is(err, interrupt) || len(lost.Titles()) > r.Chunk {
		t.Fatalf("interrupted after a chunk: got %v and %d documents, want at most %d", err, len(lost.Titles()), r.Chunk)
	}
	rests := 0
	r.Rest = func(context.Context, time.Duration) error {
		if rests++; rests > 1 {
			return nil
		}
		w.insist(t, func() error { return w.put(map[doc.OID]string{key(6): "later"}) })
		w.insist(t, func() error { return w.remove(key(7)) })
		return nil
	}
	if _, err := r.Refill(t.Context(), lost, w.pages.All(), skip); err != nil {
		t.Fatal(err)
	}
	w.want[key(2)], w.want[key(3)] = "", "" // the sweep reads them from the database
	w.check(t, lost.Index)
	w.checkPages(t, lost.Index)

	other := &renewed{Index: fakeworld.NewIndex(w.Index.Generation() + 1)}
	if got, err := r.Refill(t.Context(), other, w.pages.All(), skip); err != nil || len(other.Titles()) != 0 {
		t.Errorf("an index of another load: got %d documents, %+v, %v, want none", len(other.Titles()), got, err)
	}
}
