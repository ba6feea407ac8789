package changes

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// A commit is a change of the table or of another one, whose counters come late.
type commit struct {
	counted time.Time // when the counters show it
	ours    bool
}

// A world commits, looks and compares at random. Its server may restart, reset its
// counters, or be replaced by an older copy. Whatever the hints do, Memory reports
// each change of the table in time, and asks for no comparison for ever.
type memoryWorld struct {
	memory  Memory
	hints   Hints
	commits []commit
	reset   int // number of resets
	back    int // by how many commits the version went back
	pending bool
	since   time.Time // of the oldest change that no comparison covers
}

// Changes implements Sampler.
func (w *memoryWorld) Changes(_ context.Context, tables func(string) []string) (Sample, error) {
	ours, now := 0, time.Now()
	for _, c := range w.commits {
		if c.ours && !c.counted.After(now) {
			ours++
		}
	}
	s := Sample{At: now, Version: fmt.Sprint("v", len(w.commits)-w.back), Counted: true, Late: late}
	if tables := tables(s.Version); tables != nil {
		s.Counters = map[string]Counts{"a": {Updated: int64(ours), Storage: fmt.Sprint(w.reset)}}
	}
	return s, nil
}

func (w *memoryWorld) commit(ours bool, after time.Duration) {
	w.commits = append(w.commits, commit{time.Now().Add(after), ours})
	if ours && !w.pending {
		w.pending, w.since = true, time.Now()
	}
}

func TestMemoryOfRandomHints(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 60).Draw(r, "steps")
		synctest.Test(t, func(t *testing.T) { runSteps(t, steps) })
	})
}

// A step is one thing that happens.
type step struct {
	what        string
	late, after time.Duration // of the counters, and until the next step
	compare     bool
}

func drawStep(t *rapid.T) step {
	seconds := func(most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, "seconds")) * time.Second
	}
	return step{
		rapid.SampledFrom([]string{"commit", "other", "reset", "restore", "look", "look", "look"}).Draw(t, "what"),
		seconds(int(late / time.Second)), seconds(4), rapid.Bool().Draw(t, "compare"),
	}
}

func runSteps(t *testing.T, steps []step) {
	w := &memoryWorld{}
	w.hints = NewReadings(w).Watch(func(context.Context) (doc.Footprint, error) {
		return doc.Footprint{Tables: []doc.BaseTable{{ID: "a"}}}, nil
	}).Within(time.Second)
	for _, s := range steps {
		switch s.what {
		case "commit":
			w.commit(true, s.late)
		case "other":
			w.commit(false, 0)
		case "reset":
			w.reset++
		case "restore": // the version is one that was seen before
			time.Sleep(2 * time.Second) // no hint is that old
			w.look(t, s.compare)
			w.back++
			time.Sleep(2 * time.Second)
			w.look(t, s.compare)
		default:
			w.look(t, s.compare)
		}
		time.Sleep(s.after)
	}
	for range 3 { // nothing is committed any more
		w.look(t, true)
		time.Sleep(late + time.Second)
	}
	if due := w.memory.Look(w.hint(t)); due != Unchanged || w.pending {
		t.Fatalf("without changes: got %v, pending %t, want %v, none", due, w.pending, Unchanged)
	}
}

func (w *memoryWorld) hint(t *testing.T) doc.Hint {
	h, err := w.hints.Hint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// look looks, and compares where that is due.
func (w *memoryWorld) look(t *testing.T, compare bool) {
	due := w.memory.Look(w.hint(t))
	if w.pending && due == Unchanged && time.Since(w.since) > time.Second { // a hint may be a second old
		t.Fatalf("a change %v ago: got %v, want another", time.Since(w.since), due)
	}
	if w.pending && due == Unknown && time.Since(w.since) > 2*late {
		t.Fatalf("a change %v ago: got %v, want %v", time.Since(w.since), due, Changed)
	}
	if due != Unchanged && compare {
		w.memory.Compared()
		w.pending = false
	}
}

// Counters prove that nothing changed if they show all that was committed before.
func TestMemoryWaitsForCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Memory
		want := func(h doc.Hint, due Due) {
			t.Helper()
			if got := m.Look(h); got != due {
				t.Errorf("%+v: got %v, want %v", h, got, due)
			}
		}
		first, second := doc.Hint{Version: "1", Counters: "a", Counted: true}, doc.Hint{Version: "2", Counters: "a"}
		want(first, Changed)
		want(first, Changed) // until a comparison ends
		m.Compared()
		want(first, Unchanged)
		want(second, Unknown)
		want(second, Unknown)
		second.Counted = true
		want(second, Unchanged)
		weak := doc.Hint{Version: "3", Counters: "a", Counted: true, Weak: true}
		want(weak, Unproven)
		want(weak, Unproven) // until a comparison ends
		m.Compared()
		want(weak, Unchanged)
		second.Counters = "b"
		want(second, Changed)
		second.Counters = "a"
		want(second, Changed) // also if the hint goes back
	})
}
