package sink

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// An earlier fetch never overwrites a later one. Each case has what an older and a
// newer fetch found of row one, which was "old". The newer one is put first.
func TestFetchOrderDecides(t *testing.T) {
	const gone = ""
	tests := []struct {
		name         string
		older, newer string
		listed       bool // in quarantine
		want         string
	}{
		{"changed", "older", "newer", false, "newer"},
		{"deleted is not resurrected", "older", gone, false, gone},
		{"deleted before, there again", gone, "newer", false, "newer"},
		{"deleted before, there again as it was", gone, "old", false, "old"},
		{"unusable now", "older", fakeworld.Unfit, true, "old"},
		{"unusable before", fakeworld.Unfit, "newer", false, "newer"},
		{"unusable before, gone now", fakeworld.Unfit, gone, false, gone},
		{"gone before, unusable now", gone, fakeworld.Unfit, true, "old"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			s := w.start()
			fetch(t, s, map[doc.OID]string{one: "old"})
			older, newer := begin(t, s), begin(t, s)
			apply := func(seq doc.FetchSeq, title string) {
				if title == gone {
					remove(t, s, seq, stampOf(one, "old"))
				} else {
					put(t, s, seq, map[doc.OID]string{one: title})
				}
				s.End(seq)
			}
			apply(newer, test.newer)
			apply(older, test.older)
			if got := w.index.Titles()[one]; got != test.want {
				t.Errorf("index: got %q, want %q", got, test.want)
			}
			if _, got := w.quarantine.Reasons()[one]; got != test.listed {
				t.Errorf("in quarantine: got %t, want %t", got, test.listed)
			}
			w.wantWhole(t)
			if len(s.absent) != 0 {
				t.Errorf("remembered when no fetch is in flight: got %v, want nothing", s.absent)
			}
		})
	}
}

// A removal comes after its fetch has ended. If a newer fetch has found the row again,
// but unusable, its last document stays, and the row stays in quarantine.
func TestUnusableAfterTheFetchOfARemoval(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "old"})
	goneAt := begin(t, s)
	s.End(goneAt)
	fetch(t, s, map[doc.OID]string{one: fakeworld.Unfit})
	remove(t, s, goneAt, stampOf(one, "old"))
	w.wantIndex(t, map[doc.OID]string{one: "old"})
	if !w.quarantine.Has(one) {
		t.Error("the row has left the quarantine, and is no document")
	}
	goneAt = begin(t, s)
	s.End(goneAt)
	remove(t, s, goneAt, stampOf(one, "old"))
	w.wantIndex(t, map[doc.OID]string{})
	if w.quarantine.Has(one) {
		t.Error("the row is gone, and still in quarantine")
	}
}

// Rejects of the source are dropped by fetch order, as documents are.
func TestOlderRejectOfTheSource(t *testing.T) {
	w := newWorld()
	s := w.start()
	older, newer := begin(t, s), begin(t, s)
	put(t, s, newer, map[doc.OID]string{one: "newer"})
	report, err := s.Put(context.Background(), doc.Batch{Fetch: older, Rejects: []doc.Reject{{OID: one, Reason: "price: NaN"}}})
	if err != nil || report.Quarantined != 0 || len(w.quarantine.Reasons()) != 0 {
		t.Errorf("got %+v, %v, quarantine %v, want it dropped", report, err, w.quarantine.Reasons())
	}
}

// Rows without a key are different rows, and have no order.
func TestRejectsWithoutKeyAreNotOrdered(t *testing.T) {
	w := newWorld()
	s := w.start()
	older, newer := begin(t, s), begin(t, s)
	for _, seq := range []doc.FetchSeq{newer, older} {
		report, err := s.Put(context.Background(), doc.Batch{Fetch: seq, Rejects: []doc.Reject{{Reason: "key id is NULL"}}})
		if err != nil || report.Quarantined != 1 {
			t.Errorf("fetch %d: got %+v, %v, want one quarantined", seq, report, err)
		}
	}
}

// Within a fetch the last batch counts.
func TestSameFetchMayPutAgain(t *testing.T) {
	w := newWorld()
	s := w.start()
	seq := begin(t, s)
	put(t, s, seq, map[doc.OID]string{one: "a"})
	put(t, s, seq, map[doc.OID]string{one: "b"})
	w.wantIndex(t, map[doc.OID]string{one: "b"})
}

// An older fetch can't put a row again whose removal failed half-way.
func TestFailedRemovalIsNotUndone(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	older, newer := begin(t, s), begin(t, s)
	w.before(failAt("delete pages"))
	if _, err := s.Delete(context.Background(), []doc.Stamp{stampOf(one, "a")}, newer, 1); !errors.Is(err, errFault) {
		t.Fatalf("got %v, want %v", err, errFault)
	}
	w.before(nil)
	put(t, s, older, map[doc.OID]string{one: "a"})
	w.wantIndex(t, nil)
}

// A removal is remembered while an older fetch is in flight, which could put the
// row again, and no longer, since memory would grow with every sweep.
func TestRemovalIsRememberedForOlderFetches(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	oldest, older, newer := begin(t, s), begin(t, s), begin(t, s)
	younger := begin(t, s)
	for range 10 {
		begin(t, s) // is in flight for all of the test
	}
	remove(t, s, newer, stampOf(one, "a"))
	s.End(older)
	if len(s.absent) != 1 {
		t.Fatalf("with fetch %d in flight: got %v, want row one remembered", oldest, s.absent)
	}
	s.End(oldest)
	if len(s.absent) != 0 {
		t.Errorf("with no older fetch in flight: got %v, want nothing remembered", s.absent)
	}
	put(t, s, younger, map[doc.OID]string{one: "b"}) // the row was inserted again
	w.wantIndex(t, map[doc.OID]string{one: "b"})
}

// A taken pairs a fetch's number with its snapshot.
type taken struct {
	seq      doc.FetchSeq
	snapshot time.Time
}

// takeAtOnce begins ten fetches at once. The later a fetch began, the less time its
// snapshot takes.
func takeAtOnce(begin func(open func() error) (doc.FetchSeq, error)) []taken {
	results := make(chan taken)
	for i := range 10 {
		go func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			var r taken
			r.seq, _ = begin(func() error {
				time.Sleep(time.Duration(100-10*i) * time.Millisecond)
				r.snapshot = time.Now()
				return nil
			})
			results <- r
		}()
	}
	all := make([]taken, 10)
	for i := range all {
		all[i] = <-results
	}
	slices.SortFunc(all, func(a, b taken) int { return cmp.Compare(a.seq, b.seq) })
	return all
}

func TestSnapshotsAreInTheOrderOfNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld().start()
		got := takeAtOnce(s.Begin)
		if !slices.IsSortedFunc(got, func(a, b taken) int { return a.snapshot.Compare(b.snapshot) }) {
			t.Errorf("got %v, want snapshots in the order of numbers", got)
		}
	})
}

// Batches with a common row are written one after the other, all others
// concurrently.
func TestBatchesWithACommonRowAreWrittenInTurn(t *testing.T) {
	tests := []struct {
		name    string
		rows    [2]map[doc.OID]string
		rejects []doc.Reject // of the second batch
		took    time.Duration
	}{
		{"a row in common", [2]map[doc.OID]string{{one: "a", two: "a"}, {two: "b", three: "b"}}, nil, 2 * time.Second},
		{"a row that the second fetch rejects", [2]map[doc.OID]string{{one: "a", two: "a"}, {three: "b"}}, []doc.Reject{{OID: two}}, 2 * time.Second},
		{"other rows", [2]map[doc.OID]string{{one: "a", two: "a"}, {three: "b"}}, []doc.Reject{{}}, time.Second},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			s := w.start()
			w.index.Before = sleepIn("apply", time.Second)
			began := time.Now()
			var writing sync.WaitGroup
			want := map[doc.OID]string{}
			for i, titles := range test.rows {
				b := batchOf(begin(t, s), titles)
				if i == 1 {
					b.Rejects = test.rejects
				}
				writing.Go(func() {
					if _, err := s.Put(t.Context(), b); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				maps.Copy(want, titles)
			}
			writing.Wait()
			if got := time.Since(began); got != test.took {
				t.Errorf("%s: got %v, want %v", test.name, got, test.took)
			}
			w.wantIndex(t, want)
			if len(s.held) != 0 {
				t.Errorf("%s: still held: got %v, want none", test.name, s.held)
			}
		})
	}
}

// sleepIn makes a step slow.
func sleepIn(name string, d time.Duration) func(string) error {
	return func(step string) error {
		if step == name {
			time.Sleep(d)
		}
		return nil
	}
}

// A Put that waits for a row returns when its context ends. The row stays held.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.start()
		w.index.Before = sleepIn("apply", time.Minute)
		first := batchOf(begin(t, s), map[doc.OID]string{one: "a"})
		go func() {
			if _, err := s.Put(t.Context(), first); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := s.Put(ctx, batchOf(begin(t, s), map[doc.OID]string{one: "b", two: "b"}))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("put: got %v after %v, want %v after 1s", err, time.Since(began), context.DeadlineExceeded)
		}
		if _, err := s.Delete(ctx, []doc.Stamp{stampOf(one, "a")}, begin(t, s), 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("delete: got %v, want %v", err, context.DeadlineExceeded)
		}
		s.locked(func() {
			if len(s.held) != 1 || !slices.Equal(s.held[0].oids, []doc.OID{one}) {
				t.Errorf("held: got %v, want row one alone", s.held)
			}
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		w.wantIndex(t, map[doc.OID]string{one: "a"})
	})
}
