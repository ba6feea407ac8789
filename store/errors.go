package store

import (
	"errors"
	"fmt"
)

// What a caller may branch on.
var (
	ErrNotFound = errors.New("no such page")
	// ErrCorrupt: the record's checksum is wrong. It is never served; the page
	// is to be fetched again.
	ErrCorrupt = errors.New("damaged record")
	// ErrTooLarge: the page can't be stored, now or ever.
	ErrTooLarge = errors.New("too large to store")
	// ErrLocked: another process has it.
	ErrLocked = errors.New("in use")
	// ErrReadOnly: the map was opened with ReadOnly.
	ErrReadOnly = errors.New("opened read-only")
)

var errClosed = errors.New("the file map is closed")

// What can be wrong with a record or a file, as Check and Dump name it.
var (
	errMagic   = fmt.Errorf("%w: nothing of this kind begins here", ErrCorrupt)
	errBounds  = fmt.Errorf("%w: a length or kind is out of bounds", ErrCorrupt)
	errHeadSum = fmt.Errorf("%w: wrong checksum of its head", ErrCorrupt)
	errBodySum = fmt.Errorf("%w: wrong checksum of its content", ErrCorrupt)
	errOrder   = fmt.Errorf("%w: its number does not follow the one before", ErrCorrupt)
	errCut     = fmt.Errorf("%w: cut short", ErrCorrupt)
)

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
