package sqlitesource

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
)

// Statements name the columns that were there when the table was described, and
// read them in that order. An ALTER TABLE, or another view of the same name, may
// since have given a name to another column, taken a declared type away, or added
// a column that belongs into documents. So each transaction describes every SQL
// again before it reads a row. In SQLite this is a call in this process, of some
// microseconds. The schema is part of the snapshot, so a description holds for all
// that the transaction reads.

// describeAgain compares the description of all SQLs with the one that the table
// was described with, in the snapshot of the visit's transaction. A difference is
// a doc.ErrChangedResult.
func (t *Table) describeAgain(v *visit) error {
	for _, view := range t.views() {
		info, err := v.columnsOf(view.sql)
		if err == nil {
			err = view.changed(info)
		} else if !unavailable(err) {
			err = fmt.Errorf("%w: %s: %s", doc.ErrChangedResult, view.paths.sql, message(err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changed names the first difference between a description and the view's.
func (v *view) changed(info []sqlite.ColumnInfo) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", doc.ErrChangedResult, v.paths.sql, fmt.Sprintf(format, args...))
	}
	for i, c := range info[:min(len(info), len(v.columns))] {
		switch {
		case c.Name != v.columns[i]:
			return differ("column %d is %s, not %s", i+1, c.Name, v.columns[i])
		case c.DeclType != v.declared[i]:
			return differ("column %s is declared %s, not %s", c.Name, orNothing(c.DeclType), orNothing(v.declared[i]))
		case c.TableName != v.origins[i].Table || c.OriginName != v.origins[i].Name:
			return differ("column %s is another column of the same name", c.Name)
		}
	}
	if got, want := len(info), len(v.columns); got != want {
		return differ("it has %d columns, not %d", got, want)
	}
	return nil
}

func orNothing(declared string) string {
	if declared == "" {
		return "without a type"
	}
	return declared
}

// columnsOf prepares the SQL, without the wrapping that would rename columns of
// one name, and does not run it.
func (v *visit) columnsOf(query string) (info []sqlite.ColumnInfo, err error) {
	err = v.conn.Raw(func(driverConn any) error {
		describer, ok := driverConn.(interface {
			ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T can't describe a query", driverConn)
		}
		info, err = describer.ColumnInfo(query)
		return err
	})
	return info, err
}

// read runs f in a transaction in which the SQLs return what was described.
func (t *Table) read(ctx context.Context, f func(*sql.Tx) error) error {
	v, err := t.source.visit(ctx)
	if err != nil {
		return err
	}
	defer v.end()
	if err := v.begin(ctx); err != nil {
		return err
	}
	var n int
	if err := v.tx.QueryRowContext(ctx, firstRead).Scan(&n); err != nil {
		return err
	}
	if err := t.describeAgain(v); err != nil {
		return err
	}
	return f(v.tx)
}

// described returns what of the description decides how a digest is read.
func (v *view) described() (parts []string) {
	for i, name := range v.columns {
		parts = append(parts, name, strings.ToUpper(v.declared[i]))
	}
	return parts
}

// ColumnsOf returns the names of the columns that an SQL returns now. What is
// wrong with the SQL is a *ConfigError.
func (s *Source) ColumnsOf(ctx context.Context, query string) (names []string, err error) {
	info, err := s.columnsOf(ctx, query)
	if err != nil && !unavailable(err) && ctx.Err() == nil {
		err = &ConfigError{"sql", message(err), "try it in the sqlite3 shell"}
	}
	for _, c := range info {
		names = append(names, c.Name)
	}
	return names, s.fault("describe the SQL", err)
}
