package reindex

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/internal/faultfs"
	"indexerd/internal/sink"
	"indexerd/timetrace"
)

// What titles begin with: of rows that the new mapping can't take, and of those
// whose pages lack what it needs.
const (
	unfit   = "soon "
	partial = "half "
)

// A world is a machine whose sink writes to a switch. Its directories of indexes
// are real and have no more than a name; what is in them is in memory.
type world struct {
	*machine.Machine
	disk    *steps
	dir     string
	pages   *pages
	live    *Switch
	sink    *sink.Sink
	indexes map[string]*fakeworld.Index // by the name in their directories
	before  func(step string) error

	want map[doc.OID]string // what was acknowledged; "" for what is removed
	lost map[doc.OID]bool   // what only a fetch can bring
}

func newWorld(t testing.TB, root string) *world {
	t.Helper()
	w := &world{
		Machine: machine.New(t, fakeworld.NewTable(10)), disk: &steps{FS: atomicfile.OS}, dir: root,
		indexes: map[string]*fakeworld.Index{}, want: map[doc.OID]string{}, lost: map[doc.OID]bool{},
	}
	w.pages = &pages{Pages: w.Pages, torn: map[doc.OID]bool{}}
	w.Index.Before, w.indexes["old"] = w.step, w.Index
	w.makeDir(t, filepath.Join(w.dir, firstName), "old")
	w.live = NewSwitch(w.Index)
	w.start(w.live)
	return w
}

// start gives the machine a sink over an index.
func (w *world) start(index sink.Index) {
	trace := w.Trace
	w.sink = sink.New(index, w.pages, w.Tree, w.Quarantine, w.Guard, func(n uint64) (first uint64, err error) {
		err = trace.UpdateTable(machine.Table, func(t *timetrace.Table) {
			first = t.Numbers + 1
			t.Numbers += n
		})
		return first, err
	})
	w.Table.Numbers = w.sink
}

// makeDir makes a directory of two files, so that it can be there by half.
func (w *world) makeDir(t rapid.TB, dir, name string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"id", "segment"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// fail has every step preceded by f.
func (w *world) fail(f func(step string) error) {
	w.before = f
	w.disk.before, w.Pages.Before = w.step, w.step
	w.Files.Fail(func(s faultfs.Step) error { return w.step(s.Op) })
}

func (w *world) step(step string) error {
	if w.before == nil {
		return nil
	}
	return w.before(step)
}

func (w *world) reindex(t rapid.TB) *Reindex {
	return &Reindex{
		Table: machine.Table, Dir: w.dir, Live: w.live, Old: w.now().(Old), Pages: w.pages, Trace: w.Trace, Chunk: 2, disk: w.disk,
		Create: func(dir string, g doc.Generation) (New, error) {
			if err := w.step("create"); err != nil {
				return nil, err
			}
			name := fmt.Sprint("new ", len(w.indexes))
			w.makeDir(t, dir, name)
			x := &renewed{Index: fakeworld.NewIndex(g)}
			x.Before, w.indexes[name] = w.step, x.Index
			return x, nil
		},
		Adopt: func() error { return w.step("adopt") },
	}
}

// now is the index that the switch stands at.
func (w *world) now() Index { return w.live.index }

// put writes rows as a fetch does that finds them with these titles.
func (w *world) put(titles map[doc.OID]string) error {
	for oid, title := range titles {
		w.Table.Put(oid, title)
	}
	for b, err := range w.Table.Docs(context.Background(), slices.Sorted(maps.Keys(titles))) {
		if err == nil {
			_, err = w.sink.Put(context.Background(), b)
		}
		w.sink.End(b.Fetch)
		if err != nil {
			return err
		}
	}
	for oid, title := range titles {
		w.want[oid] = title
		delete(w.lost, oid)
	}
	return nil
}

func (w *world) remove(oid doc.OID) error {
	w.Table.Delete(oid)
	seq, err := w.sink.Begin(func() error { return nil })
	if err != nil {
		return err
	}
	defer w.sink.End(seq)
	stamps, err := w.sink.Stored([]doc.OID{oid})
	if err == nil {
		_, err = w.sink.Delete(context.Background(), stamps, seq, len(stamps))
	}
	if err == nil {
		w.want[oid] = ""
	}
	return err
}

// insist does something until it succeeds, as windows are read again until
// then.
func (w *world) insist(t rapid.TB, f func() error) {
	t.Helper()
	for range 3 {
		err := f()
		if err == nil {
			return
		}
		t.Log(err)
	}
	t.Fatal("a write does not succeed any more")
}

// restart finds the index as the next start does.
func (w *world) restart(t rapid.TB) *fakeworld.Index {
	t.Helper()
	if err := Resolve(w.dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(w.dir)
	stray := func(e os.DirEntry) bool { return e.Name() == currentName+".tmp" } // the next write takes it
	if entries = slices.DeleteFunc(entries, stray); err != nil || len(entries) != 1 || entries[0].Name() != firstName {
		t.Fatalf("after Resolve: got %v, %v; want %s alone", entries, err, firstName)
	}
	return w.opened(t, filepath.Join(w.dir, firstName))
}

// opened is the index in a directory, which must be whole.
func (w *world) opened(t rapid.TB, dir string) *fakeworld.Index {
	t.Helper()
	id, err := os.ReadFile(filepath.Join(dir, "id"))
	again, otherErr := os.ReadFile(filepath.Join(dir, "segment"))
	x := w.indexes[string(id)]
	if err != nil || otherErr != nil || string(id) != string(again) || x == nil {
		t.Fatalf("%s: got %q and %q, %v, %v; want a whole index", dir, id, again, err, otherErr)
	}
	return x
}

// check compares an index with what was acknowledged, as far as no doubt is
// said to be about it.
func (w *world) check(t rapid.TB, x *fakeworld.Index) {
	t.Helper()
	renewed := x != w.Index
	for oid, want := range w.want {
		got, _ := x.Title(oid)
		if renewed && w.lost[oid] && got == "" && w.Marks().Unverified == Doubt {
			continue
		}
		if got != want {
			t.Errorf("document %v: got %q, want %q", oid, got, want)
		}
	}
	for oid := range x.Titles() {
		if w.want[oid] == "" {
			t.Errorf("document %v is in the index: want none", oid)
		}
	}
}

// checkPages checks that every page speaks of the document that the index has.
func (w *world) checkPages(t rapid.TB, x *fakeworld.Index) {
	t.Helper()
	index := &renewed{Index: x}
	for oid := range x.Titles() {
		d, _ := x.Doc(oid)
		page, ok := w.Pages.Page(oid)
		row, err := doc.ParseRow(page.Body)
		hash, hashErr := index.Hash(row)
		switch {
		case !ok || err != nil:
			t.Errorf("document %v: got page %t, %v", oid, ok, err)
		case hashErr != nil && d.V != 0:
			t.Errorf("document %v lacks a part and has version %d: it will not be fetched", oid, d.V)
		case hashErr == nil && (d.V != page.V || page.Hash != hash):
			t.Errorf("document %v: got page of version %d, hash %x; want %d, %x", oid, page.V, page.Hash, d.V, hash)
		}
	}
}

// A renewed index is one of another mapping.
type renewed struct{ *fakeworld.Index }

func (x *renewed) Hash(r doc.Row) (doc.DocHash, error) {
	v, _ := r.Get("title")
	title := doc.FormatText(v)
	_, padded := r.Get("padded")
	if strings.HasPrefix(title, unfit) || strings.HasPrefix(title, partial) && !padded {
		return 0, fmt.Errorf("column title: %q does not fit", title)
	}
	hash, err := x.Index.Hash(r)
	return hash + 1, err
}

func (x *renewed) Pad(r doc.Row) doc.Row {
	return doc.Row{Names: append(slices.Clone(r.Names), "padded"), Values: append(slices.Clone(r.Values), nil)}
}

func (x *renewed) Close() error { return nil }

// pages can be torn: known to be so from the first Get on.
type pages struct {
	*fakeworld.Pages
	torn map[doc.OID]bool // true: it was found
}

var errTorn = errors.New("damaged record")

func (p *pages) Get(oid doc.OID) (doc.Page, error) {
	if _, torn := p.torn[oid]; torn {
		p.torn[oid] = true
		return doc.Page{}, errTorn
	}
	return p.Pages.Get(oid)
}

func (p *pages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	if p.torn[oid] {
		return doc.Meta{}, false, nil
	}
	return p.Pages.Meta(oid)
}

func (p *pages) Put(pages []doc.Page) error {
	if err := p.Pages.Put(pages); err != nil {
		return err
	}
	for i := range pages {
		delete(p.torn, pages[i].OID)
	}
	return nil
}

// steps is the machine's disk, each step of which can fail. A removal that fails
// has removed half; the sync that fails has not undone what was to be synced.
type steps struct {
	atomicfile.FS
	before func(step string) error
	done   []string // with the names
}

func (s *steps) step(step, name string) error {
	s.done = append(s.done, step+" "+filepath.Base(name))
	if s.before == nil {
		return nil
	}
	return s.before(step)
}

func (s *steps) OpenFile(name string, flag int, perm os.FileMode) (atomicfile.File, error) {
	if err := s.step("open", name); err != nil {
		return nil, err
	}
	return s.FS.OpenFile(name, flag, perm)
}

func (s *steps) Rename(old, new string) error {
	if err := s.step("rename", old); err != nil {
		return err
	}
	return s.FS.Rename(old, new)
}

func (s *steps) Remove(name string) error {
	if err := s.step("remove", name); err != nil {
		return err
	}
	return s.FS.Remove(name)
}

func (s *steps) SyncDir(name string) error {
	if err := s.step("sync directory", name); err != nil {
		return err
	}
	return s.FS.SyncDir(name)
}

func (s *steps) RemoveAll(name string) error {
	if err := s.step("remove directory", name); err != nil {
		_ = os.Remove(filepath.Join(name, "id")) // it may be the half that was removed before
		return err
	}
	return os.RemoveAll(name)
}

// resting calls f at each rest.
func resting(r *Reindex, f func(rest int) error) *Reindex {
	n := 0
	r.Rest = func(context.Context, time.Duration) error {
		n++
		return f(n)
	}
	return r
}
