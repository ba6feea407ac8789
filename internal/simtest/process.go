package simtest

import (
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

// A process is the engine from a start to the next crash. It knows what is on
// disk and no more.
type process struct {
	*world
	rows    serial
	follow  *incremental.Pass
	exact   *compensate.Exact // nil: no horizon can be had
	tiers   []*compensate.Tier
	jobs    []*job
	proven  time.Duration // when the horizon was last exact
	watch   *watch
	server  string // that the exact pass has seen last, and
	rewound uint64 // how often the marks had gone back then
}

// start begins a process.
func (w *world) start() (*process, error) {
	w.Files.Fail(w.onDisk)
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

// compensation makes the passes that look back.
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

// load loads what is not loaded yet.
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
		p.compensation() // the watch begins with what the load knew
	}
	return report, err
}

// begin says what is known of open transactions before a load begins.
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

// whole leaves out the tick that a time lies in.
func (p *process) whole(at time.Time) time.Time {
	if p.tick > time.Microsecond {
		return at.Add(-p.tick)
	}
	return at
}

// sweep compares everything; others have their turn between chunks.
func (p *process) sweep(anew bool, rest func(context.Context, time.Duration) error) *deletecheck.Sweep {
	return &deletecheck.Sweep{
		Table: machine.Table, Source: p.rows, Index: p.Index, Pages: sortedPages{p.Pages}, Sink: p.Sink, Quarantine: p.Quarantine,
		Trace: p.Trace, FS: p.Files, Dir: machine.Dir, Batch: p.batch, Chunk: p.chunk, Anew: anew, Rest: rest,
	}
}

// prune drops the stamps below S. The tree is empty after a fault, and right.
func (p *process) prune() {
	marks := p.Marks()
	if err := p.Tree.Prune(marks.Settled); err != nil {
		p.log.say("prune: %v", err)
	}
}

// serial is the table, read by one goroutine at a time: before it answers, all
// others that a pass has started come to their end.
type serial struct {
	*fakeworld.Table
	changes bool // there is an SQL that lists what has left
}

// Stamps waits for the fetches of a page before it reads the next one.
func (s serial) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return inTurns(s.Table.Stamps(ctx, w))
}

// StampsInRange waits for the listing ahead.
func (s serial) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return inTurns(s.Table.StampsInRange(ctx, r))
}

// StampsOf waits for the listing ahead.
func (s serial) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	synctest.Wait()
	return s.Table.StampsOf(ctx, oids)
}

// Left lists nothing where no SQL could.
func (s serial) Left(ctx context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	if !s.changes {
		return func(func([]doc.OID, error) bool) {}
	}
	return s.Table.Left(ctx, w)
}

func inTurns(pages iter.Seq2[[]doc.Stamp, error]) iter.Seq2[[]doc.Stamp, error] {
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

// sortedPages lists pages in an order that a seed gives again.
type sortedPages struct{ *fakeworld.Pages }

// All lists them by key.
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
		slices.SortFunc(metas, func(a, b doc.Meta) int {
			if a.OID < b.OID {
				return -1
			}
			return 1
		})
		for _, meta := range metas {
			if !yield(meta, nil) {
				return
			}
		}
	}
}
