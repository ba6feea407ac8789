package deletecheck_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// A summedWorld is a world without updateTimes that is compared by sums.
type summedWorld struct {
	*world
	stored *deletecheck.Stored
}

func newSummed(w *world) *summedWorld {
	s := &summedWorld{world: w, stored: &deletecheck.Stored{Rows: 3}}
	s.Sink.Sums = s.stored
	s.Table.Timeless = true
	return s
}

// loadedSummed is such a world with rows that are in the index.
func loadedSummed(t testing.TB, rows int) *summedWorld {
	t.Helper()
	w := newSummed(newWorld(t))
	for n := range rows {
		w.put(n)
	}
	w.load(t)
	return w
}

func (w *summedWorld) sweep() *deletecheck.Sweep {
	s := w.world.sweep()
	s.Settles, s.Sums, s.Stored = true, w.Table.TokenSums, w.stored
	return s
}

// compare runs a comparison. between is called after its sums.
func (w *summedWorld) compare(t testing.TB, between func()) doc.Report {
	t.Helper()
	s := w.sweep()
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if between != nil {
		between()
	}
	return runSweep(t, s)
}

// fetch reads a row, and returns what puts it.
func (w *summedWorld) fetch(t testing.TB, row int) (put func()) {
	t.Helper()
	var fetched []doc.Batch
	for b, err := range w.Table.Docs(t.Context(), w.keysOf(row)) {
		if err != nil {
			t.Fatal(err)
		}
		fetched = append(fetched, b)
	}
	return func() {
		for _, b := range fetched {
			if _, err := w.Sink.Put(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var summedWorlds = map[string]func(testing.TB) *world{"in the order of keys": newWorld, "in another order": newTextWorld}

// A comparison lists the ranges that differ, whatever changed, and finds each change.
func TestSumsShowWhatChanged(t *testing.T) {
	for name, world := range summedWorlds {
		w := newSummed(world(t))
		w.limit(t, sink.Limits{Count: 1000})
		w.Sink.Sums = w.stored
		for i := range 20 {
			w.put(i)
		}
		w.load(t)
		if r := w.compare(t, nil); r.Compared != 0 || r.Read != 0 {
			t.Errorf("%s: without a change: got %+v, want nothing listed", name, r)
		}
		for what, change := range map[string]func(){
			"an update": func() { w.Table.Put(w.key(7), "changed") },
			"an insert": func() { w.put(30) },
			"a delete":  func() { w.Table.Delete(w.key(3)) },
			"rows that swap their texts": func() {
				w.Table.Put(w.key(10), "one")
				w.Table.Put(w.key(11), "two")
				w.compare(t, nil)
				w.Table.Put(w.key(10), "two")
				w.Table.Put(w.key(11), "one")
			},
			"a document that is lost": func() { w.removeDocument(t, w.key(15)); w.stored.Forget() },
		} {
			change()
			before := w.Table.Clock()
			w.Table.Advance(time.Second)
			if r := w.compare(t, nil); r.Compared == 0 || r.Compared > 16 {
				t.Errorf("%s, %s: got %+v, want some keys compared", name, what, r)
			}
			w.wantEqual(t)
			if s := w.Marks().Settled; !s.After(before) {
				t.Errorf("%s, %s: got S %v, want it after %v", name, what, s, before)
			}
			if r := w.compare(t, nil); r.Compared != 0 {
				t.Errorf("%s, after %s: got %+v, want nothing listed", name, what, r)
			}
		}
	}
}

// A pass fetched a row before the sums were read, and writes it after them. The row has
// changed back, so that its sum stands still.
func TestSumsOfARowThatChangedBack(t *testing.T) {
	for name, late := range map[string]bool{"written before the comparison": false, "written after its sums": true} {
		w := loadedSummed(t, 12)
		w.compare(t, nil)
		w.Table.Put(w.key(5), "other")
		put := w.fetch(t, 5)
		w.put(5) // as it was
		between := put
		if !late {
			put()
			between = nil
		}
		w.compare(t, between)
		w.wantEqual(t)
		if t.Failed() {
			t.Errorf("%s", name)
		}
	}
}

// What is committed after the sums is found by the next comparison, and S is before it.
func TestSumsBeforeTheListing(t *testing.T) {
	w := loadedSummed(t, 12)
	w.compare(t, nil)
	w.Table.Put(w.key(5), "changed") // so that the range is listed
	w.compare(t, func() {
		w.Table.Advance(time.Second)
		w.Table.Put(w.key(1), "later")
		w.put(40)
	})
	if s := w.Marks().Settled; !s.Before(w.Table.Clock()) {
		t.Errorf("got S %v, want it before the later changes at %v", s, w.Table.Clock())
	}
	w.compare(t, nil)
	w.wantEqual(t)
}

// After an epoch changed, a rewind, or where the source has no sums, all is listed.
func TestWithoutSumsAllIsListed(t *testing.T) {
	w := loadedSummed(t, 12)
	s := w.sweep()
	s.Sums = nil
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := runSweep(t, s); r.Compared != 12 {
		t.Errorf("got %+v, want all compared", r)
	}
	w.alterPage(t, w.key(4), func(p *doc.Page) { p.Token.Epoch++ })
	w.stored.Forget()
	if r := w.compare(t, nil); r.Compared == 0 || r.Compared == 12 {
		t.Errorf("after another epoch of one page: got %+v, want its range compared", r)
	}
	w.wantEqual(t)
	rewound := func() {
		w.Update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "rewound") })
	}
	before := w.Marks().Settled
	w.Table.Advance(time.Second)
	w.compare(t, rewound)
	if s := w.Marks().Settled; s.After(before) {
		t.Errorf("after a rewind during the comparison: got S %v, want at most %v", s, before)
	}
}

// A comparison that fails at any step is repeated by the next one.
func TestSumsThatFail(t *testing.T) {
	for k := 1; ; k++ {
		w := loadedSummed(t, 12)
		w.compare(t, nil)
		w.Table.Delete(w.key(5))
		w.Table.Put(w.key(9), "changed")
		w.put(40)
		w.Before(machine.FailAt(k, errors.New("fails")))
		s := w.sweep()
		err := s.Prepare(t.Context())
		if err == nil {
			_, err = s.Run(t.Context())
		}
		w.Before(nil)
		w.compare(t, nil)
		w.wantEqual(t)
		if err == nil {
			if k < 12 {
				t.Errorf("a run has %d steps, want more", k)
			}
			return
		}
		if t.Failed() {
			t.Fatalf("step %d failed", k)
		}
	}
}

// Whatever changes before, between and after the sums, the next comparison leaves
// index and database equal.
func TestSummedHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newSummed(rapid.SampledFrom([]func(testing.TB) *world{newWorld, newTextWorld}).Draw(rt, "world")(t))
		w.limit(t, sink.Limits{Count: 1000})
		w.Sink.Sums = w.stored
		change := func(what string) func() {
			rows := rapid.SliceOfN(rapid.IntRange(0, 50), 0, 12).Draw(rt, what)
			texts := rapid.SliceOfN(rapid.IntRange(0, 2), len(rows), len(rows)).Draw(rt, "texts")
			fetched := rapid.Bool().Draw(rt, "fetched")
			return func() {
				for i, row := range rows {
					var put func()
					if fetched {
						put = w.fetch(t, row)
					}
					if texts[i] == 0 {
						w.Table.Delete(w.key(row))
					} else {
						w.Table.Put(w.key(row), fmt.Sprint("text ", texts[i]))
					}
					if fetched {
						put() // what it was before
					}
				}
			}
		}
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			change("before")()
			w.compare(t, change("between"))
			w.compare(t, nil)
			w.wantSums(t)
			if got := w.different(); len(got) > 0 {
				rt.Fatalf("different: got %v, want none", got)
			}
		}
	})
}

// between runs a comparison between two sweeps of a table with updateTimes.
func (w *summedWorld) between(t testing.TB) doc.Report {
	t.Helper()
	s := w.sweep()
	s.Settles, s.Between = false, true
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return runSweep(t, s)
}

// A comparison between two sweeps finds each change, and counts those that no window
// promised to find. It moves no mark.
func TestComparisonBetweenSweeps(t *testing.T) {
	for name, world := range summedWorlds {
		w := newSummed(world(t))
		w.Table.Timeless = false
		for i := range 20 {
			w.put(i)
		}
		w.load(t)
		before := w.Marks()
		silently := func(n int, change func(*fakeworld.Row)) {
			row := w.Table.Rows()[w.key(n)]
			change(&row)
			w.Table.PutRow(w.key(n), row)
		}
		for what, c := range map[string]struct {
			change func()
			silent int
		}{
			"nothing":                     {func() {}, 0},
			"an update without its time":  {func() { silently(3, func(r *fakeworld.Row) { r.Title = "silent" }) }, 1},
			"an update without a time":    {func() { silently(4, func(r *fakeworld.Row) { r.Updated = time.Time{} }) }, 1},
			"a child":                     {func() { silently(5, func(r *fakeworld.Row) { r.Children = "child" }) }, 1},
			"a delete":                    {func() { w.Table.Delete(w.key(7)) }, 0},
			"an update with its time":     {func() { w.put(8) }, 0},
			"a row that a window brought": {func() { w.put(9); w.load(t); w.Update(t, func(m *timetrace.Table) { m.Settled = before.Settled }) }, 0},
		} {
			w.Table.Advance(time.Second)
			c.change()
			if r := w.between(t); r.Silent != c.silent {
				t.Errorf("%s, %s: got %+v, want %d silent", name, what, r, c.silent)
			}
			w.wantEqual(t)
			if after := w.Marks(); !after.Settled.Equal(before.Settled) || !after.Sweep.Equal(before.Sweep) {
				t.Errorf("%s, %s: got the marks %+v, want %+v", name, what, after, before)
			}
		}
	}
}

// A sweep that was interrupted continues after a comparison.
func TestSweepContinuesAfterAComparison(t *testing.T) {
	w := loadedSummed(t, 40)
	w.Table.Timeless = false
	s := w.world.sweep()
	lost, rests := errors.New("interrupted"), 0
	s.Rest = func(context.Context, time.Duration) error {
		if rests++; rests == 4 {
			return lost
		}
		time.Sleep(6 * time.Second)
		return nil
	}
	synctest.Test(t, func(*testing.T) {
		if _, err := s.Run(context.Background()); !errors.Is(err, lost) {
			t.Fatal(err)
		}
	})
	position := func() string {
		text, err := atomicfile.Read(w.Files, machine.Dir+"/sweep")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := position()
	w.Table.Delete(w.key(30))
	if r := w.between(t); r.Deleted != 1 {
		t.Errorf("got %+v, want one removed", r)
	}
	if after := position(); after != before {
		t.Errorf("got the position %s, want %s", after, before)
	}
	runSweep(t, w.world.sweep())
	w.wantEqual(t)
}

// A row in quarantine is fetched once for each of its versions.
func TestComparisonFetchesQuarantinedRowsThatChanged(t *testing.T) {
	w := loadedSummed(t, 10)
	w.Table.Timeless = false
	row := w.Table.Rows()[w.key(3)]
	for i, c := range []struct {
		title string
		read  int
	}{{fakeworld.Unfit + "1", 1}, {fakeworld.Unfit + "1", 0}, {fakeworld.Unfit + "2", 1}, {"fit", 1}, {"fit", 0}} {
		row.Title = c.title
		w.Table.PutRow(w.key(3), row)
		if r := w.between(t); i > 0 && r.Read != c.read {
			t.Errorf("%q: got %+v, want %d read", c.title, r, c.read)
		}
		if got := w.Quarantine.Has(w.key(3)); got != (c.title != "fit") {
			t.Errorf("%q: in quarantine: got %t", c.title, got)
		}
	}
	w.wantEqual(t)
}
