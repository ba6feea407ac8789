package compensate_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"indexerd/compensate"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// upheaval changes a table in each way that a comparison can find, over several
// batches, and returns the window of all changes.
func (w *world) upheaval(t testing.TB) doc.Window {
	t.Helper()
	const rows = 6 * batch
	for n := range rows {
		w.Table.Put(fakeworld.Key(2*n), "old")
	}
	older := w.Table.Begin()
	w.Table.Advance(time.Second)
	for n := range rows / 3 {
		w.Table.Put(fakeworld.Key(6*n), "newer")
	}
	w.Table.Advance(time.Second)
	run(t, w.follow)
	for n := range rows / 3 {
		older.Put(fakeworld.Key(6*n), "older, and last") // back in updateTime
		older.Delete(fakeworld.Key(6*n + 2))
		older.Put(fakeworld.Key(6*n+3), "late")
	}
	older.Commit()
	w.Table.Advance(time.Minute)
	run(t, w.follow)
	if got := len(fakeworld.Different(w.Table, w.Index)); got != rows {
		t.Fatalf("different after incremental: got %d, want %d", got, rows)
	}
	return doc.Window{From: w.begin, To: w.Table.Clock()}
}

// checkRepaired compares what is stored with the table.
func (w *world) checkRepaired(t testing.TB) {
	t.Helper()
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
}

// A cut is a source whose listing ends early without an error.
type cut struct {
	compensate.Source
	after int // pages
}

func (c cut) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		left := c.after
		for page, err := range c.Source.Stamps(ctx, w) {
			if left--; left < 0 || !yield(page, err) {
				return
			}
		}
	}
}

// A row that a listing does not have is fetched before its document is removed.
func TestListingCutShortRemovesNothing(t *testing.T) {
	for after := range 4 {
		w := newWorld(t)
		window := w.upheaval(t)
		c := w.comparison()
		c.Source = cut{c.Source, after}
		before := w.Index.Titles()
		if _, err := c.Run(t.Context(), window); err != nil {
			t.Fatal(err)
		}
		titles := w.Index.Titles()
		for oid := range w.Table.Rows() {
			_, was := before[oid]
			if _, is := titles[oid]; was && !is {
				t.Errorf("listing of %d pages: row %v was removed", after, oid)
			}
		}
		if got := w.Ghosts(); len(got) > 0 {
			t.Errorf("listing of %d pages: ghosts: got %v, want none, since the tree had them", after, got)
		}
	}
}

// A brokenTree fails after a number of stamps.
type brokenTree struct {
	compensate.Tree
	after int
}

var errTree = errors.New("spilled stamps can't be read")

func (b brokenTree) Window(w doc.Window) iter.Seq2[doc.Stamp, error] {
	return func(yield func(doc.Stamp, error) bool) {
		left := b.after
		for s, err := range b.Tree.Window(w) {
			if left--; left < 0 {
				break
			}
			if !yield(s, err) {
				return
			}
		}
		yield(doc.Stamp{}, errTree)
	}
}

// If the tree can't be read, the run fails and removes no document of a live row.
// With an empty tree the next run compares with the pages.
func TestTreeThatCannotBeRead(t *testing.T) {
	for after := 0; after <= 7*batch; after++ {
		w := newWorld(t)
		w.upheaval(t)
		e := w.exact()
		e.Comparison.Tree = brokenTree{e.Comparison.Tree, after}
		o := observe(e.Comparison)
		if _, _, err := e.Run(t.Context()); !errors.Is(err, errTree) {
			t.Fatalf("tree that ends after %d stamps: got %v, want %v", after, err, errTree)
		}
		if got := w.Marks().Settled; !got.Equal(w.begin) {
			t.Errorf("S: got %v, want it where it was, %v", got, w.begin)
		}
		rows := w.Table.Rows()
		for oid := range o.removed {
			if _, there := rows[oid]; there {
				t.Errorf("tree that ends after %d stamps: row %v was removed", after, oid)
			}
		}
		runExact(t, w.exact())
		w.checkRepaired(t)
	}
}

// After a restart the tree is empty. Stamps are compared with the pages: rows that
// are the same are not fetched, and removals are left to the sweep.
func TestEmptyTree(t *testing.T) {
	w := newWorld(t)
	window := w.upheaval(t)
	ghosts := w.Ghosts()
	w.Start(t)
	report, err := w.comparison().Run(t.Context(), window)
	if err != nil {
		t.Fatal(err)
	}
	w.WantAll(t)
	if got := w.Ghosts(); !slices.Equal(got, ghosts) {
		t.Errorf("ghosts: got %v, want them left to the sweep, %v", got, ghosts)
	}
	if want := 4 * batch; report.Read != want {
		t.Errorf("fetched: got %d, want the %d that differ", report.Read, want)
	}
}

// between is a sink that lets others act just before a removal.
type between struct {
	compensate.Sink
	act func()
}

func (b between) Delete(ctx context.Context, stamps []doc.Stamp, seq doc.FetchSeq, of int) (doc.Report, error) {
	b.act()
	return b.Sink.Delete(ctx, stamps, seq, of)
}

// A row that comes back after the fetch did not find it stays.
func TestRowThatCameBackStays(t *testing.T) {
	comeBack := map[string]func(*world, fakeworld.Row){
		"as another version": func(w *world, _ fakeworld.Row) { w.Table.Put(fakeworld.Key(1), "again") },
		"as it was": func(w *world, r fakeworld.Row) {
			x := w.Table.Begin()
			x.PutAt(fakeworld.Key(1), r.Title, r.Updated)
			x.Commit()
		},
	}
	for name, again := range comeBack {
		w := newWorld(t)
		w.Table.Put(fakeworld.Key(1), "row")
		row := w.Table.Rows()[fakeworld.Key(1)]
		w.Table.Advance(time.Second)
		run(t, w.follow)
		w.Table.Delete(fakeworld.Key(1))
		c := w.comparison()
		c.Sink = between{c.Sink, func() {
			again(w, row)
			for b, err := range w.Table.Docs(t.Context(), []doc.OID{fakeworld.Key(1)}) {
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Sink.Put(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
		}}
		if _, err := c.Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock()}); err != nil {
			t.Fatal(err)
		}
		if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
			t.Errorf("came back %s: different in index and table: got %v, want none", name, got)
		}
	}
}
