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
// Then the rows that may have left: rows of the window that are marked deleted,
// or that an UPDATE has moved out of the SQL's own filter, where the
// configuration has another SQL that still lists them. Those that are stored and
// have no stamp now are asked for by OID; marked ones leave at once, those that
// are gone leave as one removal, which the sink's guard may hold. Neither what
// is held nor what can't be listed keeps the mark: the sweep finds it.
//
// The mark moves last, when all of the window is durable; a window of which
// any part failed is read again as a whole. Where the database's clock has
// gone back, all marks do, before anything is read.
//
// Rows of the window whose key is unusable can't be documents. The window says
// whether there are any; then they are listed, and set aside by their reasons.
//
// The mark does not pass what the database is known to show: on a standby, what
// its primary committed by the time of the last commit that was replayed, or of
// the last message after which nothing was left to replay. So rows that are
// replayed late lie in later windows, and S, which the last tier moves to the
// mark less its timeout, never passes them.
//
// Cost of an idle window: two queries, of the clock and of the window, and one
// for each SQL that lists what may have left.
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
	"indexerd/internal/recovered"
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
	// Moment reads the database's clock.
	Moment(context.Context) (doc.Moment, error)
	// Tick is the precision of updateTime.
	Tick() time.Duration
	// Stamps returns the stamps of a window in pages by (updateTime, OID); one
	// without an OID where the key of some row is unusable.
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	// Unusable returns rejects of the rows of a window whose key is unusable.
	Unusable(context.Context, doc.Window) (doc.Batch, error)
	// StampsOf returns the stamps of the rows with these OIDs, each once; gone
	// ones are absent.
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	// Left returns the keys of rows of a window that may have left the SQL's
	// result, in pages; none where no SQL could tell.
	Left(context.Context, doc.Window) iter.Seq2[[]doc.OID, error]
	// Docs returns the rows with these OIDs as they are now.
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
}

// Sink takes the documents.
type Sink interface {
	Different([]doc.Stamp) ([]doc.OID, error)
	// Stored returns what is stored of those rows of which anything is.
	Stored([]doc.OID) ([]doc.Stamp, error)
	Put(context.Context, doc.Batch) (doc.Report, error)
	Delete(_ context.Context, _ []doc.Stamp, _ doc.FetchSeq, left int) (doc.Report, error)
}

// A Pass follows one table.
type Pass struct {
	Table   string
	Source  Source
	Sink    Sink
	Trace   *timetrace.Trace
	Batch   int // rows a fetch
	Workers int

	At doc.Moment // of the last run: what the database's clock showed, and by when all is seen

	saved time.Time  // the mark that is durable
	last  doc.Moment // at which the last window was read
}

// Run reads one window.
func (p *Pass) Run(ctx context.Context) (doc.Report, error) {
	report, err := p.run(ctx)
	if err != nil {
		return report, fmt.Errorf("incremental %s: %w", p.Table, err)
	}
	return report, nil
}

func (p *Pass) run(ctx context.Context) (doc.Report, error) {
	if p.saved.IsZero() {
		p.saved = p.mark() // as it was found on disk
	}
	now, err := p.now(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	w := p.window(now)
	report, err := p.index(ctx, w)
	report.Window = w
	if err != nil {
		return report, err
	}
	left, err := p.leave(ctx, w)
	report.Add(left)
	if err != nil {
		return report, err
	}
	return report, p.advance(w.To, now, report.Read > 0)
}

// window is what is to be read now. A standby may have lost sight of its
// primary since the last window, or may have gone back to an older state: the
// mark stays, and what lies below it is read again.
func (p *Pass) window(now doc.Moment) doc.Window {
	w := doc.Window{From: p.mark(), To: p.mark()}
	if now.Seen.Before(w.From) {
		w.From = now.Seen
	} else {
		w.To = now.Seen
	}
	w.From = w.From.Add(-p.overlap())
	return w
}

// overlap is how far before the mark a window begins.
func (p *Pass) overlap() time.Duration { return max(2*p.Source.Tick(), minOverlap) }

// mark is the end of the last window that is in the index.
func (p *Pass) mark() time.Time {
	table, _ := p.Trace.Table(p.Table)
	return table.Incremental
}

// advance moves the mark: durably, unless the window was idle and what is
// durable is not far behind.
func (p *Pass) advance(to time.Time, now doc.Moment, wrote bool) error {
	move := func(t *timetrace.Table) { t.Incremental, t.Read, t.ReadLocal = to, now.Now, now.Local }
	if !wrote && !to.Before(p.saved) && to.Sub(p.saved) < persistAfter {
		p.Trace.Note(p.Table, move)
		p.last = now
		return nil
	}
	if err := p.Trace.UpdateTable(p.Table, move); err != nil {
		return err
	}
	p.saved, p.last = to, now
	return nil
}

// index brings everything of the window into the index.
func (p *Pass) index(parent context.Context, w doc.Window) (doc.Report, error) {
	var (
		mu     sync.Mutex
		report doc.Report
	)
	fetches, ctx := errgroup.WithContext(parent)
	fetches.SetLimit(max(p.Workers, 1))
	unusable := false
	scan := func() (err error) {
		defer recovered.Into(&err) // or the fetches would outlive the pass
		for stamps, err := range p.Source.Stamps(ctx, w) {
			if err != nil {
				return err
			}
			stamps, some := doc.WithoutUnusable(stamps)
			unusable = unusable || some
			oids, err := p.Sink.Different(stamps)
			if err != nil {
				return err
			}
			mu.Lock()
			report.Compared += len(stamps)
			mu.Unlock()
			for chunk := range slices.Chunk(oids, max(p.Batch, 1)) {
				fetches.Go(func() (err error) {
					defer recovered.Into(&err)
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
	if scanned != nil || !unusable {
		return report, scanned
	}
	aside, err := p.setAside(parent, w)
	report.Add(aside)
	return report, err
}

// setAside sets the rows of the window aside whose key is unusable.
func (p *Pass) setAside(ctx context.Context, w doc.Window) (doc.Report, error) {
	b, err := p.Source.Unusable(ctx, w)
	if err != nil {
		return doc.Report{}, err
	}
	return p.Sink.Put(ctx, b)
}

// fetch indexes the rows with these OIDs as they are now. A row that has gone
// since is left to the passes that remove; one that is marked deleted leaves.
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
