package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/test/faultfs"
)

// powerCuts returns what a power cut may leave: only what was synced, everything,
// and a random part.
func powerCuts(seed uint64) []func(int) int {
	return []func(int) int{faultfs.Worst, faultfs.Best, rand.New(rand.NewPCG(seed, 0)).IntN}
}

// changes reports whether a step may change files or their names.
func changes(s faultfs.Step) bool {
	switch s.Op {
	case "Read", "ReadAt", "ReadDir", "Close", "MkdirAll": // directories are durable at once
		return false
	}
	return true
}

// kill kills the process at the n-th change of the disk from now on. Reads work.
// It returns a function that returns that change.
func kill(fsys *faultfs.FS, n int) (at func() faultfs.Step) {
	var last faultfs.Step
	count := 0
	fsys.Fail(func(s faultfs.Step) error {
		if !changes(s) {
			return nil
		}
		if count++; count < n {
			return nil
		}
		if count == n {
			last = s
		}
		return faultfs.ErrKilled
	})
	return func() faultfs.Step { return last }
}

// content returns the content of a file, or nil if the file is missing.
func content(t testing.TB, fsys atomicfile.FS, name string) []byte {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// setContent replaces the content of a file.
func setContent(t testing.TB, fsys atomicfile.FS, name string, b []byte) {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
}

// removeFile removes a file if it exists.
func removeFile(t testing.TB, fsys atomicfile.FS, name string) {
	t.Helper()
	if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// compactAll closes the active segment if it has garbage, and rewrites every
// segment that has some.
func compactAll(m *FileMap) error {
	m.writing.Lock()
	err := m.writable()
	if err == nil && m.active.garbage(true) > 0 {
		if err = m.cutTorn(); err == nil {
			err = m.roll()
		}
	}
	m.writing.Unlock()
	if err != nil {
		return err
	}
	return m.compact(context.Background(), func(garbage, _ int64) bool { return garbage > 0 })
}
