package sink

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// rows are n rows of one title from a number on.
func rows(first, n int, title string) map[doc.OID]string {
	titles := map[doc.OID]string{}
	for i := range n {
		titles[fakeworld.Key(first+i)] = title
	}
	return titles
}

// wantTooMany checks that a batch has too many rejects.
func wantTooMany(t *testing.T, w *world, s *Sink, titles map[doc.OID]string, say string) {
	t.Helper()
	before := len(w.quarantine.Reasons())
	_, err := s.Put(t.Context(), batchOf(begin(t, s), titles))
	if !errors.Is(err, ErrTooManyRejects) || !strings.Contains(err.Error(), say) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line of too many with %q", err, say)
	}
	if got := len(w.quarantine.Reasons()); got != before {
		t.Errorf("quarantine: got %d rows, want %d as before", got, before)
	}
}

// The quarantine takes 1000 rows, or a fifth of the documents if that is more.
func TestTooManyRejects(t *testing.T) {
	tests := []struct {
		name            string
		documents, most int
	}{
		{"of few documents", 10, rejectsCount},
		{"of many", 8000, 1600},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			s := w.start()
			fetch(t, s, rows(0, test.documents, "fits"))
			fetch(t, s, rows(10_000, test.most, fakeworld.Unfit))
			wantTooMany(t, w, s, rows(20_000, 1, fakeworld.Unfit), fmt.Sprintf("%d beside %d documents, the newest is row 20000: column title", test.most+1, test.documents))

			// What is listed already may be tried again, though there are fewer documents.
			var half []doc.OID
			for n := range test.documents / 2 {
				half = append(half, fakeworld.Key(n))
			}
			putBatch(t, s, marked(begin(t, s), half...))
			if got, want := fetch(t, s, rows(10_000, 5, fakeworld.Unfit)), (fakeworld.Counts{Read: 5, Quarantined: 5}); got != want {
				t.Errorf("tried again: got %+v, want %+v", got, want)
			}
		})
	}
}

// The good rows of a batch with too many rejects are written. The next Put succeeds
// if rows were repaired, also in the same batch.
func TestPutSucceedsAfterRowsAreRepaired(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, rows(0, rejectsCount, fakeworld.Unfit))
	batch := rows(2000, 1, fakeworld.Unfit)
	batch[fakeworld.Key(3000)] = "fits"
	wantTooMany(t, w, s, batch, "1001 beside 1 documents")
	w.wantIndex(t, map[doc.OID]string{fakeworld.Key(3000): "fits"})

	batch[fakeworld.Key(7)] = "repaired"
	if got, want := fetch(t, s, batch), (fakeworld.Counts{Read: 3, Added: 1, Skipped: 1, Quarantined: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantWhole(t)
}

// A reject that was not quarantined does not stop an older fetch.
func TestRejectBeyondTheThresholdIsNotRemembered(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, rows(0, rejectsCount, fakeworld.Unfit))
	older, newer := begin(t, s), begin(t, s)
	if _, err := s.Put(t.Context(), batchOf(newer, rows(2000, 1, fakeworld.Unfit))); !errors.Is(err, ErrTooManyRejects) {
		t.Fatalf("got %v, want %v", err, ErrTooManyRejects)
	}
	if got := put(t, s, older, rows(2000, 1, "fits")); got.Added != 1 {
		t.Errorf("got %+v, want it added", got)
	}
}
