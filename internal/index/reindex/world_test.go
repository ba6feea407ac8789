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

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
)

// Prefixes of titles: of rows that the new mapping rejects, and of rows whose
// pages lack a column of it.
const (
	unfit   = "soon "
	partial = "half "
)

// A world is a machine whose sink writes to a Switch. Its index directories are on
// the real disk and hold only a name; the documents are in memory.
type world struct {
	*machine.Machine
	disk    *steps
	dir     string
	pages   *pages
	live    *Switch
	sink    *sink.Sink
	indexes map[string]*fakeworld.Index // by the name in the directory
	before  func(step string) error

	want map[doc.OID]string // acknowledged titles; "" for removed documents
	lost map[doc.OID]bool   // documents that only a fetch can restore
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

// start creates the sink of the machine.
func (w *world) start(index sink.Index) {
	w.sink = sink.New(index, w.pages, w.Tree, w.Quarantine, w.Guard, w.Reserve)
	w.Table.Numbers = w.sink
}

// makeDir makes a directory with two files, so that half of it can be missing.
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

// fail makes every step call f first.
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
		Table: machine.Table, Live: w.live, Old: w.inUse().(Old), Pages: w.pages, Trace: w.Trace, Chunk: 2,
		Place: &Dir{Path: w.dir, disk: w.disk, New: func(dir string, g doc.Generation) (New, error) {
			if err := w.step("create"); err != nil {
				return nil, err
			}
			name := fmt.Sprint("new ", len(w.indexes))
			w.makeDir(t, dir, name)
			x := &renewed{Index: fakeworld.NewIndex(g)}
			x.Before, w.indexes[name] = w.step, x.Index
			return x, nil
		}},
		Adopt: func() error { return w.step("adopt") },
	}
}

// inUse is the index of the Switch.
func (w *world) inUse() Index { return w.live.index }

// put writes rows with these titles as a fetch does.
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

// insist repeats f until it succeeds, as a pass repeats its window.
func (w *world) insist(t rapid.TB, f func() error) {
	t.Helper()
	for range 3 {
		err := f()
		if err == nil {
			return
		}
		t.Log(err)
	}
	t.Fatal("no write succeeds any more")
}

// restart resolves the directory as the next start does, and returns the index.
func (w *world) restart(t rapid.TB) *fakeworld.Index {
	t.Helper()
	if err := Resolve(w.dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(w.dir)
	stray := func(e os.DirEntry) bool { return e.Name() == currentName+".tmp" } // the next write replaces it
	if entries = slices.DeleteFunc(entries, stray); err != nil || len(entries) != 1 || entries[0].Name() != firstName {
		t.Fatalf("after Resolve: got %v, %v; want %s alone", entries, err, firstName)
	}
	return w.opened(t, filepath.Join(w.dir, firstName))
}

// opened returns the index of a directory, which must be complete.
func (w *world) opened(t rapid.TB, dir string) *fakeworld.Index {
	t.Helper()
	id, err := os.ReadFile(filepath.Join(dir, "id"))
	again, otherErr := os.ReadFile(filepath.Join(dir, "segment"))
	x := w.indexes[string(id)]
	if err != nil || otherErr != nil || string(id) != string(again) || x == nil {
		t.Fatalf("%s: got %q and %q, %v, %v; want a complete index", dir, id, again, err, otherErr)
	}
	return x
}

// check compares an index with the acknowledged titles. In the new index of an
// unverified table, lost documents may be missing.
func (w *world) check(t rapid.TB, x *fakeworld.Index) {
	t.Helper()
	renewed := x != w.Index
	for oid, want := range w.want {
		got, _ := x.Title(oid)
		if renewed && w.lost[oid] && got == "" && w.Marks().Unverified == unverified {
			continue
		}
		if got != want {
			t.Errorf("document %v: got %q, want %q", oid, got, want)
		}
	}
	for oid := range x.Titles() {
		if w.want[oid] == "" {
			t.Errorf("document %v is in the index, want none", oid)
		}
	}
}

// checkPages checks that every page has the version and hash of its document.
func (w *world) checkPages(t rapid.TB, x *fakeworld.Index) {
	t.Helper()
	index := &renewed{Index: x}
	for oid := range x.Titles() {
		d, _ := x.Doc(oid)
		page, ok := w.Pages.Page(oid)
		row, err := doc.ParseRow(page.Body)
		hash, _, hashErr := index.Hash(row)
		switch {
		case !ok || err != nil:
			t.Errorf("document %v: got page %t, %v", oid, ok, err)
		case hashErr != nil && d.V != 0:
			t.Errorf("document %v lacks a column and has version %d, want 0, so that it is fetched", oid, d.V)
		case hashErr == nil && (d.V != page.V || page.Hash != hash):
			t.Errorf("document %v: got page of version %d, hash %x; want %d, %x", oid, page.V, page.Hash, d.V, hash)
		}
	}
}

// A renewed index has another mapping.
type renewed struct{ *fakeworld.Index }

func (x *renewed) Hash(r doc.Row) (doc.DocHash, []doc.Flaw, error) {
	v, _ := r.Get("title")
	title := doc.FormatText(v)
	_, padded := r.Get("padded")
	if strings.HasPrefix(title, unfit) || strings.HasPrefix(title, partial) && !padded {
		return 0, nil, fmt.Errorf("column title: %q does not fit", title)
	}
	hash, flaws, err := x.Index.Hash(r)
	return hash + 1, flaws, err
}

func (x *renewed) Prepare(d *doc.Doc) (flaws []doc.Flaw, err error) {
	d.Hash, flaws, err = x.Hash(d.Row)
	return flaws, err
}

func (x *renewed) Pad(r doc.Row) doc.Row {
	return doc.Row{Names: append(slices.Clone(r.Names), "padded"), Values: append(slices.Clone(r.Values), nil)}
}

func (x *renewed) Close() error { return nil }

// pages may be damaged. Meta reports the damage after the first Get.
type pages struct {
	*fakeworld.Pages
	torn map[doc.OID]bool // true: Get has found it
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

// steps is the real disk with steps that can fail. A removal that fails has removed
// half of the directory. A sync that fails has not undone the preceding steps.
type steps struct {
	atomicfile.FS
	before func(step string) error
	done   []string // steps with names
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
		_ = os.Remove(filepath.Join(name, "id")) // it may be removed already
		return err
	}
	return os.RemoveAll(name)
}

// withRest calls f at each rest.
func withRest(r *Reindex, f func(rest int) error) *Reindex {
	n := 0
	r.Rest = func(context.Context, time.Duration) error {
		n++
		return f(n)
	}
	return r
}
