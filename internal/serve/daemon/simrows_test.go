package daemon

import (
	"context"
	"fmt"
	"time"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/serve/database"
	"indexerd/internal/source/changes"
	"indexerd/internal/test/fakeworld"
)

// simDatabase is the simulated database as a process sees it.
type simDatabase struct {
	database.Database // panics: nothing else is asked
	process           *simProcess
}

func (d simDatabase) Ping(context.Context) error    { return d.process.query("ping") }
func (d simDatabase) Close()                        {}
func (d simDatabase) Refresh(context.Context) error { return nil }
func (d simDatabase) Address() string               { return "the simulated database" }
func (d simDatabase) Figures() pace.Figures         { return pace.Figures{} }

// Table implements database.Database.
func (d simDatabase) Table(_ context.Context, _ configs.Table, n database.Numbers, _ database.Units) (database.Rows, error) {
	if err := d.process.query("describe"); err != nil {
		return nil, err
	}
	reader := d.process.world.table.Reader()
	reader.Before, reader.Numbers, reader.Local = d.process.query, n, d.process.clock
	return &simRows{Table: reader, process: d.process}, nil
}

// simRows are the rows of the table.
type simRows struct {
	*fakeworld.Table
	unasked
	process *simProcess
}

// unasked are the methods that no pass calls.
type unasked struct{ database.Rows }

func (r *simRows) Columns() []string                { return []string{"title"} }
func (r *simRows) Kinds() []doc.Kind                { return []doc.Kind{doc.Integer} }
func (r *simRows) Epoch() uint32                    { return 1 }
func (r *simRows) Units() map[string]timeunit.Unit  { return nil }
func (r *simRows) CheckUnits(context.Context) error { return r.process.query("units") }
func (r *simRows) Hints() changes.Hints             { return nil }
func (r *simRows) RecentHints() changes.Hints       { return nil }

// OutOfRange implements inspect.Rows.
func (r *simRows) OutOfRange(context.Context) (int64, error) {
	return 0, r.process.query("out of range")
}

// Estimate implements inspect.Rows.
func (r *simRows) Estimate(ctx context.Context) (int64, error) { return r.Table.Count(ctx) }

// Horizon implements database.Rows with the open transactions of the table.
func (r *simRows) Horizon(configs.Compensate, doc.Horizon, func() time.Time) compensate.Horizon {
	return r.Table
}

// query is a step of the database: it takes some time, and fails if the process can't
// reach the database.
func (p *simProcess) query(step string) error {
	err := p.Send(context.Background(), simDB, step, func() func() { return nil })
	if err != nil {
		return fmt.Errorf("%w: %w", doc.ErrUnavailable, err)
	}
	return nil
}
