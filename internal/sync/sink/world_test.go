package sink

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A world is what survives a crash: what is stored, and which numbers are
// reserved.
type world struct {
	index      *fakeworld.Index
	pages      *fakeworld.Pages
	tree       *fakeworld.Tree // of the process that runs
	quarantine *fakeworld.Quarantine
	reserved   uint64
}

func newWorld() *world {
	return &world{
		index: fakeworld.NewIndex(1), pages: fakeworld.NewPages(), tree: &fakeworld.Tree{}, quarantine: fakeworld.NewQuarantine(),
	}
}

// start makes a sink, as after a restart.
func (w *world) start() *Sink {
	before := w.tree.Before
	w.tree = &fakeworld.Tree{Before: before} // it does not survive
	return New(w.index, w.pages, w.tree, w.quarantine, w.guard(), w.reserve)
}

// guard lets everything through.
func (w *world) guard() *Guard {
	return NewGuard(Limits{Count: math.MaxInt}, func() (uint64, error) { return uint64(len(w.index.Titles())), nil })
}

func (w *world) reserve(n uint64) (uint64, error) {
	first := w.reserved + 1
	w.reserved += n
	return first, nil
}

// before has each step on what is stored preceded by f.
func (w *world) before(f func(step string) error) {
	w.index.Before, w.pages.Before, w.tree.Before, w.quarantine.Before = f, f, f, f
}

// begin starts a fetch.
func begin(t *testing.T, s *Sink) doc.FetchSeq {
	t.Helper()
	seq, err := s.Begin(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// batchOf is what a fetch finds where each row's title is as given.
func batchOf(seq doc.FetchSeq, titles map[doc.OID]string) doc.Batch {
	b := doc.Batch{Fetch: seq}
	for _, oid := range slices.Sorted(maps.Keys(titles)) {
		b.Docs = append(b.Docs, fakeworld.Row{Title: titles[oid]}.Doc(oid, seq, b.At))
	}
	return b
}

// put puts what a fetch found.
func put(t *testing.T, s *Sink, seq doc.FetchSeq, titles map[doc.OID]string) fakeworld.Counts {
	t.Helper()
	report, err := s.Put(context.Background(), batchOf(seq, titles))
	if err != nil {
		t.Fatal(err)
	}
	return fakeworld.CountsOf(report)
}

// fetch is a whole fetch of rows with these titles.
func fetch(t *testing.T, s *Sink, titles map[doc.OID]string) fakeworld.Counts {
	t.Helper()
	seq := begin(t, s)
	defer s.End(seq)
	return put(t, s, seq, titles)
}

// remove deletes the document of a row that a fetch found gone.
func remove(t *testing.T, s *Sink, seq doc.FetchSeq, stamp doc.Stamp) fakeworld.Counts {
	t.Helper()
	report, err := s.Delete(context.Background(), []doc.Stamp{stamp}, seq, 1)
	if err != nil {
		t.Fatal(err)
	}
	return fakeworld.CountsOf(report)
}

// stampOf is the stamp of a row with a title.
func stampOf(oid doc.OID, title string) doc.Stamp { return fakeworld.Row{Title: title}.Stamp(oid) }

// wantIndex compares the index with what it should say.
func (w *world) wantIndex(t *testing.T, want map[doc.OID]string) {
	t.Helper()
	if got := w.index.Titles(); !maps.Equal(got, want) {
		t.Errorf("index: got %v, want %v", got, want)
	}
}

// wantWhole checks that each document and its page are of one write, except for rows
// in quarantine, of which a crash may leave a document.
func (w *world) wantWhole(t *testing.T) {
	t.Helper()
	aside := w.quarantine.Reasons()
	for oid := range w.index.Titles() {
		if _, listed := aside[oid]; listed {
			continue
		}
		d, _ := w.index.Doc(oid)
		page, ok := w.pages.Page(oid)
		if !ok || page.V != d.V || page.Hash != d.Hash || page.Gen != w.index.Generation() {
			t.Errorf("row %v: got page %+v (%t), want that of %+v", oid, page.Meta, ok, d.Meta)
		}
	}
}

var (
	one   = fakeworld.Key(1)
	two   = fakeworld.Key(2)
	three = fakeworld.Key(3)
)
