// Package incremental indexes the rows that changed since the last run: those
// with an updateTime in the window [last mark - overlap, database's now).
//
// A run has three steps:
//
//  1. Read the stamps of the window, in pages ordered by (updateTime, OID), and
//     compare them with the index. Fetch the rows that differ by OID, with
//     several workers. A row that the index already has costs only its stamp,
//     so the overlap is cheap.
//  2. Read the keys that may have left the SQL's result: rows that are marked
//     deleted, and rows that an UPDATE moved out of the SQL's filter, if the
//     configuration has an SQL that lists them. Fetch those that are stored and
//     have no stamp. Remove the documents of marked rows at once, and all other
//     absent ones as one removal, which the sink's guard may hold.
//  3. Move the mark.
//
// Rows whose key is unusable are listed and quarantined.
//
// Invariants. The mark moves last, after the whole window is durable; if any
// part failed, the whole window is read again. The mark never passes what the
// database shows: on a standby, the time up to which the primary's commits are
// replayed. If the database's clock was set back, all marks are set back before
// a row is read. Removals that the guard held, and rows that no SQL lists, do
// not stop the mark; the sweep finds them.
//
// Cost of an idle window: one query for the clock, one for the window, and one
// for each SQL that lists rows that may have left; none where Quiet knows that the
// window is empty. Memory: a page of stamps, and
// a batch of rows per worker, also when a million rows share one updateTime.
package incremental

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/recovered"
	"indexerd/internal/sync/refetch"
	"indexerd/timetrace"
)

// persistAfter is how far the durable mark may lag behind the last window while
// windows are empty. A restart reads these windows again. The table that first lags
// so far makes the marks of all tables durable.
const persistAfter = 10 * time.Second

// minOverlap is the least overlap of two windows. A transaction that took its
// timestamp just before the end of a window may commit just after it was read.
const minOverlap = time.Second

// Source is the table to follow.
type Source interface {
	// Moment reads the database's clock.
	Moment(context.Context) (doc.Moment, error)
	// Tick returns the precision of updateTime.
	Tick() time.Duration
	// Stamps returns the stamps of a window in pages ordered by (updateTime, OID),
	// among them one without an OID if some row has an unusable key.
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	// Unusable returns rejects of the rows of a window whose key is unusable.
	Unusable(context.Context, doc.Window) (doc.Batch, error)
	// StampsOf returns the stamps of the rows with these OIDs that exist, each
	// once.
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	// Left returns, in pages, the keys of rows of a window that may have left the
	// SQL's result. It returns none if no SQL lists them.
	Left(context.Context, doc.Window) iter.Seq2[[]doc.OID, error]
	refetch.Source
}

// Sink takes the documents.
type Sink interface {
	refetch.Sink
	Different([]doc.Stamp) ([]doc.OID, error)
	// Stored returns the stamps of those rows of which a document, a page or a
	// quarantine entry exists.
	Stored([]doc.OID) ([]doc.Stamp, error)
	Delete(_ context.Context, _ []doc.Stamp, _ doc.FetchSeq, left int) (doc.Report, error)
}

// A Pass follows one table.
type Pass struct {
	Table   string
	Source  Source
	Sink    Sink
	Trace   *timetrace.Trace
	Batch   int // rows per fetch
	Workers int

	// Quiet, if not nil, reads the database's clock as Moment does. It also returns a
	// time: a snapshot taken after the reading has no row with an updateTime at or
	// after it; zero: unknown.
	Quiet func(context.Context) (now doc.Moment, since time.Time)

	At doc.Moment // the database's clock at the last run

	last doc.Moment // the database's clock at the last window that was indexed
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
	if now, quiet := p.quiet(ctx); quiet {
		p.At = now
		w := p.window(now)
		return doc.Report{Window: w}, p.advance(w.To, now, false)
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
	left, err := p.removeLeft(ctx, w)
	report.Add(left)
	if err != nil {
		return report, err
	}
	return report, p.advance(w.To, now, report.Read > 0)
}

// quiet reports whether the next window is known to be empty. To pass it is the same
// as to read it: its end is a reading of the clock, and a snapshot taken after that
// reading has no row from the window's begin on, whether listed by the main SQL, a
// child's or one of rows that may have left. The clock must not have been set back,
// and a reading that is older than the mark shows nothing of a later window.
func (p *Pass) quiet(ctx context.Context) (doc.Moment, bool) {
	if p.Quiet == nil {
		return doc.Moment{}, false
	}
	now, since := p.Quiet(ctx)
	return now, p.isEmpty(now, since)
}

func (p *Pass) isEmpty(now doc.Moment, since time.Time) bool {
	if since.IsZero() || since.After(p.Since()) || now.Seen.Before(p.mark()) {
		return false
	}
	by, _ := p.setBack(now)
	return by <= p.overlap()
}

// PassBy does what Run would do if Quiet returned now and since, and reports whether it
// has: if the window is empty, and its mark need not become durable yet. It does not wait.
func (p *Pass) PassBy(now doc.Moment, since time.Time) (doc.Report, bool) {
	w := p.window(now)
	if !p.isEmpty(now, since) || !p.mayLag(w.To) || !p.Trace.TryNote(p.Table, p.move(w.To, now)) {
		return doc.Report{}, false
	}
	p.At, p.last = now, now
	return doc.Report{Window: w}, true
}

// Since returns the begin of the next window.
func (p *Pass) Since() time.Time { return p.mark().Add(-p.overlap()) }

// window returns the window to read now. A standby may have lost its primary
// since the last window, or may show an older state: then the mark stays, and
// the window begins below it.
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

// overlap returns how far before the mark a window begins.
func (p *Pass) overlap() time.Duration { return max(2*p.Source.Tick(), minOverlap) }

// mark returns the end of the last window that is in the index.
func (p *Pass) mark() time.Time {
	table, _ := p.Trace.Table(p.Table)
	return table.Incremental
}

// advance moves the mark. It writes the mark to disk unless the window was idle
// and the durable mark is less than persistAfter behind.
func (p *Pass) advance(to time.Time, now doc.Moment, wrote bool) error {
	if !wrote && p.mayLag(to) {
		p.Trace.Note(p.Table, p.move(to, now))
	} else if err := p.Trace.UpdateTable(p.Table, p.move(to, now)); err != nil {
		return err
	}
	p.last = now
	return nil
}

func (p *Pass) move(to time.Time, now doc.Moment) func(*timetrace.Table) {
	return func(t *timetrace.Table) { t.Incremental, t.Read, t.ReadLocal = to, now.Now, now.Local }
}

// mayLag reports whether the durable mark may stay behind a mark.
func (p *Pass) mayLag(to time.Time) bool {
	lag := to.Sub(p.Trace.DurableTable(p.Table).Incremental)
	return 0 <= lag && lag < persistAfter
}

// index fetches and puts the rows of the window that differ from the index.
func (p *Pass) index(parent context.Context, w doc.Window) (doc.Report, error) {
	var (
		mu     sync.Mutex
		report doc.Report
	)
	fetches, ctx := errgroup.WithContext(parent)
	fetches.SetLimit(max(p.Workers, 1))
	unusable := false
	scan := func() (err error) {
		defer recovered.Into(&err) // else the fetches would outlive the pass
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
					// Rows that are gone are left to step 2, compensation and the sweep.
					_, done, err := refetch.Rows(ctx, p.Source, p.Sink, chunk)
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
		return report, err // the cause: the scan then only reports that it was cancelled
	}
	if scanned != nil || !unusable {
		return report, scanned
	}
	rejects, err := p.Source.Unusable(parent, w)
	if err != nil {
		return report, err
	}
	quarantined, err := p.Sink.Put(parent, rejects)
	report.Add(quarantined)
	return report, err
}
