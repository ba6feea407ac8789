package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// A Tier re-reads the recent past again and again. It finds the rows that
// committed within Timeout of their updateTime.
type Tier struct {
	Table      string
	Name       string
	Timeout    time.Duration // TO: how long a transaction may stay open
	End        time.Duration // how far before the last incremental mark the window ends
	Last       bool          // the tier whose timeout no transaction exceeds: it moves S
	Comparison *Comparison
	Trace      *timetrace.Trace
}

// Run compares [Ts, Te). With Last(N) the incremental mark now and Last(N)'
// that of this tier's previous run,
//
//	Ts = Last(N)' - TO      Te = Last(N) - End
//
// so windows follow each other without a gap however long the tier did not
// run. Where a horizon has proved everything below S, Ts is no earlier.
func (t *Tier) Run(ctx context.Context) (doc.Report, error) {
	marks, _ := t.Trace.Table(t.Table)
	now := marks.Incremental
	w := doc.Window{From: t.start(marks), To: now.Add(-t.End)}
	report, err := t.Comparison.Run(ctx, w)
	if err != nil {
		return report, fmt.Errorf("compensate %s, tier %s: %w", t.Table, t.Name, err)
	}
	return report, t.Trace.UpdateTable(t.Table, func(m *timetrace.Table) {
		m.SetTier(t.Name, now)
		if t.Last && m.Mode != "exact" {
			m.Settle(now.Add(-t.Timeout), "assumed")
		}
	})
}

// start is Ts. A tier without a mark begins at S, or at the load less its
// timeout where the load is all there was.
func (t *Tier) start(marks timetrace.Table) time.Time {
	previous, ok := marks.Tiers[t.Name]
	if !ok {
		previous = marks.Load
		if marks.Settled.After(marks.Load) {
			return marks.Settled
		}
	}
	start := previous.Add(-t.Timeout)
	if marks.Mode == "exact" && start.Before(marks.Settled) {
		return marks.Settled
	}
	return start
}

// Oldest is the earliest updateTime that any pass still compares: stamps
// before it are of no more use.
func Oldest(marks timetrace.Table, tiers []*Tier) time.Time {
	oldest := marks.Settled
	for _, t := range tiers {
		if start := t.start(marks); start.Before(oldest) {
			oldest = start
		}
	}
	return oldest
}
