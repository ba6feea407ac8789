package stamps

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

const dir = "/stamps"

func newTree(t rapid.TB, fsys atomicfile.FS, budget int64) *Tree {
	t.Helper()
	tree, err := New(Options{FS: fsys, Dir: dir, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// at is a time some microseconds after the epoch.
func at(µs int64) time.Time { return time.UnixMicro(µs).UTC() }

func oid(t rapid.TB, parts ...any) doc.OID {
	t.Helper()
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// keys returns OIDs of all lengths that the tree treats differently.
func keys(t rapid.TB) []doc.OID {
	t.Helper()
	oids := []doc.OID{"\x00", "\x00\x00", "a", "a\x00", "12345678", "123456789", "1234567890", "12345678901", "123456789012", "1234567890\x00", "1234567890\x00\x00"}
	for i := range int64(12) {
		oids = append(oids, oid(t, i-3), oid(t, i-3, "x"), oid(t, strings.Repeat("y", int(i))), oid(t, [16]byte{15: byte(i)}))
	}
	return oids
}

// A model is the content of a tree that loses nothing.
type model map[doc.OID]doc.Stamp

func (m model) put(stamps []doc.Stamp) {
	for _, s := range stamps {
		if s.Updated.IsZero() {
			delete(m, s.OID)
		} else {
			m[s.OID] = s
		}
	}
}

func (m model) prune(before time.Time) {
	maps.DeleteFunc(m, func(_ doc.OID, s doc.Stamp) bool { return s.Updated.Before(before) })
}

func (m model) window(w doc.Window) []doc.Stamp {
	stamps := slices.Collect(maps.Values(m))
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { return s.Updated.Before(w.From) || !s.Updated.Before(w.To) })
	slices.SortFunc(stamps, func(a, b doc.Stamp) int { return cmp.Compare(a.OID, b.OID) })
	return stamps
}

var allTime = doc.Window{From: at(-1 << 50), To: at(1 << 50)}

// A windower is the method of a tree, or of a snapshot, that returns a window.
type windower = func(doc.Window) iter.Seq2[doc.Stamp, error]

func collect(window windower, w doc.Window) ([]doc.Stamp, error) {
	var stamps []doc.Stamp
	for stamp, err := range window(w) {
		if err != nil {
			return nil, err
		}
		stamps = append(stamps, stamp)
	}
	return stamps, nil
}

func checkWindow(t rapid.TB, window windower, w doc.Window, want []doc.Stamp) {
	t.Helper()
	got, err := collect(window, w)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("window %v to %v:\ngot  %v\nwant %v", w.From, w.To, got, want)
	}
}

func checkTree(t rapid.TB, tree *Tree, want model, oids []doc.OID) {
	t.Helper()
	checkWindow(t, tree.Window, allTime, want.window(allTime))
	for _, o := range oids {
		got, ok, err := tree.Get(o)
		if err != nil {
			t.Fatal(err)
		}
		if wanted, has := want[o]; ok != has || got != wanted {
			t.Fatalf("get %v: got %v, %v, want %v, %v", o, got, ok, wanted, has)
		}
	}
}

// A history is a tree beside its model.
type history struct {
	fsys      *faultfs.FS
	tree      *Tree
	model     model
	floor     time.Time // of the last Prune
	oids      []doc.OID
	snapshots []heldSnapshot
}

type heldSnapshot struct {
	*snapshot
	model model
}

func (h *history) drawStamps(t *rapid.T) []doc.Stamp {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) doc.Stamp {
		s := doc.Stamp{OID: rapid.SampledFrom(h.oids).Draw(t, "oid")}
		if rapid.IntRange(0, 9).Draw(t, "NULL") > 0 {
			s.Updated = at(rapid.Int64Range(-5, 40).Draw(t, "µs"))
		}
		s.Token = doc.Token{Digest: rapid.Uint64().Draw(t, "digest"), Epoch: rapid.Uint32().Draw(t, "epoch")}
		return s
	}), 1, 12).Draw(t, "stamps")
}

func (h *history) put(t *rapid.T) {
	stamps := h.drawStamps(t)
	if err := h.tree.Put(stamps); err != nil {
		t.Fatal(err)
	}
	h.model.put(stamps)
	h.model.prune(h.floor)
}

func (h *history) delete(t *rapid.T) {
	oids := rapid.SliceOfN(rapid.SampledFrom(h.oids), 1, 5).Draw(t, "oids")
	if err := h.tree.Delete(oids); err != nil {
		t.Fatal(err)
	}
	for _, o := range oids {
		delete(h.model, o)
	}
}

func (h *history) prune(t *rapid.T) {
	before := at(rapid.Int64Range(-6, 40).Draw(t, "before"))
	if err := h.tree.Prune(before); err != nil {
		t.Fatal(err)
	}
	h.model.prune(before)
	h.floor = before
}

func (h *history) snapshot(t *rapid.T) {
	s, err := h.tree.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	h.snapshots = append(h.snapshots, heldSnapshot{s, maps.Clone(h.model)})
}

func (h *history) closeSnapshot(t *rapid.T) {
	if len(h.snapshots) == 0 {
		t.Skip("none is open")
	}
	i := rapid.IntRange(0, len(h.snapshots)-1).Draw(t, "snapshot")
	h.closeOne(t, i)
}

func (h *history) closeOne(t *rapid.T, i int) {
	s := h.snapshots[i]
	h.snapshots = slices.Delete(h.snapshots, i, i+1)
	w := doc.Window{From: at(rapid.Int64Range(-6, 40).Draw(t, "from")), To: at(rapid.Int64Range(-6, 40).Draw(t, "to"))}
	checkWindow(t, s.window, w, s.model.window(w))
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// check compares the tree with the model, and the files with the runs.
func (h *history) check(t *rapid.T) {
	checkTree(t, h.tree, h.model, h.oids)
	if len(h.tree.runs) > maxRuns {
		t.Fatalf("got %d runs, want at most %d", len(h.tree.runs), maxRuns)
	}
	if len(h.snapshots) == 0 {
		checkFiles(t, h.fsys, len(h.tree.runs))
	}
}

func checkFiles(t rapid.TB, fsys atomicfile.FS, want int) {
	t.Helper()
	files, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if len(files) != want {
		t.Fatalf("got files %v, want %d", files, want)
	}
}

// For any sequence of operations the tree returns what a map would, also with a
// budget so small that it always spills.
func TestTreeBehavesLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := faultfs.New()
		budget := rapid.SampledFrom([]int64{1, 500, 2_000, 1 << 20}).Draw(t, "budget")
		h := &history{fsys: fsys, tree: newTree(t, fsys, budget), model: model{}, oids: keys(t)}
		t.Repeat(map[string]func(*rapid.T){
			"put": h.put, "put again": h.put, "delete": h.delete, "prune": h.prune,
			"snapshot": h.snapshot, "close": h.closeSnapshot, "": h.check,
		})
		for len(h.snapshots) > 0 {
			h.closeOne(t, 0)
		}
		h.check(t)
	})
}

// With a disk that fails at any step, the tree returns an error, the newest stamp or
// nothing. When the disk works again, the tree does too.
func TestTreeNeverReturnsAnOlderStamp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := faultfs.New()
		h := &history{fsys: fsys, tree: newTree(t, fsys, 500), model: model{}, oids: keys(t)}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			fault := errors.New("disk fault")
			at := rapid.IntRange(1, 60).Draw(t, "fails at")
			fsys.Fail(faultfs.At(at, fault))
			stamps := h.drawStamps(t)
			h.model.put(stamps)
			if err := h.tree.Put(stamps); err != nil && !errors.Is(err, fault) {
				t.Fatal(err)
			}
			before := time.UnixMicro(rapid.Int64Range(-6, 40).Draw(t, "before"))
			h.model.prune(before)
			if err := h.tree.Prune(before); err != nil && !errors.Is(err, fault) {
				t.Fatal(err)
			}
			for _, o := range h.oids {
				checkGet(t, h.tree, h.model, o, fault)
			}
			checkPart(t, h.tree, h.model)
			fsys.Fail(nil)
		}
		if err := h.tree.Prune(at(-100)); err != nil { // drops runs that could not be read
			t.Fatal(err)
		}
		clear := model{}
		clear.put(h.drawStamps(t))
		if err := h.tree.Put(slices.Collect(maps.Values(clear))); err != nil {
			t.Fatal(err)
		}
		for o, want := range clear {
			if got, ok, err := h.tree.Get(o); got != want || !ok || err != nil {
				t.Fatalf("get %v after the disk works again: got %v, %v, %v, want %v", o, got, ok, err, want)
			}
		}
	})
}

func checkGet(t rapid.TB, tree *Tree, want model, o doc.OID, fault error) {
	t.Helper()
	got, ok, err := tree.Get(o)
	switch {
	case err != nil && !errors.Is(err, fault):
		t.Fatal(err)
	case ok && got != want[o]:
		t.Fatalf("get %v: got %v, want %v or nothing", o, got, want[o])
	}
}

// checkPart checks that the tree has a part of the model.
func checkPart(t rapid.TB, tree *Tree, want model) {
	t.Helper()
	s, err := tree.snapshot()
	if err != nil {
		return
	}
	defer s.close()
	got, err := collect(s.window, allTime)
	if err != nil {
		return
	}
	for _, stamp := range got {
		if stamp != want[stamp.OID] {
			t.Fatalf("got %v, want %v or nothing", stamp, want[stamp.OID])
		}
	}
}
