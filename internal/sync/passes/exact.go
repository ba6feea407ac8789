package passes

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

const (
	// restFactor is how many times as long as it took a pass rests that has to
	// compare the same window again, since S did not move.
	restFactor = 10
	// restAfter is how long S may stand still before its pass rests.
	restAfter = 10 * time.Second
	// demandWithin is how long a horizon may be unknown with `horizon: exact`
	// before its pass fails: some are known only after a few readings.
	demandWithin = 10 * time.Second
	// looksPerRun is how often the horizon is read between two runs of the exact
	// pass, where the beginnings of transactions are hidden.
	looksPerRun = 5
	// minLook is the shortest interval of these readings.
	minLook = 100 * time.Millisecond
)

// runExact compares up to the horizon and moves S there. While it rests, it only
// reads the horizon.
func (p *Passes) runExact(ctx context.Context) (doc.Report, error) {
	if p.resting() {
		return doc.Report{}, p.look(ctx)
	}
	return p.Run(ctx, "compensate", "exact", func(ctx context.Context) (doc.Report, error) {
		began, before := time.Now(), p.marks().Settled
		h, report, err := p.exact.Run(ctx)
		if err == nil {
			err = p.note(h)
		}
		if p.marks().Settled.After(before) {
			p.moved = began
		} else if began.Sub(p.moved) > restAfter {
			p.rest(time.Since(began))
		}
		p.prune()
		return report, err
	})
}

// runCompared compares everything, if a commit was made, and then rests.
func (p *Passes) runCompared(ctx context.Context) (doc.Report, error) {
	if p.resting() {
		return doc.Report{}, nil
	}
	return p.Run(ctx, "compensate", "compared", func(ctx context.Context) (doc.Report, error) {
		began := time.Now()
		report, err := p.compared.Run(ctx)
		if err == nil {
			err = p.note(doc.Horizon{Exact: true})
		}
		p.rest(time.Since(began))
		return report, err
	})
}

// look reads the horizon without comparing: more readings give a closer horizon.
func (p *Passes) look(ctx context.Context) error {
	h, err := p.horizon.look(ctx)
	if err == nil {
		err = p.note(h)
	}
	return p.Fail("compensate", err)
}

// lookIfHidden reads the horizon if the beginnings of transactions are hidden.
func (p *Passes) lookIfHidden(ctx context.Context) (doc.Report, error) {
	if !p.LastHorizon().Hidden {
		return doc.Report{}, nil
	}
	return doc.Report{}, p.look(ctx)
}

// note keeps a reading. With `horizon: exact` it returns an error if the horizon
// has been unknown for too long.
func (p *Passes) note(h doc.Horizon) error {
	p.mu.Lock()
	p.last = h
	if h.Exact {
		p.proven = time.Now()
	}
	p.mu.Unlock()
	if !p.demandsExact() || h.Exact || p.unproven() < demandWithin {
		return nil
	}
	return fmt.Errorf("horizon: exact is not available: %s", h.Reason)
}

// LastHorizon returns the last reading of the horizon.
func (p *Passes) LastHorizon() doc.Horizon {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// unproven returns for how long the horizon has been unknown.
func (p *Passes) unproven() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.proven)
}

func (p *Passes) resting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Before(p.resume)
}

// rest delays the next comparison after one that took so long. 0 ends the rest.
func (p *Passes) rest(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resume = time.Now().Add(restFactor * took)
}

// ProvesSettled reports whether a horizon covers S. Read before a sweep, it means
// that the sweep proves what was assumed.
func (p *Passes) ProvesSettled(ctx context.Context) bool {
	if p.exact == nil {
		return false
	}
	marks := p.marks()
	h, err := p.horizon.look(ctx)
	return err == nil && h.Exact && !h.At.Before(marks.Settled)
}

// EndSweep makes the mode of S exact after a sweep, where ProvesSettled reported
// true before it.
func (p *Passes) EndSweep(proven bool) {
	if marks := p.marks(); proven && marks.Mode == "assumed" && marks.Unverified == "" {
		p.Trace.Note(p.Table.Name, func(m *timetrace.Table) { m.Mode = "exact" })
	}
}

// Reason explains why S is assumed, or has to be verified. It is empty if S is
// exact.
func (p *Passes) Reason(marks timetrace.Table) string {
	reason := p.LastHorizon().Reason
	if p.comparer != nil {
		reason = p.comparer.reasonCompared()
	}
	switch {
	case marks.Unverified != "":
		return marks.Unverified + ": a full sweep has to verify the index"
	case marks.Mode != "assumed" || reason != "":
		return reason
	case p.exact == nil && p.compared == nil:
		return "horizon: timeout: no transaction is assumed to stay open longer than " + p.Table.AssumedTimeout().String()
	}
	return "what was committed before was assumed to be complete: a full sweep has to verify it"
}
