package reindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	_ "indexerd/internal/test/nofailfile"
)

var key = fakeworld.Key

// filled returns a world with n indexed rows.
func filled(t testing.TB, root string, n int) *world {
	t.Helper()
	w := newWorld(t, root)
	titles := map[doc.OID]string{}
	for i := range n {
		titles[key(i)] = fmt.Sprint("row ", i)
	}
	if err := w.put(titles); err != nil {
		t.Fatal(err)
	}
	return w
}

// tear damages the page of a row.
func (w *world) tear(oid doc.OID) {
	w.pages.torn[oid] = false
	w.lost[oid] = true
}

func run(t rapid.TB, r *Reindex) Result {
	t.Helper()
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Run puts an index of the pages into use. It counts the documents that it could
// not build completely, and marks the table as unverified.
func TestRunBuildsFromPagesAndSwaps(t *testing.T) {
	w := filled(t, t.TempDir(), 7)
	if err := w.put(map[doc.OID]string{key(1): unfit + "1", key(2): partial + "2"}); err != nil {
		t.Fatal(err)
	}
	w.lost[key(1)] = true
	w.tear(key(3))
	if err := w.Pages.Delete(doc.Removals(0, key(4))); err != nil {
		t.Fatal(err)
	}
	w.lost[key(4)] = true
	r := w.reindex(t)
	var shown []string
	r.Progress = func(done, of int64) { shown = append(shown, fmt.Sprintf("%d/%d", done, of)) }
	got := run(t, r)
	if want := (Result{Indexed: 3, Partial: 1, Left: 3, Swapped: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := fmt.Sprint(shown), "[2/7 4/7 6/7 7/7]"; got != want {
		t.Errorf("progress: got %s, want %s", got, want)
	}
	if got := w.Marks().Unverified; got != unverified {
		t.Errorf("unverified: got %q, want %q", got, unverified)
	}
	x := w.opened(t, filepath.Join(w.dir, secondName))
	if w.inUse().(*renewed).Index != x {
		t.Error("the Switch does not use the new index")
	}
	w.check(t, x)
	w.checkPages(t, x)
	if got := w.restart(t); got != x {
		t.Error("the next start opens another index")
	}
}

// Runs without a restart in between use the two directories alternately.
func TestRunsWithoutARestart(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	for range 3 {
		if got := run(t, w.reindex(t)); got.Indexed != 5 || w.Marks().Unverified != "" {
			t.Errorf("got %+v, unverified %q; want 5 and \"\"", got, w.Marks().Unverified)
		}
	}
	if got := w.restart(t); got != w.indexes["new 3"] {
		t.Error("the next start does not open the newest index")
	}
	w.check(t, w.indexes["new 3"])
}

// The names of the new index's files are durable before the commit, and the old
// index stays until it is closed.
func TestStepsOfTheSwap(t *testing.T) {
	w := filled(t, filepath.Join(t.TempDir(), "film"), 3)
	r := w.reindex(t)
	r.Adopt = func() error { return w.disk.step("adopt", secondName) }
	w.disk.done = nil
	run(t, r)
	want := []string{
		"open index.current", // does not exist
		"sync directory index.new",
		"open index.current.tmp", "rename index.current.tmp", "sync directory film",
		"adopt index.new",
		"remove directory index", "sync directory film",
	}
	if !slices.Equal(w.disk.done, want) {
		t.Errorf("got %q, want %q", w.disk.done, want)
	}
}

// The new index has all puts and deletes that were made during Run, and its pages
// match.
func TestRunModel(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "model")
		if err != nil {
			rt.Fatal(err)
		}
		const rows = 9
		w := filled(t, dir, rows)
		row := rapid.IntRange(0, rows+2)
		for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, rows-1), 0, 3, rapid.ID[int]).Draw(rt, "torn") {
			w.tear(key(n))
		}
		act := func(int) error {
			for range rapid.IntRange(0, 3).Draw(rt, "writes") {
				oid := key(row.Draw(rt, "row"))
				if rapid.Bool().Draw(rt, "remove") {
					err = w.remove(oid)
				} else {
					err = w.put(map[doc.OID]string{oid: rapid.SampledFrom([]string{"a", "b", "row 1"}).Draw(rt, "title")})
				}
				if err != nil {
					rt.Fatal(err)
				}
			}
			return nil
		}
		run(rt, withRest(w.reindex(t), act))
		if err := act(0); err != nil {
			rt.Fatal(err)
		}
		x := w.inUse().(*renewed).Index
		w.check(rt, x)
		w.checkPages(rt, x)
	})
}

// Counterexample to TestRunModel: if the sink writes only to the old index, a row
// that is put after the scan has passed it is lost.
func TestWithoutDoubleWritesARowIsLost(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	w.start(w.Index) // the sink bypasses the Switch
	r := withRest(w.reindex(t), func(n int) error {
		if n == 2 {
			return w.put(map[doc.OID]string{key(0): "later"})
		}
		return nil
	})
	run(t, r)
	if got, _ := w.inUse().(*renewed).Title(key(0)); got != "row 0" {
		t.Errorf("got %q, want the lost row", got)
	}
}

// Counterexample to "a chunk is read and written under the lane": a page that
// changes in between is overwritten by the older one.
func TestWithoutTheLaneAPageIsOverwritten(t *testing.T) {
	w := filled(t, t.TempDir(), 2)
	written := false
	w.fail(func(step string) error {
		if step != "put pages" || written {
			return nil
		}
		written = true // the scan has written the document and not yet the page
		return w.put(map[doc.OID]string{key(0): "later"})
	})
	run(t, w.reindex(t))
	page, _ := w.Pages.Page(key(0))
	if d, _ := w.inUse().(*renewed).Doc(key(0)); !written || d.V == page.V {
		t.Errorf("got version %d in the index and in the page, want an overwritten page", d.V)
	}
}

// After a cancellation the old index stays in use.
func TestCancellationKeepsTheOldIndex(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	stop := errors.New("stop")
	result, err := withRest(w.reindex(t), func(int) error { return stop }).Run(context.Background())
	if !errors.Is(err, stop) || result.Swapped || w.inUse() != Index(w.Index) {
		t.Errorf("got %+v, %v, index %v; want the old one and %v", result, err, w.inUse(), stop)
	}
	if err := w.put(map[doc.OID]string{key(0): "later"}); err != nil {
		t.Fatal(err)
	}
	w.check(t, w.restart(t))
}

// Run removes the index that a failed Run could not remove.
func TestRunAfterAFailedRun(t *testing.T) {
	w := filled(t, t.TempDir(), 3)
	fault := errors.New("input/output error")
	w.fail(func(step string) error {
		if step == "get" || step == "remove directory" {
			return fault
		}
		return nil
	})
	if _, err := w.reindex(t).Run(context.Background()); !errors.Is(err, fault) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %v in one line", err, fault)
	}
	if _, err := os.Stat(filepath.Join(w.dir, secondName)); err != nil {
		t.Errorf("the new index: got %v, want it on disk", err)
	}
	w.fail(nil)
	r := w.reindex(t)
	place := r.Place.(*Dir)
	create := place.New
	place.New = func(dir string, g doc.Generation) (New, error) {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s exists: got %v", dir, err)
		}
		return create(dir, g)
	}
	run(t, r)
	w.check(t, w.restart(t))
}

// Run fails if most rows do not fit the mapping, and the old index stays in use.
func TestAMappingThatDoesNotFit(t *testing.T) {
	w := newWorld(t, t.TempDir())
	titles := map[doc.OID]string{}
	for i := range leftCount + 1 {
		titles[key(i)] = unfit
	}
	if err := w.put(titles); err != nil {
		t.Fatal(err)
	}
	_, err := w.reindex(t).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "does not fit") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line with the reason", err)
	}
	if w.restart(t) != w.Index || w.Marks().Unverified != "" {
		t.Errorf("got another index, or unverified %q", w.Marks().Unverified)
	}
}
