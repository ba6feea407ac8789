package passes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// A watched is a table with updateTimes. A test writes what its windows find.
type watched struct {
	followed
	machine *machine.Machine
	report  doc.Report
	err     error
}

func (w *watched) compare(context.Context) (doc.Report, time.Duration, error) {
	if w.err == nil {
		w.comparisons++
	}
	return w.report, w.cost, w.err
}

// watch runs a test of a table that has been compared once. It is looked at after a
// window has ended.
func watch(t *testing.T, test func(*testing.T, *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := machine.New(t, fakeworld.NewTable(10))
		m.Update(t, func(m *timetrace.Table) { m.Loaded = true })
		w := &watched{machine: m}
		w.t, w.documents, w.hint = t, 10, doc.Hint{Version: "1", Counters: "1", Exact: true, Plain: "film"}
		w.config(m, configs.Table{Name: machine.Table, Updated: "updated", Compensate: configs.Compensate{Horizon: "timeout"}}, w.compare)
		w.run = func() (doc.Report, error) {
			w.window(0)
			return w.lookForSilent(t.Context())
		}
		w.look(2)
		w.want("at the start", 1)
		test(t, w)
	})
}

// window indexes so many rows that changed, and moves the mark.
func (w *watched) window(rows int) {
	w.t.Helper()
	var oids []doc.OID
	for n := range rows {
		w.machine.Table.Put(fakeworld.Key(n), time.Now().String())
		oids = append(oids, fakeworld.Key(n))
	}
	for b, err := range w.machine.Table.Docs(w.t.Context(), oids) {
		if err == nil {
			_, err = w.machine.Sink.Put(w.t.Context(), b)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.machine.Update(w.t, func(m *timetrace.Table) { m.Incremental = time.Now().Add(w.clock) })
}

// commit lets the database show a commit of so many changes, whose counters have come.
func (w *watched) commit(changes int64) {
	w.hint.Version += "+"
	w.hint.Counters, w.hint.Counted = w.hint.Version, true
	w.hint.Changes += changes
}

// commitLate is commit while others follow, so that more counters may come.
func (w *watched) commitLate(changes int64) {
	w.commit(changes)
	w.hint.Counted = false
}

func TestChangeThatNoWindowExplainsIsCompared(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.look(30)
		w.want("while nothing is committed", 1)
		w.commit(1)
		w.look(2)
		w.want("after a commit", 2)
		w.look(30)
		w.want("half a minute later", 2)
	})
}

func TestChangeThatAWindowExplainsIsNotCompared(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.window(3)
		w.commit(3)
		w.look(int(compareAnyway/LookEvery) - 10)
		w.want("after three changes of three rows", 1)
		w.window(3)
		w.commit(4)
		w.look(3)
		w.want("after four changes of three rows", 2)
		w.window(2)
		w.commit(2)
		w.look(int(compareAnyway/LookEvery) + 2)
		w.want("after ten minutes", 3)
	})
}

// A row whose updateTime is before the hint may have been counted there.
func TestRowFromBeforeTheHintExplainsNothing(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.clock = 50 * 365 * 24 * time.Hour // far after the rows
		w.commit(1)
		w.look(2)
		w.want("after a commit", 2)
		w.window(1)
		w.commit(1)
		w.look(2)
		w.want("after a commit and an older row", 3)
	})
}

func TestTruncateIsNotExplained(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.commit(0)
		w.hint.Plain = "film, truncated"
		w.look(2)
		w.want("after a TRUNCATE", 2)
	})
}

// Removed documents explain changes, but for those that the guard had held.
func TestRemovalExplains(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.window(4)
		w.commit(5)
		w.look(2)
		w.want("after a silent change", 2)
		remove := func(n int) {
			stamps, err := w.machine.Sink.Stored([]doc.OID{fakeworld.Key(n)})
			if err == nil {
				_, err = w.machine.Sink.Delete(t.Context(), stamps, 1<<40, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		remove(0)
		w.commit(1)
		w.look(5)
		w.want("after a removal", 2)
		w.report.Held = 1
		w.commit(1)
		w.look(2)
		w.want("after another silent change", 3)
		remove(1)
		w.commit(1)
		w.look(2)
		w.want("after a removal that was held before", 4)
	})
}

// Changes that windows may explain are compared less often: in the time that a silent
// change may take to be found.
func TestTrafficIsComparedLessOften(t *testing.T) {
	for documents, want := range map[uint64]int{10: 1 + 100/2, 1_000_000: 1 + 100/30} {
		watch(t, func(t *testing.T, w *watched) {
			w.documents = documents
			for range 100 {
				w.window(3)
				w.commitLate(4)
				w.look(1)
			}
			if w.comparisons < want-1 || w.comparisons > want+1 {
				t.Errorf("%d documents: got %d comparisons in 100 s, want about %d", documents, w.comparisons, want)
			}
		})
	}
}

// A silent change is compared as soon as others, also if windows have found more than
// the counters show, as those of a session that idles come last.
func TestSilentChangeBesideTrafficDoesNotWaitForItsCounters(t *testing.T) {
	for documents, within := range map[uint64]int{10: 3, 100_000: 3, 1_000_000: 30} {
		watch(t, func(t *testing.T, w *watched) {
			w.documents = documents
			for range 100 {
				before := w.comparisons
				for n := 0; w.comparisons == before; n++ {
					if n > within {
						t.Fatalf("%d documents: no comparison in %d s", documents, n)
					}
					w.window(3)
					w.commitLate(3)
					w.look(1)
				}
			}
		})
	}
}

// A large table, and one whose updateTime the database sets, is not compared for what
// windows found until complete counters show whether that is all.
func TestRareComparisonWaitsForTheCounters(t *testing.T) {
	for _, rarely := range []bool{false, true} {
		watch(t, func(t *testing.T, w *watched) {
			w.look(int(compareAnyway/LookEvery) / 2)
			if w.silent.rarely = rarely; !rarely {
				w.documents = 1_000_000
			}
			for range 5 {
				w.window(3)
				w.commitLate(3)
				w.look(int(countersCome/LookEvery) - 1)
				w.hint.Counted = true
				w.look(5)
			}
			w.want("after changes that windows found", 1)
			w.window(3)
			w.commitLate(3)
			w.busy(int(countersCome/LookEvery) + 2)
			w.want("after counters that do not become complete", 2)
		})
	}
}

// Where the database sets updateTime itself, a change without it is rare.
func TestMaintainedTableIsComparedRarely(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.silent.rarely = true
		for range 100 {
			w.commit(1)
			w.look(1)
		}
		if w.comparisons < 9 || w.comparisons > 12 {
			t.Errorf("got %d comparisons in 100 s, want about 10", w.comparisons)
		}
	})
	watch(t, func(t *testing.T, w *watched) {
		w.maintained, w.silent.known = true, false
		w.commit(1)
		w.look(2)
		w.want("after a commit", 1)
		w.look(10)
		w.want("after ten seconds", 2)
	})
}

// What was committed, of which counters show nothing yet, is compared once.
func TestCommitWithLateCountersIsComparedOnce(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.busy(10)
		w.want("while commits are made", 2)
		w.busy(10)
		w.want("ten seconds later", 3)
	})
	watch(t, func(t *testing.T, w *watched) {
		w.documents = 1_000_000
		w.window(1)
		w.busy(int(unknownAgain / LookEvery))
		w.want("after a commit whose row a window found", 1)
	})
}

// Counters that did not move, and prove nothing, are believed for ten minutes.
func TestUnprovenTableIsComparedAfterTenMinutes(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.hint.Weak, w.hint.Counted = true, true
		for range int(compareAnyway/LookEvery) - 10 {
			w.hint.Version += "+"
			w.look(1)
		}
		w.want("before ten minutes", 1)
		for range 12 {
			w.hint.Version += "+"
			w.look(1)
		}
		w.want("after them", 2)
	})
}

// A small table is compared if its sum is not that of its documents.
func TestSmallWatchedTableBesideABusyNeighbour(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.total = Total{Known: true, Equal: true}
		w.busy(60)
		w.want("while others commit", 1)
		w.total.Equal = false
		w.busy(2)
		w.want("after a change", 2)
	})
}

// A window has the first chance to find a row.
func TestComparisonWaitsForTheNextWindow(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.commit(1)
		for range int(patience / LookEvery) {
			time.Sleep(LookEvery)
			if _, err := w.lookForSilent(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.want("before the next window", 1)
		w.look(1)
		w.want("after it", 2)
	})
}

func TestComparisonWaitsForASweep(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.err = ErrNotNow
		w.commit(1)
		w.look(5)
		w.err = nil
		w.look(2)
		w.want("after the sweep", 2)
		w.machine.Update(t, func(m *timetrace.Table) { m.Doubt("failed over") })
		w.commit(1)
		w.look(5)
		w.want("while a sweep is due", 2)
	})
	watch(t, func(t *testing.T, w *watched) {
		lost := errors.New("lost")
		w.commit(1)
		w.look(1)
		w.err = lost
		time.Sleep(LookEvery)
		w.window(0)
		if _, err := w.lookForSilent(t.Context()); !errors.Is(err, lost) {
			t.Errorf("got %v, want the error", err)
		}
	})
}

func TestTableThatDidNotChangeSinceItsLoadIsNotCompared(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.Passes = New(w.Config)
		w.Loaded(w.hint)
		w.look(10)
		w.want("after a load", 1)
		w.commit(1)
		w.look(2)
		w.want("after a commit", 2)
	})
}

func TestWithoutHintsNothingIsCompared(t *testing.T) {
	watch(t, func(t *testing.T, w *watched) {
		w.hint = doc.Hint{Reason: "a standby"}
		w.look(30)
		w.want("on a standby", 1)
	})
}
