package source

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/giveway"
	"indexerd/internal/base/pace"
	"indexerd/internal/source/dialect"
)

// A slowSession takes a millisecond for each row.
type slowSession struct {
	dialect.Session
	rows int
}

func (s slowSession) Query(_ context.Context, _ dialect.Statement, row func([]any) bool) (bool, error) {
	for range s.rows {
		time.Sleep(time.Millisecond)
		row(nil)
	}
	return true, nil
}

// A query gives way to searches between its rows, and does not count that time as the
// database's.
func TestRowsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer giveway.Search().End()
		for range runtime.GOMAXPROCS(0) {
			work := giveway.Background()
			work.Step()
			defer work.End()
		}
		const rows = 10
		s := New(nil, pace.Limits{})
		x := &tx{source: s, session: slowSession{rows: rows}}
		began := time.Now()
		if _, err := x.each(t.Context(), dialect.NewQuery(nil), func([]any) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took <= rows*time.Millisecond {
			t.Errorf("%d rows of 1ms beside a search: got %v, want more", rows, took)
		}
		if got := s.Figures(); got.Statements != 1 || got.Busy != rows*time.Millisecond {
			t.Errorf("got %d statements of %v, want 1 of %v", got.Statements, got.Busy, rows*time.Millisecond)
		}
	})
}
