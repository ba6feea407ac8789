//go:build !linux

package store

import "indexerd/internal/base/atomicfile"

// Only Linux maps files and has fdatasync. Other systems read files into
// memory.

func mapPrivate(atomicfile.File, int64) ([]byte, error) { return nil, nil }

func unmapPrivate([]byte) error { return nil }

func syncData(f atomicfile.File) error { return f.Sync() }
