package tables

import (
	"context"
	"iter"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/stored"
	"indexerd/timetrace"
)

// timedRows is rows each of whose statements takes a second.
type timedRows struct {
	database.Rows
	pace *pace.Pace
}

func (r timedRows) Docs(ctx context.Context, _ []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(func(doc.Batch, error) bool) { r.pace.Took(ctx, time.Second) }
}

func (r timedRows) Sums(ctx context.Context, _ []doc.OID) ([]doc.Sum, error) {
	r.pace.Took(ctx, time.Second)
	return nil, nil
}

// An UPDATE of all rows makes one comparison fetch them all. The next ones do not wait
// longer for it.
func TestRepairsAreNoCostOfAComparison(t *testing.T) {
	rows := repairing{timedRows{pace: pace.New(pace.Limits{})}}
	ctx, spent := pace.Metered(t.Context())
	for range rows.Docs(ctx, []doc.OID{"1"}) {
	}
	if got := spent.Spent(); got != 0 {
		t.Errorf("got a cost of %v for a repair, want none", got)
	}
	if _, err := rows.Sums(ctx, nil); err != nil || spent.Spent() != time.Second {
		t.Errorf("got a cost of %v, %v, want 1s", spent.Spent(), err)
	}
}

// tokened is rows whose tokens the database can sum.
type tokened struct{ database.Rows }

func (tokened) TokenSums(context.Context, []doc.OID) ([]doc.Sum, error) { return nil, nil }

// A comparison between two sweeps notes which rows of the quarantine it fetched in Stored,
// also where it lists the whole table, since the index is not verified.
func TestComparisonBetweenSweepsHasStored(t *testing.T) {
	for _, unverified := range []string{"", "the index was deleted"} {
		trace, err := timetrace.Open(atomicfile.OS, t.TempDir(), "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.UpdateTable("film", func(m *timetrace.Table) { m.Unverified = unverified }); err != nil {
			t.Fatal(err)
		}
		table := New(&stored.Table{Conf: configs.Table{Name: "film", Updated: "updated"}, Trace: trace, Stored: new(deletecheck.Stored)}, new(Source))
		for _, between := range []bool{true, false} {
			s := table.newSweep(tokened{}, Sweeping{between: between})
			if s.Stored != table.Stored {
				t.Errorf("unverified %q, between %v: the sweep has no Stored", unverified, between)
			}
			if got, want := s.Sums != nil, between && unverified == ""; got != want {
				t.Errorf("unverified %q, between %v: got sums %v, want %v", unverified, between, got, want)
			}
		}
	}
}
