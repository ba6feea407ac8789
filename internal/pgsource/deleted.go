package pgsource

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"indexerd/internal/doc"
)

// DeletedConfig describes the rows that are marked deleted: those with one of
// the values in a column of the main SQL, or those whose keys an SQL lists in
// columns with the key's names.
type DeletedConfig struct {
	Column string
	Values []any // string, int64, float64 or bool
	SQL    string
}

// A deletion selects the rows marked deleted. Zero: none.
type deletion struct {
	column string   // quoted; "": not by column
	typ    uint32   // of its values
	values []string // in text form
	list   *view    // nil: not by SQL
}

func newDeletion(ctx context.Context, x *tx, cfg TableConfig, main view) (deletion, error) {
	switch {
	case cfg.Deleted.Column != "":
		return newColumnDeletion(ctx, x, cfg.Deleted, main)
	case cfg.Deleted.SQL != "":
		const field = "deleted.sql"
		// A separate alias: the condition compares its columns with the main SQL's.
		list, err := newView(ctx, x, wrapAs(cfg.Deleted.SQL, "d"), cfg.Key, updatedConfig{}, paths{sql: field, key: field})
		if err != nil {
			return deletion{}, err
		}
		return deletion{list: &list}, list.sameKey(main.key, field)
	}
	return deletion{}, nil
}

// newColumnDeletion checks on the server that the values have the column's
// type.
func newColumnDeletion(ctx context.Context, x *tx, cfg DeletedConfig, main view) (deletion, error) {
	const field = "deleted.column"
	at, err := find(main.columns, field, cfg.Column)
	if err != nil {
		return deletion{}, err
	}
	if len(cfg.Values) == 0 {
		return deletion{}, &ConfigError{Field: field, What: "no values are named", Do: "name the values that mark a row deleted"}
	}
	d := deletion{column: main.sql.column(cfg.Column), typ: main.columns[at].typ.oid}
	for _, v := range cfg.Values {
		text, err := valueText(v)
		if err != nil {
			return deletion{}, &ConfigError{Field: field, What: err.Error()}
		}
		d.values = append(d.values, text)
	}
	var q query
	q.sql = "SELECT " + main.sql.from() + " WHERE " + d.marked(&q) + " LIMIT 0"
	if _, err := x.all(ctx, q); err != nil {
		return deletion{}, main.sql.fault("", err, field)
	}
	return d, nil
}

func valueText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", fmt.Errorf("%v can't mark a row: use a text, a number, true or false", v)
}

// marked is the condition that the column has one of the values.
func (d deletion) marked(q *query) string {
	params := make([]string, len(d.values))
	for i, v := range d.values {
		params[i] = q.bind(d.typ, v)
	}
	return fmt.Sprintf("%s IN (%s)", d.column, strings.Join(params, ", "))
}

// live is the condition that a row of the main SQL is not marked deleted. A
// NULL marks nothing.
func (t *Table) live(q *query) string {
	switch d := t.deleted; {
	case d.column != "":
		return "(" + d.marked(q) + ") IS NOT TRUE"
	case d.list != nil:
		var same []string
		main := t.key.columns(t.sql)
		for i, column := range d.list.key.columns(d.list.sql) {
			same = append(same, column+" = "+main[i])
		}
		return fmt.Sprintf("NOT EXISTS (SELECT %s WHERE %s)", d.list.sql.from(), strings.Join(same, " AND "))
	}
	return "true"
}

// liveOf is live for the main SQL's view. Rows of other views are never marked.
func (t *Table) liveOf(v *view) condition {
	if v == &t.view {
		return t.live
	}
	return noCondition
}

// deletedQuery selects which of the OIDs are marked deleted. It reports false
// if the table has no deletion marks.
func (t *Table) deletedQuery(oids []doc.OID) (q query, ok bool, err error) {
	of, condition := &t.view, "true"
	switch {
	case t.deleted.list != nil:
		of = t.deleted.list
	case t.deleted.column != "":
		condition = t.deleted.marked(&q)
	default:
		return query{}, false, nil
	}
	q.reads = []*view{of}
	among, err := of.key.among(&q, of.sql, oids)
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s AND %s", strings.Join(of.key.columns(of.sql), ", "), of.sql.from(), condition, among)
	return q, true, err
}

// marked returns the OIDs that are marked deleted, each once.
func (t *Table) marked(ctx context.Context, x *tx, oids []doc.OID) ([]doc.OID, error) {
	q, ok, err := t.deletedQuery(oids)
	if err != nil || !ok {
		return nil, err
	}
	rows, err := x.all(ctx, q)
	if err != nil {
		return nil, err
	}
	asked := doc.SetOf(oids)
	var marked []doc.OID
	for _, row := range rows {
		oid, err := t.key.rawOID(row)
		// If the collation ignores case, the query returns other rows too.
		if err == nil && asked[oid] {
			marked = append(marked, oid)
			delete(asked, oid)
		}
	}
	return marked, nil
}
