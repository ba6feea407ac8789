package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A FileLock is a lock on a file. The operating system releases it when the
// process ends. The file stays, with the content that its last holder wrote, and
// everyone may read it.
type FileLock struct{ flock *flock.Flock }

// readersLeave is how long Lock waits for holders of the shared lock: commands
// that read, most of which take a moment.
const readersLeave = 5 * time.Second

// Lock locks the file at path exclusively. If another process holds the lock it
// returns ErrLocked with the holder's first line: at once for an exclusive lock,
// after 5 s for a shared one.
func Lock(path string) (*FileLock, error) {
	l := flock.New(path, flock.SetPermissions(0o644))
	deadline := time.Now().Add(readersLeave)
	for {
		ok, err := l.TryLock()
		switch {
		case err != nil:
			return nil, join(fmt.Errorf("lock %s: %w", path, err), l.Close())
		case ok:
			return &FileLock{l}, nil
		}
		if shared, err := l.TryRLock(); err != nil || !shared {
			return nil, join(heldBy(path), l.Close())
		}
		// Unlock at once, so that two waiting processes do not block each other.
		if err := l.Unlock(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s: %w by commands that read it: wait for them, or stop them", path, ErrLocked)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// LockShared takes a shared lock on the file at path, or returns ErrLocked at
// once. It creates no file: if the file is missing, no process has ever had the
// lock, and LockShared succeeds.
func LockShared(path string) (*FileLock, error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FileLock{l}, nil
	case err != nil:
		return nil, join(fmt.Errorf("lock %s: %w", path, err), l.Close())
	case !ok:
		return nil, join(heldBy(path), l.Close())
	}
	return &FileLock{l}, nil
}

func heldBy(path string) error {
	content, err := os.ReadFile(path)
	line, _, _ := strings.Cut(string(content), "\n")
	holder := strings.Join(strings.Fields(line), " ")
	if err != nil || holder == "" {
		holder = "another process"
	}
	return fmt.Errorf("%s: %w by %s: stop it first", path, ErrLocked, holder)
}

// Write replaces the file's content, which identifies the holder. It writes in
// place: a renamed file would be a different file without a lock.
func (l *FileLock) Write(content string) error {
	if err := overwrite(l.flock.Path(), content); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// overwrite replaces a file's content without emptying the file first, so that
// it works on a full disk.
func overwrite(name, content string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), 0)
	if err == nil {
		err = f.Truncate(int64(len(content)))
	}
	return join(err, f.Close())
}

// Release unlocks the file, and does not remove it: another process may be
// about to lock it.
func (l *FileLock) Release() error { return l.flock.Close() }
