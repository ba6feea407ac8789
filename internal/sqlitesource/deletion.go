package sqlitesource

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// A DeletedConfig selects the rows that are marked deleted and must not be in the
// index: those with one of Values (string, int64, float64 or bool) in Column, or
// those whose key SQL lists, in columns with the names of the key.
type DeletedConfig struct {
	Column string
	Values []any
	SQL    string
}

// A deletion finds the rows that are marked deleted.
//
// The condition on a column is part of every statement. The list is queried by the
// keys of each page, in the page's snapshot. As part of every statement, SQLite
// would read the whole list for one row or, without an index on its key, the list
// once for each row.
type deletion struct {
	marked string // q."active" IN (?, ?); "" if no column marks rows
	values []any
	list   *view // the view of DeletedConfig.SQL; nil: none
}

func (s *Source) newDeletion(ctx context.Context, c TableConfig, main *view) (d deletion, err error) {
	if c.Deleted.Column != "" {
		if _, err := main.column("deleted.column", c.Deleted.Column); err != nil {
			return d, err
		}
		if len(c.Deleted.Values) == 0 {
			return d, &ConfigError{"deleted.column", "no values are named", "name the values that mark a row deleted"}
		}
		for _, v := range c.Deleted.Values {
			if b, ok := v.(bool); ok {
				v = map[bool]int64{true: 1}[b] // as SQLite stores it
			}
			d.values = append(d.values, v)
		}
		marks := strings.Join(slices.Repeat([]string{"?"}, len(d.values)), ", ")
		d.marked = qualify([]string{c.Deleted.Column})[0] + " IN (" + marks + ")"
	}
	if c.Deleted.SQL != "" {
		const path = "deleted.sql"
		d.list, err = s.newView(ctx, paths{path, path, path}, c.Deleted.SQL, c.Key, updatedConfig{})
	}
	return d, err
}

// live limits a condition to the rows that no column marks deleted. NULL does not
// mark a row.
func (t *Table) live(where *condition) {
	if t.deletion.marked != "" {
		where.and("("+t.deletion.marked+") IS NOT TRUE", t.deletion.values...)
	}
}

// listed returns which of the keys the deleted SQL lists.
func (t *Table) listed(ctx context.Context, tx *sql.Tx, oids []doc.OID) (map[doc.OID]bool, error) {
	listed := map[doc.OID]bool{}
	list := t.deletion.list
	if list == nil {
		return listed, nil
	}
	for chunk := range slices.Chunk(oids, maxKeys) {
		var where condition
		if err := list.among(&where, chunk); err != nil {
			return nil, err
		}
		err := eachRow(ctx, tx, list.statements.keys+where.String(), where.args, len(list.key), func(raw []any) bool {
			if oid, err := list.oid(raw); err == nil { // an unusable key matches no row
				listed[oid] = true
			}
			return true
		})
		if err != nil {
			return nil, t.listFault(ctx, tx, err)
		}
	}
	// Drop keys that are only equal under the collation.
	asked := doc.SetOf(oids)
	maps.DeleteFunc(listed, func(oid doc.OID, _ bool) bool { return !asked[oid] })
	return listed, nil
}

// listFault returns an error of the SQL if the list fails even when it is queried
// for no key, as a list without an index does. A rowFault would reject all rows.
// Otherwise it returns err.
func (t *Table) listFault(ctx context.Context, tx *sql.Tx, err error) error {
	list := t.deletion.list
	query := list.statements.keys + " WHERE " + list.statements.isNull
	if isRowFault(err) && isRowFault(eachRow(ctx, tx, query, nil, len(list.key), func([]any) bool { return true })) {
		return fmt.Errorf("deleted.sql: %s", message(err))
	}
	return err
}
