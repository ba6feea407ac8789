package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// Clock is the database's clock.
type Clock interface {
	Now(context.Context) (time.Time, error)
}

// Versions returns the version of a database. It changes with each commit.
type Versions interface {
	Version(context.Context) (string, error)
}

// Compared compares the whole table after each commit. It is for a database that
// has a version and no horizon. S is the time of the comparison: everything that
// was committed before is in the index.
type Compared struct {
	Table      string
	Clock      Clock
	Versions   Versions
	Comparison *Comparison
	Trace      *timetrace.Trace

	seen    string // version at the last comparison
	settler settler
}

// forever is every updateTime that a row can have.
var forever = doc.Window{To: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}

// Run compares if the version has changed, and moves S to the current time. It
// reads the clock before the version, because S must not be later than the
// version it covers.
func (c *Compared) Run(ctx context.Context) (doc.Report, error) {
	report, err := c.run(ctx)
	if err != nil {
		return report, fmt.Errorf("compensate %s, compared: %w", c.Table, err)
	}
	return report, nil
}

func (c *Compared) run(ctx context.Context) (doc.Report, error) {
	now, err := c.Clock.Now(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	version, err := c.Versions.Version(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	var report doc.Report
	if version != c.seen {
		if report, err = c.Comparison.Run(ctx, forever); err != nil {
			return report, err
		}
		c.seen = version
	}
	report.Window.To = now
	return report, c.settler.move(c.Trace, c.Table, now, report.Read > 0, func(t *timetrace.Table) {
		t.Settle(now, "compared")
	})
}
