//go:build !linux

package store

import "indexerd/internal/atomicfile"

// Elsewhere than on Linux nothing is mapped: files are read.

func (s *segment) mapShared(int64) error { return nil }

func (s *segment) unmap() error { return nil }

func mapPrivate(atomicfile.File, int64) ([]byte, error) { return nil, nil }

func unmapPrivate([]byte) error { return nil }

func syncData(f atomicfile.File) error { return f.Sync() }
