package reindex

import (
	"errors"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

func newBoth() (old, renewedIndex *fakeworld.Index, b both) {
	old, renewedIndex = fakeworld.NewIndex(1), fakeworld.NewIndex(1)
	return old, renewedIndex, both{old: old, new: &renewed{Index: renewedIndex}}
}

func docOf(n int, title string, v doc.Version) doc.Doc {
	d := fakeworld.Row{Title: title}.Doc(key(n), 1, fakeworld.NewTable(1).Clock())
	d.V = v
	return d
}

// A batch that the old index has not written is not in the new one. So the
// versions of the old index are valid for both.
func TestBothWritesTheOldIndexFirst(t *testing.T) {
	old, renewedIndex, b := newBoth()
	if err := b.Apply([]doc.Doc{docOf(1, "a", 1)}, nil); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("no space")
	once := func(string) error { old.Before, renewedIndex.Before = nil, nil; return fault }

	old.Before = once
	if err := b.Apply([]doc.Doc{docOf(1, "b", 2)}, nil); !errors.Is(err, fault) {
		t.Errorf("error of the old index: got %v", err)
	}
	if d, _ := renewedIndex.Doc(key(1)); d.V != 1 {
		t.Errorf("new index: got version %d, want 1", d.V)
	}
	renewedIndex.Before = once
	if err := b.Apply([]doc.Doc{docOf(1, "b", 3)}, nil); !errors.Is(err, fault) {
		t.Errorf("error of the new index: got %v", err)
	}
	// The page still has version 1, so the row counts as different.
	if vs, err := b.Versions([]doc.OID{key(1)}); err != nil || vs[0] != 3 {
		t.Errorf("versions: got %v, %v; want 3 from the old index", vs, err)
	}
	renewedIndex.Before = once
	if err := b.Apply(nil, doc.Removals(4, key(1))); !errors.Is(err, fault) {
		t.Errorf("error of the new index: got %v", err)
	}
	if vs, err := b.Versions([]doc.OID{key(1)}); err != nil || vs[0] != 0 {
		t.Errorf("versions after a half-done delete: got %v, %v; want 0", vs, err)
	}
}

// A row that either index rejects is rejected before any write.
func TestBothRejectsWhatEitherRejects(t *testing.T) {
	old, renewedIndex, b := newBoth()
	for title, fits := range map[string]bool{"fits": true, fakeworld.Unfit + "old": false, unfit + "new": false} {
		d := docOf(1, title, 0)
		if _, err := b.Prepare(&d); (err == nil) != fits {
			t.Errorf("%s: got %v", title, err)
		}
		want := docOf(1, title, 0)
		if _, _ = b.new.Prepare(&want); fits && d.Hash != want.Hash {
			t.Errorf("%s: got hash %x, want %x of the new index", title, d.Hash, want.Hash)
		}
	}
	fault := errors.New("no space")
	for _, x := range []*fakeworld.Index{old, renewedIndex} {
		x.Before = func(string) error { return fault }
		if err := b.Err(); !errors.Is(err, fault) {
			t.Errorf("Err: got %v, want %v", err, fault)
		}
		x.Before = nil
	}
}

// Set waits for calls in progress. After Set no write uses the previous index.
func TestSwitchWaitsForWrites(t *testing.T) {
	old, _, b := newBoth()
	s := NewSwitch(old)
	old.Before = func(string) error {
		if s.mu.TryLock() {
			t.Error("Set does not wait for a write in progress")
			s.mu.Unlock()
		}
		return nil
	}
	if err := s.Apply([]doc.Doc{docOf(1, "a", 1)}, nil); err != nil {
		t.Fatal(err)
	}
	s.Set(b)
	if err := s.Apply([]doc.Doc{docOf(2, "a", 2)}, nil); err != nil {
		t.Fatal(err)
	}
	if _, there := b.new.(*renewed).Doc(key(2)); !there {
		t.Error("after Set: the new index does not have the document")
	}
}
