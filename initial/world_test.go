package initial_test

import (
	"context"
	"testing"
	"time"

	"indexerd/initial"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
)

const (
	batch    = 4
	workers  = 2
	timeout  = 10 * time.Minute
	planFile = "data/film/load.jsonl"
)

// A world is a machine that loads a table.
type world struct {
	*machine.Machine
	progress *progress.Meter
}

// newWorld makes a table of n rows, and a machine with an empty index.
func newWorld(t *testing.T, n int) *world {
	t.Helper()
	table := fakeworld.NewTable(batch)
	x := table.Begin()
	for i := range n {
		x.Put(fakeworld.Key(10*i), "row")
	}
	x.Commit()
	table.Advance(time.Hour)
	return &world{Machine: machine.New(t, table), progress: &progress.Meter{}}
}

func (w *world) load() *initial.Load {
	return &initial.Load{
		Table: machine.Table, Source: w.Table, Sink: w.Sink, Trace: w.Trace, FS: w.Files, PlanFile: planFile,
		Generation: w.Index.Generation(), Batch: batch, Workers: workers, Begin: w.begin, Progress: w.progress,
	}
}

// mustLoad runs the load to its end.
func (w *world) mustLoad(t *testing.T) doc.Report {
	t.Helper()
	report, err := w.load().Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantLoaded checks that the index has exactly the table's rows, and that the
// table is marked as loaded.
func (w *world) wantLoaded(t *testing.T) {
	t.Helper()
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
	if !w.Marks().Loaded {
		t.Error("the table is not marked as loaded")
	}
	if _, err := w.Files.OpenFile(planFile, 0, 0); err == nil {
		t.Error("the plan was not removed")
	}
}

// follow indexes the rows between the load's mark and now, as incremental does.
func (w *world) follow(ctx context.Context) error {
	window := doc.Window{From: w.Marks().Incremental.Add(-time.Second), To: w.Table.Clock()}
	for stamps, err := range w.Table.Stamps(ctx, window) {
		if err != nil {
			return err
		}
		different, err := w.Sink.Different(stamps)
		if err != nil {
			return err
		}
		for b, err := range w.Table.Docs(ctx, different) {
			if err != nil {
				return err
			}
			if _, err := w.Sink.Put(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin assumes that no transaction stays open longer than the timeout. This
// machine's clock is an hour behind the database's.
func (w *world) begin(ctx context.Context) (initial.Start, error) {
	now, err := w.Table.Now(ctx)
	return initial.Start{Settled: now.Add(-timeout), Mode: "assumed", Server: "first", Clock: now, Local: now.Add(-time.Hour)}, err
}
