package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// Hints reads what the database shows of changes of a table.
type Hints interface {
	Hint(context.Context) (doc.Hint, error)
}

// Compared compares the whole table after each commit, and each time if no hint is
// exact. It is for a database that has no horizon. S is the time of the hint:
// everything that was committed before is in the index.
type Compared struct {
	Table      string
	Hints      Hints
	Comparison *Comparison
	Trace      *timetrace.Trace

	seen string // version at the last comparison
}

// Covers reports whether a hint proves that nothing was committed since the last
// comparison, so that the index has every row.
func (c *Compared) Covers(h doc.Hint) bool { return h.Exact && h.Version == c.seen }

// forever is every updateTime that a row can have.
var forever = doc.Window{To: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}

// Run compares if the hint does not prove that nothing changed, and moves S to the
// time of the hint.
func (c *Compared) Run(ctx context.Context) (doc.Report, error) {
	report, err := c.run(ctx)
	if err != nil {
		return report, fmt.Errorf("compensate %s, compared: %w", c.Table, err)
	}
	return report, nil
}

func (c *Compared) run(ctx context.Context) (doc.Report, error) {
	hint, err := c.Hints.Hint(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	var report doc.Report
	if !c.Covers(hint) {
		if report, err = c.Comparison.Run(ctx, forever); err != nil {
			return report, err
		}
		c.seen = hint.Version
	}
	report.Window.To = hint.At
	return report, move(c.Trace, c.Table, hint.At, report.Read > 0, func(t *timetrace.Table) {
		t.Settle(hint.At, "compared")
	})
}
