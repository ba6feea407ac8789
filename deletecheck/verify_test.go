package deletecheck_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// damages are changes of row 7 of ten that no pass made, and the kind of difference
// that verify counts.
var damages = []struct {
	name    string
	do      func(testing.TB, *world)
	content bool // found only with Content
	want    func(*deletecheck.Result) (*int, *[]doc.OID)
}{
	{"a document removed alone", func(t testing.TB, w *world) { w.removeDocument(t, w.key(7)) }, false, lost},
	{"a page removed alone", func(t testing.TB, w *world) { w.removePage(t, w.key(7)) }, false, torn},
	{"a document removed, and its page's version lost", func(t testing.TB, w *world) {
		w.removeDocument(t, w.key(7))
		w.alterPage(t, w.key(7), func(p *doc.Page) { p.V = 0 })
	}, false, lost},
	{"document and page removed", func(t testing.TB, w *world) {
		w.removeDocument(t, w.key(7))
		w.removePage(t, w.key(7))
	}, false, lost},
	{"a page's stamp altered", func(t testing.TB, w *world) {
		w.alterPage(t, w.key(7), func(p *doc.Page) { p.Updated = p.Updated.Add(time.Second) })
	}, false, stale},
	{"a page's text altered", func(t testing.TB, w *world) {
		w.alterPage(t, w.key(7), func(p *doc.Page) { p.Body = []byte(`{"row":{"title":"another"}}`) })
	}, true, torn},
	{"a page's text is no row", func(t testing.TB, w *world) {
		w.alterPage(t, w.key(7), func(p *doc.Page) { p.Body = []byte(`{"row":`) })
	}, true, torn},
	{"a page damaged", func(t testing.TB, w *world) {
		w.alterPage(t, w.key(7), func(p *doc.Page) { p.Body = nil })
	}, true, torn},
	{"a document altered", func(t testing.TB, w *world) {
		w.alterDocument(t, w.key(7), func(d *doc.Doc) { d.V++ })
	}, false, torn},
	{"a document without a version in its place", func(t testing.TB, w *world) {
		w.alterDocument(t, w.key(7), func(d *doc.Doc) { d.V = 0 })
	}, false, lost},
	{"a child changed without its updateTime", func(t testing.TB, w *world) {
		row := w.Table.Rows()[w.key(7)]
		row.Children = "another"
		w.Table.PutRow(w.key(7), row)
	}, false, stale},
	{"a row set back in time", func(t testing.TB, w *world) {
		w.Table.PutRow(w.key(7), fakeworld.Row{Title: "older", Updated: w.Table.Clock().Add(-time.Hour)})
	}, false, stale},
	{"a row without a time", func(t testing.TB, w *world) {
		w.Table.PutRow(w.key(40), fakeworld.Row{Title: "timeless"})
	}, false, func(r *deletecheck.Result) (*int, *[]doc.OID) { return &r.Lost, &r.First.Lost }},
	{"a removal that the guard holds", func(t testing.TB, w *world) {
		w.limit(t, sink.Limits{})
		w.Table.Delete(w.key(7))
		if report := runSweep(t, w.sweep()); report.Held != 1 {
			t.Fatalf("held: got %d, want 1", report.Held)
		}
	}, false, ghost},
	{"a row gone while the table is unverified", func(t testing.TB, w *world) {
		w.Table.Delete(w.key(7))
		w.Update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "restored") })
	}, false, ghost},
	{"a page with neither row nor document", func(t testing.TB, w *world) {
		w.Table.Delete(w.key(7))
		w.removeDocument(t, w.key(7))
		w.Update(t, func(m *timetrace.Table) { m.Unverified = "restored" })
	}, false, torn},
	{"a document with neither row nor page", func(t testing.TB, w *world) {
		w.Table.Delete(w.key(7))
		w.removePage(t, w.key(7))
		w.alterDocument(t, w.key(7), func(d *doc.Doc) { d.V = 0 })
		w.Update(t, func(m *timetrace.Table) { m.Unverified = "restored" })
	}, false, ghost},
}

func lost(r *deletecheck.Result) (*int, *[]doc.OID)  { return &r.Lost, &r.First.Lost }
func stale(r *deletecheck.Result) (*int, *[]doc.OID) { return &r.Stale, &r.First.Stale }
func ghost(r *deletecheck.Result) (*int, *[]doc.OID) { return &r.Ghost, &r.First.Ghost }
func torn(r *deletecheck.Result) (*int, *[]doc.OID)  { return &r.Torn, &r.First.Torn }

// Verify counts each kind of damage and returns its key, and a repair removes it.
func TestVerifyFindsAndRepairsDamage(t *testing.T) {
	for world, begin := range map[string]func(testing.TB) *world{"ordered": newWorld, "text": newTextWorld} {
		for _, test := range damages {
			t.Run(world+"/"+test.name, func(t *testing.T) {
				w := begin(t)
				w.put(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
				w.load(t)
				if got := runVerify(t, w.verify()); !got.Equal() || got.Compared != 10 {
					t.Fatalf("before: got %+v, want 10 compared, equal", got)
				}
				test.do(t, w)
				w.settle(t)
				v := w.verify()
				got := runVerify(t, v)
				n, first := test.want(&got)
				key := w.key(7)
				if _, there := w.Table.Rows()[w.key(40)]; there {
					key = w.key(40)
				}
				if *n != 1 || !slices.Equal(*first, []doc.OID{key}) || got.Different() != 1 || got.Unsettled+got.Pending > 0 {
					t.Errorf("got %+v, want this one alone", got)
				}
				v = w.verify()
				v.Content = false
				if got := runVerify(t, v); got.Equal() != test.content {
					t.Errorf("without reading pages: equal %t, want %t", got.Equal(), test.content)
				}
				v = w.verify()
				v.Repair = true
				if got := runVerify(t, v); got.Repaired != 1 || !got.Equal() || got.Unsettled+got.Pending > 0 {
					t.Errorf("repaired: got %+v, want 1, then equal", got)
				}
				if _, there := w.Table.Rows()[w.key(7)]; !there {
					if _, indexed := w.Index.Title(w.key(7)); indexed {
						t.Error("the document is there still")
					}
				}
				w.wantEqual(t)
			})
		}
	}
}

func TestVerifyWritesNothing(t *testing.T) {
	w := loaded(t, 10)
	w.removeDocument(t, w.key(3))
	w.removePage(t, w.key(4))
	w.Table.Delete(w.key(5))
	steps := &machine.Counter{}
	w.Before(steps.Before(nil))
	v := w.verify()
	v.Sink, v.Allow = nil, nil
	runVerify(t, v)
	for _, step := range []string{"apply", "put pages", "delete pages", "add", "clear", "Rename"} {
		if n := steps.Of(step); n > 0 {
			t.Errorf("%s: got %d, want 0", step, n)
		}
	}
}

// A document whose row was deleted since the last sweep is pending. A repair leaves
// it to the next sweep.
func TestPending(t *testing.T) {
	w := loaded(t, 10)
	w.Table.Delete(w.key(7))
	w.removeDocument(t, w.key(2))
	v := w.verify()
	v.Repair = true
	if got := runVerify(t, v); got.Repaired != 1 || got.Pending != 1 || !got.Equal() {
		t.Errorf("got %+v, want 1 repaired and 1 pending", got)
	}
	runSweep(t, w.sweep())
	if got := runVerify(t, w.verify()); got.Pending != 0 || !got.Equal() {
		t.Errorf("after the sweep: got %+v, want none pending", got)
	}
	w.wantEqual(t)
}

// A document whose removal the guard held is a ghost. One whose row was deleted
// later is pending, also while another sweep runs.
func TestHeldAndPending(t *testing.T) {
	w := loaded(t, 12)
	w.limit(t, sink.Limits{})
	w.Table.Delete(w.key(3))
	w.Table.Delete(w.key(8))
	runSweep(t, w.sweep())
	w.Table.Delete(w.key(1))
	w.Table.Delete(w.key(10))
	want := func() {
		t.Helper()
		got := runVerify(t, w.verify())
		if !slices.Equal(got.First.Ghost, w.keysOf(3, 8)) || got.Ghost != 2 || got.Pending != 2 {
			t.Errorf("got %+v, want ghosts 3 and 8 and 2 pending", got)
		}
	}
	want()
	s := w.sweep()
	s.Rest = func(context.Context, time.Duration) error { want(); return errors.New("stop") }
	if _, err := s.Run(t.Context()); err == nil {
		t.Error("got no error, want the one of the rest")
	}
	runSweep(t, w.sweep())
	if got := runVerify(t, w.verify()); got.Ghost != 4 || got.Pending != 0 {
		t.Errorf("after another sweep: got %+v, want 4 ghosts", got)
	}
}

// A repair removes as many ghosts as were counted. Removals of rows that are deleted
// meanwhile go through the guard.
func TestRepairRemovesWhatWasCounted(t *testing.T) {
	w := loaded(t, 12)
	w.limit(t, sink.Limits{})
	w.Table.Delete(w.key(3))
	runSweep(t, w.sweep())
	w.removePage(t, w.key(7)) // torn, to be fetched
	v := w.verify()
	v.Repair = true
	var allowed []int
	v.Allow = func(n int) {
		allowed = append(allowed, n)
		w.Guard.Allow(n)
	}
	wiped := false
	w.Table.Before = func(step string) error {
		if step == "behind" && !wiped { // the repair begins
			wiped = true
			w.Table.Delete(w.key(7))
		}
		return nil
	}
	got := runVerify(t, v)
	if n := len(w.Index.Titles()); n != 11 {
		t.Errorf("got %d documents, want 11: one removal was counted; %+v", n, got)
	}
	if want := []int{1, 0}; !slices.Equal(allowed, want) {
		t.Errorf("allowed: got %v, want %v", allowed, want)
	}
}

// A row in quarantine is counted as quarantined only.
func TestQuarantinedIsNoDifference(t *testing.T) {
	w := loaded(t, 5)
	w.Table.Put(w.key(2), fakeworld.Unfit+"now")
	w.Table.Put(w.key(9), fakeworld.Unfit+"from the start")
	w.load(t)
	w.Table.NoKey = []doc.Reject{{Reason: "the key is NULL"}} // which no sweep has listed yet
	if got := runVerify(t, w.verify()); got.Quarantined != 3 || !got.Equal() || got.Unsettled > 0 {
		t.Errorf("got %+v, want 3 in quarantine", got)
	}
}

// The last document of a row in quarantine and its page are of one write. After a crash
// between both they are not: the row is torn too, until it is fetched again.
func TestQuarantinedRowIsTorn(t *testing.T) {
	w := loaded(t, 5)
	w.Table.Put(w.key(2), fakeworld.Unfit+"now")
	w.load(t)
	w.alterDocument(t, w.key(2), func(d *doc.Doc) { d.V++ })
	got := runVerify(t, w.verify())
	if got.Quarantined != 1 || got.Torn != 1 || !slices.Equal(got.First.Torn, w.keysOf(2)) {
		t.Errorf("got %+v, want row 2 in quarantine and torn", got)
	}
	v := w.verify()
	v.Repair = true
	if got := runVerify(t, v); got.Quarantined != 1 || !got.Equal() || got.Repaired != 1 {
		t.Errorf("repaired: got %+v, want row 2 in quarantine alone", got)
	}
}

// Verify waits until rows in flight have settled. A row that the daemon indexes
// meanwhile is no difference; one that it does not index is lost.
func TestVerifyWaitsForRowsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := loaded(t, 5)
		w.Table.LetClockRun()
		w.put(6, 7)
		settled := w.Marks().Settled
		go func() {
			time.Sleep(3 * time.Second)
			for b, err := range w.Table.Docs(t.Context(), w.keysOf(6)) {
				if err == nil {
					_, err = w.Sink.Put(t.Context(), b)
				}
				if err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Second)
			w.Update(t, func(m *timetrace.Table) { m.Settle(w.Table.Clock(), "exact") })
		}()
		began := time.Now()
		v := w.verify()
		v.Live, v.Wait = true, 30*time.Second
		got := runVerify(t, v)
		if !slices.Equal(got.First.Lost, w.keysOf(7)) || got.Lost != 1 || got.Unsettled > 0 {
			t.Errorf("got %+v, want row 7 lost", got)
		}
		if took := time.Since(began); took < 4*time.Second || took > 5*time.Second {
			t.Errorf("took %v, want as long as it settles", took)
		}
		if !w.Marks().Settled.After(settled) {
			t.Error("S did not move")
		}
	})
}

// After the wait, a doubt is a difference if its updateTime is below S, and
// unsettled if not.
func TestUnsettled(t *testing.T) {
	for _, live := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := loaded(t, 5)
			w.removeDocument(t, w.key(2))
			w.put(6)
			began := time.Now()
			v := w.verify()
			v.Live, v.Wait = live, 2*time.Second
			got := runVerify(t, v)
			if got.Lost != 1 || got.Unsettled != 1 || !slices.Equal(got.First.Lost, w.keysOf(2)) {
				t.Errorf("got %+v, want row 2 lost and one unsettled", got)
			}
			if waited := time.Since(began) >= 2*time.Second; waited != live {
				t.Errorf("live %t: waited %t, want it to wait for a daemon only", live, waited)
			}
		})
	}
}

// A row that changes at every read is unsettled.
func TestRowThatChangesAtEveryReadIsUnsettled(t *testing.T) {
	w := loaded(t, 5)
	w.put(6)
	n := 0
	w.Table.Before = func(step string) error {
		if step == "stamps of" {
			n++
			w.Table.Put(w.key(6), fmt.Sprint(n))
		}
		return nil
	}
	w.Update(t, func(m *timetrace.Table) { m.Settle(w.Table.Clock().Add(time.Hour), "exact") })
	if got := runVerify(t, w.verify()); got.Unsettled != 1 || !got.Equal() {
		t.Errorf("got %+v, want one unsettled", got)
	}
}

// The first ten keys are listed, and all are counted.
func TestFirstTen(t *testing.T) {
	w := newWorld(t)
	for n := range 30 {
		w.put(n)
	}
	w.settle(t)
	got := runVerify(t, w.verify())
	if got.Lost != 30 || len(got.First.Lost) != 10 {
		t.Errorf("got %d lost, %d listed, want 30 and 10", got.Lost, len(got.First.Lost))
	}
}

// A removal is no longer held after it was made, by the sweep that held the others
// or by a later one. A key that is used again and deleted again is pending.
func TestRemovedKeysAreNotHeld(t *testing.T) {
	w := loaded(t, 12)
	w.limit(t, sink.Limits{})
	remove := func(rows ...int) {
		for _, n := range rows {
			w.Table.Delete(w.key(n))
		}
	}
	again := func(rows ...int) {
		w.put(rows...)
		w.load(t)
		remove(rows...)
	}
	remove(2, 3, 4)
	w.Guard.Allow(2)
	if got := runSweep(t, w.sweep()); got.Deleted != 2 || got.Held != 1 {
		t.Fatalf("deleted %d, held %d, want 2 and 1", got.Deleted, got.Held)
	}
	again(2, 3)
	if got := runVerify(t, w.verify()); got.Ghost != 1 || got.Pending != 2 {
		t.Errorf("got %+v, want 1 ghost and 2 pending", got)
	}
	w.Guard.Allow(3)
	if got := runSweep(t, w.sweep()); got.Deleted != 3 || got.Held != 0 {
		t.Fatalf("deleted %d, held %d, want 3 and 0", got.Deleted, got.Held)
	}
	again(4)
	if got := runVerify(t, w.verify()); got.Ghost != 0 || got.Pending != 1 {
		t.Errorf("got %+v, want 1 pending", got)
	}
}
