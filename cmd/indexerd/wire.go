package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"indexerd/compensate"
	"indexerd/configs"
	"indexerd/deletecheck"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/inspect"
	"indexerd/internal/nearest"
	"indexerd/internal/pace"
	"indexerd/internal/pgsource"
	"indexerd/internal/sqlitesource"
	"indexerd/internal/timeunit"
)

// rows is one configured SQL on a database.
type rows interface {
	initial.Source
	incremental.Source
	compensate.Source
	deletecheck.Source
	inspect.Rows
	Columns() []string
	Kinds() []doc.Kind
	Epoch() uint32
	// horizon and versions are how the database tells what may still come of
	// these rows; nil where it can't.
	horizon(conf configs.Compensate, last doc.Horizon) compensate.Horizon
	versions() compensate.Versions
	// CheckUnits asks the rows again in which units updateTimes count.
	CheckUnits(context.Context) error
}

// numbers orders the fetches of a table; its sink does.
type numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// database is an open source of any driver.
type database interface {
	inspect.Server
	Ping(context.Context) error
	Close()
	table(context.Context, configs.Table, numbers, units) (rows, error)
	// ColumnsOf returns the names of the columns that an SQL returns.
	ColumnsOf(ctx context.Context, sql string) ([]string, error)
	Figures() pace.Figures
}

func openDatabase(ctx context.Context, s configs.Source) (database, error) {
	limits := pace.Limits{PerSecond: s.Limits.StatementsPerSecond, Slow: s.Limits.Slow}
	switch s.Driver {
	case "postgres":
		db, err := pgsource.Open(ctx, pgsource.Config{Name: s.Name, DSN: s.DSN, Conns: s.Limits.Connections, Limits: limits})
		if err != nil {
			return nil, err
		}
		return postgres{db}, nil
	case "sqlite":
		db, err := sqlitesource.Open(ctx, sqlitesource.Config{Name: s.Name, DSN: s.DSN, Conns: s.Limits.Connections, Limits: limits})
		if err != nil {
			return nil, err
		}
		return sqlite{db}, nil
	}
	return nil, fmt.Errorf("source %s: no driver %q", s.Name, s.Driver)
}

type postgres struct{ *pgsource.Source }

func (p postgres) table(ctx context.Context, t configs.Table, n numbers, u units) (rows, error) {
	c := pgsource.TableConfig{
		Name: t.Name, SQL: t.SQL, Key: t.Key, Updated: t.Updated, Unit: t.Unit, Zone: t.Location, Batch: t.Batch, Limits: t.Limits, Numbers: n,
		Deleted: pgsource.DeletedConfig(t.Deleted), Changes: t.Changes, ACL: aclOf(t),
		Units: u.kept, Keep: u.keep,
	}
	for _, child := range further(t) {
		c.Children = append(c.Children, pgsource.ChildConfig(child))
	}
	table, err := p.Source.Table(ctx, c)
	if err != nil {
		return nil, err
	}
	return postgresRows{table}, nil
}

type postgresRows struct{ *pgsource.Table }

// horizon is told from a reading of another table's if that is fresh.
func (r postgresRows) horizon(conf configs.Compensate, last doc.Horizon) compensate.Horizon {
	return r.Watch(pgsource.WatchOptions{Slack: conf.Slack, Fresh: conf.Every / 2, Last: last})
}

func (postgresRows) versions() compensate.Versions { return nil }

type sqlite struct{ *sqlitesource.Source }

func (s sqlite) table(ctx context.Context, t configs.Table, n numbers, u units) (rows, error) {
	c := sqlitesource.TableConfig{
		Name: t.Name, SQL: t.SQL, Key: t.Key, Updated: t.Updated, Unit: t.Unit, Zone: t.Location, Batch: t.Batch, Limits: t.Limits, Numbers: n,
		Deleted: sqlitesource.DeletedConfig(t.Deleted), Changes: t.Changes, ACL: aclOf(t),
		Units: u.kept, Keep: u.keep,
	}
	for _, child := range further(t) {
		c.Children = append(c.Children, sqlitesource.ChildConfig(child))
	}
	table, err := s.Source.Table(ctx, c)
	if err != nil {
		return nil, err
	}
	return sqliteRows{table}, nil
}

type sqliteRows struct{ *sqlitesource.Table }

func (sqliteRows) horizon(configs.Compensate, doc.Horizon) compensate.Horizon { return nil }

func (r sqliteRows) versions() compensate.Versions { return r.Watch() }

// A furtherSQL is a child or an extra, as every source takes it.
type furtherSQL struct {
	Name, Path string
	SQL        string
	Key        []string
	Updated    string
	Unit       string
	Columns    []string
	Value      bool
}

// further lists the SQLs of a document beside the main one: children, then
// extras.
func further(t configs.Table) []furtherSQL {
	var all []furtherSQL
	for _, c := range t.Children {
		all = append(all, furtherSQL{Name: c.Name, Path: "children." + c.Name, SQL: c.SQL, Key: c.Key, Updated: c.Updated, Unit: c.Unit, Columns: c.Content})
	}
	for _, x := range t.Extra {
		all = append(all, furtherSQL{Name: x.Name, Path: "extra." + x.Name, SQL: x.SQL, Key: x.Key, Updated: x.Updated, Unit: x.Unit, Value: true})
	}
	return all
}

// aclOf returns the field that holds the groups of a document.
func aclOf(t configs.Table) doc.ACL {
	if slices.ContainsFunc(further(t), func(f furtherSQL) bool { return f.Name == t.ACL }) {
		return doc.ACL{Child: t.ACL}
	}
	return doc.ACL{Column: t.ACL}
}

// A rowsFault is a fault of a file that the rows of a table make, and that they
// may take away: it fails the table, and keeps no daemon from starting.
type rowsFault struct{ fault configs.Fault }

func (f rowsFault) Error() string { return f.fault.Error() }

// fault turns what only the database could tell of a configuration into a
// fault of the file, or of the rows; other errors stay as they are.
func fault(cfg *configs.Config, table string, err error) error {
	var conflict *timeunit.Conflict
	of := configFault(cfg, table, err)
	if one, ok := of.(configs.Fault); ok && errors.As(err, &conflict) && conflict.Rows {
		return rowsFault{one}
	}
	return of
}

func configFault(cfg *configs.Config, table string, err error) error {
	var pg *pgsource.ConfigError
	var lite *sqlitesource.ConfigError
	switch {
	case errors.As(err, &pg):
		return faultAt(cfg, "tables."+table+"."+pg.Field, pg.What, cmp.Or(pg.Do, remedies[pg.Field]))
	case errors.As(err, &lite):
		return faultAt(cfg, "tables."+table+"."+lite.Field, lite.What, cmp.Or(lite.Do, remedies[lite.Field]))
	}
	return err
}

// remedies say what to do where the database's answer does not.
var remedies = map[string]string{
	"sql":      "mend the SQL; it must run as it is in the database's own client",
	"key":      "name columns that the SQL returns, of integers, text or uuids",
	"updated":  "name a column that the SQL returns, of times or epochs",
	"timezone": "name the zone that the column's times are in, such as Europe/Berlin",
}

func faultAt(cfg *configs.Config, path, what, do string) configs.Fault {
	file, line := cfg.At(path)
	return configs.Fault{File: file, Line: line, Path: path, What: what, Do: do}
}

// checkColumns finds columns that are searched and that the SQL does not
// return.
func checkColumns(cfg *configs.Config, t configs.Table, columns []string) error {
	known := map[string]bool{}
	for _, c := range columns {
		known[c] = true
	}
	var faults configs.Faults
	missing := func(path, name string) {
		if known[name] {
			return
		}
		do := "select it, or remove it here"
		if near := nearest.Name(name, columns); near != "" {
			do = "did you mean " + near + "?"
		}
		faults = append(faults, faultAt(cfg, path, fmt.Sprintf("column %s is not in the SQL's result", name), do))
	}
	for _, name := range t.Content.Fields {
		missing("tables."+t.Name+".content.fields", name)
	}
	for _, m := range t.Metadata {
		missing("tables."+t.Name+".metadata."+m.Name, m.Name)
	}
	if faults != nil {
		return faults
	}
	return nil
}

// mapping is what of a table is indexed, and how.
func mapping(t configs.Table) fulltext.Mapping {
	m := fulltext.Mapping{Content: t.Content.Fields, Analyzer: t.Content.Analyzer, Positions: t.Positions}
	for _, f := range t.Metadata {
		m.Metadata = append(m.Metadata, fulltext.Field{Name: f.Name, Type: fulltext.Type(f.Type)})
	}
	for _, c := range t.Children {
		m.Children = append(m.Children, fulltext.Child{Name: c.Name, Columns: c.Content, Searched: true, Type: fulltext.Type(c.Type)})
	}
	for _, x := range t.Extra {
		m.Children = append(m.Children, fulltext.Child{Name: x.Name, Skip: keyAndUpdated(x), Type: fulltext.Type(x.Type)})
	}
	return m
}

// keyAndUpdated names the columns of an extra that are not its value.
func keyAndUpdated(x configs.Extra) []string {
	if x.Updated == "" {
		return x.Key
	}
	return append(slices.Clone(x.Key), x.Updated)
}
