package deletecheck_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld/machine"
)

// A narrow is a world with ranges of a few documents.
type narrow struct {
	*world
	kept *deletecheck.Ranges
}

func newNarrow(w *world) *narrow {
	n := &narrow{world: w, kept: &deletecheck.Ranges{Rows: 3}}
	n.Sink.Added = n.kept.Added
	return n
}

// run runs a narrowed sweep. between is called after its sums.
func (n *narrow) run(t testing.TB, between func()) doc.Report {
	t.Helper()
	s := deletecheck.Narrow{Sweep: *n.sweep(), Kept: n.kept}
	s.Sums = n.Table.Sums
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if between != nil {
		between()
	}
	report, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantNone reports documents without a row.
func (n *narrow) wantNone(t testing.TB) {
	t.Helper()
	rows := n.Table.Rows()
	for oid := range n.Index.Titles() {
		if _, there := rows[oid]; !there {
			t.Errorf("the document of %v is there without a row", oid)
		}
	}
}

// Only ranges that lost a row are listed again.
func TestNarrowListsWhatChanged(t *testing.T) {
	n := newNarrow(loaded(t, 40))
	n.Table.Delete(n.key(7))
	if r := n.run(t, nil); r.Deleted != 1 || r.Compared != 40 {
		t.Errorf("the first: got %+v, want all compared, one deleted", r)
	}
	n.Table.Delete(n.key(20))
	if r := n.run(t, nil); r.Deleted != 1 || r.Compared > 7 {
		t.Errorf("the second: got %+v, want one range compared, one deleted", r)
	}
	if r := n.run(t, nil); r.Compared != 0 {
		t.Errorf("without a change: got %+v, want nothing compared", r)
	}
	n.wantEqual(t)
}

// A row that came and went leaves the sum as it was. The document that was added in
// between is removed, whenever it was added.
func TestNarrowRemovesWhatCameAndWent(t *testing.T) {
	for name, at := range map[string]func(n *narrow, add func()) (between func()){
		"before the sums": func(_ *narrow, add func()) func() { add(); return nil },
		"after the sums":  func(_ *narrow, add func()) func() { return add },
	} {
		n := newNarrow(loaded(t, 12))
		n.run(t, nil)
		add := func() {
			n.put(30)
			n.load(t)
			if name == "before the sums" {
				n.Table.Delete(n.key(30))
			}
		}
		n.run(t, at(n, add))
		n.Table.Delete(n.key(30))
		n.run(t, nil)
		n.wantNone(t)
		if t.Failed() {
			t.Errorf("added %s", name)
		}
	}
}

// A pass fetched a row, the row is deleted, and the pass writes the document after
// the sums were read.
func TestNarrowListsWhatIsAddedAfterTheSums(t *testing.T) {
	n := newNarrow(loaded(t, 12))
	n.run(t, nil)
	n.put(30)
	var late []doc.Batch
	for b, err := range n.Table.Docs(t.Context(), n.keysOf(30)) {
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, b)
	}
	n.Table.Delete(n.key(30))
	n.run(t, func() {
		for _, b := range late {
			if _, err := n.Sink.Put(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	})
	n.wantNone(t)
}

// A run that fails is repeated by the next one.
func TestNarrowThatFails(t *testing.T) {
	for k := 1; ; k++ {
		n := newNarrow(loaded(t, 12))
		n.run(t, nil)
		n.Table.Delete(n.key(5))
		n.put(40)
		n.load(t)
		n.Table.Delete(n.key(40))
		n.Before(machine.FailAt(k, errors.New("fails")))
		s := deletecheck.Narrow{Sweep: *n.sweep(), Kept: n.kept}
		s.Sums = n.Table.Sums
		err := s.Prepare(t.Context())
		if err == nil {
			_, err = s.Run(t.Context())
		}
		n.Before(nil)
		n.run(t, nil)
		n.wantNone(t)
		if err == nil {
			if k < 8 {
				t.Errorf("a run has %d steps, want more", k)
			}
			return
		}
		if t.Failed() {
			t.Fatalf("step %d failed", k)
		}
	}
}

// The guard holds removals beyond its limits, and the next run does not list them
// again.
func TestNarrowIsGuarded(t *testing.T) {
	w := loaded(t, 12)
	w.limit(t, sink.Limits{Count: 2})
	n := newNarrow(w)
	n.run(t, nil)
	for i := range 6 {
		n.Table.Delete(n.key(i))
	}
	if r := n.run(t, nil); r.Deleted != 0 || r.Held != 6 || n.Guard.Held().Removals != 6 {
		t.Errorf("got %+v, held %+v, want 6 held", r, n.Guard.Held())
	}
	if r := n.run(t, nil); r.Compared != 0 || n.Guard.Held().Removals != 6 {
		t.Errorf("again: got %+v, held %+v, want nothing compared and 6 held", r, n.Guard.Held())
	}
	n.Guard.Allow(6)
	runSweep(t, n.sweep())
	n.wantEqual(t)
}

// Removals that runs find one after the other count for the guard together.
func TestNarrowHoldsWhatEarlierRunsHeld(t *testing.T) {
	w := loaded(t, 40)
	w.limit(t, sink.Limits{Count: 2})
	n := newNarrow(w)
	n.run(t, nil)
	for i := range 3 {
		n.Table.Delete(n.key(i))
	}
	n.run(t, nil)
	for i := 20; i < 23; i++ {
		n.Table.Delete(n.key(i))
		n.run(t, nil)
	}
	if held := n.Guard.Held().Removals; held != 6 {
		t.Errorf("got %d held, want 6", held)
	}
	n.Guard.Allow(6)
	n.Table.Delete(n.key(39))
	n.run(t, nil)
	n.Guard.Allow(1)
	n.put(1)
	n.run(t, nil)
	n.wantNone(t)
	if r := n.run(t, nil); r.Compared != 0 {
		t.Errorf("when nothing is held: got %+v, want nothing compared", r)
	}
}

// Whatever is added, removed and indexed in between, a narrowed sweep leaves no
// document without a row.
func TestNarrowHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := newNarrow(rapid.SampledFrom([]func(testing.TB) *world{newWorld, newTextWorld}).Draw(rt, "world")(t))
		n.limit(t, sink.Limits{Count: 1000})
		n.Sink.Added = n.kept.Added
		change := func(what string) func() {
			rows := rapid.SliceOfN(rapid.IntRange(0, 50), 0, 12).Draw(rt, what)
			index := rapid.Bool().Draw(rt, "index")
			return func() {
				for _, i := range rows {
					if _, there := n.Table.Rows()[n.key(i)]; there {
						n.Table.Delete(n.key(i))
					} else {
						n.put(i)
					}
				}
				if index {
					n.load(t)
				}
			}
		}
		for range rapid.IntRange(1, 10).Draw(rt, "rounds") {
			change("before")()
			n.run(t, change("between"))
			n.run(t, nil)
			if got, rows := slices.Sorted(maps.Keys(n.Index.Titles())), n.Table.Rows(); slices.ContainsFunc(got, func(oid doc.OID) bool { _, there := rows[oid]; return !there }) {
				rt.Fatal(fmt.Sprintf("got documents %v, rows %v", got, slices.Sorted(maps.Keys(rows))))
			}
		}
	})
}
