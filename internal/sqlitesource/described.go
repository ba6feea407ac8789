package sqlitesource

import (
	"context"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
)

// Statements name the columns that the SQLs had when the table was described, in
// that order. An ALTER TABLE or a replaced view may have moved a name to another
// column, changed a declared type or added a column. So each transaction describes
// every SQL again before it reads a row. This is a call within the process and
// takes microseconds. The schema is part of the snapshot, so the result is valid
// for the whole transaction.

// checkColumns compares the columns of all SQLs with those that the table was
// described with, in the session's snapshot. A difference is a
// doc.ErrChangedResult.
func (t *Table) checkColumns(x *session) error {
	for _, view := range t.views() {
		info, err := x.columnsOf(view.sql)
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

// changed returns an error that names the first column that differs from the
// view's.
func (v *view) changed(info []sqlite.ColumnInfo) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", doc.ErrChangedResult, v.paths.sql, fmt.Sprintf(format, args...))
	}
	for i, c := range info[:min(len(info), len(v.columns))] {
		switch {
		case c.Name != v.columns[i]:
			return differ("column %d is %s, not %s", i+1, c.Name, v.columns[i])
		case c.DeclType != v.declared[i]:
			return differ("column %s is declared %s, not %s", c.Name, typeName(c.DeclType), typeName(v.declared[i]))
		case c.TableName != v.origins[i].Table || c.OriginName != v.origins[i].Name:
			return differ("column %s is another column of the same name", c.Name)
		}
	}
	if got, want := len(info), len(v.columns); got != want {
		return differ("it has %d columns, not %d", got, want)
	}
	return nil
}

func typeName(declared string) string {
	if declared == "" {
		return "without a type"
	}
	return declared
}

// columnsOf prepares the SQL and does not run it. It does not wrap the SQL, which
// would rename columns that share a name.
func (x *session) columnsOf(query string) (info []sqlite.ColumnInfo, err error) {
	err = x.conn.Raw(func(driverConn any) error {
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

// described returns the names and declared types of the columns, which are part
// of the epoch of tokens.
func (v *view) described() (parts []string) {
	for i, name := range v.columns {
		parts = append(parts, name, strings.ToUpper(v.declared[i]))
	}
	return parts
}

// ColumnsOf returns the names of the columns that an SQL returns now. An error in
// the SQL is a *ConfigError.
func (s *Source) ColumnsOf(ctx context.Context, query string) (names []string, err error) {
	info, err := s.columnsOf(ctx, "sql", query)
	for _, c := range info {
		names = append(names, c.Name)
	}
	return names, s.fault("describe the SQL", err)
}
