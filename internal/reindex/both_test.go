package reindex

import (
	"errors"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
)

func pair() (old, renewedIndex *fakeworld.Index, b Both) {
	old, renewedIndex = fakeworld.NewIndex(1), fakeworld.NewIndex(1)
	return old, renewedIndex, Both{Old: old, New: &renewed{Index: renewedIndex}}
}

func docOf(n int, title string, v doc.Version) doc.Doc {
	d := fakeworld.Row{Title: title}.Doc(key(n), 1, fakeworld.NewTable(1).Clock())
	d.V = v
	return d
}

// Nothing of a batch is in the new index that the old one has refused: what the
// old one says of a document is then true of both.
func TestBothWritesTheOldOneFirst(t *testing.T) {
	old, renewedIndex, b := pair()
	if err := b.Apply([]doc.Doc{docOf(1, "a", 1)}, nil); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("no space")
	once := func(string) error { old.Before, renewedIndex.Before = nil, nil; return fault }

	old.Before = once
	if err := b.Apply([]doc.Doc{docOf(1, "b", 2)}, nil); !errors.Is(err, fault) {
		t.Errorf("the old one's fault: got %v", err)
	}
	if d, _ := renewedIndex.Doc(key(1)); d.V != 1 {
		t.Errorf("new index: got version %d, want 1", d.V)
	}
	renewedIndex.Before = once
	if err := b.Apply([]doc.Doc{docOf(1, "b", 3)}, nil); !errors.Is(err, fault) {
		t.Errorf("the new one's fault: got %v", err)
	}
	// The page still is of version 1: the row counts as different.
	if vs, err := b.Versions([]doc.OID{key(1)}); err != nil || vs[0] != 3 {
		t.Errorf("versions: got %v, %v; want the old one's 3", vs, err)
	}
	renewedIndex.Before = once
	if err := b.Apply(nil, []doc.OID{key(1)}); !errors.Is(err, fault) {
		t.Errorf("the new one's fault: got %v", err)
	}
	if vs, err := b.Versions([]doc.OID{key(1)}); err != nil || vs[0] != 0 {
		t.Errorf("versions of what is half removed: got %v, %v; want 0", vs, err)
	}
}

// A row that either index can't take is refused before it is written to one.
func TestBothRefusesWhatEitherRefuses(t *testing.T) {
	old, renewedIndex, b := pair()
	for title, wants := range map[string]bool{"fits": true, fakeworld.Unfit + "old": false, unfit + "new": false} {
		hash, err := b.Hash(docOf(1, title, 0).Row)
		if (err == nil) != wants {
			t.Errorf("%s: got %v", title, err)
		}
		if want, _ := b.New.Hash(docOf(1, title, 0).Row); wants && hash != want {
			t.Errorf("%s: got hash %x, want the new one's %x", title, hash, want)
		}
	}
	fault := errors.New("no space")
	for _, x := range []*fakeworld.Index{old, renewedIndex} {
		x.Before = func(string) error { return fault }
		if err := b.Err(); !errors.Is(err, fault) {
			t.Errorf("health: got %v, want %v", err, fault)
		}
		x.Before = nil
	}
}

// Set waits for the calls that are under way: when it returns, no write goes to
// the index before alone.
func TestSwitchWaitsForWrites(t *testing.T) {
	old, _, b := pair()
	s := NewSwitch(old)
	old.Before = func(string) error {
		if s.mu.TryLock() {
			t.Error("Set does not wait for a write under way")
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
	if _, there := b.New.(*renewed).Doc(key(2)); !there {
		t.Error("after Set: the new index does not have the document")
	}
}
