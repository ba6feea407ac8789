package store

import (
	"fmt"
	"os"
	"strings"

	"github.com/gofrs/flock"
)

// A FileLock is a lock that ends with its process, however that ends. The file
// stays, with what its last holder wrote, and can be read by everyone.
type FileLock struct{ flock *flock.Flock }

// Lock takes the lock at path, or fails at once with ErrLocked and what its
// holder wrote.
func Lock(path string) (*FileLock, error) {
	l := flock.New(path, flock.SetPermissions(0o644))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
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
	if err := os.WriteFile(l.flock.Path(), []byte(content), 0o644); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

// Release gives the lock up. The file is not removed: someone may just be
// locking it.
func (l *FileLock) Release() error { return l.flock.Close() }
