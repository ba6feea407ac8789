package sink

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A guardedCount is a number of documents with a guard.
type guardedCount struct {
	*Guard
	size int
	made []removal // admitted or exempt
}

func newGuardedCount(size int, l Limits) *guardedCount {
	h := &guardedCount{size: size}
	h.Guard = NewGuard(l, func() (uint64, error) { return uint64(h.size), nil })
	return h
}

// remove makes the removals of a batch that the guard admits, and returns how many.
func (h *guardedCount) remove(t rapid.TB, n, left int) int {
	t.Helper()
	r, err := h.admit(n, left)
	if err != nil {
		t.Fatal(err)
	}
	h.size -= r.n
	h.made = append(h.made, r)
	return r.n
}

// pass removes documents in batches, and returns how many. It calls between, if not
// nil, before each batch.
func (h *guardedCount) pass(t rapid.TB, batches []int, between func()) (done int) {
	t.Helper()
	all := sum(batches)
	for _, n := range batches {
		if between != nil {
			between()
		}
		done += h.remove(t, n, all-done)
	}
	return done
}

func sum(ns []int) (all int) {
	for _, n := range ns {
		all += n
	}
	return all
}

func TestGuard(t *testing.T) {
	limits := Limits{Count: 100, Fraction: 0.2}
	tests := []struct {
		name      string
		documents int
		before    []int // passes
		allow     int
		pass      []int // batches
		want      int   // removed
		held      int
	}{
		{"few of few", 300, nil, 0, []int{100}, 100, 0},
		{"all of a small table", 50, nil, 0, []int{50}, 50, 0},
		{"one more than the count", 300, nil, 0, []int{101}, 0, 101},
		{"a fifth of many", 1000, nil, 0, []int{200}, 200, 0},
		{"a fifth, in batches under which the table shrinks", 1000, nil, 0, []int{60, 60, 60, 20}, 200, 0},
		{"more than a fifth, in small batches", 1000, nil, 0, []int{60, 60, 60, 21}, 0, 201},
		{"a last batch that would be within the limits by itself", 300, nil, 0, []int{100, 100, 1}, 0, 201},
		{"what earlier passes left of the hour", 1000, []int{50, 50}, 0, []int{50, 50}, 100, 0},
		{"more than earlier passes left", 1000, []int{50, 50}, 0, []int{50, 51}, 0, 101},
		{"what was held counts for nothing", 1000, []int{500}, 0, []int{200}, 200, 500},
		{"all are allowed", 1000, nil, 990, []int{500, 490}, 990, 0},
		{"some are allowed, to the number", 1000, nil, 950, []int{500, 490}, 950, 40},
		{"fewer are allowed than a batch", 1000, nil, 10, []int{500, 490}, 10, 980},
		{"allowed after the hour is used up", 1000, []int{200}, 5, []int{5}, 5, 0},
		{"the larger of two that are held", 1000, []int{300}, 0, []int{900}, 0, 900},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newGuardedCount(test.documents, limits)
			for _, n := range test.before {
				h.pass(t, []int{n}, nil)
			}
			h.Allow(test.allow)
			if got := h.pass(t, test.pass, nil); got != test.want {
				t.Errorf("removed: got %d, want %d", got, test.want)
			}
			if got := h.Held().Removals; got != test.held {
				t.Errorf("held: got %d, want %d", got, test.held)
			}
		})
	}
}

// left counts as at least the batch.
func TestGuardCountsTheBatch(t *testing.T) {
	h := newGuardedCount(1000, Limits{Count: 100})
	if got := h.remove(t, 150, 1); got != 0 {
		t.Errorf("removed: got %d, want 0", got)
	}
}

// Allowed removals do not count in the next hour, and removals within the limits do
// not use up an Allow.
func TestAllowed(t *testing.T) {
	h := newGuardedCount(1000, Limits{Count: 100})
	h.Allow(500)
	if got := h.pass(t, []int{60}, nil); got != 60 {
		t.Errorf("within the limits: got %d, want 60", got)
	}
	if got := h.pass(t, []int{250, 250}, nil); got != 500 {
		t.Errorf("all that was allowed: got %d, want 500", got)
	}
	if got := h.pass(t, []int{1}, nil); got != 0 {
		t.Errorf("after what was allowed: got %d, want 0", got)
	}
	h.Allow(0)
	if got := h.pass(t, []int{40}, nil); got != 40 {
		t.Errorf("the rest of the hour: got %d, want 40", got)
	}
	h.Allow(5)
	h.Allow(0)
	if got := h.pass(t, []int{1}, nil); got != 0 {
		t.Errorf("after the hour, with what was allowed taken back: got %d, want 0", got)
	}
}

// drawCut draws a pass cut into batches.
func drawCut(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 60), 1, 12).Draw(t, "batches")
}

// A round is a pass, with insertions before it and exempt removals between its
// batches.
type round struct {
	after            time.Duration
	inserted, marked int
	batches          []int
}

func drawRound(t *rapid.T) round {
	return round{
		after:    time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute,
		inserted: rapid.IntRange(0, 50).Draw(t, "inserted"), marked: rapid.IntRange(0, 5).Draw(t, "marked"),
		batches: drawCut(t),
	}
}

// run runs a round, and returns an error if the guard broke a limit.
func (h *guardedCount) run(t rapid.TB, s round) error {
	time.Sleep(s.after)
	h.size += s.inserted
	done := h.pass(t, s.batches, func() {
		n := min(s.marked, h.size)
		h.recordExempt(n)
		h.size -= n
		h.made = append(h.made, removal{time.Now(), n, false})
	})
	switch all := sum(s.batches); done {
	case 0:
		return nil
	case all:
		return h.checkHour()
	default:
		return fmt.Errorf("removed %d of a pass of %d, want all or none", done, all)
	}
}

// checkHour checks the hour that ends now.
func (h *guardedCount) checkHour() error {
	limited, before := 0, h.size
	for _, r := range h.made {
		if time.Since(r.at) >= time.Hour {
			continue
		}
		before += r.n
		if r.limited {
			limited += r.n
		}
	}
	if most := max(float64(h.limits.Count), h.limits.Fraction*float64(before)); float64(limited) > most {
		return fmt.Errorf("removed in an hour: got %d of %d, want at most %v", limited, before, most)
	}
	return nil
}

// For any passes and batches, no hour has more removals than the limits without an
// Allow, and each pass is admitted or held as a whole, also while exempt removals
// are made.
func TestGuardKeepsEveryHour(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := Limits{rapid.IntRange(0, 80).Draw(rt, "count"), rapid.Float64Range(0, 1).Draw(rt, "fraction")}
		h := newGuardedCount(rapid.IntRange(0, 2000).Draw(rt, "documents"), limits)
		rounds := rapid.SliceOfN(rapid.Custom(drawRound), 1, 15).Draw(rt, "rounds")
		var err error
		synctest.Test(t, func(t *testing.T) {
			for _, s := range rounds {
				if err = h.run(t, s); err != nil {
					return
				}
			}
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// Allow admits exactly its number, however a pass is cut into batches.
func TestAllowAdmitsItsNumber(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newGuardedCount(2000, Limits{Count: rapid.IntRange(0, 200).Draw(rt, "count")})
		batches, allowed := drawCut(rt), rapid.IntRange(0, 800).Draw(rt, "allowed")
		want := sum(batches)
		if want > h.limits.Count {
			want = min(want, allowed)
		}
		h.Allow(allowed)
		if got := h.pass(rt, batches, nil); got != want {
			rt.Fatalf("removed: got %d of %v, want %d", got, batches, want)
		}
	})
}

// A removal counts for an hour, also across a restart.
func TestGuardHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newGuardedCount(1000, Limits{Count: 100})
		h.pass(t, []int{60}, nil)
		time.Sleep(30 * time.Minute)
		h.pass(t, []int{40}, nil)

		again := newGuardedCount(h.size, h.limits)
		for _, r := range slices.Backward(h.made) { // in any order
			again.Remember(r.at, r.n)
		}
		for _, step := range []struct {
			wait    time.Duration
			n, want int
		}{{0, 1, 0}, {30*time.Minute - 1, 1, 0}, {1, 61, 0}, {0, 60, 60}} {
			time.Sleep(step.wait)
			for name, h := range map[string]*guardedCount{"as it was": h, "after a restart": again} {
				if got := h.pass(t, []int{step.n}, nil); got != step.want {
					t.Errorf("%s, %d after %v more: got %d, want %d", name, step.n, step.wait, got, step.want)
				}
			}
		}
	})
}

func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newGuardedCount(1000, Limits{Count: 100})
		since := time.Now()
		want := func(name string, want Held) {
			t.Helper()
			if got := h.Held(); got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
		want("at first", Held{})
		h.pass(t, []int{150}, nil)
		time.Sleep(time.Minute)
		h.pass(t, []int{300, 300}, nil)
		h.pass(t, []int{200}, nil)
		want("the largest, since the first", Held{600, 1000, since})
		h.Settle(Held{500, 990, time.Now()})
		want("a sweep held fewer", Held{500, 990, since})
		h.pass(t, []int{200}, nil)
		want("a smaller pass after it", Held{500, 990, since})
		h.Settle(Held{Of: 990, Since: time.Now()})
		want("a sweep held none", Held{})
		time.Sleep(time.Minute)
		h.Settle(Held{500, 990, time.Now()})
		want("a sweep is the first to hold", Held{500, 990, time.Now()})
	})
}

// If the documents can't be counted, nothing is removed and nothing is quarantined.
func TestGuardWithoutACount(t *testing.T) {
	w := newWorld()
	guard := NewGuard(Limits{Count: 100}, func() (uint64, error) { return 0, errFault })
	s := New(w.index, w.pages, w.tree, w.quarantine, guard, w.reserve)
	fetch(t, s, map[doc.OID]string{one: "a"})
	if report, err := s.Delete(t.Context(), []doc.Stamp{stampOf(one, "a")}, begin(t, s), 1); !errors.Is(err, errFault) || report.Deleted != 0 {
		t.Errorf("delete: got %+v, %v, want %v", report, err, errFault)
	}
	if _, err := s.Put(t.Context(), batchOf(begin(t, s), map[doc.OID]string{one: fakeworld.Unfit})); !errors.Is(err, errFault) || len(w.quarantine.Reasons()) > 0 {
		t.Errorf("put: got %v, quarantine %v, want %v", err, w.quarantine.Reasons(), errFault)
	}
	w.wantIndex(t, map[doc.OID]string{one: "a"})
}

// A loss that Admits admits and Lose counts is the same as removals of this number.
func TestLoss(t *testing.T) {
	h := newGuardedCount(1000, Limits{Count: 10, Fraction: 0.1})
	admits := func(n int, want bool) {
		t.Helper()
		if got, err := h.Admits(n); got != want || err != nil {
			t.Errorf("loss of %d: admitted %v, %v, want %v", n, got, err, want)
		}
	}
	lose := func(n int) {
		t.Helper()
		if err := h.Lose(n); err != nil {
			t.Error(err)
		}
		h.size -= n
	}
	admits(101, false)
	admits(100, true)
	admits(100, true) // it counts nothing
	lose(60)
	lose(0)
	admits(41, false)
	admits(40, true)
	h.Allow(300)
	admits(301, false)
	admits(300, true)
	lose(300)
	admits(300, false)
	admits(0, true)
}
