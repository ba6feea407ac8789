package store

import (
	"context"
	"fmt"
)

// rewriteKeys writes key.dat anew, in the order of the log and without void
// frames. What is put meanwhile is added at the end, while writers wait.
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
	// It is synced again below, when others wait: most of it is done here.
	if err := next.file.Sync(); err != nil {
		return err
	}
	if err := m.takeLayout(ctx); err != nil {
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

// copyKeys adds the frames of the log from where the walk is to its end.
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

// swapKeys puts a complete key log in the place of the old one. The caller has
// layout and writing.
func (m *FileMap) swapKeys(next *keyLog) error {
	if err := next.file.Sync(); err != nil {
		return err
	}
	// It speaks of places in the old key.dat, which mean nothing in the new one.
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
