package store

import (
	"errors"
	"fmt"
)

// Errors for callers to test with errors.Is.
var (
	ErrNotFound = errors.New("no such page")
	// ErrCorrupt: a checksum is wrong. Fetch the page again.
	ErrCorrupt = errors.New("damaged record")
	// ErrTooLarge: the key or the content exceeds MaxKey or MaxValue.
	ErrTooLarge = errors.New("too large to store")
	// ErrLocked: another process holds the lock.
	ErrLocked = errors.New("in use")
	// ErrReadOnly: the map was opened with Options.ReadOnly.
	ErrReadOnly = errors.New("opened read-only")
)

var errClosed = errors.New("the file map is closed")

// Kinds of damage of a record or a file.
var (
	errMagic   = fmt.Errorf("%w: the magic number is wrong", ErrCorrupt)
	errBounds  = fmt.Errorf("%w: a length or kind is out of bounds", ErrCorrupt)
	errHeadSum = fmt.Errorf("%w: the checksum of the header is wrong", ErrCorrupt)
	errBodySum = fmt.Errorf("%w: the checksum of the content is wrong", ErrCorrupt)
	errOrder   = fmt.Errorf("%w: the sequence number is not above the previous one", ErrCorrupt)
	errSlot    = fmt.Errorf("%w: there is no file at its address", ErrCorrupt)
	errCut     = fmt.Errorf("%w: cut short", ErrCorrupt)
)

// errFormat is the error of a file of another format than this release reads.
func errFormat(got, reads uint32) error {
	if got < reads {
		return fmt.Errorf("format %d, and this release reads %d: restore a backup", got, reads)
	}
	return fmt.Errorf("format %d, and this release reads %d: a newer release of indexerd wrote the file: start that release, or restore a backup that this release made", got, reads)
}

// join is errors.Join in one line.
func join(errs ...error) (all error) {
	for _, err := range errs {
		switch {
		case err == nil:
		case all == nil:
			all = err
		default:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}
