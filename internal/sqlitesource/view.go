package sqlitesource

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
	"indexerd/internal/nearest"
)

// paths are a view's places in the configuration, for its errors.
type paths struct{ sql, key, updated string }

// A view is the result of one of the user's SQLs: the main SQL, a child's, or one
// that lists keys.
type view struct {
	sql   string
	paths paths
	conf  updatedConfig // of its updateTime

	columns    []string
	booleans   []bool       // by column: declared BOOLEAN
	declared   []string     // by column: its declared type
	origins    []doc.Column // by column: the table's column that it is
	key        []int        // columns of the key
	updated    int          // column of updateTime; -1: none
	kinds      []doc.Kind
	statements statements
	format     atomic.Pointer[timeFormat] // nil until a row has a plausible updateTime
	deciding   sync.Mutex                 // held while the unit is decided; guards conf.found
}

// newView describes a user's SQL.
func (s *Source) newView(ctx context.Context, p paths, query string, key []string, updated updatedConfig) (*view, error) {
	info, err := s.columnsOf(ctx, p.sql, query)
	if err != nil {
		return nil, err
	}
	v := &view{sql: strings.TrimRight(query, "; \t\r\n"), paths: p, conf: updated, updated: -1}
	if err := v.findColumns(info); err != nil {
		return nil, err
	}
	if err := v.findKey(key); err != nil {
		return nil, err
	}
	if updated.name != "" {
		if v.updated, err = v.column(p.updated, updated.name); err != nil {
			return nil, err
		}
	}
	// The kinds are not known yet. The statements that find them have no ORDER BY.
	v.order(nil, "")
	return v, nil
}

// order builds the statements for a key of these kinds.
func (v *view) order(kinds []doc.Kind, marked string) {
	v.kinds = kinds
	updated := ""
	if v.updated >= 0 {
		updated = v.columns[v.updated]
	}
	v.statements = newStatements(v.sql, v.columns, v.keyNames(), kinds, updated, marked)
}

// columnsOf describes an SQL. An error in the SQL is a *ConfigError with its path.
func (s *Source) columnsOf(ctx context.Context, path, query string) ([]sqlite.ColumnInfo, error) {
	x, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer x.end()
	info, err := x.columnsOf(query)
	if err != nil && !unavailable(err) && ctx.Err() == nil {
		err = &ConfigError{path, message(err), "try it in the sqlite3 shell"}
	}
	return info, err
}

func (v *view) findColumns(info []sqlite.ColumnInfo) error {
	if len(info) == 0 {
		return &ConfigError{v.paths.sql, "it returns no columns", "write a SELECT"}
	}
	seen := map[string]bool{}
	for _, column := range info {
		// SQLite's names do not distinguish case.
		folded := strings.ToLower(column.Name)
		if seen[folded] {
			return &ConfigError{v.paths.sql, "two columns are named " + column.Name, "give one of them another name with AS"}
		}
		seen[folded] = true
		v.columns = append(v.columns, column.Name)
		v.booleans = append(v.booleans, isBoolean(column.DeclType))
		v.declared = append(v.declared, column.DeclType)
		v.origins = append(v.origins, doc.Column{Table: column.TableName, Name: column.OriginName})
	}
	return nil
}

// maxKeyParts bounds a composite key.
const maxKeyParts = 8

func (v *view) findKey(names []string) error {
	for i, name := range names {
		column, err := v.column(v.paths.key, name)
		if err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return &ConfigError{v.paths.key, "column " + name + " is named twice", "name it once"}
		}
		v.key = append(v.key, column)
	}
	if len(v.key) == 0 || len(v.key) > maxKeyParts {
		return &ConfigError{v.paths.key, fmt.Sprintf("%d columns", len(v.key)), fmt.Sprintf("name 1 to %d columns that identify a row", maxKeyParts)}
	}
	return nil
}

// column finds a configured column.
func (v *view) column(field, name string) (int, error) {
	if i := slices.Index(v.columns, name); i >= 0 {
		return i, nil
	}
	do := "name one of " + strings.Join(v.columns, ", ")
	if near := nearest.Name(name, v.columns); near != "" {
		do = "did you mean " + near + "?"
	}
	return 0, &ConfigError{field, "column " + name + " is not in the SQL's result", do}
}

// path returns the view's place in the configuration: sql, changes, children.actors.
func (v *view) path() string { return strings.TrimSuffix(v.paths.sql, ".sql") }

// keyNames returns the names of the key's columns.
func (v *view) keyNames() []string {
	names := make([]string, len(v.key))
	for i, column := range v.key {
		names[i] = v.columns[column]
	}
	return names
}

// keyOf returns the key of a row of all columns.
func (v *view) keyOf(raw []any) []any {
	key := make([]any, len(v.key))
	for i, column := range v.key {
		key[i] = raw[column]
	}
	return key
}

// findKinds finds the type of each part of the key.
func (v *view) findKinds(ctx context.Context, tx *sql.Tx) (kinds []doc.Kind, err error) {
	for i, name := range v.keyNames() {
		kind, err := v.findKind(ctx, tx, i)
		if err != nil {
			return nil, err
		}
		if kind == 0 {
			return nil, fmt.Errorf("key %s has no declared type, and no row shows it yet: %w", name, doc.ErrUnavailable)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// matchKinds sets the types of the view's key to those of the table's key, which
// it refers to. A type that no row shows yet is not checked.
func (v *view) matchKinds(ctx context.Context, tx *sql.Tx, kinds []doc.Kind) error {
	if len(v.key) != len(kinds) {
		return &ConfigError{v.paths.key, fmt.Sprintf("%d columns: the table's key has %d", len(v.key), len(kinds)), "name a column for each, in the same order"}
	}
	for i, name := range v.keyNames() {
		kind, err := v.findKind(ctx, tx, i)
		if err != nil {
			return err
		}
		if kind != 0 && kind != kinds[i] {
			return &ConfigError{v.paths.key, fmt.Sprintf("column %s is %v: that part of the table's key is %v", name, kind, kinds[i]), "CAST it in the SQL"}
		}
	}
	v.order(kinds, "")
	return nil
}

// findKind finds the type of a part of the key: the declared type, or else that of
// the column's values; 0 if there are none.
func (v *view) findKind(ctx context.Context, tx *sql.Tx, part int) (doc.Kind, error) {
	if kind, ok := declaredKind(v.declared[v.key[part]]); ok {
		return kind, nil
	}
	return v.kindOfValues(ctx, tx, v.columns[v.key[part]])
}

// declaredKind returns the kind that SQLite's rules of affinity give a declared
// type, and whether they give one.
func declaredKind(declared string) (doc.Kind, bool) {
	d := strings.ToUpper(declared)
	switch {
	case strings.Contains(d, "INT"):
		return doc.Integer, true
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"), strings.Contains(d, "UUID"):
		return doc.Text, true
	}
	return 0, false
}

func isBoolean(declared string) bool {
	d := strings.ToUpper(declared)
	return d == "BOOLEAN" || d == "BOOL"
}

// kindOfValues returns the kind of a column's values. The least and the greatest
// value have the same type if and only if all values have it.
func (v *view) kindOfValues(ctx context.Context, tx *sql.Tx, name string) (doc.Kind, error) {
	column := qualify([]string{name})[0]
	query := "SELECT typeof(min(" + column + ")), typeof(max(" + column + "))" + v.statements.from
	var least, greatest string
	if err := tx.QueryRowContext(ctx, query).Scan(&least, &greatest); err != nil {
		return 0, err
	}
	switch {
	case least == "null":
		return 0, nil
	case least == "integer" && greatest == "integer":
		return doc.Integer, nil
	case least == "text" && greatest == "text":
		return doc.Text, nil
	case least == greatest:
		return 0, &ConfigError{v.paths.key, "column " + name + " holds " + least + " values", "a key is integer or text: CAST it in the SQL"}
	}
	return 0, &ConfigError{v.paths.key, "column " + name + " holds both " + least + " and " + greatest + " values", "CAST it to TEXT in the SQL"}
}

// oid encodes the parts of a key as read. The error names a part that is NULL or
// has another type than the table's key.
func (v *view) oid(parts []any) (doc.OID, error) {
	for i, p := range parts {
		kind := v.kinds[i]
		if slices.Contains(parts, nil) {
			return "", doc.NullKey(v.keyNames())
		}
		if _, isInt := p.(int64); isInt && kind == doc.Integer {
			continue
		}
		if _, isText := p.(string); isText && kind == doc.Text {
			continue
		}
		return "", fmt.Errorf("key %s is %s: this table's key is %v", v.columns[v.key[i]], showValue(p), kind)
	}
	return doc.NewOID(parts...)
}

// parts decodes a key of this table.
func (v *view) parts(oid doc.OID) ([]any, error) {
	parts, err := oid.Parts()
	if err != nil {
		return nil, err
	}
	if len(parts) != len(v.key) {
		return nil, fmt.Errorf("key %v has %d parts: this table's key has %d", oid, len(parts), len(v.key))
	}
	_, err = v.oid(parts)
	return parts, err
}

// among limits a condition to some keys. Keys that are only equal under the
// column's collation match too.
func (v *view) among(where *condition, oids []doc.OID) error {
	keys := make([][]any, len(oids))
	for i, oid := range oids {
		parts, err := v.parts(oid)
		if err != nil {
			return err
		}
		keys[i] = parts
	}
	return v.statements.amongKeys(where, keys)
}
