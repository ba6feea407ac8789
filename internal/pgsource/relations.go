package pgsource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// Relations returns the base tables that the main SQL and each child's SQL
// read. The SQLs are planned, not run.
func (t *Table) Relations(ctx context.Context) (all []doc.Relation, err error) {
	err = t.read(ctx, func(x *tx) error {
		if all, err = x.relations(ctx, &t.view, "sql"); err != nil {
			return err
		}
		for _, c := range t.children {
			of, err := x.relations(ctx, &c.view, c.path)
			if err != nil {
				return c.fault(err)
			}
			all = append(all, of...)
		}
		return nil
	})
	return all, err
}

type planNode struct {
	Type     string `json:"Node Type"`
	Schema   string
	Relation string  `json:"Relation Name"`
	Cond     string  `json:"Index Cond"`
	Cost     float64 `json:"Total Cost"`
	Rows     float64 `json:"Plan Rows"`
	Plans    []planNode
}

// tables returns the schemas and names of the tables that nodes of the plan read,
// of the nodes for which match is true.
func (n planNode) tables(match func(planNode) bool) (schemas, names []string) {
	if n.Relation != "" && match(n) {
		schemas, names = []string{n.Schema}, []string{n.Relation}
	}
	for _, child := range n.Plans {
		s, t := child.tables(match)
		schemas, names = append(schemas, s...), append(names, t...)
	}
	return schemas, names
}

func anyScan(planNode) bool { return true }

// isFullScan reports whether a node reads its table completely: by a sequential
// scan, or by an index without condition.
func (n planNode) isFullScan() bool {
	return n.Type == "Seq Scan" || strings.HasPrefix(n.Type, "Index") && n.Cond == ""
}

func (v *view) everything() query { return query{sql: "SELECT " + v.sql.all() + " " + v.sql.from()} }

func (x *tx) explain(ctx context.Context, q query) (planNode, error) {
	q = q.explained("EXPLAIN (FORMAT JSON, VERBOSE) ")
	row, err := x.row(ctx, q)
	if err != nil {
		return planNode{}, err
	}
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal(row[0], &plans); err != nil || len(plans) != 1 {
		return planNode{}, fmt.Errorf("explain: the plan has an unknown form: %v", err)
	}
	return plans[0].Plan, nil
}

func (x *tx) relations(ctx context.Context, v *view, path string) ([]doc.Relation, error) {
	plan, err := x.explain(ctx, v.everything())
	if err != nil {
		return nil, err
	}
	rows, err := x.all(ctx, relationsQuery(plan.tables(anyScan)))
	if err != nil {
		return nil, err
	}
	var origin uint32
	if v.updated != nil {
		origin = v.columns[v.updated.column].origin
	}
	var relations []doc.Relation
	for _, row := range rows {
		relations = append(relations, doc.Relation{
			Name: string(row[0]), Path: path, Origin: string(row[1]) == strconv.FormatUint(uint64(origin), 10),
		})
	}
	slices.SortFunc(relations, func(a, b doc.Relation) int { return strings.Compare(a.Name, b.Name) })
	return relations, nil
}

// relationsQuery returns the tables' names, with schema if the search path does
// not find them. A partition has the name of its root table.
func relationsQuery(schemas, names []string) query {
	var q query
	q.sql = fmt.Sprintf(`SELECT DISTINCT CASE WHEN pg_table_is_visible(root.oid) THEN '' ELSE quote_ident(s.nspname) || '.' END || quote_ident(root.relname), root.oid
		FROM unnest(%s, %s) AS named(schema, name)
		JOIN pg_catalog.pg_namespace n ON n.nspname = named.schema
		JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = named.name
		JOIN pg_catalog.pg_class root ON root.oid = coalesce(pg_partition_root(c.oid), c.oid)
		JOIN pg_catalog.pg_namespace s ON s.oid = root.relnamespace`,
		q.bind(pgtype.TextArrayOID, arrayLiteral(schemas)), q.bind(pgtype.TextArrayOID, arrayLiteral(names)))
	return q
}
