package tables

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/serve/database"
	"indexerd/internal/sync/passes"
)

const (
	// smallTable is the number of documents up to which a table is small: all its rows are
	// summed in a few milliseconds, in one statement with those of other small tables.
	smallTable = 1000
	// totalsEvery is the interval of these statements, and totalsFactor the least of it as
	// a multiple of what one takes.
	totalsEvery  = 2 * time.Second
	totalsFactor = 30
	// totalsForget is how long a table is summed after it was last asked for, and how long
	// one is left out that has no sum.
	totalsForget = time.Minute
)

// A totals has readings of the sums of the small tables of a source. One is taken at a time,
// and serves all tables until the next.
type totals struct {
	slot chan struct{} // held while a reading is taken; guards the fields below

	asked map[*Table]time.Time // when a table was last asked for
	mute  map[*Table]time.Time // when a table was found to have no sum

	began time.Time // of the last reading
	took  time.Duration
	at    time.Time // the database's clock before it
	sums  map[*Table]doc.Sum
	of    map[*Table]database.Rows // the description by which a table was summed
}

func newTotals() *totals {
	return &totals{slot: make(chan struct{}, 1), asked: map[*Table]time.Time{}, mute: map[*Table]time.Time{}}
}

// total compares the sum of all rows of a small table with that of its documents. It is
// not known for another table.
func (t *Table) total(ctx context.Context, rows database.Rows) (passes.Total, error) {
	if t.CountDocuments() > smallTable {
		return passes.Total{}, nil
	}
	sum, total, err := t.Source.totals.sum(ctx, t, rows)
	if err != nil || !total.Known {
		return passes.Total{}, err
	}
	stored, known, err := t.Stored.Total(t.Current(), t.Pages)
	total.Known, total.Equal = known, known && stored == sum
	return total, err
}

// sum returns the sum of all rows of a table, and when they were read. It is not known
// before the next reading if the table has another description now.
func (s *totals) sum(ctx context.Context, t *Table, rows database.Rows) (sum doc.Sum, read passes.Total, err error) {
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return sum, read, ctx.Err()
	}
	defer func() { <-s.slot }()
	s.asked[t] = time.Now()
	if time.Since(s.began) >= max(totalsEvery, totalsFactor*s.took)-passes.LookEvery/2 {
		if err := s.read(ctx, t.Source.Database, rows); err != nil {
			return sum, read, err
		}
	}
	sum, known := s.sums[t]
	return sum, passes.Total{At: s.at, Read: s.began, Known: known && s.of[t] == rows}, nil
}

// read takes a reading. It reads the database's clock by rows first.
func (s *totals) read(ctx context.Context, db database.Database, rows database.Rows) error {
	var tables []*Table
	var all []database.Rows
	now := time.Now()
	for t, at := range s.asked {
		if now.Sub(at) > totalsForget {
			delete(s.asked, t)
			continue
		}
		if r := t.described(); r != nil && now.Sub(s.mute[t]) > totalsForget {
			tables, all = append(tables, t), append(all, r)
		}
	}
	s.began, s.sums, s.of = now, map[*Table]doc.Sum{}, map[*Table]database.Rows{}
	at, err := rows.Now(ctx)
	if err != nil {
		return err
	}
	metered, spent := pace.Metered(ctx)
	sums, known, err := db.Totals(metered, all)
	if err != nil {
		return err
	}
	s.at, s.took = at, spent.Spent()
	for i, t := range tables {
		if s.of[t] = all[i]; known[i] {
			s.sums[t] = sums[i]
		} else {
			s.mute[t] = now
		}
	}
	return nil
}
