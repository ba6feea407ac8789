package sink

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// Numbers increase, also across restarts, and those of one call are consecutive.
func TestNumbersNeverRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		n := &numbers{reserve: w.reserve}
		var last uint64
		t.Repeat(map[string]func(*rapid.T){
			"next": func(t *rapid.T) {
				count := rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64Range(block-3, 3*block)).Draw(t, "count")
				first, err := n.next(count)
				if err != nil {
					t.Fatal(err)
				}
				if count == 0 {
					return
				}
				if first <= last {
					t.Fatalf("got %d, want more than %d", first, last)
				}
				if last = first + count - 1; last > w.reserved {
					t.Fatalf("got numbers up to %d, and only %d are durable", last, w.reserved)
				}
			},
			"restart": func(*rapid.T) { n = &numbers{reserve: w.reserve} },
		})
	})
}

func TestNumbersAreReservedInBlocks(t *testing.T) {
	reservations := 0
	w := newWorld()
	n := &numbers{reserve: func(size uint64) (uint64, error) {
		reservations++
		return w.reserve(size)
	}}
	for range block {
		if _, err := n.next(1); err != nil {
			t.Fatal(err)
		}
	}
	if reservations != 1 {
		t.Errorf("got %d reservations of %d numbers, want 1", reservations, block)
	}
}

// If no number can be reserved, nothing is fetched and nothing is written.
func TestNoNumbersNoWork(t *testing.T) {
	w := newWorld()
	s := New(w.index, w.pages, w.tree, w.quarantine, w.guard(), func(uint64) (uint64, error) { return 0, errFault })
	opened := false
	if _, err := s.Begin(func() error { opened = true; return nil }); !errors.Is(err, errFault) || opened {
		t.Errorf("begin: got %v, opened %t, want %v and no snapshot", err, opened, errFault)
	}
	if _, err := s.Put(context.Background(), batchOf(1, map[doc.OID]string{one: "a"})); !errors.Is(err, errFault) {
		t.Errorf("put: got %v, want %v", err, errFault)
	}
	w.wantIndex(t, nil)
}

// A fetch whose snapshot fails has ended.
func TestBeginWithoutSnapshot(t *testing.T) {
	w := newWorld()
	s := w.start()
	if _, err := s.Begin(func() error { return errFault }); !errors.Is(err, errFault) {
		t.Fatalf("got %v, want %v", err, errFault)
	}
	if len(s.inFlight) != 0 {
		t.Errorf("in flight: got %v, want none", s.inFlight)
	}
	fetch(t, s, map[doc.OID]string{one: "a"}) // and the next one may begin
	w.wantIndex(t, map[doc.OID]string{one: "a"})
}

// No two documents have the same version, in one batch, in several or across
// restarts.
func TestVersionsAreUnique(t *testing.T) {
	w := newWorld()
	seen := map[doc.Version]bool{}
	for run := range 3 {
		s := w.start()
		for batch := range 3 {
			titles := map[doc.OID]string{}
			for k := range 5 {
				titles[fakeworld.Key(k)] = string(rune('a' + 3*run + batch))
			}
			fetch(t, s, titles)
			for oid := range titles {
				d, _ := w.index.Doc(oid)
				if d.V == 0 || seen[d.V] {
					t.Errorf("run %d, batch %d: version %d was given out before, or is none", run, batch, d.V)
				}
				seen[d.V] = true
			}
		}
	}
}
