package changes

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"indexerd/internal/base/doc"
)

// A Watch reads the hints of one table. It is safe for concurrent use.
type Watch struct {
	readings *Readings
	find     func(context.Context) (doc.Footprint, error)

	mu        sync.Mutex
	last      string // the version of the last hint
	footprint doc.Footprint
	known     bool   // the footprint was found
	version   string // of the reading before it was found
	catalog   string // likewise
	defined   string // the definitions of its tables, likewise
}

// Watch returns the hints of a table. find returns what its SQLs read, in a
// separate snapshot.
func (r *Readings) Watch(find func(context.Context) (doc.Footprint, error)) *Watch {
	return &Watch{readings: r, find: find}
}

// Hint implements Hints.
func (w *Watch) Hint(ctx context.Context) (doc.Hint, error) { return w.within(ctx, 0) }

// Within returns the hints for a caller that takes a reading of another table, or
// its own last one, if it is no older.
func (w *Watch) Within(age time.Duration) Hints { return recent{w, age} }

type recent struct {
	*Watch
	age time.Duration
}

// Hint implements Hints.
func (r recent) Hint(ctx context.Context) (doc.Hint, error) { return r.within(ctx, r.age) }

// Known returns the hint of a reading that is young enough, if it needs nothing more from
// the database. It does not wait.
func (r recent) Known() (doc.Hint, bool) {
	w := r.Watch
	if !w.mu.TryLock() {
		return doc.Hint{}, false
	}
	defer w.mu.Unlock()
	s, ok := w.readings.latest(w.tables(), r.age)
	if !ok || s.Version == "" || w.outdated(s) || !w.counted(s) {
		return doc.Hint{}, false
	}
	w.last = s.Version
	return w.hint(s), true
}

func (w *Watch) within(ctx context.Context, age time.Duration) (doc.Hint, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.readings.next(ctx, w.tables(), age)
	if err != nil {
		return doc.Hint{}, err
	}
	if s.Version == "" {
		w.last, w.known = "", false
		return doc.Hint{At: s.At, Reason: s.Reason}, nil
	}
	if w.outdated(s) {
		if w.footprint, err = w.find(ctx); err != nil {
			w.known = false
			return doc.Hint{}, err
		}
		w.known, w.version, w.catalog, w.defined = true, s.Version, s.Catalog, w.definitions(s)
		if !w.counted(s) {
			if s, err = w.readings.next(ctx, w.tables(), age); err != nil {
				return doc.Hint{}, err
			}
		}
	}
	w.last = s.Version
	return w.hint(s), nil
}

// outdated reports whether the footprint has to be found again. Views, partitions
// and functions can be replaced by any commit. Where the catalog's state is not shown,
// and commits are made all the time, no hint is exact.
func (w *Watch) outdated(s Sample) bool {
	switch {
	case !w.known:
		return true
	case s.Catalog != "":
		return s.Catalog != w.catalog || w.definitions(s) != w.defined
	}
	return s.Version == w.last && s.Version != w.version
}

// holds reports whether the footprint is of a reading.
func (w *Watch) holds(s Sample) bool {
	return s.Version == w.version || s.Catalog != "" && s.Catalog == w.catalog && w.definitions(s) == w.defined
}

// definitions returns those of the base tables in a reading.
func (w *Watch) definitions(s Sample) string {
	var all strings.Builder
	for _, t := range w.footprint.Tables {
		fmt.Fprintf(&all, "%s ", s.Counters[t.ID].Definition)
	}
	return all.String()
}

func (w *Watch) tables() (ids []string) {
	for _, t := range w.footprint.Tables {
		ids = append(ids, t.ID)
	}
	return ids
}

// counted reports whether a reading has the counters of all base tables.
func (w *Watch) counted(s Sample) bool {
	for _, t := range w.footprint.Tables {
		if _, ok := s.Counters[t.ID]; s.Counted && !ok {
			return false
		}
	}
	return true
}

// hint returns the part of a reading that is of this table.
func (w *Watch) hint(s Sample) doc.Hint {
	h := doc.Hint{
		At: s.At, Version: s.Version, Counters: s.Version, Removals: s.Version, Counted: s.complete, Weak: s.Weak,
		Reason: w.footprint.Reason, Exact: w.footprint.Reason == "" && w.holds(s),
	}
	if !s.Counted {
		return h
	}
	var all, removals, plain strings.Builder
	for _, t := range w.footprint.Tables {
		c := s.Counters[t.ID]
		fmt.Fprintf(&all, "%s:%d,%d,%d,%s ", t.ID, c.Inserted, c.Updated, c.Deleted, c.Storage)
		fmt.Fprintf(&plain, "%s:%s ", t.ID, c.Storage)
		h.Changes += c.Inserted + c.Updated + c.Deleted
		counts := func(n int64, counts bool) int64 {
			if counts {
				return n
			}
			return 0
		}
		if t.Deletes || t.Updates || t.Inserts {
			fmt.Fprintf(&removals, "%s:%d,%d,%d,%s ", t.ID, counts(c.Inserted, t.Inserts), counts(c.Updated, t.Updates), counts(c.Deleted, t.Deletes), c.Storage)
		}
	}
	h.Counters, h.Removals = all.String(), removals.String()
	if w.footprint.Plain && h.Exact {
		h.Plain = plain.String()
	}
	return h
}
