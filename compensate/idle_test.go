package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/test/fakeworld"
	"indexerd/timetrace"
)

// While nothing is committed S moves and no stamp is read.
func TestNothingCommittedCostsNoStamps(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	o := observe(e.Comparison)
	for n := range 3 {
		x := w.Table.Begin()
		x.Put(fakeworld.Key(n), "late")
		for range 5 {
			w.Table.Advance(time.Second)
			run(t, w.follow)
			runExact(t, e)
		}
		if o.windows != n+1 {
			t.Errorf("comparisons while a transaction is open: got %d, want %d, one a commit and one at first", o.windows, n+1)
		}
		x.Commit()
		for range 5 {
			w.Table.Advance(time.Second)
			run(t, w.follow)
			runExact(t, e)
			if got, want := w.Marks().Settled, w.Table.Clock(); !got.Equal(want) {
				t.Errorf("S: got %v, want the clock, %v", got, want)
			}
		}
		w.WantAll(t)
		w.wantHonest(t)
	}
}

// A row with an updateTime in the future is compared before S passes it, unless
// incremental has read that far.
func TestIdleComparesWhatIncrementalHasNot(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	x := w.Table.Begin()
	x.PutAt(fakeworld.Key(1), "in half a minute", w.Table.Clock().Add(30*time.Second))
	x.Commit()
	runExact(t, e)
	w.Table.Advance(time.Minute)
	runExact(t, e)
	w.WantAll(t)
	w.wantHonest(t)
}

// After a rewind Exact compares again, although nothing was committed since.
func TestIdleComparesARewind(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	w.Table.Advance(time.Hour)
	run(t, w.follow)
	runExact(t, e)
	x := w.Table.Begin()
	x.PutAt(fakeworld.Key(1), "by a clock that was set back", w.Table.Clock().Add(-30*time.Minute))
	x.Commit()
	runExact(t, e)
	w.Update(t, func(m *timetrace.Table) { m.Rewind(w.Table.Clock().Add(-time.Hour), "a step of the clock") })
	w.Table.Advance(time.Second)
	w.Update(t, func(m *timetrace.Table) { m.Incremental = w.Table.Clock() }) // incremental reads no further back than its overlap
	runExact(t, e)
	w.WantAll(t)
	w.wantHonest(t)
}
