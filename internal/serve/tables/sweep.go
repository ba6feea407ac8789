package tables

import (
	"context"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/sync/sink"
)

// sweepRetry is how soon a sweep that verifies is tried again after it failed.
const sweepRetry = 30 * time.Second

// scheduleSweep puts the sweep on its schedule: first when the last one's
// period is over, or now where one has to verify the index.
func (t *Table) scheduleSweep(s *schedule.Scheduler) {
	marks, _ := t.Trace.Table(t.Conf.Name)
	last := marks.Sweep
	if last.IsZero() {
		last = marks.Load // which has seen all of the table
	}
	delay := max(0, time.Until(last.Add(t.Conf.DeleteCheck.Every)))
	if marks.Unverified != "" {
		delay = 0
	}
	t.every(s, "deletecheck", "", t.Conf.DeleteCheck.Every, delay, never, func(ctx context.Context) error {
		if err := t.Source.waitQuietHours(ctx, t.log, "deletecheck"); err != nil {
			return err
		}
		_, err := t.Sweep(ctx, Sweeping{scheduled: true, Share: t.Conf.DeleteCheck.Share})
		return err
	})
}

func never() bool { return false }

// sweepIfDue starts the sweep as soon as the index has to be verified.
func (t *Table) sweepIfDue() { t.sweepIfDoubted(sweepRetry) }

// sweepIfDoubted is sweepIfDue, with a pause after a sweep that failed.
func (t *Table) sweepIfDoubted(pause time.Duration) {
	if marks, _ := t.Trace.Table(t.Conf.Name); marks.Unverified == "" {
		return
	}
	t.mu.Lock()
	var job *schedule.Job
	for _, j := range t.jobs {
		if j.pass == t.sweepPass() {
			job = j.Job
		}
	}
	t.mu.Unlock()
	if job == nil {
		return
	}
	if s := job.Status(); !s.Running && (s.Err == nil || time.Since(s.Last) > pause) {
		job.Now()
	}
}

// Sweeping are the options of a sweep.
type Sweeping struct {
	scheduled bool    // not requested by a caller
	Share     float64 // of its time that it works; it rests for the remainder
	Restart   bool    // from the first key, not where the last sweep was interrupted
	Allow     int     // removals beyond the guard's limits
	Progress  func(done, of int64)
	between   bool                        // a comparison between two sweeps, of a table with updateTimes
	rest      func(context.Context) error // between two chunks; nil: by share
}

// Sweep compares the whole table, and repairs what differs. It gives up the lane
// between chunks, so that other passes wait for one chunk at most.
func (t *Table) Sweep(ctx context.Context, how Sweeping) (doc.Report, error) {
	select {
	case t.sweeping <- struct{}{}:
	case <-ctx.Done():
		return doc.Report{}, ctx.Err()
	}
	defer func() { <-t.sweeping }()
	return t.sweep(ctx, how)
}

// sweep is Sweep for a caller that holds sweeping.
func (t *Table) sweep(ctx context.Context, how Sweeping) (doc.Report, error) {
	rows, err := t.reach(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	t.mu.Lock()
	p := t.passes // nil outside of a daemon
	t.mu.Unlock()
	proven := p != nil && !how.between && p.ProvesSettled(ctx)
	started, pass := time.Now(), t.sweepPass()
	if how.between {
		pass = "compare"
	}
	var lane *laneByChunks
	s := t.newSweep(rows, how)
	s.Rest = func(ctx context.Context, worked time.Duration) error {
		return lane.pause(ctx, func(ctx context.Context) error { return t.restInSweep(ctx, worked, how) })
	}
	if _, err := guarded(ctx, t, rows, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Prepare(ctx) }); err != nil {
		return doc.Report{}, err
	}
	if lane, err = t.takeLane(ctx); err != nil {
		return doc.Report{}, err
	}
	defer lane.end()
	t.Guard.Allow(how.Allow)
	defer t.Guard.Allow(0)
	run := s.Run
	if t.rekeys() {
		run = func(ctx context.Context) (doc.Report, error) { return t.rekey(ctx, *s, how) }
	}
	report, err := guarded(ctx, t, rows, run)
	t.count(pass, "", time.Since(started), report, err)
	if err != nil {
		return report, t.dieIfBroken(pass, err)
	}
	t.Source.seen(nil)
	t.settleSweep(report, started)
	if p != nil {
		p.EndSweep(proven)
	}
	t.logHeld(pass)
	t.noteSilent(pass, report.Silent)
	if pass == "compare" && report.Read+report.Deleted == 0 {
		return report, nil
	}
	if err := t.keep(pass, "", started, time.Since(started), report); err != nil || pass == "compare" {
		return report, err
	}
	if err := t.checkUpdated(ctx, rows); err != nil { // the sweep has ended all the same
		return report, t.dieIfBroken("deletecheck", err)
	}
	return report, nil
}

// newSweep returns a sweep of the table. A comparison reads sums first, unless the
// whole table has to be compared, since an earlier difference is suspected.
func (t *Table) newSweep(rows database.Rows, how Sweeping) *deletecheck.Sweep {
	s := &deletecheck.Sweep{
		Table: t.Conf.Name, Source: rows, Index: t.Current(), Pages: t.Pages, Sink: t.Sink, Quarantine: t.Quarantine,
		Trace: t.Trace, FS: atomicfile.OS, Dir: t.Dir, Batch: t.Conf.Batch, Chunk: t.chunk(), Rekeys: t.Conf.RowKey,
		FromScratch: how.Restart, Settles: t.Conf.ByComparison(), Between: how.between, Progress: how.Progress, Stored: t.Stored,
	}
	if !t.Conf.RowKey { // of which a fetch reads all rows
		s.Source = repairing{rows}
	}
	if marks, _ := t.Trace.Table(t.Conf.Name); (t.Conf.ByComparison() || how.between) && !how.Restart && marks.Unverified == "" {
		s.Sums = rows.TokenSums
	}
	return s
}

// rowKeyChunk is the chunk of a table without a key, which each chunk reads as a
// whole.
const rowKeyChunk = 250_000

// chunk returns how many documents are compared at once; 0: as many as usual.
func (t *Table) chunk() int {
	if t.Conf.RowKey {
		return rowKeyChunk
	}
	return 0
}

// restInSweep rests between two chunks; a scheduled sweep, until the quiet hours
// end.
func (t *Table) restInSweep(ctx context.Context, worked time.Duration, how Sweeping) error {
	if how.rest != nil {
		return how.rest(ctx)
	}
	if how.scheduled {
		if err := t.Source.waitQuietHours(ctx, t.log, "deletecheck"); err != nil {
			return err
		}
	}
	return restAfterWork(ctx, worked, how.Share)
}

// settleSweep reports to the guard the removals that a sweep held. The lateness of
// rows that it found is not that of transactions and is not recorded.
func (t *Table) settleSweep(report doc.Report, started time.Time) {
	var of uint64
	if report.Held > 0 {
		of, _ = t.Current().Count() // for status; the index has just been read
	}
	t.Guard.Settle(sink.Held{Removals: report.Held, Of: int(of), Since: started})
}

// Done returns a report as the result of a run.
func Done(r doc.Report) httpapi.SweepResult {
	return httpapi.SweepResult{
		Compared: r.Compared, Added: r.Added, Updated: r.Updated, Deleted: r.Deleted, Skipped: r.Skipped, Quarantined: r.Quarantined, Held: r.Held,
	}
}
