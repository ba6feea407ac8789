package sqlitesource

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// groups reads the groups of rows that can't become documents: the column or
// the child of the ACL, and nothing else of the row. What breaks the row, a
// column or another child, is not asked for, so that the groups can be read
// where the row can't.
//
// Groups that can't be read are nil: those for which the SQL fails, and those of
// several rows of one key that differ.
type groups struct {
	acl    doc.ACL
	table  *Table
	view   *view // the main SQL's or the child's; nil: there are none to be read
	values []int // of its columns, those that hold the groups
}

func newGroups(c TableConfig, t *Table) (groups, error) {
	g := groups{acl: c.ACL, table: t}
	if c.ACL.Column != "" {
		at, err := t.column("acl", c.ACL.Column)
		g.view, g.values = t.view, []int{at}
		return g, err
	}
	for i, child := range c.Children {
		if child.Name != c.ACL.Child || c.ACL.Child == "" {
			continue
		}
		g.view = t.children[i].view
		for at, name := range g.view.columns {
			if child.Value && at != g.view.updated && !slices.Contains(g.view.key, at) || slices.Contains(child.Columns, name) {
				g.values = append(g.values, at)
			}
		}
	}
	return g, nil
}

// ofMain returns the groups of a row of all columns of the main SQL.
func (g groups) ofMain(raw []any) *doc.Row {
	if g.acl.Column == "" {
		return nil
	}
	v, err := value(raw[g.values[0]], g.view.booleans[g.values[0]])
	if err != nil {
		return nil
	}
	return g.acl.Value(v)
}

// fill reads the groups of a child for the rejects that do not have them yet,
// in the transaction that has read the rows.
func (g groups) fill(ctx context.Context, tx *sql.Tx, rejects []doc.Reject) error {
	for i, r := range rejects {
		if g.acl.Child == "" || r.OID == "" || r.Groups != nil {
			continue
		}
		var err error
		if rejects[i].Groups, err = g.read(ctx, tx, r.OID); err != nil {
			return err
		}
	}
	return nil
}

// read reads the groups of a row; nil where they can't be read.
func (g groups) read(ctx context.Context, tx *sql.Tx, oid doc.OID) (*doc.Row, error) {
	if g.view == nil {
		return nil, nil
	}
	var where condition
	if err := g.view.among(&where, []doc.OID{oid}); err != nil {
		return nil, err
	}
	if g.acl.Column != "" {
		g.table.live(&where)
	}
	var rows []doc.Row
	unreadable := false
	err := each(ctx, tx, g.query()+where.String(), where.args, len(g.view.key)+len(g.values), func(raw []any) bool {
		k := len(g.view.key)
		if of, err := g.view.oid(raw[:k]); err != nil || of != oid {
			return true
		}
		row, err := g.decode(raw[k:])
		rows, unreadable = append(rows, row), unreadable || err != nil
		return true
	})
	if isRowFault(err) || err == nil && unreadable {
		return nil, nil
	}
	return g.acl.Field(rows), err
}

func (g groups) query() string {
	names := g.view.keyNames()
	for _, at := range g.values {
		names = append(names, g.view.columns[at])
	}
	return "SELECT " + strings.Join(prefixed("+", qualify(names)), ", ") + g.view.statements.from
}

// decode decodes the columns of the groups.
func (g groups) decode(raw []any) (doc.Row, error) {
	row := doc.Row{Values: make([]any, len(g.values))}
	for i, at := range g.values {
		row.Names = append(row.Names, g.view.columns[at])
		var err error
		if row.Values[i], err = value(raw[i], g.view.booleans[at]); err != nil {
			return row, err
		}
	}
	return row, nil
}
