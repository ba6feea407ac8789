package store

// Stats are figures of an open map, for people and metrics.
type Stats struct {
	Pages      int   // in family 0
	Records    int   // all that can be read: pages and versions of all families
	Segments   int   // value files
	Bytes      int64 // of value files
	Garbage    int64 // of these, what a compaction would free
	KeyBytes   int64 // of key.dat
	IndexBytes int64 // of the index in memory
	Damaged    int64 // records and stretches found damaged when the map was opened
	// Fault is what last went wrong in the background; nil after a round
	// without.
	Fault error
}

// Stats returns the map's figures. They are not of one instant.
func (m *FileMap) Stats() Stats {
	m.layout.RLock()
	defer m.layout.RUnlock()
	st := Stats{
		Pages:      m.Len(),
		KeyBytes:   m.keys.end.Load(),
		IndexBytes: m.index.bytes(),
		Damaged:    m.damage.Load(),
	}
	for _, sh := range m.index.shards() {
		sh.mu.Lock()
		st.Records += sh.live
		sh.mu.Unlock()
	}
	for _, s := range *m.order.Load() {
		st.Segments++
		st.Bytes += s.end.Load()
		st.Garbage += s.garbage(true)
	}
	if fault := m.keeper.fault.Load(); fault != nil {
		st.Fault = *fault
	}
	return st
}
