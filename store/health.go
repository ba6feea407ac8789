package store

// Err is the fault after which the map takes no more writes: a sync failed, so
// what the disk has is unknown until the map is opened again. It is nil while
// all is well.
func (m *FileMap) Err() error {
	m.writing.Lock()
	defer m.writing.Unlock()
	return m.failed
}
