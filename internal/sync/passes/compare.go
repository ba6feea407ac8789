package passes

import (
	"context"
	"fmt"
	"sync"
	"time"

	"indexerd/initial"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source/changes"
	"indexerd/timetrace"
)

// A table without updateTimes is followed by comparison. Each look reads a hint,
// and then:
//
//	its version is that of the last comparison, and exact
//	           nothing was committed: S moves to the time of the hint
//	changed    the table is compared as soon as its share of the time allows
//	unknown    something was committed, and counters come late: a small table is
//	           compared by the sum of all its rows, which moves S if it is that of the
//	           documents. Another one is compared at once if all such tables take
//	           little time, else when the counters show a change
//	unchanged  nothing is compared, and S stays
//
// The hint of a comparison was read before its first page, so a change that the
// comparison did not see moves a later hint. A comparison that continues an
// interrupted one has older pages: S moves to the time at which that one began,
// and the table is compared again.
//
// Hints are kept in memory: after a start the table is compared.
const (
	// LookEvery is the interval at which a table is looked at.
	LookEvery = pace.AtMostEvery
	// compareAnyway is how often a table is compared that no hint shows changed.
	compareAnyway = 10 * time.Minute
	// lookWithin is how long a look is fresh.
	lookWithin = 5 * LookEvery
	// leastStep is the least step of the database's clock that is looked for after a
	// start and after a comparison. Clocks of two machines differ by less meanwhile.
	leastStep = time.Second
)

// A comparer follows a table by comparison.
type comparer struct {
	*Passes
	hints  changes.Hints // nil: the database shows none
	recent changes.Hints // likewise, of a reading for all tables
	slot   chan struct{} // held while the table is looked at and compared; guards memory and turn
	memory changes.Memory
	turn   Turn

	mu      sync.Mutex
	reason  string        // why no hint is exact
	due     changes.Due   // what the last hint showed
	looked  time.Time     // local time of the last look, or the end of the last comparison; zero: none
	clock   time.Time     // the database's at the last look
	ahead   time.Duration // of the database's clock
	version string        // of the hint of the last comparison; "": none
}

func newComparer(p *Passes) *comparer {
	return &comparer{Passes: p, hints: p.Source.Hints(), recent: p.Source.RecentHints(), slot: make(chan struct{}, 1), turn: Turn{Share: p.Share, Name: p.Table.Name}}
}

// run looks for changes. It compares if the table may have changed, and the time
// allows it.
func (c *comparer) run(ctx context.Context) (doc.Report, error) {
	return c.look(ctx, func(h doc.Hint, due changes.Due) bool {
		marks := c.marks()
		if marks.Unverified == "" && c.unmoved(h) {
			c.Trace.Note(c.Table.Name, func(m *timetrace.Table) { m.Settle(h.At, "compared") })
			due = changes.Unchanged
		} else if marks.Unverified == "" {
			due = c.total(ctx, due)
		}
		return marks.Unverified != "" || c.isTime(due)
	})
}

// total compares a table by one sum if that decides whether it changed.
func (c *comparer) total(ctx context.Context, due changes.Due) changes.Due {
	if due != changes.Unknown {
		return due
	}
	total, err := c.Total(ctx)
	if c.Fail("compare", err) != nil {
		return due
	}
	if total.Equal {
		c.Trace.Note(c.Table.Name, func(m *timetrace.Table) { m.Settle(total.At, "compared") })
	}
	return c.turn.resolve(due, total)
}

// look reads a hint, and compares if wanted returns true.
func (c *comparer) look(ctx context.Context, wanted func(doc.Hint, changes.Due) bool) (doc.Report, error) {
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done():
		return doc.Report{}, ctx.Err()
	}
	defer func() { <-c.slot }()
	h, err := c.hint(ctx)
	if err := c.Fail("compare", err); err != nil {
		return doc.Report{}, err
	}
	looked, clock := c.lastLook()
	if looked.IsZero() {
		if err := c.checkClock(ctx); err != nil {
			return doc.Report{}, err
		}
	}
	due := c.memory.Look(h)
	if h.Version == "" || h.Reason != "" {
		due = changes.Changed // nothing shows that it is not
	}
	c.note(h, due)
	if err := c.rewind(h.At, looked, clock); err != nil || !wanted(h, due) {
		return doc.Report{}, err
	}
	return c.compare(ctx, h)
}

// hint returns the hint of this moment.
func (c *comparer) hint(ctx context.Context) (doc.Hint, error) {
	if c.hints != nil {
		return c.hints.Hint(ctx)
	}
	m, err := c.Source.Moment(ctx)
	return doc.Hint{At: m.Seen, Reason: "the database does not show that something was committed"}, err
}

// note keeps what a look showed, for status.
func (c *comparer) note(h doc.Hint, due changes.Due) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reason, c.due, c.looked, c.clock = h.Reason, due, time.Now(), h.At
	c.ahead = h.At.Sub(c.looked)
}

func (c *comparer) lastLook() (looked, clock time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looked, c.clock
}

// rewind sets S back if the database's clock went back: to the lowest time that it
// can have shown since the last look. If that is unknown, S is unknown until the
// table is compared. A clock that is above S again may have been below it since the
// last look.
func (c *comparer) rewind(at, looked, clock time.Time) error {
	by := max(c.marks().Settled.Sub(at), clock.Sub(at))
	if by <= 0 {
		return nil
	}
	to := time.Time{}
	if !looked.IsZero() {
		to = at.Add(-time.Since(looked))
	}
	return c.Trace.UpdateTable(c.Table.Name, func(m *timetrace.Table) {
		m.Rewind(to, fmt.Sprintf("the database's clock went back by %v", by.Round(time.Millisecond)))
		m.Read, m.ReadLocal = at, time.Now()
	})
}

// checkClock sets S back if the database's clock was set back since the last
// comparison, even if it has caught up: it was ended by an earlier process, or the
// step came while rows were compared. checkClock keeps its reading for the next one.
func (c *comparer) checkClock(ctx context.Context) error {
	now, err := c.Source.Moment(ctx)
	if err := c.Fail("compare", err); err != nil {
		return err
	}
	marks := c.marks()
	by, to := now.SetBack(doc.Moment{Now: marks.Read, Asked: marks.ReadLocal, Local: marks.ReadLocal})
	read := func(m *timetrace.Table) { m.Read, m.ReadLocal = now.Now, now.Local }
	if marks.Read.IsZero() || by <= leastStep {
		c.Trace.Note(c.Table.Name, read)
		return nil
	}
	return c.Trace.UpdateTable(c.Table.Name, func(m *timetrace.Table) {
		m.Rewind(to, fmt.Sprintf("the database's clock went back by %v", by.Round(time.Millisecond)))
		read(m)
	})
}

// unmoved reports whether nothing was committed since the hint of the last
// comparison.
func (c *comparer) unmoved(h doc.Hint) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.Exact && h.Version != "" && h.Version == c.version
}

// isTime reports whether the table is to be compared now.
func (c *comparer) isTime(due changes.Due) bool {
	return c.turn.since() >= compareAnyway || c.turn.Comes(due)
}

// compare compares the whole table.
func (c *comparer) compare(ctx context.Context, h doc.Hint) (doc.Report, error) {
	began := time.Now()
	report, cost, err := c.Compare(ctx)
	if err != nil {
		return report, err
	}
	c.turn.Began(began)
	c.turn.Took(cost)
	c.prune()
	if err := c.checkClock(ctx); err != nil {
		return report, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked = time.Now()
	if !c.marks().Sweep.Before(h.At) { // else it continued an earlier one
		c.version, c.due = h.Version, changes.Unchanged
		c.memory.Compared()
	}
	return report, nil
}

// lag returns the age of S while the table may differ from the index, else 0. It is
// unknown before the first look.
func (c *comparer) lag(settled time.Time) (lag time.Duration, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	switch {
	case c.looked.IsZero():
		return 0, false
	case c.due != changes.Changed && now.Sub(c.looked) < lookWithin:
		return 0, true
	}
	return max(now.Add(c.ahead).Sub(settled), 0), true
}

func (p *Passes) lookForChanges(ctx context.Context) (doc.Report, error) { return p.comparer.run(ctx) }

// RunCompare compares all of a table without updateTimes now.
func (p *Passes) RunCompare(ctx context.Context) (doc.Report, error) {
	return p.comparer.look(ctx, func(doc.Hint, changes.Due) bool { return true })
}

// Lag returns how far a table without updateTimes may be behind, if known.
func (p *Passes) Lag() (lag time.Duration, known bool) { return p.comparer.lag(p.marks().Settled) }

// beginCompared returns the S at which the load of a table without updateTimes
// starts: every range of the load sees what was committed before.
func (p *Passes) beginCompared(ctx context.Context) (initial.Start, error) {
	m, err := p.Source.Moment(ctx)
	return initial.Start{Settled: m.Seen, Mode: "compared", Clock: m.Now, Local: m.Local}, err
}

// reasonCompared returns why no hint proves that nothing was committed.
func (c *comparer) reasonCompared() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}
