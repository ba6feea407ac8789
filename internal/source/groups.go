package source

import (
	"context"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
)

// A groups reads the groups of rows that can't become documents: the ACL's column
// or child and no other part of the row. So the groups can be read even if another
// column or child fails.
//
// Groups that can't be read are nil: the SQL fails for them, or several rows with
// one key have different groups. Of groups with a doc.BadValue the sink takes none.
type groups struct {
	acl    doc.ACL
	table  *Table
	view   *view // the main SQL's or the child's; nil: the table has no ACL
	values []int // the columns that hold the groups
	names  []string
}

func newGroups(cfg TableConfig, t *Table) (groups, error) {
	g := groups{acl: cfg.ACL, table: t}
	if cfg.ACL.Column != "" {
		at, err := t.column("acl", cfg.ACL.Column)
		g.view, g.values, g.names = t.view, []int{at}, []string{cfg.ACL.Column}
		return g, err
	}
	for i, c := range cfg.Children {
		if c.Name != cfg.ACL.Child || cfg.ACL.Child == "" {
			continue
		}
		g.view = t.children[i].view
		if c.Value {
			g.values = g.view.values()
		}
		for _, name := range c.Columns {
			g.values = append(g.values, slices.Index(g.view.names, name))
		}
		for _, at := range g.values {
			g.names = append(g.names, g.view.names[at])
		}
	}
	return g, nil
}

// ofMain returns the groups of a row of all columns of the main SQL.
func (g groups) ofMain(raw []any) *doc.Row {
	if g.acl.Column == "" {
		return nil
	}
	at := g.values[0]
	return g.acl.Value(g.view.rowOf(g.values, g.names, raw[at:at+1]).Values[0])
}

// fill reads the groups of a child for the rejects that do not have them yet, in
// the transaction that read the rows.
func (g groups) fill(ctx context.Context, x *tx, rejects []doc.Reject) error {
	var oids []doc.OID
	for _, r := range rejects {
		if g.acl.Child != "" && r.OID != "" && r.Groups == nil {
			oids = append(oids, r.OID)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	read, err := g.read(ctx, x, oids)
	for i, r := range rejects {
		if r.Groups == nil {
			rejects[i].Groups = read[r.OID]
		}
	}
	return err
}

// groupsOf returns the groups of a row for which the SQL fails; nil if they fail
// too.
func (t *Table) groupsOf(ctx context.Context, oid doc.OID) (*doc.Row, error) {
	if t.groups.view == nil {
		return nil, nil
	}
	read, err := reading(ctx, t, "read the groups of a row", func(x *tx) (map[doc.OID]*doc.Row, error) {
		return t.groups.read(ctx, x, []doc.OID{oid})
	})
	if dialect.Refused(err) {
		return nil, nil
	}
	return read[oid], err
}

// read returns the groups of these rows that can be read.
func (g groups) read(ctx context.Context, x *tx, oids []doc.OID) (map[doc.OID]*doc.Row, error) {
	v, k := g.view, len(g.view.key)
	ask := func(among dialect.Condition) *dialect.Query {
		return v.query(v.selected(slices.Concat(v.key, g.values)...)...).Where(among, g.table.liveOf(v))
	}
	rows := map[doc.OID][]doc.Row{}
	err := v.eachOf(ctx, x, oids, ask, func(oid doc.OID, raw []any) {
		rows[oid] = append(rows[oid], v.rowOf(g.values, g.names, raw[k:]))
	})
	if err != nil {
		return nil, err
	}
	read := make(map[doc.OID]*doc.Row, len(oids))
	for _, oid := range oids {
		read[oid] = g.acl.Field(rows[oid])
	}
	return read, nil
}
