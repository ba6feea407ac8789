package deletecheck_test

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// newTimelessWorld is a loaded world of rows without updateTimes.
func newTimelessWorld(t testing.TB, rows int) *world {
	t.Helper()
	table := fakeworld.NewTable(batch)
	table.Page, table.Timeless = 3, true
	w := newWorldOf(t, table, fakeworld.Key)
	for n := range rows {
		w.put(n)
	}
	w.load(t)
	return w
}

// compare runs a sweep that moves S.
func (w *world) compare(t testing.TB) {
	t.Helper()
	w.Table.Advance(time.Second)
	s := w.sweep()
	s.Settles = true
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestComparisonMovesS(t *testing.T) {
	w := newTimelessWorld(t, 20)
	durable := func() time.Time { return w.Trace.Durable()[machine.Table].Settled }
	before := durable()
	w.put(3, 30)
	w.Table.Delete(w.key(5))
	began := w.Table.Clock().Add(time.Second)
	w.Table.Before = func(step string) error {
		if step == "stamps in range" {
			w.Table.Advance(time.Minute)
		}
		return nil
	}
	w.compare(t)
	if got := w.Marks(); !got.Settled.Equal(began) || got.Mode != "compared" || !before.Before(began) {
		t.Errorf("got S %v (%s), want the time before the first row was compared, %v (compared)", got.Settled, got.Mode, began)
	}
	w.WantAll(t)
	if ghosts := w.Ghosts(); len(ghosts) > 0 {
		t.Errorf("got ghosts %v, want none", ghosts)
	}
}

// A comparison that changes nothing writes no file: a restart repeats it.
func TestComparisonWithoutDifferencesIsNoted(t *testing.T) {
	w := newTimelessWorld(t, 20)
	before := w.Marks().Settled
	w.compare(t)
	noted := w.Marks().Settled
	w.Crash(t, func(int) int { return 0 })
	if got := w.Marks().Settled; !got.Equal(before) || !noted.After(before) {
		t.Errorf("got S %v after a crash, and %v before it, want %v and later", got, noted, before)
	}
	w.Table.Put(w.key(3), "changed")
	w.compare(t)
	written := w.Marks().Settled
	w.Crash(t, func(int) int { return 0 })
	if got := w.Marks().Settled; !got.Equal(written) {
		t.Errorf("got S %v after a crash, want %v: a row differed", got, written)
	}
}

func TestRewindDuringAComparisonLeavesS(t *testing.T) {
	w := newTimelessWorld(t, 20)
	w.put(3)
	to := w.Marks().Settled.Add(-time.Minute)
	rewound := false
	w.Table.Before = func(step string) error {
		if step == "stamps in range" && !rewound {
			rewound = true
			w.Update(t, func(m *timetrace.Table) { m.Rewind(to, "restored") })
		}
		return nil
	}
	w.compare(t)
	if got := w.Marks(); !got.Settled.Equal(to) || got.Unverified == "" {
		t.Errorf("got S %v, unverified %q, want %v, and unverified until the next comparison", got.Settled, got.Unverified, to)
	}
	w.compare(t)
	if got := w.Marks(); !got.Settled.After(to) || got.Unverified != "" {
		t.Errorf("after the next comparison: got S %v, unverified %q, want a later one, and verified", got.Settled, got.Unverified)
	}
}

// Without updateTimes only a comparison shows whether a difference is in flight.
func TestVerifyComparesInsteadOfWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		compares        bool
		lost, unsettled int
	}{
		"a comparison": {true, 0, 0},
		"none":         {false, 0, 1},
	} {
		w := newTimelessWorld(t, 20)
		w.put(30)
		v := w.verify()
		v.Timeless, v.Live, v.Wait = true, true, time.Minute
		v.Settle = func(context.Context) error {
			if c.compares {
				w.compare(t)
			}
			return nil
		}
		if !c.compares {
			v.Wait = time.Millisecond
		}
		r, err := v.Run(t.Context())
		if err != nil || r.Lost != c.lost || r.Unsettled != c.unsettled || r.Stale+r.Ghost+r.Torn > 0 {
			t.Errorf("%s: got %+v, %v, want %d lost and %d unsettled", name, r, err, c.lost, c.unsettled)
		}
	}
}

// A row that differs after a comparison is a difference.
func TestVerifyFindsLossAfterAComparison(t *testing.T) {
	w := newTimelessWorld(t, 20)
	v := w.verify()
	v.Timeless, v.Live, v.Wait = true, true, time.Minute
	w.put(30)
	v.Settle = func(context.Context) error { // S moves although the row is not indexed
		w.Table.Advance(time.Second)
		w.Update(t, func(m *timetrace.Table) { m.Settle(w.Table.Clock(), "compared") })
		return nil
	}
	if r, err := v.Run(t.Context()); err != nil || r.Lost != 1 {
		t.Errorf("got %+v, %v, want 1 lost", r, err)
	}
}
