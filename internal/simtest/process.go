package simtest

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"testing/synctest"
	"time"

	"indexerd/compensate"
	"indexerd/deletecheck"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/timetrace"
)

// A process is the engine from a start to the next crash.
type process struct {
	*world
	rows    serial
	follow  *incremental.Pass
	exact   *compensate.Exact // nil: no horizon
	tiers   []*compensate.Tier
	jobs    []*job
	proven  time.Duration // when the horizon was last exact
	watch   *watch
	server  string // at the last run of the exact pass
	rewound uint64 // rewinds of the marks at that run
}

// start starts a process, which reads its state from disk.
func (w *world) start() (*process, error) {
	w.Files.Fail(w.stepFile)
	if err := w.Open(); err != nil {
		return nil, err
	}
	p := &process{world: w, proven: w.now, rows: serial{Table: w.Table, changes: w.changes}}
	p.follow = &incremental.Pass{Table: machine.Table, Source: p.rows, Sink: p.Sink, Trace: p.Trace, Batch: w.batch, Workers: 1}
	p.compensation()
	p.schedule()
	marks := p.Marks()
	w.settled, w.rewinds = marks.Settled, marks.Rewinds
	return p, nil
}

// compensation creates the compensation passes.
func (p *process) compensation() {
	comparison := &compensate.Comparison{Source: p.rows, Tree: p.Tree, Sink: p.Sink, Batch: p.batch}
	tier := func(name string, timeout, end time.Duration, settles bool) *compensate.Tier {
		return &compensate.Tier{
			Table: machine.Table, Name: name, Timeout: timeout, End: end, Settles: settles,
			Tick: p.tick, Comparison: comparison, Trace: p.Trace,
		}
	}
	p.tiers = []*compensate.Tier{tier("10s", 10*time.Second, 0, false), tier("60s", lastTimeout, lastTimeout, true)}
	if !p.horizon {
		return
	}
	marks := p.Marks()
	last := doc.Horizon{Now: marks.Clock, Local: marks.Local, Server: marks.Server, Floor: marks.Settled}
	if marks.Mode == "exact" {
		last.At = marks.Settled
	}
	p.watch, p.server, p.rewound = newWatch(p.world, last), last.Server, marks.Rewinds
	p.exact = &compensate.Exact{
		Table: machine.Table, Tick: p.tick, Timeout: lastTimeout, Horizon: p.watch, Comparison: comparison, Trace: p.Trace,
	}
}

// load runs the load, or continues it.
func (p *process) load(ctx context.Context) (doc.Report, error) {
	marks := p.Marks()
	if marks.Generation == 0 {
		if err := p.Trace.UpdateTable(machine.Table, func(t *timetrace.Table) { t.Generation = 1 }); err != nil {
			return doc.Report{}, err
		}
	}
	l := initial.Load{
		Table: machine.Table, Source: p.rows, Sink: p.Sink, Trace: p.Trace, FS: p.Files, PlanFile: machine.Dir + "/load", Generation: 1,
		Batch: p.batch, Workers: 1, Begin: p.begin, Progress: &initial.Progress{},
	}
	report, err := l.Run(ctx)
	if err == nil {
		p.compensation() // the watch continues from the load's marks
	}
	return report, err
}

// begin returns S at the beginning of a load, and how it is known.
func (p *process) begin(ctx context.Context) (initial.Start, error) {
	var start initial.Start
	if p.exact != nil {
		h, err := p.exact.Horizon.Horizon(ctx)
		if err != nil {
			return start, err
		}
		start.Server, start.Clock, start.Local = h.Server, h.Now, h.Local
		if h.Exact {
			start.Settled, start.Mode = p.whole(h.At), "exact"
			return start, nil
		}
	}
	m, err := p.rows.Moment(ctx)
	start.Settled, start.Mode = p.whole(m.Seen.Add(-lastTimeout)), "assumed"
	if start.Clock.IsZero() {
		start.Clock, start.Local = m.Now, m.Local
	}
	return start, err
}

// whole rounds a time down by a tick: rows of the current tick may still come.
func (p *process) whole(at time.Time) time.Time {
	if p.tick > time.Microsecond {
		return at.Add(-p.tick)
	}
	return at
}

// sweep returns a sweep, which calls rest between its chunks.
func (p *process) sweep(fromStart bool, rest func(context.Context, time.Duration) error) *deletecheck.Sweep {
	return &deletecheck.Sweep{
		Table: machine.Table, Source: p.rows, Index: p.Index, Pages: sortedPages{p.Pages}, Sink: p.Sink, Quarantine: p.Quarantine,
		Trace: p.Trace, FS: p.Files, Dir: machine.Dir, Batch: p.batch, Chunk: p.chunk, Anew: fromStart, Rest: rest,
	}
}

// prune removes the stamps below S from the tree. After an error the tree is
// empty, which is correct.
func (p *process) prune() {
	marks := p.Marks()
	if err := p.Tree.Prune(marks.Settled); err != nil {
		p.log.printf("prune: %v", err)
	}
}

// serial is the table, read by one goroutine at a time: each read first waits
// until all other goroutines of the pass block or end.
type serial struct {
	*fakeworld.Table
	changes bool // the `changes` SQL is configured
}

// Stamps waits for the fetches of a page before it reads the next page.
func (s serial) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return alone(s.Table.Stamps(ctx, w))
}

// StampsInRange waits for the other listing.
func (s serial) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return alone(s.Table.StampsInRange(ctx, r))
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
