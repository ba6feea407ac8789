package store

import (
	"context"
	"fmt"
)

// rewriteKeys replaces key.dat by one in the order of the log and without void
// frames. Writers wait only while it adds what was put in the meantime.
func (m *FileMap) rewriteKeys(ctx context.Context) error {
	next, err := createKeys(m.fs, m.keys.name)
	if err != nil {
		return err
	}
	err = m.fillKeys(ctx, next)
	if err != nil && m.keys != next {
		return join(err, next.file.Close(), m.fs.Remove(next.name+".tmp"))
	}
	return err
}

func (m *FileMap) fillKeys(ctx context.Context, next *keyLog) error {
	w := &walk{cut: keysHeaderSize}
	m.layout.RLock()
	err := m.copyKeys(next, w)
	m.layout.RUnlock()
	if err != nil {
		return err
	}
	// swapKeys syncs again while writers wait: this sync makes that one short.
	if err := next.file.Sync(); err != nil {
		return err
	}
	if err := m.lockLayout(ctx); err != nil {
		return err
	}
	defer m.layout.Unlock()
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := m.copyKeys(next, w); err != nil {
		return err
	}
	return m.swapKeys(next)
}

// copyKeys adds frames for the log from the walk's position to its end.
func (m *FileMap) copyKeys(next *keyLog, w *walk) error {
	frames := newFramer(next)
	for e, err := range m.follow(w) {
		if err != nil {
			return err
		}
		frames.add(&e)
	}
	frames.flush()
	return frames.err
}

// swapKeys replaces key.dat by a complete key log. The caller holds layout and
// writing.
func (m *FileMap) swapKeys(next *keyLog) error {
	if err := next.file.Sync(); err != nil {
		return err
	}
	// address.idx stores a length of the old key.dat.
	if err := m.dropIndex(); err != nil {
		return err
	}
	if err := m.fs.Rename(next.name+".tmp", next.name); err != nil {
		return err
	}
	old := m.keys
	m.keys, m.keysStale = next, false
	if err := m.fs.SyncDir(m.dir); err != nil {
		return m.fail(fmt.Errorf("sync %s: %w", m.dir, err))
	}
	return old.file.Close()
}
