package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A planNode is a node of a plan, as EXPLAIN reports it.
type planNode struct {
	Type     string `json:"Node Type"`
	Schema   string
	Relation string `json:"Relation Name"`
	Cond     string `json:"Index Cond"`
	Filter   string
	Join     string  `json:"Join Type"`
	Parent   string  `json:"Parent Relationship"`
	Cost     float64 `json:"Total Cost"`
	Rows     float64 `json:"Plan Rows"`
	Plans    []planNode
}

// isFullScan reports whether a node reads its table completely: by a sequential
// scan, or by an index without condition.
func (n planNode) isFullScan() bool {
	return n.Type == "Seq Scan" || strings.HasPrefix(n.Type, "Index") && n.Cond == ""
}

// explain plans a query without running it.
func (x *session) explain(ctx context.Context, q query) (planNode, error) {
	q.sql = "EXPLAIN (FORMAT JSON, VERBOSE) " + q.sql
	rows, err := x.rows(ctx, q)
	if err != nil {
		return planNode{}, err
	}
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal(rows[0][0], &plans); err != nil || len(plans) != 1 {
		return planNode{}, fmt.Errorf("explain: the plan has an unknown form: %v", err)
	}
	return plans[0].Plan, nil
}

// objects are the schemas and names of what plans refer to.
type objects struct{ schemas, names []string }

func (o *objects) add(schema, name string) {
	o.schemas, o.names = append(o.schemas, schema), append(o.names, name)
}

// addTables adds the tables of a plan's nodes for which match is true.
func (o *objects) addTables(n planNode, match func(planNode) bool) {
	if n.Relation != "" && match(n) {
		o.add(n.Schema, n.Relation)
	}
	for _, child := range n.Plans {
		o.addTables(child, match)
	}
}

// query returns a stored query of these objects.
func (o objects) query(of query) query {
	return of.bind(pgtype.TextArrayOID, arrayOf(o.schemas)).bind(pgtype.TextArrayOID, arrayOf(o.names))
}

// tablesOf returns the tables that SQLs read. The SQLs are planned, not run.
func (x *session) tablesOf(ctx context.Context, all ...*dialect.Described) (read objects, err error) {
	for _, d := range all {
		plan, err := x.explain(ctx, query{sql: everything(d.Wrapped)})
		if err != nil {
			return read, err
		}
		read.addTables(plan, func(planNode) bool { return true })
	}
	return read, nil
}

// Relations implements dialect.Planner.
func (*DB) Relations(ctx context.Context, s dialect.Session, of *dialect.Described, updated int) ([]doc.Relation, error) {
	x := s.(*session)
	read, err := x.tablesOf(ctx, of)
	if err != nil {
		return nil, err
	}
	tables, err := many[struct {
		Name string
		OID  uint32
	}](ctx, x, read.query(repeated("tables")))
	var relations []doc.Relation
	for _, t := range tables {
		origin := updated >= 0 && nativeOf(&of.Columns[updated]).table == t.OID
		relations = append(relations, doc.Relation{Name: t.Name, Path: of.Path, Origin: origin})
	}
	slices.SortFunc(relations, func(a, b doc.Relation) int { return strings.Compare(a.Name, b.Name) })
	return relations, err
}

// Plan implements dialect.Planner.
func (*DB) Plan(ctx context.Context, s dialect.Session, of *dialect.Described, st dialect.Statement, by []int) (p doc.Plan, err error) {
	x := s.(*session)
	node, err := x.explain(ctx, newQuery(st))
	if err != nil {
		return p, err
	}
	p.Path, p.Cost, p.Rows = of.Path, node.Cost, node.Rows
	var scanned objects
	if scanned.addTables(node, planNode.isFullScan); scanned.names != nil {
		if p.FullScans, err = many[doc.FullScan](ctx, x, scanned.query(stored("sizes"))); err != nil {
			return p, err
		}
	}
	columns := make([]native, len(by))
	for i, at := range by {
		columns[i] = nativeOf(&of.Columns[at])
	}
	p.By, p.Indexed, err = x.origins(ctx, columns)
	return p, err
}

// Maintains implements dialect.Maintainer.
func (*DB) Maintains(ctx context.Context, s dialect.Session, of *dialect.Described, column int) (bool, error) {
	c := nativeOf(&of.Columns[column])
	if c.table == 0 {
		return false, nil
	}
	found, err := one[struct{ Yes bool }](ctx, s.(*session), repeated("maintainedColumn").bind(pgtype.OIDArrayOID, arrayOf([]uint32{c.table})).bind(pgtype.Int2ArrayOID, arrayOf([]uint16{c.number})))
	return found.Yes, err
}

// origins returns the tables of some columns of an SQL, and whether an index begins
// with the columns.
func (x *session) origins(ctx context.Context, columns []native) (by []doc.Column, indexed bool, err error) {
	by = make([]doc.Column, len(columns))
	tables, numbers := make([]uint32, len(columns)), make([]uint16, len(columns))
	for i, c := range columns {
		tables[i], numbers[i] = c.table, c.number
	}
	q := stored("columns").bind(pgtype.OIDArrayOID, arrayOf(tables)).bind(pgtype.Int2ArrayOID, arrayOf(numbers))
	named, err := many[struct {
		N int
		doc.Column
	}](ctx, x, q)
	if err != nil {
		return nil, false, err
	}
	for _, c := range named {
		by[c.N-1] = c.Column
	}
	q.sql = queries["indexed"]
	found, err := one[struct{ Yes bool }](ctx, x, q)
	return by, found.Yes, err
}
