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

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	_ "indexerd/internal/nofailfile"
)

var key = fakeworld.Key

// filled is a world of n rows that are in the index.
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

// The new index has what the pages say, and is in use; what can't be brought is
// counted, and the table doubted.
func TestRun(t *testing.T) {
	w := filled(t, t.TempDir(), 7)
	if err := w.put(map[doc.OID]string{key(1): unfit + "1", key(2): partial + "2"}); err != nil {
		t.Fatal(err)
	}
	w.lost[key(1)] = true
	w.tear(key(3))
	if err := w.Pages.Delete([]doc.OID{key(4)}); err != nil {
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
	if got := w.Marks().Unverified; got != Doubt {
		t.Errorf("unverified: got %q, want %q", got, Doubt)
	}
	x := w.opened(t, filepath.Join(w.dir, secondName))
	if w.now().(*renewed).Index != x {
		t.Error("the switch does not stand at the index that counts")
	}
	w.check(t, x)
	w.checkPages(t, x)
	if got := w.restart(t); got != x {
		t.Error("the next start finds another index")
	}
}

// The index that is in use for the second time has no other name than the first
// one had.
func TestRunTwice(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	for range 3 {
		if got := run(t, w.reindex(t)); got.Indexed != 5 || w.Marks().Unverified != "" {
			t.Errorf("got %+v, unverified %q; want 5 and no doubt", got, w.Marks().Unverified)
		}
	}
	if got := w.restart(t); got != w.indexes["new 3"] {
		t.Error("the next start does not find the newest index")
	}
	w.check(t, w.indexes["new 3"])
}

// The new index's files have durable names before it is the one that counts,
// and the old one is there until it is closed.
func TestStepsOfTheSwap(t *testing.T) {
	w := filled(t, filepath.Join(t.TempDir(), "film"), 3)
	r := w.reindex(t)
	r.Adopt = func() error { return w.disk.step("adopt", secondName) }
	w.disk.done = nil
	run(t, r)
	want := []string{
		"open index.current", // there is none
		"sync directory index.new",
		"open index.current.tmp", "rename index.current.tmp", "sync directory film",
		"adopt index.new",
		"remove directory index", "sync directory film",
	}
	if !slices.Equal(w.disk.done, want) {
		t.Errorf("got %q, want %q", w.disk.done, want)
	}
}

// Whatever is put and removed while it runs, the new index is what was
// acknowledged, and its pages speak of it.
func TestRunModel(t *testing.T) {
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
		run(rt, resting(w.reindex(t), act))
		if err := act(0); err != nil {
			rt.Fatal(err)
		}
		x := w.now().(*renewed).Index
		w.check(rt, x)
		w.checkPages(rt, x)
	})
}

// The twin of TestRunModel: where the sink does not write to both, a row that is
// put behind the scan is lost.
func TestWithoutDoubleWritesARowIsLost(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	w.start(w.Index) // the sink knows of no switch
	r := resting(w.reindex(t), func(n int) error {
		if n == 2 {
			return w.put(map[doc.OID]string{key(0): "later"})
		}
		return nil
	})
	run(t, r)
	if got, _ := w.now().(*renewed).Title(key(0)); got != "row 0" {
		t.Errorf("got %q: this test shows that the row is lost", got)
	}
}

// The twin of "chunks are read and written under the lane": a page that changes
// in between is overwritten by the older one.
func TestAWriteInsideAChunkIsOverwritten(t *testing.T) {
	w := filled(t, t.TempDir(), 2)
	written := false
	w.fail(func(step string) error {
		if step != "put pages" || written {
			return nil
		}
		written = true // the scan's: its document is in the new index, its page is not
		return w.put(map[doc.OID]string{key(0): "later"})
	})
	run(t, w.reindex(t))
	page, _ := w.Pages.Page(key(0))
	if d, _ := w.now().(*renewed).Doc(key(0)); !written || d.V == page.V {
		t.Errorf("got version %d of both: this test shows that the page is overwritten", d.V)
	}
}

// A cancellation ends with the old index alone.
func TestCancel(t *testing.T) {
	w := filled(t, t.TempDir(), 5)
	stop := errors.New("stop")
	result, err := resting(w.reindex(t), func(int) error { return stop }).Run(context.Background())
	if !errors.Is(err, stop) || result.Swapped || w.now() != Index(w.Index) {
		t.Errorf("got %+v, %v, index %v; want the old one and %v", result, err, w.now(), stop)
	}
	if err := w.put(map[doc.OID]string{key(0): "later"}); err != nil {
		t.Fatal(err)
	}
	w.check(t, w.restart(t))
}

// What a Run that could not clean up has left does not stop the next one.
func TestRunAfterOneThatLeftItsIndex(t *testing.T) {
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
		t.Errorf("the new index: got %v, want it left", err)
	}
	w.fail(nil)
	r := w.reindex(t)
	create := r.Create
	r.Create = func(dir string, g doc.Generation) (New, error) {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: got %v", dir, err)
		}
		return create(dir, g)
	}
	run(t, r)
	w.check(t, w.restart(t))
}

// A mapping that most rows do not fit is refused, and searches stay with the
// old index.
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
		t.Errorf("got %v, want one line that says why", err)
	}
	if w.restart(t) != w.Index || w.Marks().Unverified != "" {
		t.Errorf("got another index, or doubt %q", w.Marks().Unverified)
	}
}

// A page that can't be read for another reason than its own is no missing one.
func TestAFaultOfReadingIsNoDamage(t *testing.T) {
	w := filled(t, t.TempDir(), 3)
	fault := errors.New("input/output error")
	w.fail(func(step string) error {
		if step == "get" {
			return fault
		}
		return nil
	})
	if _, err := w.reindex(t).Run(context.Background()); !errors.Is(err, fault) {
		t.Errorf("got %v, want %v", err, fault)
	}
	if w.restart(t) != w.Index {
		t.Error("got another index")
	}
}
