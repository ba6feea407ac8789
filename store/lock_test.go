package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"pid 12345 http://127.0.0.1:7700\n", "pid 42\nsha256 00\n"} {
		if err := l.Write(content); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("content of the held lock: got %q, %v, want %q", got, err, content)
		}
	}
	_, err = Lock(path)
	if want := path + ": in use by pid 42: stop it first"; !errors.Is(err, ErrLocked) || err.Error() != want {
		t.Errorf("second Lock: got %v, want %s", err, want)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	l, err = Lock(path)
	if err != nil {
		t.Fatalf("Lock after Release: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if _, err := Lock(filepath.Join(path, "below a file")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("Lock of an impossible path: got %v, want another fault", err)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestSharedLocksExcludeAWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lock := must[*FileLock](t)
		path := filepath.Join(t.TempDir(), "lock")
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(lock(LockShared(path)).Release())
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("LockShared without a file: got %v, want it not created", err)
		}
		w := lock(Lock(path))
		if _, err := LockShared(path); !errors.Is(err, ErrLocked) {
			t.Errorf("LockShared during Lock: got %v, want ErrLocked", err)
		}
		check(w.Release())
		readers := []*FileLock{lock(LockShared(path)), lock(LockShared(path))}
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
				t.Fatalf("Lock during %d shared locks: got %v at once, want it to wait", len(readers)-i, err)
			case <-time.After(200 * time.Millisecond):
			}
			check(r.Release())
		}
		check(<-locked)
		r := lock(LockShared(path))
		begun := time.Now()
		if _, err := Lock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "commands that read it") || time.Since(begun) < readersLeave {
			t.Errorf("Lock during a shared lock that stays: got %v after %v, want ErrLocked after %v", err, time.Since(begun), readersLeave)
		}
		check(r.Release())
	})
}

// A caller that has locked a directory above opens the map without another file.
func TestLockedByTheCaller(t *testing.T) {
	dir := t.TempDir()
	m, err := Open(dir, Options{Locked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := os.Stat(filepath.Join(dir, "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file to lock: got error %v, want that there is none", err)
	}
}
