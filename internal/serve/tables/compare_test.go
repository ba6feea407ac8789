package tables

import (
	"context"
	"iter"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/serve/database"
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
