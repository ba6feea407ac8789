package sink

import (
	"sync"
	"time"
)

// Explained counts which changes of the database show in what a sink wrote: at least
// one for each version of a row that it had not stored, and for each row that is gone.
// So changes that a database counts beyond these changed no row, or changed one whose
// updateTime did not move, which no window finds. The zero Explained counts from the
// beginning of time.
type Explained struct {
	mu               sync.Mutex
	since            time.Time
	written, removed int64
}

// From begins to count again: versions with an updateTime at or after a time of the
// database, and removals.
func (e *Explained) From(since time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.since, e.written, e.removed = since, 0, 0
}

// Counts returns the versions that were written, and the documents that were removed.
func (e *Explained) Counts() (written, removed int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.written, e.removed
}

// write counts documents. An updateTime that is later than the fetch is not that of the
// change.
func (e *Explained) write(entries []entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range entries {
		if d := entries[i].doc; !entries[i].seen && !d.Updated.Before(e.since) && !d.Updated.After(d.Fetched) {
			e.written++
		}
	}
}

func (e *Explained) remove(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.removed += int64(n)
}
