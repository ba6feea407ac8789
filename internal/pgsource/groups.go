package pgsource

import (
	"context"
	"errors"
	"strings"

	"indexerd/internal/doc"
)

// isRefused reports whether the server refused a statement and would refuse it
// again.
func isRefused(err error) bool {
	var server *serverError
	return errors.As(err, &server) && !errors.Is(err, doc.ErrUnavailable)
}

// A groups reads the groups of rows that can't become documents: the ACL's
// column or child and no other part of the row. So the groups can be read even
// if another column or child fails.
//
// Groups that can't be read are nil: the SQL fails for them, or several rows
// with one key have different groups.
type groups struct {
	acl    doc.ACL
	table  *Table
	view   *view // the main SQL's or the child's; nil: the table has none
	values []int // positions of the columns that hold the groups
}

func newGroups(cfg TableConfig, t *Table) (groups, error) {
	g := groups{acl: cfg.ACL, table: t}
	if cfg.ACL.Column != "" {
		at, err := find(t.columns, "acl", cfg.ACL.Column)
		g.view, g.values = &t.view, []int{at}
		return g, err
	}
	for i, c := range cfg.Children {
		if c.Name != cfg.ACL.Child || cfg.ACL.Child == "" {
			continue
		}
		g.view = &t.children[i].view
		names := c.Columns
		if c.Value {
			names = g.view.values(c)
		}
		for _, name := range names {
			at, err := find(g.view.columns, c.Path+".content", name)
			if err != nil {
				return g, err
			}
			g.values = append(g.values, at)
		}
	}
	return g, nil
}

// ofMain returns the groups of the decoder's current main row.
func (g groups) ofMain(d *rowDecoder) *doc.Row {
	if g.acl.Column == "" {
		return nil
	}
	at := g.values[0]
	row, err := g.decode([][]byte{d.raw[at]})
	if err != nil {
		return nil
	}
	return g.acl.Value(row.Values[0])
}

func (g groups) decode(raw [][]byte) (doc.Row, error) {
	row := doc.Row{Values: make([]any, len(g.values))}
	for i, at := range g.values {
		c := g.view.columns[at]
		row.Names = append(row.Names, c.name)
		if raw[i] == nil {
			continue
		}
		var err error
		if row.Values[i], err = c.decode(string(raw[i])); err != nil {
			return row, err
		}
	}
	return row, nil
}

// fill adds the groups from a child to the rejects that lack them, in the
// transaction that has read the rows.
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
	if err != nil {
		return err
	}
	for i, r := range rejects {
		if r.Groups == nil {
			rejects[i].Groups = read[r.OID]
		}
	}
	return nil
}

// read returns the groups of these rows that can be read.
func (g groups) read(ctx context.Context, x *tx, oids []doc.OID) (map[doc.OID]*doc.Row, error) {
	if g.view == nil {
		return nil, nil
	}
	q, err := g.query(oids)
	if err != nil {
		return nil, err
	}
	raw, err := x.all(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, unreadable := map[doc.OID][]doc.Row{}, map[doc.OID]bool{}
	for _, r := range raw {
		oid, err := g.view.key.rawOID(r)
		if err != nil {
			continue // no key of a document
		}
		row, err := g.decode(r[len(g.view.key):])
		rows[oid], unreadable[oid] = append(rows[oid], row), unreadable[oid] || err != nil
	}
	read := make(map[doc.OID]*doc.Row, len(oids))
	for _, oid := range oids {
		if !unreadable[oid] {
			read[oid] = g.acl.Field(rows[oid])
		}
	}
	return read, nil
}

func (g groups) query(oids []doc.OID) (query, error) {
	of := g.view
	q := query{reads: []*view{of}}
	columns := of.key.columns(of.sql)
	for _, at := range g.values {
		columns = append(columns, of.sql.column(of.names[at]))
	}
	among, err := of.key.among(&q, of.sql, oids)
	if g.acl.Column != "" {
		among += " AND " + g.table.live(&q)
	}
	q.sql = "SELECT " + strings.Join(columns, ", ") + " " + of.sql.from() + " WHERE " + among
	return q, err
}
