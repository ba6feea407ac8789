package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/test/faultfs"
)

// A keysSwap is a map whose key.dat is rewritten while a batch is put, on a disk
// that stops at some step.
type keysSwap struct {
	*history
	fsys   *faultfs.FS
	before []byte // the first frame header of the old key.dat
	end    position
	put    bool // the batch was put
}

// newKeysSwap returns a map with an address.idx that matches, and a key.dat of
// many frames: the new key.dat has fewer.
func newKeysSwap(t *testing.T) *keysSwap {
	t.Helper()
	s := &keysSwap{history: newHistory(t, 1), fsys: faultfs.New()}
	s.options.SegmentBytes = 1 << 20 // the frames of one segment can become one
	s.mustOpen(s.fsys)
	for round := range 3 {
		if err := s.history.put(round); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.m.saveIndex(); err != nil {
		t.Fatal(err)
	}
	s.before = content(t, s.fsys, keysName("pages"))[:keysHeaderSize+frameHeaderSize]
	return s
}

// run rewrites key.dat. A batch is put before the first sync of the copied
// frames.
func (s *keysSwap) run() error {
	s.m.fs = &syncHook{FS: s.fsys, before: func(f atomicfile.File) error {
		info, err := f.Stat()
		if err != nil || s.put || info.Size() <= keysHeaderSize {
			return err
		}
		s.put = true
		return s.history.put(3)
	}}
	err := s.m.rewriteKeys(context.Background())
	s.end = s.m.mark().at
	return err
}

// A syncHook calls before at the beginning of each sync of a temporary file.
type syncHook struct {
	*faultfs.FS
	before func(atomicfile.File) error
}

func (h *syncHook) OpenFile(name string, flag int, perm fs.FileMode) (atomicfile.File, error) {
	f, err := h.FS.OpenFile(name, flag, perm)
	if err == nil && filepath.Ext(name) == ".tmp" {
		f = hookedFile{f, h.before}
	}
	return f, err
}

type hookedFile struct {
	atomicfile.File
	before func(atomicfile.File) error
}

func (f hookedFile) Sync() error {
	if err := f.before(f.File); err != nil {
		return err
	}
	return f.File.Sync()
}

// isNew reports whether key.dat is the new one.
func (s *keysSwap) isNew(fsys *faultfs.FS) bool {
	b := content(s.t, fsys, keysName("pages"))
	return b != nil && !bytes.HasPrefix(b, s.before)
}

// check expects the old key.dat, or the new one: complete, and without an
// address.idx that stores a place in the old one.
func (s *keysSwap) check(fsys *faultfs.FS) {
	s.t.Helper()
	if !s.isNew(fsys) {
		return
	}
	if content(s.t, fsys, indexName("pages")) != nil {
		s.t.Error("key.dat is the new one, and address.idx stores a place in the old one")
	}
	o := s.options
	o.FS, o.ReadOnly = fsys, true
	m, err := Open("pages", o)
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	w := &walk{segments: *m.order.Load()}
	for _, err := range w.covered(m.keys, keysHeaderSize) {
		if err != nil {
			s.t.Fatal(err)
		}
	}
	if w.at != s.end {
		s.t.Errorf("key.dat is the new one, and covers the log up to %v, want %v", w.at, s.end)
	}
}

// TestCrashInTheSwapOfKeys cuts the power, or kills the process, before each step
// of the replacement of key.dat. key.dat is the old one or the complete new one,
// and no page is lost. A finished replacement is durable.
func TestCrashInTheSwapOfKeys(t *testing.T) {
	for n := 1; ; n++ {
		s := newKeysSwap(t)
		at := kill(s.fsys, n)
		err := s.run()
		if err == nil {
			after := s.fsys.Crash(faultfs.Worst)
			if !s.put || !s.isNew(after) {
				t.Errorf("got a batch put: %t, the new key.dat after a power cut: %t, want both", s.put, s.isNew(after))
			}
			s.check(after)
			if n < 8 {
				t.Errorf("got %d steps, want each write, sync and change of names", n)
			}
			return
		}
		if !errors.Is(err, faultfs.ErrKilled) {
			t.Fatalf("step %d: got %v, want ErrKilled", n, err)
		}
		t.Run(fmt.Sprintf("step %d (%s %s)", n, at().Op, at().Name), func(t *testing.T) {
			s.t = t
			cuts := powerCuts(0)
			for seed := range uint64(7) {
				cuts = append(cuts, powerCuts(seed + 1)[2])
			}
			for _, cut := range cuts {
				disk := s.fsys.Crash(cut)
				s.check(disk)
				s.after(t).recover(disk)
			}
			s.fsys.Fail(nil)
			s.after(t).recover(s.fsys)
		})
	}
}
