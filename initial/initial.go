// Package initial loads a table once, in OID batches.
//
// Before the first row, one durable record, the Plan, is written: the
// database's time, the breakpoints between the batches, and what the load
// speaks of. The ranges between breakpoints are tasks of a worker pool; each
// is fetched, indexed and committed, and then recorded. A load that was killed
// goes on with the same record and reads no more again than the ranges that
// were in flight.
//
// Ranges bear no condition on updateTime, so that rows without one load too,
// and they are bounded by keys, not by row numbers, which move under
// concurrent inserts: a row is in exactly one range whenever it appears. What
// changes while the load runs has an updateTime after the record's time, and
// incremental starts there.
package initial

import (
	"context"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/internal/recovered"
	"indexerd/timetrace"
)

// Source is the table to load.
type Source interface {
	// Now is the database's time: what was committed by then is seen by every
	// later snapshot.
	Now(context.Context) (time.Time, error)
	Count(context.Context) (int64, error)
	// Breakpoints returns every n-th OID in the database's own order.
	Breakpoints(ctx context.Context, n int) ([]doc.OID, error)
	Range(context.Context, doc.Range) iter.Seq2[doc.Batch, error]
}

// Sink takes the documents.
type Sink interface {
	Put(context.Context, doc.Batch) (doc.Report, error)
}

// A Start is what is known, before the first row is read, of the transactions
// that are open: S, and how it is known.
type Start struct {
	Settled time.Time
	Mode    string // exact, assumed or compared
	Server  string // the database server that told; may be empty

	// The database's clock then, and this machine's: a later reading compares the
	// time that has passed on both, and so notices that the database's was set back.
	Clock, Local time.Time
}

// A Load is the initial load of one table.
type Load struct {
	Table      string
	Source     Source
	Sink       Sink
	Trace      *timetrace.Trace
	FS         atomicfile.FS
	PlanFile   string
	Generation doc.Generation // of the index that is filled
	Batch      int            // rows a range
	Workers    int
	Begin      func(context.Context) (Start, error)
	Progress   *Progress
}

// Run loads what is not loaded yet. It can be run again after any error.
func (l *Load) Run(ctx context.Context) (doc.Report, error) {
	plan, err := l.plan(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	defer plan.Close()
	l.Progress.begin(plan.Rows, plan.loaded)

	reports := make([]doc.Report, len(plan.ranges))
	tasks, working := errgroup.WithContext(ctx)
	tasks.SetLimit(max(l.Workers, 1))
	for i := range plan.ranges {
		if plan.Done(i) {
			continue
		}
		tasks.Go(func() (err error) {
			defer recovered.Into(&err)
			if err := working.Err(); err != nil {
				return err
			}
			reports[i], err = l.load(working, plan.ranges[i])
			if err != nil {
				return err
			}
			return plan.Finish(i, reports[i].Read)
		})
	}
	err = tasks.Wait()
	var report doc.Report
	for _, r := range reports {
		report.Add(r)
	}
	if err != nil {
		return report, fmt.Errorf("load %s: %w", l.Table, err)
	}
	return report, l.finish(plan)
}

// plan continues the load that was begun, or begins one.
func (l *Load) plan(ctx context.Context) (*Plan, error) {
	plan, err := openPlan(l.FS, l.PlanFile, l.Generation)
	if plan != nil || err != nil {
		return plan, err
	}
	start, err := l.Begin(ctx) // before the first snapshot, which sees all that S vouches for
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", l.Table, err)
	}
	at, err := l.Source.Now(ctx) // before anything is read: later commits are incremental's
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", l.Table, err)
	}
	rows, err := l.Source.Count(ctx)
	if err != nil {
		return nil, fmt.Errorf("load %s: count its rows: %w", l.Table, err)
	}
	breakpoints, err := l.Source.Breakpoints(ctx, l.Batch)
	if err != nil {
		return nil, fmt.Errorf("load %s: find its breakpoints: %w", l.Table, err)
	}
	return createPlan(l.FS, l.PlanFile, record{Generation: l.Generation, At: at, Rows: rows, Start: start, Breakpoints: breakpoints})
}

// load moves one range into the index.
func (l *Load) load(ctx context.Context, r doc.Range) (doc.Report, error) {
	var report doc.Report
	for batch, err := range l.Source.Range(ctx, r) {
		if err != nil {
			return report, err
		}
		done, err := l.Sink.Put(ctx, batch)
		if err != nil {
			return report, err
		}
		report.Add(done)
		l.Progress.add(done.Read)
	}
	return report, nil
}

// finish moves the marks: all rows are durable by now.
func (l *Load) finish(plan *Plan) error {
	err := l.Trace.UpdateTable(l.Table, func(t *timetrace.Table) {
		t.Loaded = true
		t.Load = plan.At
		t.Incremental = plan.At
		t.Settled, t.Mode = plan.Start.Settled, plan.Start.Mode
		t.Server, t.Clock, t.Local = plan.Start.Server, plan.Start.Clock, plan.Start.Local
		t.Read, t.ReadLocal = plan.Start.Clock, plan.Start.Local
	})
	if err != nil {
		return fmt.Errorf("load %s: %w", l.Table, err)
	}
	l.Progress.end()
	return plan.Remove()
}
