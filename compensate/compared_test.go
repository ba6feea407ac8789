package compensate_test

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
)

// A version that was compared is not compared again, and S still moves.
func TestSameVersionCostsNoStamps(t *testing.T) {
	w := newWorld(t)
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	c := w.compared()
	for range 2 { // the first run of a process always compares
		w.Table.Put(fakeworld.Key(1), "row")
		for range 10 {
			w.Table.Advance(time.Second)
			run(t, c)
			if m := w.Marks(); !m.Settled.Equal(w.Table.Clock()) || m.Mode != "compared" {
				t.Errorf("got S %v, %s, want %v, compared", m.Settled, m.Mode, w.Table.Clock())
			}
		}
		w.WantAll(t)
	}
	if got := steps.Of("hint"); got != 20 {
		t.Errorf("hints: got %d, want 20", got)
	}
	if got := steps.Of("stamps"); got != 2 {
		t.Errorf("comparisons: got %d, want one a version, 2", got)
	}
	run(t, w.compared())
	if got := steps.Of("stamps"); got != 3 {
		t.Errorf("comparisons after a restart: got %d, want 3", got)
	}
}

// A hint is covered if nothing was committed after the one of the last comparison.
func TestCovers(t *testing.T) {
	w := newWorld(t)
	w.Table.Put(fakeworld.Key(1), "row")
	c := w.compared()
	covers := func() bool {
		t.Helper()
		h, err := c.Hints.Hint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c.Covers(h)
	}
	if covers() {
		t.Error("before the first comparison: got a hint that is covered")
	}
	run(t, c)
	if !covers() {
		t.Error("after a comparison: got a hint that is not covered")
	}
	w.Table.Put(fakeworld.Key(2), "row")
	if covers() {
		t.Error("after a commit: got a hint that is covered")
	}
}

// All of the table is compared, whatever its updateTime.
func TestComparedFindsAnyUpdateTime(t *testing.T) {
	w := newWorld(t)
	x := w.Table.Begin()
	x.PutAt(fakeworld.Key(1), "long ago", time.Unix(0, 0).UTC())
	x.PutAt(fakeworld.Key(2), "far from now", w.begin.AddDate(100, 0, 0))
	x.Put(fakeworld.Key(3), "now")
	x.Commit()
	c := w.compared()
	run(t, c)
	w.WantAll(t)
	w.Table.Delete(fakeworld.Key(1))
	run(t, c)
	w.checkRepaired(t)
}

// A commit before any step of a run is not below S until it is in the index. So
// the hint is read before the stamps.
func TestCommitBetweenTheSteps(t *testing.T) {
	for _, changed := range []bool{false, true} { // since the last version
		for k := 1; ; k++ {
			w := newWorld(t)
			w.Table.Put(fakeworld.Key(1), "row")
			c := w.compared()
			run(t, c)
			w.Table.Advance(time.Second)
			if changed {
				w.Table.Put(fakeworld.Key(2), "row")
			}
			left := k
			w.Table.Before = func(string) error {
				if left--; left == 0 {
					w.Table.Put(fakeworld.Key(3), "row")
					w.Table.Advance(time.Second)
				}
				return nil
			}
			run(t, c)
			w.Table.Before = nil
			if left > 0 {
				break
			}
			w.wantHonest(t)
			run(t, c)
			w.WantAll(t)
			if t.Failed() {
				t.Fatalf("after a commit before step %d", k)
			}
		}
	}
}

// inexact is a table whose SQL may change without a commit.
type inexact struct{ *fakeworld.Table }

func (i inexact) Hint(ctx context.Context) (doc.Hint, error) {
	h, err := i.Table.Hint(ctx)
	h.Exact = false
	return h, err
}

// An inexact hint that stood still moves no S without a comparison.
func TestInexactHintIsCompared(t *testing.T) {
	w := newWorld(t)
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	c := w.compared()
	c.Hints = inexact{w.Table}
	for n := range 3 {
		w.Table.Advance(time.Second)
		run(t, c)
		if got := steps.Of("stamps"); got != n+1 {
			t.Errorf("comparisons after %d runs: got %d, want one a run", n+1, got)
		}
	}
}
