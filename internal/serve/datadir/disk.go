package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// The room that there has to be before a storage is opened to write: at a start
// some for what opening writes, and after a failure a batch's worth.
const (
	StartSize = 256 << 10
	BatchSize = 8 << 20
)

// probeName is the file of a probe in the data directory, for the moment between
// making and removing its name.
const probeName = "probe.tmp"

// Probe writes and syncs size bytes into a file that no name leads to once it is
// open: a crash leaves nothing of it.
func Probe(dir string, size int) (err error) {
	name := filepath.Join(dir, probeName)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := os.Remove(name); err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	if _, err := f.Write(make([]byte, size)); err != nil {
		return fmt.Errorf("probe the disk: %w", err)
	}
	return f.Sync()
}

// Free returns the bytes that are free on a disk, and its size.
func Free(dir string) (free, size uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return disk.Bavail * uint64(disk.Bsize), disk.Blocks * uint64(disk.Bsize), nil
}

// Room reports an error if a disk has room for less than size bytes.
func Room(dir string, size uint64) error {
	free, _, err := Free(dir)
	if err != nil {
		return err
	}
	if free < size {
		return fmt.Errorf("disk of %s has %d MB left of the %d MB needed", dir, free>>20, size>>20+1)
	}
	return nil
}

// IsDiskFault reports whether an error means that a disk takes no writes, for want
// of room or worse.
func IsDiskFault(err error) bool {
	for _, fault := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}
