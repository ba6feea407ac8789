package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"indexerd/internal/base/atomicfile"
)

// Snapshot writes a copy of the map, as it is at some moment of the call, to
// dst, which must be empty or missing. Closed segments never change, so Snapshot
// links them if the file system can; it copies the active segment, key.dat and
// the dictionary. Readers and writers continue, compactions wait. After a failed
// sync Snapshot returns the error of that sync.
func (m *FileMap) Snapshot(dst string) error {
	m.layout.RLock()
	defer m.layout.RUnlock()
	if m.closed.Load() {
		return errClosed
	}
	if err := m.snapshot(dst); err != nil {
		return fmt.Errorf("snapshot %s to %s: %w", m.dir, dst, err)
	}
	return nil
}

func (m *FileMap) snapshot(dst string) error {
	from, _, err := m.durableMark()
	if err != nil {
		return err
	}
	if err := m.emptyDir(dst); err != nil {
		return err
	}
	// The index is written before the values, so that the copy has a record for
	// each of its slots.
	if err := m.writeIndex(dst, from); err != nil {
		return err
	}
	to, order, err := m.durableMark()
	if err != nil {
		return err
	}
	for _, s := range order {
		name := segmentName(dst, s.number)
		if s.number == to.at.segment {
			if err := m.copyFile(s.file, name, int64(to.at.place)*unit); err != nil {
				return err
			}
			continue
		}
		if err := m.fs.Link(segmentName(m.dir, s.number), name); err != nil {
			// Another device, or a file system without links.
			if err := m.copyFile(s.file, name, s.end.Load()); err != nil {
				return err
			}
		}
	}
	if err := m.copyFile(m.keys.file, keysName(dst), to.keys); err != nil {
		return err
	}
	if k := m.codecs.Load(); k.dict != nil {
		if err := atomicfile.Write(m.fs, dictName(dst), encodeDict(k.dict)); err != nil {
			return err
		}
	}
	return m.fs.SyncDir(dst)
}

// emptyDir creates the directory, or reports an error if it is not empty.
func (m *FileMap) emptyDir(dst string) error {
	entries, err := m.fs.ReadDir(dst)
	if errors.Is(err, fs.ErrNotExist) {
		return m.fs.MkdirAll(dst, 0o700)
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the directory is not empty: %s", entries[0].Name())
	}
	return err
}

// copyFile copies the first n bytes of a file, durably.
func (m *FileMap) copyFile(from io.ReaderAt, name string, n int64) (err error) {
	f, err := m.fs.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = join(err, f.Close()) }()
	if _, err := io.Copy(f, io.NewSectionReader(from, 0, n)); err != nil {
		return err
	}
	return f.Sync()
}
