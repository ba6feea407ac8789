package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/initial"
	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/schedule"
	"indexerd/timetrace"
)

// restFactor limits a pass that compares the same rows again because S does not
// move: it pauses this many times as long as it took.
const restFactor = 10

// restAfter is how long S may stand still before its pass begins to pause.
const restAfter = 10 * time.Second

// A compensation is the passes of one table that find rows which were committed
// after their window was read.
type compensation struct {
	table    *table
	rows     database.Rows
	tiers    []*compensate.Tier
	exact    *compensate.Exact    // where the database may prove a horizon;
	horizon  *sharedHorizon       // it reads this one
	compared *compensate.Compared // where the database shows that something was committed
	fallback time.Duration        // without a horizon for so long, the last tier moves S
	demand   bool                 // horizon: exact: nothing but a horizon moves S
	moved    time.Time            // when S last moved, on this machine's clock

	mu     sync.Mutex
	proven time.Time // when the horizon was last exact, on this machine's clock
	hidden bool      // the horizon is the closer the more often it is read
	reason string    // why the horizon is not exact
	pin    *doc.Pin
	next   time.Time // no comparison of what is not settled before
}

func newCompensation(t *table, r database.Rows) *compensation {
	conf := t.conf.Compensate
	comparison := &compensate.Comparison{Source: r, Tree: t.tree, Sink: t.sink, Batch: t.conf.Batch}
	c := &compensation{table: t, rows: r, proven: time.Now(), moved: time.Now(), demand: conf.Horizon == "exact"}
	for i, tier := range conf.Tiers {
		c.tiers = append(c.tiers, &compensate.Tier{
			Table: t.conf.Name, Name: tier.Name, Timeout: tier.Timeout, End: tier.End,
			Tick: r.Tick(), Settles: i == len(conf.Tiers)-1, Comparison: comparison, Trace: t.trace,
		})
		c.fallback = tier.Timeout
	}
	if conf.Horizon == "timeout" {
		return c
	}
	marks, _ := t.trace.Table(t.conf.Name)
	last := doc.Horizon{Now: marks.Clock, Local: marks.Local, Server: marks.Server, Floor: marks.Settled}
	if marks.Mode == "exact" {
		last.At = marks.Settled
	}
	if h := r.Horizon(conf, last); h != nil {
		c.horizon = newSharedHorizon(h)
		c.exact = &compensate.Exact{Table: t.conf.Name, Tick: r.Tick(), Timeout: c.fallback, Horizon: c.horizon, Comparison: comparison, Trace: t.trace}
	}
	if v := r.Versions(); v != nil {
		c.compared = &compensate.Compared{Table: t.conf.Name, Clock: r, Versions: v, Comparison: comparison, Trace: t.trace}
	}
	return c
}

// exactWithin is how many seconds a load waits for an exact horizon.
const exactWithin = 5

// loadStart returns what is known about open transactions before a load begins.
func (c *compensation) loadStart(ctx context.Context) (initial.Start, error) {
	if c.exact == nil {
		return c.assumedStart(ctx, initial.Start{})
	}
	var start initial.Start
	for range exactWithin {
		h, err := c.exact.Horizon.Horizon(ctx)
		if err != nil {
			return start, err
		}
		start.Server, start.Clock, start.Local = h.Server, h.Now, h.Local
		if h.Exact {
			start.Settled, start.Mode = c.whole(h.At), "exact"
			return start, nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return start, ctx.Err()
		}
	}
	return c.assumedStart(ctx, start)
}

func (c *compensation) assumedStart(ctx context.Context, start initial.Start) (initial.Start, error) {
	m, err := c.rows.Moment(ctx)
	start.Settled, start.Mode = c.whole(m.Seen.Add(-assumedTimeout(c.table.conf))), "assumed"
	if start.Clock.IsZero() {
		start.Clock, start.Local = m.Now, m.Local
	}
	return start, err
}

// whole rounds a time down by one tick of updateTime: a row that is written later
// in the same tick has the same updateTime.
func (c *compensation) whole(at time.Time) time.Time {
	if tick := c.rows.Tick(); tick > time.Microsecond {
		return at.Add(-tick)
	}
	return at
}

// scheduleCompensation starts the passes that look back. Each run takes them as
// they are then: another description of the rows makes other ones.
func (t *table) scheduleCompensation(s *schedule.Scheduler) error {
	marks, _ := t.trace.Table(t.conf.Name)
	conf := t.conf.Compensate
	late := func(run func(*compensation, context.Context) (doc.Report, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			c, err := t.compensationNow(ctx)
			if err == nil {
				_, err = run(c, ctx)
			}
			return err
		}
	}
	var errs []error
	for i, tier := range conf.Tiers {
		delay := max(0, time.Until(marks.Load.Add(tier.Start)))
		errs = append(errs, t.every(s, "compensate", tier.Name, tier.Every, delay, late(func(c *compensation, ctx context.Context) (doc.Report, error) {
			return c.runTier(ctx, c.tiers[i])
		})))
	}
	t.mu.Lock()
	first := t.late
	t.mu.Unlock()
	switch {
	case first.exact != nil:
		errs = append(errs, t.every(s, "compensate", "exact", conf.Every, 0, late((*compensation).runExact)))
		_, err := s.Every(t.conf.Name+" horizon", max(conf.Every/readingsPerRun, minReading), 0, late((*compensation).observeIfHidden))
		errs = append(errs, err)
	case first.compared != nil:
		errs = append(errs, t.every(s, "compensate", "compared", conf.Every, 0, late((*compensation).runCompared)))
	}
	return errors.Join(errs...)
}

// run runs all compensation passes now.
func (c *compensation) run(ctx context.Context) (report doc.Report, err error) {
	c.mu.Lock()
	c.next = time.Time{}
	c.mu.Unlock()
	switch {
	case c.exact != nil:
		report, err = c.runExact(ctx)
	case c.compared != nil:
		report, err = c.runCompared(ctx)
	}
	for _, tier := range c.tiers {
		if err != nil {
			return report, err
		}
		var more doc.Report
		more, err = c.runTier(ctx, tier)
		report.Add(more)
	}
	return report, err
}

// runTier runs a tier, except the last one while a horizon moves S.
func (c *compensation) runTier(ctx context.Context, tier *compensate.Tier) (doc.Report, error) {
	if tier.Settles && c.horizonMoves() {
		return doc.Report{}, nil
	}
	return c.table.pass(ctx, c.rows, "compensate", tier.Name, func(ctx context.Context) (doc.Report, error) {
		if tier.Settles {
			c.leaveExact()
		}
		report, err := tier.Run(ctx)
		c.prune()
		return report, err
	})
}

// horizonMoves reports whether the horizon moves S, or will again soon. A horizon
// that is unknown for a moment only delays S.
func (c *compensation) horizonMoves() bool {
	if c.exact == nil && c.compared == nil {
		return false
	}
	return c.demand || c.withoutHorizon() < c.fallback
}

// withoutHorizon returns for how long the horizon has not been exact.
func (c *compensation) withoutHorizon() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.proven)
}

// demandWithin is how long an exact horizon that the configuration demands may be
// unknown before its pass fails: some are known after a few readings only.
const demandWithin = 10 * time.Second

// checkDemand records a reading of the horizon. It fails where the configuration
// demands an exact one and there has been none for demandWithin.
func (c *compensation) checkDemand(h doc.Horizon) error {
	c.note(h)
	if !c.demand || h.Exact || c.withoutHorizon() < demandWithin {
		return nil
	}
	return fmt.Errorf("horizon: exact is not available: %s", h.Reason)
}

// leaveExact marks S as assumed from now on. The last tier continues at S.
func (c *compensation) leaveExact() {
	name := c.table.conf.Name
	if marks, _ := c.table.trace.Table(name); marks.Mode == "exact" {
		c.table.trace.Note(name, func(m *timetrace.Table) { m.Mode = "assumed" })
	}
}

func (c *compensation) runExact(ctx context.Context) (doc.Report, error) {
	if c.resting() {
		return doc.Report{}, c.observe(ctx)
	}
	return c.table.pass(ctx, c.rows, "compensate", "exact", func(ctx context.Context) (doc.Report, error) {
		began, before := time.Now(), c.settled()
		h, report, err := c.exact.Run(ctx)
		if err == nil {
			err = c.checkDemand(h)
		}
		if c.settled().After(before) {
			c.moved = began
		} else if began.Sub(c.moved) > restAfter {
			c.rest(time.Since(began))
		}
		c.prune()
		return report, err
	})
}

// observe reads the horizon and compares nothing. The more often a hidden horizon
// is read, the closer it is known.
func (c *compensation) observe(ctx context.Context) error {
	h, err := c.horizon.observe(ctx)
	if err != nil {
		return c.table.fail("compensate", err)
	}
	return c.table.fail("compensate", c.checkDemand(h))
}

// A hidden horizon is read this often between two comparisons, but no more often
// than minReading.
const (
	readingsPerRun = 5
	minReading     = 100 * time.Millisecond
)

// observeIfHidden reads the horizon where more readings make it closer.
func (c *compensation) observeIfHidden(ctx context.Context) (doc.Report, error) {
	c.mu.Lock()
	hidden := c.hidden
	c.mu.Unlock()
	if !hidden {
		return doc.Report{}, nil
	}
	return doc.Report{}, c.observe(ctx)
}

func (c *compensation) runCompared(ctx context.Context) (doc.Report, error) {
	if c.resting() {
		return doc.Report{}, nil
	}
	return c.table.pass(ctx, c.rows, "compensate", "compared", func(ctx context.Context) (doc.Report, error) {
		began := time.Now()
		report, err := c.compared.Run(ctx)
		if err == nil {
			c.note(doc.Horizon{Exact: true})
		}
		c.rest(time.Since(began)) // it compares everything
		return report, err
	})
}

// reasonOf returns why S is not exact, or why it has to be verified.
func (c *compensation) reasonOf(marks timetrace.Table) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case marks.Unverified != "":
		return marks.Unverified + ": a full sweep has to verify the index"
	case marks.Mode != "assumed":
		return c.reason
	case c.reason != "":
		return c.reason
	case c.exact == nil && c.compared == nil:
		return "horizon: timeout: no transaction is assumed to stay open longer than " + assumedTimeout(c.table.conf).String()
	}
	return "what was committed before was assumed to be complete: a full sweep has to verify it"
}

func (c *compensation) resting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.next)
}

// rest delays the next comparison.
func (c *compensation) rest(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = time.Now().Add(restFactor * took)
}

// note records a reading of the horizon, for status and for the last tier.
func (c *compensation) note(h doc.Horizon) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reason, c.pin, c.hidden = h.Reason, h.Pin, h.Hidden
	if h.Exact {
		c.proven = time.Now()
	}
}

func (c *compensation) settled() time.Time {
	marks, _ := c.table.trace.Table(c.table.conf.Name)
	return marks.Settled
}

// prune drops the stamps below S, which no pass compares any more, unless one
// compares everything.
func (c *compensation) prune() {
	if c.compared != nil {
		return
	}
	if err := c.table.tree.Prune(c.settled()); err != nil {
		// The tree is empty then, and the pages answer in its place.
		_ = c.table.fail("compensate", fmt.Errorf("prune stamps: %w", err)) // for status; the pass itself went well
	}
}

// assumedTimeout is how long a transaction may stay open unseen: what is
// declared, or what the last tier waits for.
func assumedTimeout(t configs.Table) time.Duration {
	timeout := t.TransactionTimeout
	for _, tier := range t.Compensate.Tiers {
		timeout = max(timeout, tier.Timeout)
	}
	return timeout
}
