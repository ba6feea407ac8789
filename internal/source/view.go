package source

import (
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/nearest"
	"indexerd/internal/source/dialect"
	"slices"
	"strings"
)

// A view is one SQL of a table: the main SQL, a child's, or one that lists keys.
type view struct {
	dialect.Described
	dialect dialect.Dialect
	paths   paths
	every   []int    // the positions of all columns
	names   []string // of the columns
	exprs   []string // by which statements name them
	key     []int    // the columns of the key
	kinds   []doc.Kind
	unique  bool     // no two keys differ in their bytes alone
	updated *updated // nil: no updateTime
	rowKey  bool     // the last column is the key of withRowKey, which documents do not have
}

// paths are the fields of the configuration that a view was made of.
type paths struct{ sql, key, updated string }

// wrap wraps an SQL without semicolons at its end. The alias does not occur in the
// SQL, so that no column or table of the user's has the same name.
func wrap(sql, letter string) dialect.Wrapped {
	sql = strings.TrimRight(sql, "; \t\r\n")
	alias := letter
	for i := 1; strings.Contains(strings.ToLower(sql), alias); i++ {
		alias = fmt.Sprintf("%s%d", letter, i)
	}
	return dialect.Wrapped{SQL: sql, Alias: alias}
}

// newView asks the database what the SQL returns. Without a name for updated the
// view has no updateTime.
func newView(ctx context.Context, x *tx, sql string, key []string, conf updatedConfig, at paths) (*view, error) {
	letter := "x"
	if at.sql == deletedPath {
		letter = "d" // a condition compares its columns with the main SQL's
	}
	v := &view{dialect: x.source.dialect, paths: at}
	v.Described = dialect.Described{Wrapped: wrap(sql, letter), Path: at.sql}
	var err error
	if v.Columns, err = x.session.Describe(ctx, v.Wrapped); err != nil {
		return nil, configFault(at.sql, cancelled(ctx, err))
	}
	if err := v.findColumns(); err != nil {
		return nil, err
	}
	if at.key != "" {
		if err := v.findKey(key); err != nil {
			return nil, err
		}
		if uniquer, ok := v.dialect.(dialect.Uniquer); ok && slices.Contains(v.kinds, doc.Text) {
			if v.unique, err = uniquer.Unique(ctx, x.session, &v.Described, v.key); err != nil {
				return nil, cancelled(ctx, err)
			}
		}
	}
	if conf.name == "" {
		return v, nil
	}
	v.updated, err = v.newUpdated(conf)
	return v, err
}

func (v *view) findColumns() error {
	if len(v.Columns) == 0 {
		return &ConfigError{v.paths.sql, "it returns no columns", "write a SELECT"}
	}
	for i, c := range v.Columns {
		if slices.Contains(v.names, c.Name) {
			return &ConfigError{v.paths.sql, "it returns two columns named " + c.Name, "rename one of them with AS"}
		}
		v.every = append(v.every, i)
		v.names = append(v.names, c.Name)
		v.exprs = append(v.exprs, v.Alias+"."+v.dialect.Quote(c.Name))
	}
	return nil
}

// column finds a configured column.
func (v *view) column(field, name string) (int, error) {
	if i := slices.Index(v.names, name); i >= 0 {
		return i, nil
	}
	do := "name one of " + strings.Join(v.names, ", ")
	if near := nearest.Name(name, v.names); near != "" {
		do = "did you mean " + near + "?"
	}
	return 0, &ConfigError{field, "column " + name + " is not in the SQL's result", do}
}

// maxKeyParts bounds a composite key.
const maxKeyParts = 8

func (v *view) findKey(names []string) error {
	if len(names) == 0 || len(names) > maxKeyParts {
		return &ConfigError{v.paths.key, fmt.Sprintf("%d columns are named", len(names)), fmt.Sprintf("name the 1 to %d columns that identify a row", maxKeyParts)}
	}
	for i, name := range names {
		at, err := v.column(v.paths.key, name)
		if err != nil {
			return err
		}
		c := &v.Columns[at]
		switch {
		case slices.Contains(names[:i], name):
			return &ConfigError{v.paths.key, "column " + name + " is named twice", "name it once"}
		case c.Kind == 0 && !c.Untyped:
			return &ConfigError{v.paths.key, fmt.Sprintf("column %s has type %s", name, c.Type), "a key is made of integers, decimals, reals, booleans, dates, times, text, uuid or bytes"}
		}
		kind := c.Kind
		if c.Untyped {
			kind = 0
		}
		v.key, v.kinds = append(v.key, at), append(v.kinds, kind)
	}
	return nil
}

// findKinds finds the kinds of key columns that are Untyped. A kind that
// no row shows yet stays 0.
func (v *view) findKinds(ctx context.Context, x *tx) error {
	for i, at := range v.key {
		if v.kinds[i] != 0 {
			continue
		}
		typer, ok := v.dialect.(dialect.Typer)
		if !ok {
			return fmt.Errorf("key %s: its type is unknown", v.names[at])
		}
		columns, rows := typer.KindQuery(v.exprs[at])
		q := v.query(columns)
		if rows > 0 {
			q.Limit(rows)
		}
		var row []any
		if _, err := x.each(ctx, q, func(raw []any) bool { row = keepAll(raw); return true }); err != nil {
			return err
		}
		kind, what, do := typer.Kind(row)
		if what != "" {
			return &ConfigError{v.paths.key, "column " + v.names[at] + " " + what, do}
		}
		v.kinds[i] = kind
	}
	return nil
}

// sameKey sets the kinds of the view's key to those of the main SQL's, which it
// refers to.
func (v *view) sameKey(main *view) error {
	if len(v.key) != len(main.key) {
		return &ConfigError{v.paths.key, fmt.Sprintf("its key has %d columns, and the table's has %d", len(v.key), len(main.key)), "name the columns that hold the table's key, in its order"}
	}
	for i, kind := range v.kinds {
		c := &v.Columns[v.key[i]]
		number := kind == doc.Integer && main.kinds[i] == doc.Decimal
		if number && c.Unscaled {
			c.Kind = doc.Decimal
		}
		if kind != 0 && kind != main.kinds[i] && !number {
			return &ConfigError{v.paths.key, fmt.Sprintf("column %s is %v, and that part of the table's key is %v", v.names[v.key[i]], kind, main.kinds[i]), "name the columns that hold the table's key, in its order, or CAST them in the SQL"}
		}
	}
	v.kinds = main.kinds
	return nil
}

// path returns the view's place in the configuration: sql, changes, children.actors.
func (v *view) path() string { return strings.TrimSuffix(v.paths.sql, ".sql") }

// ask begins a statement on the view.
func (v *view) ask(sql ...string) *dialect.Query {
	return dialect.NewQuery(v.dialect).Reads(&v.Described).Write(sql...)
}

// query begins a statement that selects expressions.
func (v *view) query(exprs ...string) *dialect.Query {
	return v.ask("SELECT ", strings.Join(exprs, ", "), " ", v.From())
}

// selected returns the expressions under which columns are fetched.
func (v *view) selected(at ...int) []string {
	exprs := make([]string, len(at))
	for i, n := range at {
		exprs[i] = v.dialect.Select(&v.Columns[n], v.exprs[n])
	}
	return exprs
}

// token returns the expression of a row's digest, or NULL.
func (v *view) token() string {
	if token := v.dialect.Token(&v.Described, v.exprs); token != "" {
		return token
	}
	return "NULL"
}

// bodies begins a statement that selects all columns, then the token unless the
// database is Embedded.
func (v *view) bodies() *dialect.Query {
	exprs := v.selected(v.every...)
	if _, ok := v.dialect.(dialect.Embedded); !ok {
		exprs = append(exprs, v.token())
	}
	return v.query(exprs...)
}

// digest returns the digest of a row of bodies; 0: unknown.
func (v *view) digest(raw []any) (uint64, error) {
	if db, ok := v.dialect.(dialect.Embedded); ok {
		n, err := db.Digest(raw)
		return uint64(n), err
	}
	return digestOf(raw[len(v.Columns)])
}

// keys begins a statement that selects the key.
func (v *view) keys() *dialect.Query {
	return v.query(v.selected(v.key...)...)
}

// stamps begins a statement that selects key and updateTime, with digest also the
// token.
func (v *view) stamps(digest bool) *dialect.Query {
	exprs := append(v.selected(v.key...), v.updatedExpr())
	if digest {
		exprs = append(exprs, v.token())
	}
	return v.query(exprs...)
}

// updatedExpr is the expression under which updateTime is fetched, or NULL.
func (v *view) updatedExpr() string {
	if v.updated == nil {
		return "NULL"
	}
	return v.selected(v.updated.at)[0]
}

// row converts a raw row of all columns.
func (v *view) row(raw []any) doc.Row {
	n := v.documented()
	return v.rowOf(v.every[:n], v.names[:n], raw)
}

// documented returns the number of columns that a document has.
func (v *view) documented() int {
	if v.rowKey {
		return len(v.every) - 1
	}
	return len(v.every)
}

// rowOf converts a raw row of some columns. What is no value of a document is a
// doc.BadValue.
func (v *view) rowOf(columns []int, names []string, raw []any) doc.Row {
	row := doc.Row{Names: names, Values: make([]any, len(columns))}
	for i, at := range columns {
		if raw[i] == nil {
			continue
		}
		var err error
		if row.Values[i], err = v.Columns[at].Value(raw[i]); err != nil {
			row.Values[i] = doc.NewBadValue(dialect.DocumentText(raw[i]), err.Error())
		}
	}
	return row
}

// described returns what an epoch covers of the columns: a row's text does not
// contain their names, nor always their types.
func (v *view) described() (parts []string) {
	for _, c := range v.Columns {
		parts = append(parts, "column", c.Name, c.Type)
		if c.Form != "" {
			parts = append(parts, "form", c.Form)
		}
	}
	return parts
}
