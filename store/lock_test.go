package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Readers share a lock and make none; a writer waits for them a while, and keeps
// them out.
func TestLockShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	nothing, err := LockShared(path)
	if err != nil {
		t.Fatalf("share a lock that does not exist: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("sharing made the file: %v", err)
	}
	if err := nothing.Release(); err != nil {
		t.Error(err)
	}
	w, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockShared(path); !errors.Is(err, ErrLocked) {
		t.Errorf("share what a writer has: got %v, want ErrLocked", err)
	}
	if err := w.Release(); err != nil {
		t.Fatal(err)
	}
	var readers [2]*FileLock
	for i := range readers {
		if readers[i], err = LockShared(path); err != nil {
			t.Fatalf("reader %d: %v", i, err)
		}
	}
	locked := make(chan error, 1)
	go func() {
		w, err := Lock(path)
		if err == nil {
			err = w.Release()
		}
		locked <- err
	}()
	for i, r := range readers {
		select {
		case err := <-locked:
			t.Fatalf("Lock while %d readers share it: got %v at once, want it to wait", len(readers)-i, err)
		case <-time.After(200 * time.Millisecond):
		}
		if err := r.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-locked; err != nil {
		t.Errorf("Lock after the readers: %v", err)
	}
}

// A writer does not wait for ever.
func TestLockWhileReadersStay(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for 5 s")
	}
	path := filepath.Join(t.TempDir(), "lock")
	w, err := Lock(path) // makes the file
	if err == nil {
		err = w.Release()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := LockShared(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if _, err := Lock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "commands that read it") {
		t.Errorf("got %v, want that it is read", err)
	}
}
