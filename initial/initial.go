// Package initial loads a table once, in key ranges of one batch each.
//
// Before it reads a row, the load writes one durable file, the Plan: the
// database's time, S, the generation of the index, and the breakpoints between
// the ranges. A pool of workers loads the ranges. Each range is fetched, indexed
// and made durable, and then the plan records it as finished. A load that was
// killed continues with the same plan and reads only the unfinished ranges
// again. A table of one range needs no file: it is loaded again with a new plan.
//
// A row is in exactly one range, whenever it is inserted, because ranges are
// bounded by keys and not by row numbers. Ranges have no condition on
// updateTime, so rows without an updateTime are loaded too. Rows that change
// while the load runs have an updateTime after the plan's time, and incremental
// starts at that time.
//
// Cost: one read of the table, one query for the count and one for the
// breakpoints; in memory, the breakpoints and a batch per worker.
package initial

import (
	"context"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/recovered"
	"indexerd/timetrace"
)

// Source is the table to load.
type Source interface {
	// Now returns the database's time. Every later snapshot sees what was
	// committed before that time.
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

// A Start is the state of the database before the load reads its first row.
type Start struct {
	Settled time.Time `json:"settled"`          // S
	Mode    string    `json:"mode"`             // how S is known: exact, assumed or compared
	Server  string    `json:"server,omitempty"` // identity of the database server; may be empty

	// The database's clock and this machine's. A later reading compares the time
	// that has passed on both, to detect that the database's clock was set back.
	Clock time.Time `json:"clock,omitzero"`
	Local time.Time `json:"local,omitzero"`
}

// A Load is the initial load of one table.
type Load struct {
	Table      string
	Source     Source
	Sink       Sink
	Trace      *timetrace.Trace
	FS         atomicfile.FS
	PlanFile   string
	Generation doc.Generation // of the index
	Batch      int            // rows per range
	Workers    int
	Begin      func(context.Context) (Start, error)
	Progress   *progress.Meter
}

// Run loads the ranges that are not finished, and then moves the marks. After an
// error it can be called again.
func (l *Load) Run(ctx context.Context) (doc.Report, error) {
	plan, err := l.plan(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	defer plan.Close()
	l.Progress.Step("", "rows", plan.loaded, plan.Rows)

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

// plan opens the plan of an earlier load, or creates one.
func (l *Load) plan(ctx context.Context) (*Plan, error) {
	plan, err := openPlan(l.FS, l.PlanFile, l.Generation)
	if plan != nil || err != nil {
		return plan, err
	}
	start, err := l.Begin(ctx) // before the first snapshot, which then sees all rows below S
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", l.Table, err)
	}
	at, err := l.Source.Now(ctx) // before the first row is read: incremental reads later commits
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", l.Table, err)
	}
	rows, err := l.Source.Count(ctx)
	if err != nil {
		return nil, fmt.Errorf("load %s: count rows: %w", l.Table, err)
	}
	breakpoints, err := l.Source.Breakpoints(ctx, l.Batch)
	if err != nil {
		return nil, fmt.Errorf("load %s: read breakpoints: %w", l.Table, err)
	}
	r := record{Generation: l.Generation, At: at, Rows: rows, Start: start}
	for _, oid := range breakpoints {
		r.Breakpoints = append(r.Breakpoints, doc.HexOID(oid))
	}
	return createPlan(l.FS, l.PlanFile, r)
}

// load puts the rows of one range.
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
		l.Progress.Add(int64(done.Read))
	}
	return report, nil
}

// finish moves the marks, once all ranges are durable, and removes the plan.
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
	l.Progress.End()
	return plan.Remove()
}
