// Package incremental indexes what changed since the last run: the rows whose
// updateTime lies in the window [last mark - overlap, the database's now).
//
// The window is read as stamps first, in pages ordered by (updateTime, OID),
// and compared with what the index has: what is known costs a stamp and no
// more, which is what the overlap is, and any difference, older or newer, is
// fetched by OID in its newest version. So a million rows that share one
// updateTime are pages of stamps and then batches by key, worked on by several
// workers; memory is a page of stamps and a batch a worker.
//
// The mark moves last, when all of the window is durable; a window of which
// any part failed is read again as a whole.
//
// Cost of an idle window: two queries, of the clock and of the window.
package incremental

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// persistAfter is how far the durable mark may lag behind windows in which
// nothing was: a restart reads them again, which costs nothing.
const persistAfter = 10 * time.Second

// minOverlap is re-read even where updateTime is fine-grained: a transaction
// that took its timestamp just before the last window's end may have committed
// just after it.
const minOverlap = time.Second

// Source is the table to follow.
type Source interface {
	// Now is the database's clock.
	Now(context.Context) (time.Time, error)
	// Tick is the precision of updateTime.
	Tick() time.Duration
	// Stamps returns the stamps of a window in pages by (updateTime, OID).
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	// Docs returns the rows with these OIDs as they are now.
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
}

// Sink takes the documents.
type Sink interface {
	Different([]doc.Stamp) ([]doc.OID, error)
	Put(context.Context, doc.Batch) (doc.Report, error)
}

// A Pass follows one table.
type Pass struct {
	Table   string
	Source  Source
	Sink    Sink
	Trace   *timetrace.Trace
	Batch   int // rows a fetch
	Workers int

	read time.Time // end of the last window that is in the index
}

// Run reads one window.
func (p *Pass) Run(ctx context.Context) (doc.Report, error) {
	mark, _ := p.Trace.Table(p.Table)
	w, err := p.window(ctx, mark.Incremental)
	if err != nil {
		return doc.Report{}, fmt.Errorf("incremental %s: %w", p.Table, err)
	}
	report, err := p.index(ctx, w)
	report.Window = w
	if err != nil {
		return report, fmt.Errorf("incremental %s: %w", p.Table, err)
	}
	if report.Read > 0 || w.To.Sub(mark.Incremental).Abs() >= persistAfter {
		err = p.Trace.UpdateTable(p.Table, func(t *timetrace.Table) { t.Incremental = w.To })
	}
	if err == nil {
		p.read = w.To
	}
	return report, err
}

// window is what is to be read now. Where the database's clock has gone back
// behind the last window's end by d, rows are stamped from there on once more,
// so the window begins d before the clock.
func (p *Pass) window(ctx context.Context, mark time.Time) (doc.Window, error) {
	now, err := p.Source.Now(ctx)
	if err != nil {
		return doc.Window{}, err
	}
	from := mark
	if !p.read.IsZero() {
		from = p.read
	}
	if now.Before(from) {
		from = now.Add(-from.Sub(now))
	}
	return doc.Window{From: from.Add(-max(2*p.Source.Tick(), minOverlap)), To: now}, nil
}

// index brings everything of the window into the index.
func (p *Pass) index(ctx context.Context, w doc.Window) (doc.Report, error) {
	var (
		mu     sync.Mutex
		report doc.Report
	)
	fetches, ctx := errgroup.WithContext(ctx)
	fetches.SetLimit(max(p.Workers, 1))
	scan := func() error {
		for stamps, err := range p.Source.Stamps(ctx, w) {
			if err != nil {
				return err
			}
			oids, err := p.Sink.Different(stamps)
			if err != nil {
				return err
			}
			mu.Lock()
			report.Compared += len(stamps)
			mu.Unlock()
			for chunk := range slices.Chunk(oids, max(p.Batch, 1)) {
				fetches.Go(func() error {
					done, err := p.fetch(ctx, chunk)
					mu.Lock()
					report.Add(done)
					mu.Unlock()
					return err
				})
			}
		}
		return nil
	}
	scanned := scan()
	if err := fetches.Wait(); err != nil {
		return report, err // the cause; the scan's own error is then only that it was cancelled
	}
	return report, scanned
}

// fetch indexes the rows with these OIDs as they are now. A row that has gone
// since is left to the passes that remove.
func (p *Pass) fetch(ctx context.Context, oids []doc.OID) (doc.Report, error) {
	var report doc.Report
	for batch, err := range p.Source.Docs(ctx, oids) {
		if err != nil {
			return report, err
		}
		done, err := p.Sink.Put(ctx, batch)
		report.Add(done)
		if err != nil {
			return report, err
		}
	}
	return report, nil
}
