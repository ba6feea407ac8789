package stdsql

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A Catalog is a doc.Catalog that queries of a session fill. After an error it asks
// nothing more.
type Catalog struct {
	doc.Catalog
	session dialect.Session
	ids     int            // how many first columns of a query identify a table
	at      map[string]int // the tables by their ids
	err     error
}

// NewCatalog returns an empty catalog for queries whose first columns, ids of them,
// identify a table.
func NewCatalog(s dialect.Session, ids int) *Catalog {
	return &Catalog{session: s, ids: ids, at: map[string]int{}}
}

// Done returns the catalog, or the first error.
func (c *Catalog) Done() (doc.Catalog, error) { return c.Catalog, c.err }

// Rows returns the rows of a query.
func (c *Catalog) Rows(ctx context.Context, sql string, args ...any) (rows []Row) {
	if c.err == nil {
		rows, c.err = Query(ctx, c.session, sql, args...)
	}
	return rows
}

// Add adds a table with its ids.
func (c *Catalog) Add(ids Row, t doc.CatalogTable) {
	c.at[c.id(ids)] = len(c.Tables)
	c.Tables = append(c.Tables, t)
}

func (c *Catalog) id(r Row) string { return fmt.Sprintf("%q", r[:c.ids]) }

// Each calls do with each row of a query, without the ids, and the row's table.
func (c *Catalog) Each(ctx context.Context, sql string, do func(*doc.CatalogTable, Row)) {
	for _, r := range c.Rows(ctx, sql) {
		if i, ok := c.at[c.id(r)]; ok {
			do(&c.Tables[i], r[c.ids:])
		}
	}
}

// Column returns a column of a table, by its name in any case if none has this one; or
// an empty column.
func Column(t *doc.CatalogTable, name string) *doc.CatalogColumn {
	found := &doc.CatalogColumn{}
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case c.Name == name:
			return c
		case strings.EqualFold(c.Name, name):
			found = c
		}
	}
	return found
}

// AddIndex adds an index of all rows. The primary key comes first, and needs no column
// that is declared NOT NULL.
func AddIndex(t *doc.CatalogTable, columns []string, unique, primary bool) {
	Column(t, columns[0]).Indexed = true
	for _, name := range columns {
		unique = unique && (primary || Column(t, name).NotNull)
	}
	if unique {
		t.Keys = append(t.Keys, columns)
		t.Primary = t.Primary || primary
	}
}

// Indexes adds indexes by a query of their columns in order: the index's name, the
// column's, whether the index is the primary key, and whether it is unique.
func (c *Catalog) Indexes(ctx context.Context, sql string) {
	var last *doc.CatalogTable
	var index []Row // its columns
	add := func() {
		var columns []string
		for _, r := range index {
			columns = append(columns, r.Text(1))
		}
		if len(columns) > 0 {
			AddIndex(last, columns, index[0].Number(3) == 1, index[0].Number(2) == 1)
		}
	}
	c.Each(ctx, sql, func(t *doc.CatalogTable, r Row) {
		if t != last || r[0] != index[0][0] {
			add()
			last, index = t, nil
		}
		index = append(index, r)
	})
	add()
}

// AddReference adds a column of a foreign key: of another one than before, or of the
// same. onDelete is the key's rule in SQL.
func AddReference(t *doc.CatalogTable, another bool, column, to, other, onDelete string) {
	if another {
		t.References = append(t.References, doc.CatalogReference{To: to, Cascades: strings.EqualFold(onDelete, "CASCADE")})
	}
	r := &t.References[len(t.References)-1]
	r.Columns, r.OtherColumns = append(r.Columns, column), append(r.OtherColumns, other)
}

// References adds foreign keys by a query of their columns in order: the position from
// 1, the column, the other table, which name writes as SQL does, its column, and the rule
// ON DELETE.
func (c *Catalog) References(ctx context.Context, sql string, name func(string) string) {
	c.Each(ctx, sql, func(t *doc.CatalogTable, r Row) {
		AddReference(t, r.Number(0) == 1, r.Text(1), name(r.Text(2)), r.Text(3), r.Text(4))
	})
}

// Triggers marks what triggers set when a row is updated, by a query of their
// statements. The groups of assigned match a column's name.
func (c *Catalog) Triggers(ctx context.Context, sql string, assigned *regexp.Regexp) {
	c.Each(ctx, sql, func(t *doc.CatalogTable, r Row) {
		for _, m := range assigned.FindAllStringSubmatch(r.Text(0), -1) {
			Column(t, strings.Join(m[1:], "")).Maintained = true
		}
	})
}

// plainName matches a name that needs no quotes unless it is a keyword.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsBare reports whether SQL takes a name without quotes, as none of the keywords, which
// are in small letters between blanks.
func IsBare(name, keywords string) bool {
	return plainName.MatchString(name) && !strings.Contains(keywords, " "+strings.ToLower(name)+" ")
}
