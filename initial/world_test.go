package initial_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"indexerd/initial"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
	"indexerd/internal/sink"
	"indexerd/timetrace"
)

const (
	batch    = 4
	workers  = 2
	timeout  = 10 * time.Minute
	planFile = "data/film/load.jsonl"
)

// A world is a table and the machine that indexes it.
type world struct {
	table      *fakeworld.Table
	index      *fakeworld.Index
	pages      *fakeworld.Pages
	quarantine *fakeworld.Quarantine
	files      *faultfs.FS

	// Of the process that runs.
	trace    *timetrace.Trace
	sink     *sink.Sink
	progress *initial.Progress
}

// newWorld makes a table of n rows, and a machine that has nothing of it.
func newWorld(t *testing.T, n int) *world {
	t.Helper()
	w := &world{
		table: fakeworld.NewTable(batch), index: fakeworld.NewIndex(1), pages: fakeworld.NewPages(), quarantine: fakeworld.NewQuarantine(),
		files: faultfs.New(),
	}
	if err := w.files.MkdirAll("data/film", 0o700); err != nil {
		t.Fatal(err)
	}
	x := w.table.Begin()
	for i := range n {
		x.Put(fakeworld.Key(10*i), "row")
	}
	x.Commit()
	w.table.Advance(time.Hour)
	w.start(t)
	return w
}

// start begins a process.
func (w *world) start(t *testing.T) {
	t.Helper()
	trace, err := timetrace.Open(w.files, "data")
	if err != nil {
		t.Fatal(err)
	}
	w.trace = trace
	w.sink = sink.New(w.index, w.pages, w.quarantine, func(n uint64) (first uint64, err error) {
		err = trace.UpdateTable("film", func(m *timetrace.Table) {
			first = m.Numbers + 1
			m.Numbers += n
		})
		return first, err
	})
	w.table.Numbers = w.sink
	w.progress = &initial.Progress{}
}

// before has each step of the machine and of its queries preceded by f.
func (w *world) before(f func(step string) error) {
	w.table.Before, w.index.Before, w.pages.Before, w.quarantine.Before = f, f, f, f
	if f == nil {
		w.files.Fail(nil)
		return
	}
	w.files.Fail(func(s faultfs.Step) error { return f(s.Op) })
}

// crash ends the process and the machine, which starts again with what pick
// leaves of its files.
func (w *world) crash(t *testing.T, pick func(int) int) {
	t.Helper()
	w.before(nil)
	w.files = w.files.Crash(pick)
	w.start(t)
}

func (w *world) load() *initial.Load {
	return &initial.Load{
		Table: "film", Source: w.table, Sink: w.sink, Trace: w.trace, FS: w.files, PlanFile: planFile,
		Generation: w.index.Generation(), Batch: batch, Workers: workers, Timeout: timeout, Progress: w.progress,
	}
}

func (w *world) marks() timetrace.Table {
	m, _ := w.trace.Table("film")
	return m
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

// wantLoaded checks that the index has exactly the rows, and that the marks
// say so.
func (w *world) wantLoaded(t *testing.T) {
	t.Helper()
	if got := fakeworld.Different(w.table, w.index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
	if !w.marks().Loaded {
		t.Error("the marks do not say that the table is loaded")
	}
	if _, err := w.files.OpenFile(planFile, 0, 0); err == nil {
		t.Error("the load's record is still there")
	}
}

// A counter counts steps by name.
type counter struct {
	mu    sync.Mutex
	steps map[string]int
}

// counting counts the steps ahead of f.
func (c *counter) counting(f func(string) error) func(string) error {
	c.steps = map[string]int{}
	return func(step string) error {
		c.mu.Lock()
		c.steps[step]++
		c.mu.Unlock()
		if f == nil {
			return nil
		}
		return f(step)
	}
}

func (c *counter) of(step string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps[step]
}

// follow indexes what lies between the load's mark and now, as incremental
// does.
func (w *world) follow(ctx context.Context) error {
	window := doc.Window{From: w.marks().Incremental.Add(-time.Second), To: w.table.Clock()}
	for stamps, err := range w.table.Stamps(ctx, window) {
		if err != nil {
			return err
		}
		different, err := w.sink.Different(stamps)
		if err != nil {
			return err
		}
		for b, err := range w.table.Docs(ctx, different) {
			if err != nil {
				return err
			}
			if _, err := w.sink.Put(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// continued goes on counting.
func (c *counter) continued() func(string) error {
	return func(step string) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.steps[step]++
		return nil
	}
}

// forgetful is a sink that makes nothing durable.
type forgetful struct{}

func (forgetful) Put(_ context.Context, b doc.Batch) (doc.Report, error) {
	return doc.Report{Read: len(b.Docs)}, nil
}
