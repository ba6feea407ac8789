package passes

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// Known returns the hint that a reading for all tables showed.
func (f *followed) Known() (doc.Hint, bool) {
	h, err := f.Hint(f.t.Context())
	return h, err == nil && !f.unread
}

// wantPassed passes the table's comparison by, or not.
func (f *followed) wantPassed(when string, want bool) {
	f.t.Helper()
	comparisons := f.comparisons
	jobs := f.Jobs()
	if _, got := jobs[len(jobs)-1].PassBy(f.Passes); got != want {
		f.t.Errorf("%s: passed by is %v, want %v", when, got, want)
	}
	f.want(when, comparisons)
}

// While nothing is committed, S moves without a run. Whatever else there may be is left to
// a run.
func TestComparisonIsPassedBy(t *testing.T) {
	for name, change := range map[string]func(*followed){
		"a commit":                    func(f *followed) { f.hint.Version = "2" },
		"no reading":                  func(f *followed) { f.unread = true },
		"a hint that is not exact":    func(f *followed) { f.hint.Exact = false },
		"an SQL that calls now()":     func(f *followed) { f.hint.Reason = "it calls now()" },
		"a clock that went back":      func(f *followed) { f.clock = -time.Minute },
		"ten minutes without a run":   func(*followed) { time.Sleep(compareAnyway) },
		"a table that is unverified":  func(f *followed) { f.doubt() },
		"a look that has not ended":   func(f *followed) { f.comparer.slot <- struct{}{} },
		"a process that did not look": func(f *followed) { f.comparer.looked = time.Time{} },
	} {
		follow(t, func(t *testing.T, f *followed) {
			time.Sleep(30 * time.Second)
			f.wantPassed("while nothing is committed", true)
			f.wantSettled("while nothing is committed", 0)
			change(f)
			settled := f.marks().Settled
			f.wantPassed(name, false)
			if got := f.marks().Settled; !got.Equal(settled) {
				t.Errorf("%s: S moved from %v to %v", name, settled, got)
			}
		})
	}
}

// A look for silent changes is left out while the hint shows none.
func TestLookForSilentChangesIsPassedBy(t *testing.T) {
	for name, change := range map[string]func(*watched){
		"a commit":                             func(w *watched) { w.commit(1) },
		"a commit whose counters did not come": func(w *watched) { w.commitLate(0) },
		"no reading":                           func(w *watched) { w.unread = true },
		"a table that is unverified":           func(w *watched) { w.doubt() },
		"a look that has not ended":            func(w *watched) { w.silent.using.Lock() },
		"ten minutes after a commit that was explained": func(w *watched) {
			w.window(1)
			w.commit(1)
			time.Sleep(compareAnyway)
		},
	} {
		watch(t, func(t *testing.T, w *watched) {
			w.wantPassed("while nothing is committed", true)
			change(w)
			w.wantPassed(name, false)
		})
	}
}

func (f *followed) doubt() {
	f.Trace.Note(machine.Table, func(m *timetrace.Table) { m.Doubt("for a test") })
}

// A clock step that only Ready saw is reported to the next caller that can rewind.
func TestReadyKeepsAClockStep(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	h := newSharedHorizon(&ready{readings{{Now: at.Add(time.Minute)}}, doc.Horizon{Now: at, ClockBack: time.Minute}})
	if got, ok := h.ready(); !ok || got.ClockBack != time.Minute {
		t.Errorf("got a step of %v, %v, want a minute", got.ClockBack, ok)
	}
	got, err := h.Horizon(t.Context())
	if to := got.Now.Add(-got.ClockBack); err != nil || !to.Equal(at.Add(-time.Minute)) {
		t.Errorf("next reading: got a step to %v, %v, want to %v", to, err, at.Add(-time.Minute))
	}
}

// A ready is a horizon that has a reading of another watch.
type ready struct {
	readings
	other doc.Horizon
}

func (r *ready) Ready() (doc.Horizon, bool) { return r.other, true }
