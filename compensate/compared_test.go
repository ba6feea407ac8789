package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
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
	if got := steps.Of("version"); got != 20 {
		t.Errorf("versions asked for: got %d, want 20", got)
	}
	if got := steps.Of("stamps"); got != 2 {
		t.Errorf("comparisons: got %d, want one a version, 2", got)
	}
	run(t, w.compared())
	if got := steps.Of("stamps"); got != 3 {
		t.Errorf("comparisons after a restart: got %d, want 3", got)
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
// the clock is read before the version, and the version before the stamps.
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
