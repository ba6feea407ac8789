package pgsource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
	"indexerd/internal/nearest"
)

// A view is one SQL of a table with the result columns that the database
// reported.
type view struct {
	sql     wrapped
	paths   paths
	names   []string // of the columns, in the SQL's order
	columns []column
	key     key
	updated *updated // nil: none
}

// paths are the fields of the configuration that a view was made of.
type paths struct{ sql, key, updated string }

// A column is one column of an SQL's result.
type column struct {
	name   string
	typ    columnType
	mod    int32  // the type's modifier, such as a precision; -1: none
	origin uint32 // the table of which it is a column; 0: it is an expression
	number uint16 // of the column in origin
	decode decoder
}

// A columnType is a column's type in the catalog. Domains are replaced by their
// base types.
type columnType struct {
	oid     uint32
	name    string // as SQL writes it
	array   uint32 // the type of its arrays; 0: none
	element uint32 // the type of its elements; 0: it is no array
}

// newView asks the database what the SQL returns. Without a name for updated
// the view has no updateTime. Rows that contradict the unit of an updateTime
// are a *ConfigError.
func newView(ctx context.Context, x *tx, sql wrapped, key []string, updated updatedConfig, at paths) (view, error) {
	v := view{sql: sql, paths: at}
	fields, err := x.prepare(ctx, sql, at.sql)
	if err != nil {
		return v, err
	}
	types, err := x.types(ctx, fields)
	if err != nil {
		return v, err
	}
	if v.columns, err = newColumns(fields, types, at.sql); err != nil {
		return v, err
	}
	for _, c := range v.columns {
		v.names = append(v.names, c.name)
	}
	if v.key, err = newKey(v.columns, key, at.key); err != nil {
		return v, err
	}
	if updated.name == "" {
		return v, nil
	}
	if v.updated, err = newUpdated(v.columns, updated, at.updated); err != nil {
		return v, err
	}
	return v, v.checkUnit(ctx, x)
}

// sameKey checks that the view's keys can be keys of the main SQL.
func (v view) sameKey(main key, field string) error {
	got, want := v.key.kinds(), main.kinds()
	if slices.Equal(got, want) {
		return nil
	}
	return &ConfigError{
		Field: field,
		What:  fmt.Sprintf("its key is %v, and the table's is %v", got, want),
		Do:    "name the columns that hold the table's key, in its order",
	}
}

// prepare makes the server parse the SQL and start it without reading a row.
// This also finds a missing privilege, and a lock that the SQL would take.
func (x *tx) prepare(ctx context.Context, sql wrapped, field string) ([]pgconn.FieldDescription, error) {
	statement := "SELECT " + sql.all() + ", " + sql.token() + " " + sql.from() + " LIMIT 0"
	described, err := x.pg.Prepare(ctx, "", statement, nil)
	if err != nil {
		return nil, sql.fault(statement, x.fault(ctx, err), field)
	}
	if len(described.ParamOIDs) > 0 {
		return nil, &ConfigError{Field: field, What: "it has a parameter ($1)", Do: "write the value into the SQL"}
	}
	if _, err := x.all(ctx, query{sql: statement}); err != nil {
		return nil, sql.fault(statement, err, field)
	}
	return described.Fields[:len(described.Fields)-1], nil
}

// fault converts a server's error to a *ConfigError, unless it is temporary.
func (w wrapped) fault(statement string, err error, field string) error {
	var server *serverError
	if errors.Is(err, doc.ErrUnavailable) || !errors.As(err, &server) {
		return err
	}
	what := server.Error()
	if line := w.locate(statement, server.position); line > 0 {
		what = fmt.Sprintf("line %d: %s", line, what)
	}
	e := &ConfigError{Field: field, What: what, Do: server.hint}
	if grant := server.missingRight(); grant != "" {
		e.Do = "GRANT " + grant + " TO the daemon's role"
		return &DeniedError{e, grant}
	}
	return e
}

// types reads the types of the fields from the catalog.
func (x *tx) types(ctx context.Context, fields []pgconn.FieldDescription) (map[uint32]columnType, error) {
	oids := make([]string, len(fields))
	for i, f := range fields {
		oids[i] = strconv.FormatUint(uint64(f.DataTypeOID), 10)
	}
	// A type is an array if its element type has it as typarray: oidvector has
	// elements too, but another text form. Arrays of box have another delimiter.
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

func newColumns(fields []pgconn.FieldDescription, types map[uint32]columnType, field string) ([]column, error) {
	columns := make([]column, len(fields))
	seen := make(map[string]bool, len(fields))
	for i, f := range fields {
		if seen[f.Name] {
			return nil, &ConfigError{
				Field: field, What: fmt.Sprintf("it returns two columns named %s", f.Name), Do: "rename one of them with AS",
			}
		}
		seen[f.Name] = true
		typ := types[f.DataTypeOID]
		columns[i] = column{name: f.Name, typ: typ, mod: f.TypeModifier, origin: f.TableOID, number: f.TableAttributeNumber, decode: newDecoder(typ)}
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
