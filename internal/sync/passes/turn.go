package passes

import (
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source/changes"
)

const (
	// unknownEvery is the interval up to which tables are compared before the counters
	// can show whether they changed. Each of a thousand is unknown after any commit. One
	// that is unproven is compared in what the others leave of the time.
	unknownEvery = 2 * time.Second
	// ownWork is about what a comparison takes of a core beside the database's time,
	// however small the table.
	ownWork = 2 * time.Millisecond
)

// A Turn decides when a table that may have changed is compared, as its cost and those
// of the other tables allow. One goroutine uses it.
type Turn struct {
	Share *pace.Share
	Name  string

	began time.Time // of the last comparison
	cost  pace.Cost
	every time.Duration // the interval that the table had last
}

// Comes reports whether the table is to be compared now.
func (t *Turn) Comes(due changes.Due) bool { return t.ComesAfter(due, 0) }

// ComesAfter is Comes for a table that is not compared more often than least.
func (t *Turn) ComesAfter(due changes.Due, least time.Duration) bool {
	cost := max(t.cost.Median(), ownWork)
	if due == changes.Unchanged {
		t.Share.Idle(t.Name, cost)
		return false
	}
	t.every = t.Share.Every(t.Name, cost, least, due == changes.Changed)
	if due == changes.Unknown && t.every > unknownEvery {
		return false // the counters come before all that are unknown can be compared
	}
	return t.since() >= t.every-LookEvery/2 // looks are not exactly LookEvery apart
}

// Began notes that a comparison has ended.
func (t *Turn) Began(at time.Time) { t.began = at }

// Took notes the database's time that a comparison of the usual kind took.
func (t *Turn) Took(database time.Duration) { t.cost.Add(database + ownWork) }

func (t *Turn) since() time.Duration { return time.Since(t.began) }

// A Total is the result of a comparison of all of a table by one sum.
type Total struct {
	At    time.Time // the database's clock before the rows were summed
	Read  time.Time // this machine's
	Known bool
	Equal bool // the documents are those of all rows that were committed before At
}

// resolve finds by a sum whether a table changed, of which only something was committed. A
// sum that was read before the last comparison differs from documents that this one wrote.
func (t *Turn) resolve(due changes.Due, total Total) changes.Due {
	switch {
	case due != changes.Unknown || !total.Known:
		return due
	case total.Equal:
		return changes.Unchanged
	case total.Read.Before(t.began):
		return due
	}
	return changes.Changed
}
