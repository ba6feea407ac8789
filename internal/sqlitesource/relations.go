package sqlitesource

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// Relations returns the tables that the SQL and its children's read, without
// running them: through views, and without those that SQLite finds it can do
// without. A virtual table has no place in the file and is not among them.
func (t *Table) Relations(ctx context.Context) (relations []doc.Relation, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		roots, err := tablesByRoot(ctx, tx)
		if err != nil {
			return err
		}
		if relations, err = t.view.relations(ctx, tx, roots, "sql"); err != nil {
			return err
		}
		for _, c := range t.children {
			more, err := c.relations(ctx, tx, roots, strings.TrimSuffix(c.paths.sql, ".sql"))
			if err != nil {
				return err
			}
			relations = append(relations, more...)
		}
		return nil
	})
	return relations, t.source.fault("look at the tables of "+t.name, err)
}

// tablesByRoot names the table of each tree in the file, an index's too: where
// an index has all that is asked for, its table is not opened.
func tablesByRoot(ctx context.Context, tx *sql.Tx) (map[int64]string, error) {
	roots := map[int64]string{}
	err := each(ctx, tx, "SELECT +rootpage, +tbl_name FROM sqlite_schema WHERE rootpage > 0", nil, 2, func(raw []any) bool {
		root, _ := raw[0].(int64)
		roots[root], _ = raw[1].(string)
		return true
	})
	return roots, err
}

// relations finds the trees that the SQL's program opens.
func (v *view) relations(ctx context.Context, tx *sql.Tx, roots map[int64]string, path string) ([]doc.Relation, error) {
	const opcode, p2 = 1, 3 // columns of EXPLAIN
	names := map[string]bool{}
	err := each(ctx, tx, "EXPLAIN "+v.sql, nil, explainColumns, func(raw []any) bool {
		root, _ := raw[p2].(int64)
		if op, _ := raw[opcode].(string); (op == "OpenRead" || op == "ReopenIdx") && roots[root] != "" {
			names[roots[root]] = true
		}
		return true
	})
	var relations []doc.Relation
	for _, name := range slices.Sorted(maps.Keys(names)) {
		relations = append(relations, doc.Relation{Name: name, Path: path, Origin: name == v.origin})
	}
	return relations, err
}
