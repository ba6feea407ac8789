package source

import (
	"context"
	"fmt"
	"indexerd/internal/source/dialect"
)

// A table without a key gets one: a digest of the whole row, and a number that
// distinguishes equal rows. An update of a row removes its key and makes another.
//
// No index has this key. A statement reads the whole table to answer any condition
// on it, so pages are large, and the number of rows is limited.

// rowKey is the name of the column.
const rowKey = "indexerd_row"

// rowKeyPage is the number of stamps of a page: each page reads the table. A stamp
// takes about 100 bytes.
const rowKeyPage = 250_000

// rowLimit is the number of rows of an SQL up to which they get keys.
type rowLimit struct {
	*view
	most int
}

// withRowKey returns a table's SQL with the column rowKey as the last one.
func (t *Table) withRowKey(ctx context.Context, x *tx, cfg TableConfig) (string, error) {
	keyer, ok := x.source.dialect.(dialect.RowKeyer)
	if !ok {
		return "", &ConfigError{"key", "row: this database computes no digests of 128 bits", "name the columns that identify a row"}
	}
	v, err := newView(ctx, x, cfg.SQL, nil, updatedConfig{}, paths{sql: "sql"})
	if err != nil {
		return "", err
	}
	t.rowLimit = &rowLimit{v, cfg.MaxRows}
	return keyer.RowKey(&v.Described, v.exprs, rowKey), t.rowLimit.check(ctx, x)
}

// check is an error if the SQL returns too many rows. A nil limit is none.
func (l *rowLimit) check(ctx context.Context, x *tx) error {
	if l == nil {
		return nil
	}
	q := l.ask("SELECT count(*) FROM (SELECT 1 AS one ", l.From()).Write(l.dialect.Limit(fmt.Sprint(l.most+1)), ") counted")
	q.ReadsAll()
	n, err := x.count(ctx, q)
	if err != nil || n <= int64(l.most) {
		return err
	}
	what := fmt.Sprintf("row: the SQL returns more than %d rows, and each page and each fetch of rows reads and sorts all of them", l.most)
	return &ConfigError{"key", what, "name the columns that identify a row, or raise limits.rows"}
}
