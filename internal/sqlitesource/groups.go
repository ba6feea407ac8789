package sqlitesource

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// groups reads the ACL field of rows that can't become documents. It selects that
// column or child only, so that it can read the groups of a row of which another
// column or child fails.
//
// Groups are nil if the SQL fails for them, or if several rows of one key have
// different groups.
type groups struct {
	acl    doc.ACL
	table  *Table
	view   *view // of the main SQL or of the child; nil: the table has no ACL
	values []int // the columns of the view that hold the groups
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

// ofMain returns the groups of a row of the main SQL.
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

// fill reads the groups of a child for the rejects that do not have them yet, in
// the transaction that read the rows.
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

// read reads the groups of a row.
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
	err := eachRow(ctx, tx, g.query()+where.String(), where.args, len(g.view.key)+len(g.values), func(raw []any) bool {
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

// decode returns the columns of the groups as a row.
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
