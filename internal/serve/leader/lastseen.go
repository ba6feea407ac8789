package leader

import "indexerd/timetrace"

// Store returns a part for a daemon that opens what is stored. One that leads does not
// continue from what it has seen as a standby: the leader before may have written since.
func (s *Shared) Store(under string, readOnly bool) timetrace.Store {
	if readOnly {
		return part{s, under}
	}
	return present{part{s, under}}
}

// A present part is as etcd has it now. Read fails while etcd does not answer.
type present struct{ part }

// Read returns the values of the part.
func (p present) Read() (map[string][]byte, error) {
	p.mu.Lock()
	delete(p.seen, p.under)
	p.mu.Unlock()
	return p.part.Read()
}
