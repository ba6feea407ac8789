package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// A keysSwap is a map whose key.dat is rewritten while a batch is put, on a
// disk that stops at a step of it.
type keysSwap struct {
	*history
	fsys   *crashFS
	before []byte // how key.dat begins before
	end    position
}

// newKeysSwap has an address.idx that fits the segments, and a key.dat of many
// frames: a new one has fewer.
func newKeysSwap(t *testing.T) *keysSwap {
	t.Helper()
	s := &keysSwap{history: newHistory(t, 1), fsys: newCrashFS()}
	s.options.FS, s.options.SegmentBytes = s.fsys, 1<<20 // frames of one segment can become one
	err := s.open()
	for round := range 3 {
		if err == nil {
			err = s.put(round)
		}
	}
	if err == nil {
		err = s.m.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.before = bytes.Clone(s.fsys.names[keysName("pages")].data[:keysHeaderSize+frameHeaderSize])
	return s
}

// swap stops at its n-th step from here; 0: at none. It returns the step.
func (s *keysSwap) swap(n int) (at step, err error) {
	first, put := s.fsys.steps, false
	defer func() {
		if err == nil && !put {
			s.t.Error("no batch was put while key.dat was copied")
		}
	}()
	s.fsys.before = func(now step) error {
		if !put && now.op == "sync" && now.name == "key.dat.tmp" && len(s.fsys.names[keysName("pages")+".tmp"].data) > keysHeaderSize {
			put = true // most of it is copied: this batch has to be, too
			if err := s.put(3); err != nil {
				return err
			}
		}
		if n == 0 || now.n < first+n {
			return nil
		}
		if now.n == first+n {
			at = now
		}
		return errStopped
	}
	err = s.m.rewriteKeys(context.Background())
	s.fsys.before = nil
	mark := s.m.mark()
	s.end = mark.at
	return at, err
}

// isNew reports whether the key.dat of a disk is the one that was swapped in.
func (s *keysSwap) isNew(fsys *crashFS) bool {
	node := fsys.names[keysName("pages")]
	return node != nil && !bytes.HasPrefix(node.data, s.before)
}

// judge wants the old key.dat, or the new one: whole, and without an address.idx
// that speaks of the old one's places.
func (s *keysSwap) judge(t *testing.T, fsys *crashFS) {
	t.Helper()
	if !s.isNew(fsys) {
		return
	}
	if fsys.names[indexName("pages")] != nil {
		t.Error("key.dat is the new one, and address.idx speaks of places in the old one")
	}
	o := s.options
	o.FS, o.ReadOnly = fsys, true
	m, err := Open("pages", o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w := &walk{segments: *m.order.Load()}
	for _, err := range w.covered(m.keys, keysHeaderSize) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if w.at != s.end {
		t.Errorf("key.dat is the new one, and covers the log up to %v, want %v", w.at, s.end)
	}
}

// TestCrashInTheSwapOfKeys cuts the power, or kills the process, before each step
// of the swap of a key log, into which a batch falls. key.dat is the old one or
// all of the new one, and no page is lost. A swap that has ended is durable.
func TestCrashInTheSwapOfKeys(t *testing.T) {
	for n := 1; ; n++ {
		s := newKeysSwap(t)
		at, err := s.swap(n)
		if err == nil {
			if !s.isNew(s.fsys.crash(dropAll, nil)) {
				t.Error("after a swap a power cut brings the old key.dat back")
			}
			s.judge(t, s.fsys.crash(dropAll, nil))
			if n < 8 {
				t.Errorf("the swap took %d steps, want each of its writes, syncs and changes of names", n)
			}
			return
		}
		if !errors.Is(err, errStopped) {
			t.Fatalf("step %d: got %v, want it stopped", n, err)
		}
		for how := range cuts {
			for seed := range uint64(8) {
				t.Run(fmt.Sprintf("step %d (%s %s), cut %d, %d", n, at.op, at.name, how, seed), func(t *testing.T) {
					disk := s.fsys.crash(how, rand.New(rand.NewPCG(uint64(n), seed)))
					s.judge(t, disk)
					after := newHistory(t, 1)
					after.known, after.pending = s.known, s.pending
					after.recover(disk)
				})
				if how != keepSome {
					break // the other cuts have no chance in them
				}
			}
		}
		t.Run(fmt.Sprintf("step %d (%s %s), killed", n, at.op, at.name), func(t *testing.T) {
			after := newHistory(t, 1)
			after.known, after.pending = s.known, s.pending
			after.recover(s.fsys.die())
		})
	}
}
