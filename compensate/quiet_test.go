package compensate_test

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A quietTable reads a horizon, and then since when no row was changed.
type quietTable struct {
	*fakeworld.Table
	since time.Time // zero: the begin of S
	w     *world
}

func (q quietTable) Horizon(ctx context.Context) (doc.Horizon, error) {
	h, err := q.Table.Horizon(ctx)
	h.Version, h.Quiet = "", q.since // without a version, so that no table is idle
	if q.since.IsZero() {
		h.Quiet = q.w.Marks().Settled
	}
	for _, r := range q.Table.All() {
		if !r.Updated.Before(h.Quiet) {
			h.Quiet = time.Time{}
		}
	}
	return h, err
}

// S passes a window that is quiet in the database and in the tree without a stamp
// being read, and no other window.
func TestQuietTablesAreNotCompared(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	e.Horizon = quietTable{Table: w.Table, w: w}
	o := observe(e.Comparison)
	settles := func(what string, windows int) {
		t.Helper()
		w.Table.Advance(time.Second)
		o.windows = 0
		runExact(t, e)
		if o.windows != windows {
			t.Errorf("%s: got %d comparisons, want %d", what, o.windows, windows)
		}
		if got, want := w.Marks().Settled, w.Table.Clock(); !got.Equal(want) {
			t.Errorf("%s: got S %v, want the clock, %v", what, got, want)
		}
		w.WantAll(t)
		w.wantHonest(t)
	}
	settles("no row", 0)
	w.Table.Advance(time.Second)
	w.Table.Put(fakeworld.Key(1), "new")
	settles("a new row", 1)
	settles("the row is below S", 0)
	e.Horizon = quietTable{Table: w.Table, since: w.Table.Clock().Add(time.Hour), w: w}
	settles("quiet since a time after S", 1)
}

// A row that is gone leaves a stamp in the tree: its table is quiet in the database,
// and is compared.
func TestQuietDatabaseWithStampsInTheTree(t *testing.T) {
	w := newWorld(t)
	e := w.exact()
	e.Horizon = quietTable{Table: w.Table, w: w}
	w.Table.Put(fakeworld.Key(1), "new")
	w.Table.Advance(time.Second)
	run(t, w.follow)
	w.Table.Delete(fakeworld.Key(1))
	w.Table.Advance(time.Second)
	if report := runExact(t, e); report.Deleted != 1 {
		t.Errorf("got %+v, want the row's document removed", report)
	}
}

// A tier leaves a quiet window out, and marks it as compared.
func TestQuietTier(t *testing.T) {
	w := newWorld(t)
	tier := w.tier()
	o := observe(tier.Comparison)
	for _, quiet := range []bool{true, false} {
		w.Table.Advance(time.Second)
		run(t, w.follow)
		tier.Quiet = func(mark time.Time) time.Time {
			if want := w.Marks().Incremental; !mark.Equal(want) {
				t.Errorf("got mark %v, want %v", mark, want)
			}
			if quiet {
				return w.begin.Add(-time.Hour)
			}
			return time.Time{}
		}
		o.windows = 0
		run(t, tier)
		if got := o.windows == 0; got != quiet {
			t.Errorf("quiet %v: got %d comparisons", quiet, o.windows)
		}
		if got, want := w.Marks().Tiers["1m"], w.Marks().Incremental; !got.Equal(want) {
			t.Errorf("quiet %v: got mark %v, want %v", quiet, got, want)
		}
	}
}
