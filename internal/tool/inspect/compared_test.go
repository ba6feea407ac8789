package inspect

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
)

func (r *fakeRows) StampsInRange(ctx context.Context, _ doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if r.slow {
			<-ctx.Done()
			yield(nil, ctx.Err())
			return
		}
		for left := max(r.many, 2); left > 0; left -= 10_000 {
			time.Sleep(100 * time.Millisecond)
			if !yield(make([]doc.Stamp, min(left, 10_000)), nil) {
				return
			}
		}
	}
}

func (r *fakeRows) TokenSums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error) {
	if r.sums == 0 {
		return nil, nil
	}
	select {
	case <-time.After(r.sums):
		return make([]doc.Sum, len(bounds)+1), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestCostOfAComparison(t *testing.T) {
	for what, rows := range map[string]*fakeRows{
		"a comparison of 2 rows takes about 100 ms of database time, measured, and is made at most every 1 s while something changes":                            {},
		"a comparison of 2,000,000 rows takes about 20 s of database time, estimated from 110,000 rows, and is made at most every 200 s while something changes": {many: 2_000_000},
		"a comparison of 2,000,000 rows takes about 2 s of database time, measured, and is made at most every 20 s while something changes":                      {many: 2_000_000, sums: 2 * time.Second},
		"a comparison of 3,000,000 rows takes about 30 s of database time, estimated from 110,000 rows, and is made at most every 300 s while something changes": {many: 3_000_000, sums: time.Minute},
		"since updated is not set": {slow: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := film(t, "")
			cfg.Tables[0].Updated = ""
			f := check(t, cfg, goodServer, rows, nil)
			i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "changes" })
			if f.Errors > 0 || i < 0 || !strings.HasSuffix(f.Findings[i].What, what) {
				t.Errorf("got %+v, want no error, and changes that end with %q", f, what)
			}
			for _, one := range f.Findings {
				if strings.Contains(one.Path, "updated") || strings.Contains(one.Path, "compensate") || strings.Contains(one.What, "precision") {
					t.Errorf("got %+v for a table without updated, want no such finding", one)
				}
			}
		})
	}
}

func TestShareOfComparisons(t *testing.T) {
	cfg := film(t, "")
	cfg.Sources[0].Limits.ComparisonShare = 0.5
	tc := &tableCheck{Check: &Check{cfg: cfg}, Table: Table{Conf: configs.Table{Source: "db"}}}
	if got := tc.every(3 * time.Second); got != 6*time.Second {
		t.Errorf("got a comparison of 3 s every %v with a share of 0.5, want every 6 s", got)
	}
}

// hints are those of a database: a version, or a reason why there is none.
type hints doc.Hint

func (h hints) Hint(context.Context) (doc.Hint, error) { return doc.Hint(h), nil }

func (r *fakeRows) Maintained(context.Context) (bool, error) { return r.maintained, nil }

// A table with updated is compared for what no window shows.
func TestCostOfSilentChanges(t *testing.T) {
	for what, c := range map[string]struct {
		rows  *fakeRows
		hints Hints
	}{
		"a change that leaves u alone is found by comparison, which takes about 2 s of database time for 2,000,000 rows, measured, and is made at most every 20 s while something changes that windows do not find, and every 60 s beside what they find": {
			&fakeRows{many: 2_000_000, sums: 2 * time.Second}, hints{Version: "1"}},
		"a change that leaves u alone is found by comparison, which takes about 20 ms of database time for 2 rows, measured, and is made at most every 10 s, since the database sets u": {
			&fakeRows{sums: 20 * time.Millisecond, maintained: true}, hints{Version: "1"}},
		"a change that leaves u alone is found by the sweep, every 1h: a standby":                                               {&fakeRows{}, hints{Reason: "a standby"}},
		"a change that leaves u alone is found by the sweep, every 1h: the database does not show that something was committed": {&fakeRows{}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := film(t, "")
			check := NewCheck(cfg)
			check.Table(t.Context(), Table{Conf: cfg.Tables[0], Rows: c.rows, Hints: c.hints, Mapping: schema.Mapping{Content: []string{"title"}, Analyzer: "standard"}})
			if f := check.Findings(); !slices.ContainsFunc(f.Findings, func(one Finding) bool { return one.What == what }) {
				t.Errorf("got %+v, want %q", f, what)
			}
		})
	}
}
