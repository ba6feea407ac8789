package pgsource

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/nearest"
)

// A column is one column of the SQL's result.
type column struct {
	name   string
	typ    columnType
	mod    int32 // the type's modifier, such as a precision; -1: none
	decode decoder
}

// A columnType is what the catalog says of a column's type. Domains have been
// replaced by what they are made of.
type columnType struct {
	oid     uint32
	name    string // as SQL writes it
	array   uint32 // the type of its arrays; 0: none
	element uint32 // what it is an array of; 0: it is none
}

// prepare has the server parse the SQL and start it without reading a row,
// which also finds a missing privilege and a lock it would take.
func (t *Table) prepare(ctx context.Context, x *tx) ([]pgconn.FieldDescription, error) {
	statement := "SELECT " + t.sql.all() + ", " + t.sql.token() + " " + t.sql.from() + " LIMIT 0"
	described, err := x.pg.Prepare(ctx, "", statement, nil)
	if err != nil {
		return nil, t.sqlFault(statement, x.fault(ctx, err))
	}
	if len(described.ParamOIDs) > 0 {
		return nil, &ConfigError{Field: "sql", What: "it has a parameter ($1)", Do: "write the value into the SQL"}
	}
	if _, err := x.all(ctx, query{sql: statement}); err != nil {
		return nil, t.sqlFault(statement, err)
	}
	return described.Fields[:len(described.Fields)-1], nil
}

// sqlFault turns what the server says against a statement into a fault of the
// configuration, unless it passes.
func (t *Table) sqlFault(statement string, err error) error {
	var server *serverError
	if errors.Is(err, doc.ErrUnavailable) || !errors.As(err, &server) {
		return err
	}
	what := server.Error()
	if line := t.sql.locate(statement, server.position); line > 0 {
		what = fmt.Sprintf("line %d: %s", line, what)
	}
	return &ConfigError{Field: "sql", What: what, Do: server.hint}
}

// types asks the catalog about the types of the fields.
func (x *tx) types(ctx context.Context, fields []pgconn.FieldDescription) (map[uint32]columnType, error) {
	oids := make([]string, len(fields))
	for i, f := range fields {
		oids[i] = strconv.FormatUint(uint64(f.DataTypeOID), 10)
	}
	// An array is told by its element type knowing it as its array; oidvector,
	// say, has elements too, and another text form. A box has another delimiter.
	q := query{sql: `SELECT t.oid, format_type(t.oid, NULL), t.typarray, coalesce(nullif(e.typbasetype, 0), e.oid, 0)
		FROM pg_catalog.pg_type t
		LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND e.typdelim = ','
		WHERE t.oid = ANY ($1)`}
	q.bind(pgtype.OIDArrayOID, arrayLiteral(oids))
	rows, err := x.all(ctx, q)
	if err != nil {
		return nil, err
	}
	types := make(map[uint32]columnType, len(rows))
	for _, row := range rows {
		var numbers [3]uint32
		for i, text := range [][]byte{row[0], row[2], row[3]} {
			n, err := strconv.ParseUint(string(text), 10, 32)
			if err != nil {
				return nil, fmt.Errorf("pg_type: %w", err)
			}
			numbers[i] = uint32(n)
		}
		types[numbers[0]] = columnType{oid: numbers[0], name: string(row[1]), array: numbers[1], element: numbers[2]}
	}
	return types, nil
}

func newColumns(fields []pgconn.FieldDescription, types map[uint32]columnType) ([]column, error) {
	columns := make([]column, len(fields))
	seen := make(map[string]bool, len(fields))
	for i, f := range fields {
		if seen[f.Name] {
			return nil, &ConfigError{
				Field: "sql", What: fmt.Sprintf("it returns two columns named %s", f.Name), Do: "name one of them otherwise with AS",
			}
		}
		seen[f.Name] = true
		typ := types[f.DataTypeOID]
		columns[i] = column{name: f.Name, typ: typ, mod: f.TypeModifier, decode: newDecoder(typ)}
	}
	return columns, nil
}

// find returns the position of a configured column.
func find(columns []column, field, name string) (int, error) {
	for i, c := range columns {
		if c.name == name {
			return i, nil
		}
	}
	e := &ConfigError{Field: field, What: fmt.Sprintf("column %s is not in the SQL's result", name)}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if near := nearest.Name(name, names); near != "" {
		e.Do = fmt.Sprintf("did you mean %s?", near)
	}
	return 0, e
}
