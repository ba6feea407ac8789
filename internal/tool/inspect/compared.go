package inspect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/terminal"
)

// sumRows is about how many rows a range of keys has, of which a comparison reads the
// sum of digests.
const sumRows = 250

// sampleWithin is how long rows are read to estimate what a comparison takes.
const sampleWithin = time.Second

// compared reports how changes of a table without updated are found, and what that
// costs.
func (tc *tableCheck) compared() error {
	what := "changed, deleted and new rows are found by comparing the whole table with the index, since updated is not set"
	took, sampled, err := tc.comparison(tc.ctx)
	if err != nil {
		return err
	}
	if took > 0 {
		what += fmt.Sprintf("; a comparison of %s takes about %s of database time, %s, and is made at most every %s while something changes",
			terminal.Count(tc.rows, "row"), rounded(took), sampled, rounded(tc.every(took)))
	}
	tc.add(changesFound, tc.path, what, nothing)
	return nil
}

// comparison returns what a comparison takes of the database's time, and how that
// is known; 0 if no row was read in time.
func (tc *tableCheck) comparison(ctx context.Context) (took time.Duration, known string, err error) {
	if took, err = tc.sums(ctx); took > 0 || err != nil {
		return took, "measured", err
	}
	return tc.listing(ctx)
}

// sums returns how long the statement takes that sums all rows, as a comparison
// does; 0 if there is none, or if it takes too long for a check.
func (tc *tableCheck) sums(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	bounds, err := tc.Rows.Sample(ctx, int(min(tc.rows/sumRows, 10_000)))
	if err != nil {
		return 0, unlessLate(ctx, err)
	}
	slices.Sort(bounds)
	began := time.Now()
	sums, err := tc.Rows.TokenSums(ctx, slices.Compact(bounds))
	if err != nil || sums == nil {
		return 0, unlessLate(ctx, err)
	}
	return max(time.Since(began), 1), nil
}

// unlessLate returns an error that is not that of a context whose time is over.
func unlessLate(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// listing is comparison for all rows. It reads the digests of the first ones.
func (tc *tableCheck) listing(ctx context.Context) (took time.Duration, known string, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	var read int64
	began := time.Now()
	for stamps, err := range tc.Rows.StampsInRange(ctx, doc.Range{}) {
		if err != nil && ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, "", err
		}
		read += int64(len(stamps))
		if took = time.Since(began); took > sampleWithin {
			break
		}
	}
	if read == 0 || read >= tc.rows {
		return took, "measured", nil
	}
	return time.Duration(float64(took) * float64(tc.rows) / float64(read)), fmt.Sprintf("estimated from %s", terminal.Count(read, "row")), nil
}

// every returns how often the table is compared while something changes.
func (tc *tableCheck) every(took time.Duration) time.Duration {
	for _, s := range tc.cfg.Sources {
		if s.Name == tc.Conf.Source {
			return max(pace.AtMostEvery, time.Duration(float64(took)/s.Limits.ComparisonShare))
		}
	}
	return pace.AtMostEvery
}

// rounded prints a duration in milliseconds, or in whole seconds from 1 s on.
func rounded(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}
