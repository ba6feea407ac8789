// Package sqlite is the dialect of SQLite for source. It is the only importer
// of the SQLite driver.
//
// Only SELECT, EXPLAIN, BEGIN, ROLLBACK and PRAGMAs reach the database. The file is
// opened with mode=ro and query_only and is never created.
//
// A page's transaction ends before the page is handed on: with a rollback journal
// an open reader blocks commits.
//
// Values of a column have any type, whatever is declared. So the rows show the kind
// of a key without a declared type, and how a column stores updateTimes: as Unix
// time in some unit, Julian days, or text. Digests are computed by a function in
// this process, which reads the row in SQLite's memory.
package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A DB is one SQLite database. It implements dialect.Dialect.
type DB struct {
	stdsql.DB
	connector *connector
	watch     watch
}

// Open checks the DSN, which is a path or a file: URI, for conns reading connections at
// most. It does not read the file, which need not exist yet.
func Open(_ context.Context, dsn string, conns int) (*DB, error) {
	path, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	connector, err := newConnector(path)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	// No caller waits for a second connection while it holds one, so few are enough.
	conns++ // and one for the Watch
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	// A restore may replace the file under its name. An open connection keeps
	// reading the old file.
	db.SetConnMaxLifetime(time.Minute)
	d := &DB{DB: stdsql.DB{Name: filepath.Base(path), Pool: db, Vendor: vendor{clock}}, connector: connector}
	d.watch.db = d
	return d, nil
}

// Probe implements dialect.Prober.
func (d *DB) Probe(ctx context.Context) error {
	pool := sql.OpenDB(d.connector)
	defer pool.Close()
	session, err := d.Session(ctx, pool)
	if err == nil {
		session.End()
	}
	return err
}

// Close closes all connections.
func (d *DB) Close() {
	d.watch.close()
	d.DB.Close()
}

// Quote implements dialect.Dialect.
func (*DB) Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Placeholder implements dialect.Dialect. The unary plus hides the value of a key
// or updateTime from the planner. With the statistics of ANALYZE it would estimate
// how many rows are left, and read the pages of a range by an index that begins
// with updateTime: all rows that are left, for each page.
func (*DB) Placeholder(_ int, as *dialect.Column) string {
	if as == nil {
		return "?"
	}
	return "+?"
}

// Limit implements dialect.Dialect.
func (*DB) Limit(placeholder string) string { return " LIMIT " + placeholder }

// Keyset implements dialect.Dialect.
func (*DB) Keyset() dialect.Keyset { return dialect.RowCompare }

// Tie implements dialect.Dialect.
func (*DB) Tie(_ *dialect.Column, expr string) string { return expr + " COLLATE BINARY" }

// Select keeps the value and removes the declared type, by which the driver would
// convert the text of a DATE or TIMESTAMP column.
func (*DB) Select(_ *dialect.Column, expr string) string { return "+" + expr }

// Token implements dialect.Dialect.
func (*DB) Token(_ *dialect.Described, exprs []string) string {
	return tokenFunction + "(" + strings.Join(exprs, ", ") + ")"
}

// RowKey implements dialect.RowKeyer.
func (d *DB) RowKey(of *dialect.Described, exprs []string, name string) string {
	digest := rowKeyFunction + "(" + strings.Join(exprs, ", ") + ")"
	return "SELECT " + strings.Join(exprs, ", ") + ", " + digest + " || '-' || row_number() OVER (PARTITION BY " + digest + ") AS " + d.Quote(name) + " " + of.From()
}

// Suspect implements dialect.Dialect. SQLite can't check text for UTF-8, so every
// text is suspect.
func (*DB) Suspect(_ *dialect.Column, kind doc.Kind, expr string) string {
	if classes := classesOf[kind]; classes != "" {
		return "typeof(" + expr + ") NOT IN (" + classes + ")"
	}
	return "1 = 1"
}

// classesOf are the storage classes of the values that can be a kind of key. Any text
// may be invalid.
var classesOf = map[doc.Kind]string{doc.Integer: "'integer'", doc.Real: "'real'", doc.Decimal: "'integer', 'real'", doc.Bytes: "'blob'"}

// MaxKeys is within the 32,766 values that a statement binds.
func (*DB) MaxKeys(parts int) int { return min(10_000, 32_000/parts) }

// Among implements dialect.Lister. A list of values, unlike a subquery, is pushed
// into an SQL that has a GROUP BY; otherwise SQLite would compute all groups to
// find a few. There is no such list for composite keys, so they are bound as one
// JSON text, unless JSON can't hold a part: bytes, or each bit of a real.
func (*DB) Among(q *dialect.Query, columns []*dialect.Column, exprs []string, keys [][]any) bool {
	if len(exprs) == 1 {
		return false
	}
	if slices.ContainsFunc(columns, func(c *dialect.Column) bool { return c.Kind != doc.Integer && c.Kind != doc.Text }) {
		q.Write("(", strings.Join(exprs, ", "), ") IN (VALUES ").BindKeys(keys, columns).Write(")")
		return true
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return false
	}
	parts := make([]string, len(exprs))
	for i := range parts {
		parts[i] = fmt.Sprintf("value ->> %d", i)
	}
	q.Write("(", strings.Join(exprs, ", "), ") IN (SELECT ", strings.Join(parts, ", "), " FROM json_each(").Bind(string(list), nil).Write("))")
	return true
}

// KindQuery implements dialect.Typer. Values are ordered by their storage class
// first, so the least and the greatest show all classes, but integers and reals are
// one.
func (*DB) KindQuery(expr string) (columns string, rows int) {
	return "typeof(min(" + expr + ")), typeof(max(" + expr + ")), max(typeof(" + expr + ") = 'real')", 0
}

// Kind implements dialect.Typer.
func (*DB) Kind(raw []any) (kind doc.Kind, what, do string) {
	least, _ := raw[0].(string)
	greatest, _ := raw[1].(string)
	number := func(class string) bool { return class == "integer" || class == "real" }
	switch {
	case least == "null":
		return 0, "", ""
	case number(least) && number(greatest) && raw[2] == int64(0):
		return doc.Integer, "", ""
	case number(least) && number(greatest):
		return doc.Decimal, "", ""
	case least == greatest:
		return map[string]doc.Kind{"text": doc.Text, "blob": doc.Bytes}[least], "", ""
	}
	return 0, "holds both " + least + " and " + greatest + " values", "CAST it to TEXT in the SQL"
}
