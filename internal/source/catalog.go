package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/recovered"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source/dialect"
)

// Catalog describes the tables of the database in one snapshot, then reads a row of
// each, of several at a time. What the database refuses to read is Unreadable, and keeps
// nothing else from being described. The meter counts the tables.
func (s *Source) Catalog(ctx context.Context, meter *progress.Meter) (doc.Catalog, error) {
	lister, ok := s.dialect.(dialect.Cataloger)
	if !ok {
		return doc.Catalog{}, fmt.Errorf("catalog of %s: this database can't list its tables", s.Address())
	}
	meter.Step("listing the tables", "", 0, progress.Unknown)
	listing, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	c, err := snapshotOf(listing, s, "", func(x *tx, _ dialect.Snapshot) (doc.Catalog, error) { return lister.Catalog(listing, x.session) })
	if err != nil {
		return doc.Catalog{}, fmt.Errorf("read the catalog of %s: %w", s.Address(), err)
	}
	_, c.RowKeys = s.dialect.(dialect.RowKeyer)
	meter.Step("reading a row of each", "tables", 0, int64(len(c.Tables)))
	within, cancel := context.WithTimeout(ctx, tryAllWithin+time.Duration(len(c.Tables))*tryEachWithin)
	defer cancel()
	all, trying := errgroup.WithContext(within)
	all.SetLimit(triedAtOnce)
	for i := range c.Tables {
		all.Go(func() (err error) {
			defer recovered.Into(&err)
			defer meter.Add(1)
			return s.tryTable(trying, &c.Tables[i])
		})
	}
	if err := all.Wait(); err != nil && within.Err() == nil {
		return doc.Catalog{}, fmt.Errorf("read the catalog of %s: %w", s.Address(), err)
	}
	return c, cancelled(ctx, ctx.Err())
}

// tryTable reads a row of a table, and of each column alone if the database refuses
// that. A table that does not answer in time, or is locked, counts as readable.
func (s *Source) tryTable(ctx context.Context, t *doc.CatalogTable) error {
	if t.Unreadable != "" {
		return nil
	}
	refusal, err := s.try(ctx, t)
	if refusal == nil || err != nil {
		return err
	}
	t.Unreadable, t.Remedy = dialect.OneLine(refusal.Error()), remedy(t, refusal)
	if errors.Is(refusal, doc.ErrForeign) {
		return nil
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		refusal, err := s.try(ctx, &doc.CatalogTable{SQL: t.SQL, Columns: t.Columns[i : i+1]})
		switch {
		case err != nil:
			return err
		case refusal != nil:
			c.Unreadable = dialect.OneLine(refusal.Error())
		default:
			t.Unreadable, t.Remedy = "", ""
		}
	}
	return nil
}

// remedy returns what to do about a table that can't be read.
func remedy(t *doc.CatalogTable, refusal error) string {
	fault, ok := errors.AsType[*dialect.Fault](refusal)
	switch {
	case ok && fault.Grant != "":
		return "GRANT " + fault.Grant + " to this role"
	case errors.Is(refusal, doc.ErrForeign):
		return "start that server or correct its address, and run indexerd init again"
	case ok && fault.Hint != "":
		return fault.Hint
	}
	return "run SELECT * FROM " + t.SQL + " in the database's own client, and indexerd init again when it returns rows"
}

// listWithin is how long the database may take to list its tables, tryWithin to return a row
// of one, and tryAllWithin those of all, with tryEachWithin more for each. Each of triedAtOnce
// has a connection.
const (
	listWithin    = time.Minute
	tryWithin     = 3 * time.Second
	tryAllWithin  = 20 * time.Second
	tryEachWithin = 100 * time.Millisecond
	triedAtOnce   = 4
)

// try reads a row of the readable columns of a table. It returns why the database refuses
// that; nil: it does not. The error means that the database does not answer.
func (s *Source) try(ctx context.Context, t *doc.CatalogTable) (refusal, err error) {
	var columns []string
	for _, c := range t.Columns {
		if c.Unreadable == "" {
			columns = append(columns, c.SQL)
		}
	}
	if len(columns) == 0 {
		return nil, nil
	}
	trying, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	_, refusal = snapshotOf(trying, s, "", func(x *tx, _ dialect.Snapshot) (all bool, err error) {
		return x.each(trying, dialect.NewQuery(s.dialect).Write("SELECT ", strings.Join(columns, ", "), " FROM ", t.SQL).Limit(1), func([]any) bool { return true })
	})
	switch {
	case ctx.Err() != nil, refusal != nil && doc.IsUnreachable(refusal):
		return nil, refusal
	case trying.Err() != nil, errors.Is(refusal, doc.ErrLocked):
		return nil, nil
	}
	return refusal, nil
}

// ColumnsOf returns the names of the columns that an SQL returns now. Its errors
// are a *ConfigError or wrap doc.ErrUnavailable.
func (s *Source) ColumnsOf(ctx context.Context, sql string) ([]string, error) {
	return snapshotOf(ctx, s, "", func(x *tx, _ dialect.Snapshot) (names []string, err error) {
		columns, err := x.session.Describe(ctx, wrap(sql, "x"))
		for _, c := range columns {
			names = append(names, c.Name)
		}
		return names, configFault("sql", err)
	})
}

// UnitOf returns the unit of most rows of an SQL in a column of updateTimes;
// Unknown if they do not show it, or if the column has a time type.
func (s *Source) UnitOf(ctx context.Context, sql, column string) (timeunit.Unit, error) {
	return snapshotOf(ctx, s, "", func(x *tx, _ dialect.Snapshot) (unit timeunit.Unit, err error) {
		v, err := newView(ctx, x, sql, nil, updatedConfig{}, paths{sql: "sql"})
		if err != nil {
			return unit, err
		}
		at, err := v.column("updated", column)
		if err != nil || v.Columns[at].Epochs == nil {
			return unit, err
		}
		v.updated = &updated{Field: v.field(at), at: at, epochs: v.Columns[at].Epochs}
		votes, _, err := v.sample(ctx, x)
		if err != nil {
			return unit, err
		}
		return timeunit.Decide(timeunit.Unknown, timeunit.Unknown, votes)
	})
}

// TextsOf returns values of each of some columns of an SQL as text, of the first rows that
// the database returns: limit rows, or fewer if they have more than size bytes.
func (s *Source) TextsOf(ctx context.Context, sql string, columns []string, limit, size int) ([][]string, error) {
	return snapshotOf(ctx, s, "", func(x *tx, _ dialect.Snapshot) (texts [][]string, err error) {
		v, err := newView(ctx, x, sql, nil, updatedConfig{}, paths{sql: "sql"})
		if err != nil {
			return nil, err
		}
		at := make([]int, len(columns))
		for i, name := range columns {
			if at[i], err = v.column("content", name); err != nil {
				return nil, err
			}
		}
		texts = make([][]string, len(columns))
		_, err = x.each(ctx, v.query(v.selected(at...)...).Limit(limit), func(raw []any) bool {
			for i, value := range raw {
				if text, ok := dialect.Text(value); ok {
					texts[i], size = append(texts[i], strings.Clone(text)), size-len(text)
				}
			}
			return size > 0
		})
		return texts, err
	})
}
