package simtest

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"testing/synctest"
	"time"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/initial"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/progress"
	"indexerd/internal/sync/passes"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// A process is the engine from a start to the next crash.
type process struct {
	*world
	rows    serial
	passes  *passes.Passes
	jobs    []*job
	watch   *watch // nil: no horizon
	server  string // at the last run of the exact pass
	rewound uint64 // rewinds of the marks at that run
	stored  deletecheck.Stored
	before  *doc.Hint // read before the load; nil: none
	known   *doc.Hint // read for a job that may be passed by; nil: none
	turns   int       // runs of jobs
}

// start starts a process, which reads its state from disk.
func (w *world) start() (*process, error) {
	w.catchUp()
	w.Files.Fail(w.stepFile)
	if err := w.Open(); err != nil {
		return nil, err
	}
	w.Quarantine.Reopen()
	p := &process{world: w}
	p.rows = serial{Table: w.Table, process: p}
	p.Sink.Sums = &p.stored
	p.newPasses()
	p.schedule()
	marks := p.Marks()
	w.settled, w.rewinds = marks.Settled, marks.Rewinds
	return p, nil
}

// newPasses creates the passes, which continue from the marks.
func (p *process) newPasses() {
	updated := "updated"
	if p.timeless {
		updated = ""
	}
	p.passes = passes.New(passes.Config{
		Table: configs.Table{
			Name: machine.Table, Updated: updated, Batch: p.batch, Workers: 1, Incremental: configs.Incremental{Every: time.Second},
			Compensate: configs.Compensate{Horizon: "auto", Every: 3 * time.Second, Tiers: []configs.Tier{
				{Name: "10s", Every: 10 * time.Second, Timeout: 10 * time.Second},
				{Name: "60s", Every: lastTimeout / 4, Timeout: lastTimeout, End: lastTimeout},
			}},
		},
		Source: p.rows, Sink: p.Sink, Tree: p.Tree, Trace: p.Trace, Run: p.runPass,
		Fail: func(pass string, err error) error {
			if err != nil {
				p.log.printf("%s: %v", pass, err)
			}
			return err
		},
		Compare: p.compare, Share: pace.NewShare(0.1), Documents: func() uint64 { return uint64(len(p.keys)) },
		Total: p.total,
	})
}

// runPass runs a pass. A pass that succeeds has noticed changes of clock and server.
func (p *process) runPass(ctx context.Context, pass, tier string, run func(context.Context) (doc.Report, error)) (doc.Report, error) {
	began := p.now
	report, err := run(ctx)
	if err == nil {
		p.notice(cmp.Or(tier, pass), began)
	}
	return report, err
}

// load runs the load, or continues it.
func (p *process) load(ctx context.Context) (doc.Report, error) {
	if p.Marks().Generation == 0 {
		if err := p.Trace.UpdateTable(machine.Table, func(t *timetrace.Table) { t.Generation = 1 }); err != nil {
			return doc.Report{}, err
		}
	}
	l := initial.Load{
		Table: machine.Table, Source: p.rows, Sink: p.Sink, Trace: p.Trace, FS: p.Files, PlanFile: machine.Dir + "/load", Generation: 1,
		Batch: p.batch, Workers: 1, Begin: p.begin, Progress: &progress.Meter{},
	}
	report, err := l.Run(ctx)
	if err == nil {
		p.newPasses() // the watch continues from the load's marks
		if p.before != nil {
			p.passes.Loaded(*p.before)
		}
	}
	return report, err
}

// begin begins a load, after a hint.
func (p *process) begin(ctx context.Context) (initial.Start, error) {
	p.before = nil
	if p.watched() {
		if h, err := p.Hint(ctx); err == nil {
			p.before = &h
			p.Sink.Explained.From(h.At)
		}
	}
	return p.passes.Begin(ctx)
}

// runSweep runs a sweep as the daemon does, and calls rest between its chunks.
func (p *process) runSweep(ctx context.Context, fromStart bool, rest func(context.Context, time.Duration) error) (doc.Report, error) {
	proven := p.passes.ProvesSettled(ctx)
	report, err := p.prepared(ctx, p.sweep(fromStart, rest))
	if err == nil {
		p.passes.EndSweep(proven)
	}
	return report, err
}

// prepared prepares and runs a sweep.
func (p *process) prepared(ctx context.Context, s *deletecheck.Sweep) (doc.Report, error) {
	s.Stored = &p.stored
	if (p.timeless || s.Between) && p.summed && !s.FromScratch && p.Marks().Unverified == "" {
		s.Sums = p.rows.TokenSums
	}
	if err := s.Prepare(ctx); err != nil {
		return doc.Report{}, err
	}
	if s.Sums != nil && s.Rest != nil { // the lane is taken
		if err := s.Rest(ctx, 0); err != nil {
			return doc.Report{}, err
		}
	}
	return s.Run(ctx)
}

// compare compares a table as the daemon does, and returns what it cost.
func (p *process) compare(ctx context.Context) (doc.Report, time.Duration, error) {
	began := p.now
	if !p.timeless {
		s := p.sweep(false, p.runOthers)
		s.Between = true
		report, err := p.prepared(ctx, s)
		p.result.Silent += report.Silent
		return report, time.Duration(p.costly * float64(p.now-began)), err
	}
	report, err := p.runSweep(ctx, false, func(context.Context, time.Duration) error {
		p.advance(p.db.upTo(500 * time.Millisecond))
		p.catchUp()
		return nil
	})
	return report, time.Duration(p.costly * float64(p.now-began)), err
}

// total compares a table by one sum, as the daemon does for a small one.
func (p *process) total(ctx context.Context) (passes.Total, error) {
	if !p.summed || p.costly > 1 {
		return passes.Total{}, nil
	}
	read := time.Now()
	at, err := p.rows.Now(ctx)
	if err != nil {
		return passes.Total{}, err
	}
	sums, err := p.rows.TokenSums(ctx, nil)
	if err != nil {
		return passes.Total{}, err
	}
	stored, known, err := p.stored.Total(p.Index, sortedPages{p.Pages})
	return passes.Total{At: at, Read: read, Known: known, Equal: known && stored == sums[0]}, err
}

// sweep returns a sweep, which calls rest between its chunks.
func (p *process) sweep(fromStart bool, rest func(context.Context, time.Duration) error) *deletecheck.Sweep {
	return &deletecheck.Sweep{
		Table: machine.Table, Source: p.rows, Index: p.Index, Pages: sortedPages{p.Pages}, Sink: p.Sink, Quarantine: p.Quarantine,
		Trace: p.Trace, FS: p.Files, Dir: machine.Dir, Batch: p.batch, Chunk: p.chunk, FromScratch: fromStart, Settles: p.timeless, Rest: rest,
	}
}

// serial is the table, read by one goroutine at a time: each read first waits
// until all other goroutines of the pass block or end.
type serial struct {
	*fakeworld.Table
	*process
}

// Horizon implements passes.Source with a watch.
func (s serial) Horizon(_ configs.Compensate, last doc.Horizon, since func() time.Time) compensate.Horizon {
	if !s.horizon {
		return nil
	}
	s.watch, s.server, s.rewound = newWatch(s.world, last, since), last.Server, s.Marks().Rewinds
	return s.watch
}

// Stamps waits for the fetches of a page before it reads the next page.
func (s serial) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return alone(s.Table.Stamps(ctx, w))
}

// StampsInRange waits for the other listing.
func (s serial) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return alone(s.Table.StampsInRange(ctx, r))
}

// StampsInRanges waits for the other listing.
func (s serial) StampsInRanges(ctx context.Context, ranges []doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return alone(s.Table.StampsInRanges(ctx, ranges))
}

// StampsOf waits for the other listing.
func (s serial) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	synctest.Wait()
	return s.Table.StampsOf(ctx, oids)
}

// Left lists nothing without a `changes` SQL.
func (s serial) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	if !s.changes {
		return func(func([]doc.OID, error) bool) {}
	}
	return s.Table.Left(ctx, w)
}

func alone(pages iter.Seq2[[]doc.Stamp, error]) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		synctest.Wait()
		for page, err := range pages {
			more := yield(page, err)
			synctest.Wait()
			if !more {
				return
			}
		}
	}
}

// sortedPages lists pages by key, so that a seed always gives the same order.
type sortedPages struct{ *fakeworld.Pages }

// All lists all pages by key.
func (p sortedPages) All() iter.Seq2[doc.Meta, error] {
	return func(yield func(doc.Meta, error) bool) {
		var metas []doc.Meta
		for meta, err := range p.Pages.All() {
			if err != nil {
				yield(meta, err)
				return
			}
			metas = append(metas, meta)
		}
		slices.SortFunc(metas, func(a, b doc.Meta) int { return cmp.Compare(a.OID, b.OID) })
		for _, meta := range metas {
			if !yield(meta, nil) {
				return
			}
		}
	}
}
