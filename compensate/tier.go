package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// A Tier compares a recent window at each run. It finds the rows that committed
// within Timeout of their updateTime.
type Tier struct {
	Table      string
	Name       string
	Tick       time.Duration                  // precision of updateTime
	Timeout    time.Duration                  // TO: assumed longest time that a transaction is open
	End        time.Duration                  // from the window's end to the last incremental mark
	Settles    bool                           // it is the last tier, and no horizon is known: it moves S
	Quiet      func(mark time.Time) time.Time // since when the database has no row, after a reading that is not older than mark; zero: unknown
	Comparison *Comparison
	Trace      *timetrace.Trace
}

// Run compares [Ts, Te). With Last(N) the incremental mark now, and Last(N)' the
// one at this tier's previous run,
//
//	Ts = Last(N)' - TO      Te = Last(N) - End
//
// so two windows overlap by the timeout, also after a long pause.
func (t *Tier) Run(ctx context.Context) (doc.Report, error) {
	report, err := t.run(ctx)
	if err != nil {
		return report, fmt.Errorf("compensate %s, tier %s: %w", t.Table, t.Name, err)
	}
	return report, nil
}

func (t *Tier) run(ctx context.Context) (doc.Report, error) {
	marks, _ := t.Trace.Table(t.Table)
	now := marks.Incremental
	w := doc.Window{From: t.start(marks), To: now.Add(-t.End)}
	report, err := t.compare(ctx, w, now)
	if err != nil {
		return report, err
	}
	mark := func(m *timetrace.Table) {
		m.SetTier(t.Name, now)
		if t.Settles {
			m.Settle(WholeTicks(now.Add(-t.Timeout), t.Tick), "assumed")
		}
	}
	if report.Read == 0 { // a restart compares the idle window again
		t.Trace.Note(t.Table, mark)
		return report, nil
	}
	return report, t.Trace.UpdateTable(t.Table, mark)
}

// compare compares the window unless it is quiet. A row that commits after the
// reading that found it quiet is in the window of the next run, since that begins at
// the present mark - TO, and the reading is not older than the mark.
func (t *Tier) compare(ctx context.Context, w doc.Window, mark time.Time) (doc.Report, error) {
	if t.Quiet != nil && !w.Empty() {
		if quiet, err := t.Comparison.quiet(w, t.Quiet(mark)); quiet || err != nil {
			return doc.Report{Window: w}, err
		}
	}
	return t.Comparison.Run(ctx, w)
}

// start returns Ts. A tier without a mark starts with the transactions that were
// open at the load. No tier starts below S, where everything is settled. The
// tier that moves S starts at S, also after its timeout was changed, because
// everything that S passes must have been compared.
func (t *Tier) start(marks timetrace.Table) time.Time {
	last, ok := marks.Tiers[t.Name]
	if !ok {
		last = marks.Load
	}
	start := last.Add(-t.Timeout)
	if t.Settles || start.Before(marks.Settled) {
		return marks.Settled
	}
	return start
}
