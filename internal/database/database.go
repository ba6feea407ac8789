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
	"fmt"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/inspect"
	"indexerd/internal/pace"
	"indexerd/internal/pgsource"
	"indexerd/internal/sqlite"
	"indexerd/internal/sqlsource"
	"indexerd/internal/timeunit"
)

// Rows is the result of one table's SQLs, as the passes read it.
type Rows interface {
	initial.Source
	incremental.Source
	compensate.Source
	deletecheck.Source
	inspect.Rows
	Columns() []string
	Kinds() []doc.Kind
	Epoch() uint32
	// Horizon returns the reader of the database's horizon; nil where the
	// database can't prove one. last is what an earlier process read.
	Horizon(conf configs.Compensate, last doc.Horizon) compensate.Horizon
	// Versions returns a reader of the database's change counter; nil where it has
	// none.
	Versions() compensate.Versions
	// CheckUnits samples the rows again for the units of their updateTimes.
	CheckUnits(context.Context) error
}

// Numbers orders the fetches of a table; its sink does.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// Units are the units of a table's updateTimes, by the path of their SQL.
type Units struct {
	Kept map[string]string             // found before
	Keep func(path, unit string) error // keeps one that is found; nil: none is kept
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
}

// Catalog is an open database that lists its tables, for init.
type Catalog interface {
	Address() string
	Catalog(context.Context) (doc.Catalog, error)
	UnitOf(ctx context.Context, sql, column string) (timeunit.Unit, error)
	Close()
}

// Open prepares a database. It fails where the address is malformed, and not
// where the database is down.
func Open(ctx context.Context, s configs.Source) (Database, error) {
	limits := pace.Limits{PerSecond: s.Limits.StatementsPerSecond, Slow: s.Limits.Slow}
	switch s.Driver {
	case "postgres":
		db, err := pgsource.Open(ctx, pgsource.Config{Name: s.Name, DSN: s.DSN, Conns: s.Limits.Connections, Limits: limits})
		if err != nil {
			return nil, err
		}
		return postgres{db}, nil
	case "sqlite":
		db, err := sqlite.Open(ctx, sqlite.Config{Name: s.Name, DSN: s.DSN, Conns: s.Limits.Connections})
		if err != nil {
			return nil, err
		}
		return sqliteDatabase{sqlsource.New(db, limits)}, nil
	}
	return nil, fmt.Errorf("source %s: no driver %q", s.Name, s.Driver)
}

// OpenCatalog opens the database at an address to list its tables.
func OpenCatalog(ctx context.Context, driver, dsn string) (Catalog, error) {
	if driver == "postgres" {
		return pgsource.Open(ctx, pgsource.Config{Name: "DSN", DSN: dsn})
	}
	db, err := sqlite.Open(ctx, sqlite.Config{Name: "DSN", DSN: dsn})
	if err != nil {
		return nil, err
	}
	return sqlsource.New(db, pace.Limits{}), nil
}

type postgres struct{ *pgsource.Source }

// Table implements Database.
func (p postgres) Table(ctx context.Context, t configs.Table, n Numbers, u Units) (Rows, error) {
	c := pgsource.TableConfig{
		Name: t.Name, SQL: t.SQL, Key: t.Key, Updated: t.Updated, Unit: t.Unit, Zone: t.Location, Batch: t.Batch, Limits: t.Limits, Numbers: n,
		Deleted: pgsource.DeletedConfig(t.Deleted), Changes: t.Changes, ACL: ACL(t),
		Units: u.Kept, Keep: u.Keep,
	}
	for _, sql := range SideSQLs(t) {
		c.Children = append(c.Children, pgsource.ChildConfig(sql))
	}
	table, err := p.Source.Table(ctx, c)
	if err != nil {
		return nil, err
	}
	return postgresRows{table}, nil
}

type postgresRows struct{ *pgsource.Table }

// Horizon implements Rows. A reading of another table's is used while it is
// fresh.
func (r postgresRows) Horizon(conf configs.Compensate, last doc.Horizon) compensate.Horizon {
	return r.Watch(horizon.Options{Slack: conf.Slack, Fresh: conf.Every / 2, Last: last})
}

// Versions implements Rows.
func (postgresRows) Versions() compensate.Versions { return nil }

type sqliteDatabase struct{ *sqlsource.Source }

// Table implements Database.
func (s sqliteDatabase) Table(ctx context.Context, t configs.Table, n Numbers, u Units) (Rows, error) {
	c := sqlsource.TableConfig{
		Name: t.Name, SQL: t.SQL, Key: t.Key, Updated: t.Updated, Unit: t.Unit, Zone: t.Location, Batch: t.Batch, Limits: t.Limits, Numbers: n,
		Deleted: sqlsource.DeletedConfig(t.Deleted), Changes: t.Changes, ACL: ACL(t),
		Units: u.Kept, Keep: u.Keep,
	}
	for _, sql := range SideSQLs(t) {
		c.Children = append(c.Children, sqlsource.ChildConfig(sql))
	}
	table, err := s.Source.Table(ctx, c)
	if err != nil {
		return nil, err
	}
	return sqliteRows{table, s.Dialect().(*sqlite.DB).Watch()}, nil
}

type sqliteRows struct {
	*sqlsource.Table
	watch *sqlite.Watch
}

// Horizon implements Rows.
func (sqliteRows) Horizon(configs.Compensate, doc.Horizon) compensate.Horizon { return nil }

// Versions implements Rows.
func (r sqliteRows) Versions() compensate.Versions { return r.watch }
