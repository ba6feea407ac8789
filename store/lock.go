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

// A FileLock is a lock that ends with its process, however that ends. The file
// stays, with what its last holder wrote, and can be read by everyone.
type FileLock struct{ flock *flock.Flock }

// readersLeave is how long Lock waits for holders of the shared lock: the
// questions of people, most of which take a moment.
const readersLeave = 5 * time.Second

// Lock takes the lock at path for this process alone. It fails with ErrLocked
// and what the holder wrote: at once where another process has it so, and
// after a few seconds where others share it.
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
		// Given up at once: two that wait would else keep each other out.
		if err := l.Unlock(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s: %w by commands that read it: wait for their end, or end them", path, ErrLocked)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// LockShared takes the lock at path together with others that share it, or fails
// at once with ErrLocked. It makes no file: where there is none, no process has
// had the lock, and there is nothing to share.
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
	return fmt.Errorf("%s: %w by %s: end it first", path, ErrLocked, holder)
}

// Write replaces what the file says of its holder. The file is written in
// place: a renamed one would be another file, which nobody has locked.
func (l *FileLock) Write(content string) error {
	if err := overwrite(l.flock.Path(), content); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// overwrite replaces what a file has, and does not empty it before: a full disk
// takes a few bytes where there were some.
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

// Release gives the lock up. The file is not removed: someone may just be
// locking it.
func (l *FileLock) Release() error { return l.flock.Close() }
