// Package database opens the databases of a configuration and describes their
// tables, whatever their driver. The daemon's passes and the commands that only
// look (check, init) use it; no other package of the product imports a driver.
//
// A Database needs not be up when it is opened. A Rows is a description that
// the database has confirmed: which columns the SQLs of a table return, of which
// types. Opening costs nothing; a description costs one statement for each SQL
// of the table, plus a bounded sample of rows where an updateTime is an epoch
// of unknown unit.
package database

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/source/mysql"
	"indexerd/internal/source/oracle"
	"indexerd/internal/source/postgres"
	"indexerd/internal/source/sqlite"
	"indexerd/internal/source/sqlserver"
	"indexerd/internal/tool/inspect"
)

// Rows is the result of one table's SQLs, as the passes read it.
type Rows interface {
	initial.Source
	incremental.Source
	compensate.Source
	deletecheck.Source
	inspect.Rows
	// Look reads rows by key for a caller that stores nothing of them.
	Look(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
	Columns() []string
	Kinds() []doc.Kind
	Epoch() uint32
	// Horizon returns the reader of the database's horizon; nil where the
	// database can't prove one. last is what an earlier process read, and since
	// returns from when on the rows have to be read.
	Horizon(conf configs.Compensate, last doc.Horizon, since func() time.Time) compensate.Horizon
	// Hints returns the reader of the table's hints; nil where the database shows no
	// changes.
	Hints() changes.Hints
	// RecentHints is Hints for a caller that does not use a hint's time: a hint may be
	// a second old, so that any number of tables cost one reading.
	RecentHints() changes.Hints
	// Maintained reports whether the database sets the updateTime of a row that changes.
	Maintained(context.Context) (bool, error)
	// Sums returns the sums of ranges of keys; none where the database has none.
	Sums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error)
	// CheckUnits samples the rows again for the units of their updateTimes.
	CheckUnits(context.Context) error
}

// Numbers orders the fetches of a table; its sink does.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// Units are what is kept of an earlier description: the units of a table's updateTimes, by
// the path of their SQL, and the kinds of its key.
type Units struct {
	Kept map[string]string             // found before
	Keep func(path, unit string) error // keeps one that is found; nil: none is kept

	Kinds []doc.Kind // of the parts of the key, as the documents have them; nil: there are none
}

// Database is an open database of any driver.
type Database interface {
	inspect.Server
	Ping(context.Context) error
	Close()
	// Table describes a table. It fails with a fault of the configuration
	// where the SQLs do not fit it: AsFault finds it.
	Table(context.Context, configs.Table, Numbers, Units) (Rows, error)
	// ColumnsOf returns the names of the columns that an SQL returns.
	ColumnsOf(ctx context.Context, sql string) ([]string, error)
	Figures() pace.Figures
	// Totals returns the sums of all rows of some of its tables, and which are known, of
	// one snapshot for tables that share settings.
	Totals(context.Context, []Rows) ([]doc.Sum, []bool, error)
	// Refresh reads what shows for all tables that nothing was committed, if a table would
	// have used it since the last call. One goroutine calls it at a time.
	Refresh(context.Context) error
}

// Catalog is an open database that lists its tables, for init.
type Catalog interface {
	Address() string
	Catalog(context.Context, *progress.Meter) (doc.Catalog, error)
	UnitOf(ctx context.Context, sql, column string) (timeunit.Unit, error)
	TextsOf(ctx context.Context, sql string, columns []string, limit, size int) ([][]string, error)
	Close()
}

// Open prepares a database. It fails where the address is malformed, and not
// where the database is down.
func Open(ctx context.Context, s configs.Source) (Database, error) {
	d, err := open(ctx, s.Driver, s.Name, s.DSN, s.Limits.Connections)
	if err != nil {
		return nil, err
	}
	db := &database{Source: source.New(d, pace.Limits{PerSecond: s.Limits.StatementsPerSecond, Slow: s.Limits.Slow})}
	if sampler, ok := d.(horizon.Sampler); ok {
		db.readings = horizon.NewReadings(pacedSampler{db.Source, sampler}, prober{db.Source})
		db.lead = db.readings.Watch(horizon.Options{})
	}
	if sampler, ok := d.(changes.Sampler); ok {
		db.changes = changes.NewReadings(pacedChanges{db.Source, sampler})
	}
	return db, nil
}

// catalogConns is the number of connections that list tables and sample rows.
const catalogConns = 4

// OpenCatalog opens the database at an address to list its tables.
func OpenCatalog(ctx context.Context, driver, dsn string) (Catalog, error) {
	d, err := open(ctx, driver, "DSN", dsn, catalogConns)
	if err != nil {
		return nil, err
	}
	return source.New(d, pace.Limits{}), nil
}

func open(ctx context.Context, driver, name, dsn string, conns int) (d dialect.Dialect, err error) {
	switch driver {
	case "postgres":
		d, err = postgres.Open(ctx, dsn, conns)
	case "mysql":
		d, err = mysql.Open(ctx, dsn, conns)
	case "oracle":
		d, err = oracle.Open(ctx, dsn, conns)
	case "sqlserver":
		d, err = sqlserver.Open(ctx, dsn, conns)
	case "sqlite":
		d, err = sqlite.Open(ctx, dsn, conns)
	default:
		err = fmt.Errorf("no driver %q", driver)
	}
	if err != nil {
		return nil, fmt.Errorf("source %s: %w", name, err)
	}
	return d, nil
}

// A database is the Database of every driver.
type database struct {
	*source.Source
	readings *horizon.Readings // of the open transactions; nil: the database does not show them
	lead     *horizon.Watch    // takes readings for all tables
	changes  *changes.Readings // of hints; nil: the database shows none
}

// Table implements Database.
func (d *database) Table(ctx context.Context, t configs.Table, n Numbers, u Units) (Rows, error) {
	c := source.TableConfig{
		Name: t.Name, SQL: t.SQL, Key: t.Key, RowKey: t.RowKey, MaxRows: t.MaxRows, Updated: t.Updated, Unit: t.Unit, Zone: t.Location, Batch: t.Batch, Limits: t.Limits, Numbers: n,
		Deleted: source.DeletedConfig(t.Deleted), Changes: t.Changes, ACL: ACL(t),
		JSON: t.JSON, Values: jsonValues(t), Units: u.Kept, Keep: u.Keep, Kinds: u.Kinds,
	}
	for _, p := range t.Paths {
		c.Paths = append(c.Paths, source.PathConfig(p))
	}
	for _, sql := range SideSQLs(t) {
		c.Children = append(c.Children, source.ChildConfig(sql))
	}
	table, err := d.Source.Table(ctx, c)
	if err != nil {
		return nil, err
	}
	r := rows{Table: table, database: d}
	if d.changes != nil {
		r.hints = d.changes.Watch(table.Footprint)
	}
	return r, nil
}

// Refresh implements Database.
func (d *database) Refresh(ctx context.Context) (err error) {
	if d.readings != nil {
		err = d.readings.Refresh(ctx, d.lead)
	}
	if d.changes != nil {
		err = errors.Join(err, d.changes.Refresh(ctx))
	}
	return err
}

// Totals implements Database.
func (d *database) Totals(ctx context.Context, all []Rows) ([]doc.Sum, []bool, error) {
	tables := make([]*source.Table, len(all))
	for i, one := range all {
		tables[i] = one.(rows).Table
	}
	return d.Source.Totals(ctx, tables)
}

type rows struct {
	*source.Table
	database *database
	hints    *changes.Watch // nil: the database shows no changes
}

// Horizon implements Rows. A reading of another table's is used while it is
// fresh.
func (r rows) Horizon(conf configs.Compensate, last doc.Horizon, since func() time.Time) compensate.Horizon {
	if r.database.readings == nil {
		return nil
	}
	return r.database.readings.Watch(horizon.Options{Slack: conf.Slack, Fresh: conf.Every / 2, Last: last, Scope: r.Inexact, Steady: r.steady, Table: r.Table, Since: since})
}

// steady reports whether only commits change what the SQLs return.
func (r rows) steady(ctx context.Context) (bool, error) {
	reads, err := r.Footprint(ctx)
	return err == nil && reads.Reason == "", err
}

// Hints implements Rows.
func (r rows) Hints() changes.Hints {
	if r.hints == nil {
		return nil
	}
	return r.hints
}

// RecentHints implements Rows.
func (r rows) RecentHints() changes.Hints {
	if r.hints == nil {
		return nil
	}
	return r.hints.Within(time.Second)
}

// A prober asks for the tables of one database.
type prober struct{ source *source.Source }

// Quiet implements horizon.Prober.
func (p prober) Quiet(ctx context.Context, all []horizon.Since) ([]bool, error) {
	asked := make([]source.Since, len(all))
	for i, one := range all {
		asked[i] = source.Since{Table: one.Table.(*source.Table), From: one.From}
	}
	return p.source.Quiet(ctx, asked)
}

// A pacedSampler keeps to the limits of the database.
type pacedSampler struct {
	source  *source.Source
	sampler horizon.Sampler
}

// statementsOfReading is about the number of statements of a reading.
const statementsOfReading = 5

// Connect implements horizon.Sampler.
func (p pacedSampler) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	return p.source.Paced(ctx, statementsOfReading, func() error { return p.sampler.Connect(ctx, read) })
}

// pacedChanges keeps to the limits of the database.
type pacedChanges struct {
	source  *source.Source
	sampler changes.Sampler
}

// Changes implements changes.Sampler.
func (p pacedChanges) Changes(ctx context.Context, tables func(string) []string) (s changes.Sample, err error) {
	err = p.source.Paced(ctx, statementsOfHint, func() (err error) {
		s, err = p.sampler.Changes(ctx, tables)
		return err
	})
	return s, err
}

// statementsOfHint is the most statements of a hint.
const statementsOfHint = 3
