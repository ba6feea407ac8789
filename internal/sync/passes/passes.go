// Package passes decides which passes of one table run, when, and from which
// marks. The daemon runs what Jobs returns on its scheduler, and the simulation
// (internal/test/simtest) runs the same jobs in simulated time.
//
//	incremental    reads what changed since its mark
//	tiers          compare again what committed late
//	exact          compares up to the database's horizon and moves S there, where
//	               the database can prove a horizon
//	compared       compares everything and moves S, where the database proves no
//	               horizon and only shows that something was committed
//	compare        compares everything, by sums, for what no window shows. It is the
//	               only pass of a table without updateTimes, and moves S there
//
// The last tier moves S only while nothing better does: S is then assumed. A
// sweep makes it exact again if a horizon read before the sweep covers S.
//
// After every pass that compares, the tree drops the stamps below S. An exact
// pass that can't move S rests 10 times as long as it took.
//
// Passes keeps in memory when a horizon was last proven. Everything else is in
// timeTrace: a new Passes continues from the marks there.
package passes

import (
	"context"
	"fmt"
	"sync"
	"time"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source/changes"
	"indexerd/internal/state/stamps"
	"indexerd/internal/sync/sink"
	"indexerd/timetrace"
)

// A Source is the result of a table's SQLs.
type Source interface {
	incremental.Source
	compensate.Source
	Tick() time.Duration
	// Horizon returns the reader of the database's horizon, which continues from
	// the last durable one, or nil where the database can't prove a horizon. since
	// returns from when on the rows have to be read; zero: all of them.
	Horizon(conf configs.Compensate, last doc.Horizon, since func() time.Time) compensate.Horizon
	// Hints returns the reader of the table's hints, or nil where the database shows
	// no changes.
	Hints() changes.Hints
	// RecentHints is Hints for a caller that does not use a hint's time as S: a hint may
	// be a second old.
	RecentHints() changes.Hints
	// Maintained reports whether the database sets the updateTime of a row that changes.
	Maintained(context.Context) (bool, error)
}

// A Config is what the passes of a table need. All fields are required.
type Config struct {
	Table  configs.Table
	Source Source
	Sink   *sink.Sink
	Tree   *stamps.Tree
	Trace  *timetrace.Trace
	// Run runs a pass, one at a time for each table.
	Run func(ctx context.Context, pass, tier string, run func(context.Context) (doc.Report, error)) (doc.Report, error)
	// Fail notes the result of a reading outside of a pass, nil if it succeeded, or
	// an error that does not fail its pass. It returns the error.
	Fail func(pass string, err error) error

	// Compare compares all of the table. Without updateTimes it moves S to the time at
	// which it began, else it moves no mark and may return ErrNotNow. It returns the time
	// of its statements. Share has the time that comparisons may take.
	Compare   func(context.Context) (doc.Report, time.Duration, error)
	Share     *pace.Share
	Documents func() uint64 // about how many the index has
	// Total compares the sum of all rows with that of all documents, for a table that is
	// small enough for that.
	Total func(context.Context) (Total, error)
}

// Passes are the passes of one table, except load and sweep.
type Passes struct {
	Config
	Incremental *incremental.Pass

	tiers    []*compensate.Tier
	exact    *compensate.Exact    // nil: the database can't prove a horizon
	horizon  *sharedHorizon       // of exact
	compared *compensate.Compared // nil: the database proves a horizon, or shows no changes
	comparer *comparer            // nil: the table has updateTimes
	silent   *silent              // nil: it has none, or the database shows no changes
	moved    time.Time            // local time when exact last moved S

	mu     sync.Mutex
	proven time.Time   // local time when the horizon was last exact
	last   doc.Horizon // reading
	resume time.Time   // local time before which exact and compared rest
}

// New returns the passes, which continue from the marks in timeTrace.
func New(c Config) *Passes {
	name, conf, now := c.Table.Name, c.Table.Compensate, time.Now()
	comparison := &compensate.Comparison{Source: c.Source, Tree: c.Tree, Sink: c.Sink, Batch: c.Table.Batch}
	p := &Passes{Config: c, proven: now, moved: now, Incremental: &incremental.Pass{
		Table: name, Source: c.Source, Sink: c.Sink, Trace: c.Trace, Batch: c.Table.Batch, Workers: c.Table.Workers,
	}}
	if c.Table.ByComparison() {
		p.comparer = newComparer(p)
		return p
	}
	p.silent = newSilent(p)
	for i, tier := range conf.Tiers {
		p.tiers = append(p.tiers, &compensate.Tier{
			Table: name, Name: tier.Name, Timeout: tier.Timeout, End: tier.End,
			Tick: c.Source.Tick(), Settles: i == len(conf.Tiers)-1, Comparison: comparison, Trace: c.Trace,
		})
	}
	if conf.Horizon == "timeout" {
		return p
	}
	if h := c.Source.Horizon(conf, p.lastHorizon(), p.openSince); h != nil {
		p.horizon = newSharedHorizon(h)
		p.Incremental.Quiet = p.quiet
		for _, tier := range p.tiers {
			if !tier.Settles {
				tier.Quiet = p.quietSince
			}
		}
		p.exact = &compensate.Exact{Table: name, Tick: c.Source.Tick(), Timeout: p.fallback(), Horizon: p.horizon, Comparison: comparison, Trace: c.Trace}
	} else if hints := c.Source.Hints(); hints != nil {
		p.compared = &compensate.Compared{Table: name, Hints: hints, Comparison: comparison, Trace: c.Trace}
		p.Incremental.Quiet = p.quietCompared
	}
	return p
}

// lastHorizon returns the last durable horizon.
func (p *Passes) lastHorizon() doc.Horizon {
	marks := p.marks()
	last := doc.Horizon{Now: marks.Clock, Local: marks.Local, Server: marks.Server, Floor: marks.Settled}
	if marks.Mode == "exact" {
		last.At = marks.Settled
	}
	return last
}

func (p *Passes) marks() timetrace.Table {
	marks, _ := p.Trace.Table(p.Table.Name)
	return marks
}

// A Job is a pass and its schedule.
type Job struct {
	Pass, Tier string
	Every      time.Duration
	Delay      time.Duration // before the first run
	Run        func(*Passes, context.Context) (doc.Report, error)
	// PassBy does what Run would do and reports true, if that is little: see passby.go.
	// nil: it never is.
	PassBy func(*Passes) (doc.Report, bool)
}

// ReadHorizon is the Pass of a job that only reads the horizon.
const ReadHorizon = "horizon"

// Jobs returns the jobs of a table that is loaded. A job is run on the Passes of
// the table's current description.
func (p *Passes) Jobs() []Job {
	if p.Table.ByComparison() {
		return []Job{{Pass: "compare", Every: LookEvery, Run: (*Passes).lookForChanges, PassBy: (*Passes).passComparer}}
	}
	conf := p.Table.Compensate
	jobs := []Job{{Pass: "incremental", Every: p.Table.Incremental.Every, Run: (*Passes).RunIncremental, PassBy: (*Passes).passIncremental}}
	for i, tier := range conf.Tiers {
		delay := max(0, time.Until(p.marks().Load.Add(tier.Start)))
		jobs = append(jobs, Job{Pass: "compensate", Tier: tier.Name, Every: tier.Every, Delay: delay, Run: func(p *Passes, ctx context.Context) (doc.Report, error) {
			return p.runTier(ctx, p.tiers[i])
		}})
	}
	switch {
	case p.exact != nil:
		jobs = append(jobs, Job{Pass: "compensate", Tier: "exact", Every: conf.Every, Run: (*Passes).runExact, PassBy: (*Passes).passExact},
			Job{Pass: ReadHorizon, Every: max(conf.Every/looksPerRun, minLook), Run: (*Passes).lookIfHidden})
	case p.compared != nil:
		jobs = append(jobs, Job{Pass: "compensate", Tier: "compared", Every: conf.Every, Run: (*Passes).runCompared})
	}
	if p.silent != nil {
		jobs = append(jobs, Job{Pass: "compare", Every: LookEvery, Run: (*Passes).lookForSilent, PassBy: (*Passes).passSilent})
	}
	return jobs
}

// RunIncremental reads the next window.
func (p *Passes) RunIncremental(ctx context.Context) (doc.Report, error) {
	return p.Run(ctx, "incremental", "", p.Incremental.Run)
}

// RunCompensation runs the exact or compared pass, without a rest, and then every
// tier. It stops at the first error. It reads the horizon: one that was read before the
// call would leave S below what was committed in between.
func (p *Passes) RunCompensation(ctx context.Context) (report doc.Report, err error) {
	p.rest(0)
	switch {
	case p.exact != nil:
		if err = p.horizon.forget(ctx); err == nil {
			report, err = p.runExact(ctx)
		}
	case p.compared != nil:
		report, err = p.runCompared(ctx)
	}
	for _, tier := range p.tiers {
		if err != nil {
			return report, err
		}
		var more doc.Report
		more, err = p.runTier(ctx, tier)
		report.Add(more)
	}
	return report, err
}

// runTier runs a tier. It skips the last one while the database moves S.
func (p *Passes) runTier(ctx context.Context, tier *compensate.Tier) (doc.Report, error) {
	if tier.Settles && p.databaseMovesS() {
		return doc.Report{}, nil
	}
	return p.Run(ctx, "compensate", tier.Name, func(ctx context.Context) (doc.Report, error) {
		if tier.Settles {
			p.leaveExact()
		}
		report, err := tier.Run(ctx)
		p.prune()
		return report, err
	})
}

// databaseMovesS reports whether the exact or compared pass moves S, or did so
// within the last tier's timeout. A horizon that is unknown for a moment only
// delays S.
func (p *Passes) databaseMovesS() bool {
	if p.exact == nil && p.compared == nil {
		return false
	}
	return p.demandsExact() || p.unproven() < p.fallback()
}

// demandsExact reports whether only a horizon may move S.
func (p *Passes) demandsExact() bool { return p.Table.Compensate.Horizon == "exact" }

// fallback returns how long the horizon is unknown before the last tier moves S.
func (p *Passes) fallback() time.Duration {
	tiers := p.Table.Compensate.Tiers
	if len(tiers) == 0 {
		return 0
	}
	return tiers[len(tiers)-1].Timeout
}

// leaveExact changes the mode of S to assumed. The last tier continues from S.
func (p *Passes) leaveExact() {
	if p.marks().Mode == "exact" {
		p.Trace.Note(p.Table.Name, func(m *timetrace.Table) { m.Mode = "assumed" })
	}
}

// prune drops the stamps below S from the tree, unless a pass compares
// everything. After an error the tree is empty and passes read pages instead, so
// the error does not fail the pass.
func (p *Passes) prune() { p.pruneBelow(p.marks().Settled) }

func (p *Passes) pruneBelow(settled time.Time) {
	if p.compared != nil {
		return
	}
	if err := p.Tree.Prune(settled); err != nil {
		_ = p.Fail("compensate", fmt.Errorf("prune stamps: %w", err))
	}
}

// exactWithin is how many readings, a second apart, a load waits for an exact
// horizon.
const exactWithin = 5

// Begin returns S at the beginning of a load, and how S is known. The tree then keeps no
// stamps below S.
func (p *Passes) Begin(ctx context.Context) (initial.Start, error) {
	start, err := p.begin(ctx)
	if err == nil {
		p.pruneBelow(start.Settled)
	}
	return start, err
}

func (p *Passes) begin(ctx context.Context) (initial.Start, error) {
	if p.Table.ByComparison() {
		return p.beginCompared(ctx)
	}
	if p.exact == nil {
		return p.beginAssumed(ctx, initial.Start{})
	}
	var start initial.Start
	for range exactWithin {
		h, err := p.horizon.Horizon(ctx)
		if err != nil {
			return start, err
		}
		start.Server, start.Clock, start.Local = h.Server, h.Now, h.Local
		if h.Exact {
			start.Settled, start.Mode = compensate.WholeTicks(h.At, p.Source.Tick()), "exact"
			return start, nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return start, ctx.Err()
		}
	}
	return p.beginAssumed(ctx, start)
}

func (p *Passes) beginAssumed(ctx context.Context, start initial.Start) (initial.Start, error) {
	m, err := p.Source.Moment(ctx)
	start.Settled, start.Mode = compensate.WholeTicks(m.Seen.Add(-p.Table.AssumedTimeout()), p.Source.Tick()), "assumed"
	if start.Clock.IsZero() {
		start.Clock, start.Local = m.Now, m.Local
	}
	return start, err
}
