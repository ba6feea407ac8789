package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/stored"
)

// While a table without a key is unverified, all its rows may have other keys: after
// another SQL, or other columns. Its sweep then fills a new index beside the old one,
// which is searched until the new one has all rows. So no search finds a row twice.
//
// The guard limits the net loss: what the new index has less than the old one. If
// that is too much, the old index stays in use until an operator allows it.

// recountEvery is how often the rows of a table whose loss is held are counted.
const recountEvery = time.Minute

// errLoss reports that the guard holds the loss of a new index.
var errLoss = errors.New("the guard holds the loss")

// rekeys reports whether all rows may have other keys.
func (t *Table) rekeys() bool {
	marks, _ := t.Trace.Table(t.Conf.Name)
	return t.Conf.RowKey && marks.Unverified != ""
}

// rekey runs a sweep that fills a new index.
func (t *Table) rekey(ctx context.Context, s deletecheck.Sweep, how Sweeping) (report doc.Report, err error) {
	if how.Allow == 0 && time.Since(t.lossHeld) < recountEvery {
		return doc.Report{Held: t.Guard.Held().Removals}, nil
	}
	rows, err := s.Source.(database.Rows).Count(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	loss, err := t.holdLoss(rows)
	if err == nil {
		loss, err = t.fillNew(ctx, s, &report)
	}
	if errors.Is(err, errLoss) {
		t.lossHeld = time.Now()
		return doc.Report{Held: loss}, nil
	}
	t.lossHeld = time.Time{}
	return report, err
}

// holdLoss returns by how many documents an index of n is smaller than the one in
// use, and errLoss if the guard does not admit that.
func (t *Table) holdLoss(n int64) (loss int, err error) {
	documents, err := t.Current().Count()
	if err != nil {
		return 0, err
	}
	loss = max(int(documents)-int(n), 0)
	admitted, err := t.Guard.Admits(loss)
	if err == nil && !admitted {
		err = errLoss
	}
	return loss, err
}

// fillNew runs a sweep on an empty index, and puts that into use when all rows are
// in it.
func (t *Table) fillNew(ctx context.Context, s deletecheck.Sweep, report *doc.Report) (loss int, err error) {
	t.setReindexing(true)
	defer t.setReindexing(false)
	r := t.NewReindex()
	err = r.Fill(ctx, func(ctx context.Context, swap func() error) (err error) {
		made := stored.MadeBy(r)
		s.Index, s.FromScratch = made, true
		s.Filled = func(context.Context) error {
			n, err := made.Count()
			if err != nil {
				return err
			}
			if loss, err = t.holdLoss(int64(n)); err != nil {
				return err
			}
			if err := t.Guard.Lose(loss); err != nil {
				return err
			}
			return swap()
		}
		*report, err = s.Run(ctx)
		return err
	})
	if errors.Is(err, reindex.ErrUndecided) {
		t.Die(err)
	}
	if err == nil {
		t.log.Info(fmt.Sprintf("%s swapped", t.sweepPass()), "documents", report.Read, "why", "all rows may have other keys")
	}
	return loss, err
}
