package source

import (
	"slices"
	"strings"
)

// A Query is a statement that is being written from left to right, so that
// parameters are bound in the order of their placeholders.
type Query struct {
	dialect Dialect
	sql     strings.Builder
	args    []Arg
	reads   []*Described
	slow    bool
	ordered bool // the last SELECT has an ORDER BY
}

// NewQuery returns an empty statement for a dialect.
func NewQuery(d Dialect) *Query { return &Query{dialect: d} }

// Statement returns the statement that was written.
func (q *Query) Statement() Statement {
	return Statement{SQL: q.sql.String(), Args: q.args, Reads: q.reads, Slow: q.slow}
}

// reading adds an SQL that the statement wraps.
func (q *Query) reading(sql *Described) *Query {
	q.reads = append(q.reads, sql)
	return q
}

// readsAll marks a statement that reads the whole table.
func (q *Query) readsAll() { q.slow = true }

// Write writes SQL.
func (q *Query) Write(texts ...string) *Query {
	for _, text := range texts {
		q.sql.WriteString(text)
	}
	return q
}

// Bind writes a placeholder for a value that is compared with a column; nil: with
// none.
func (q *Query) Bind(value any, as *Column) *Query { return q.BindArg(Arg{Value: value, As: as}) }

// BindArg writes a placeholder for a parameter.
func (q *Query) BindArg(a Arg) *Query {
	q.args = append(q.args, a)
	return q.Write(q.dialect.Placeholder(len(q.args), a.As))
}

// BindKey writes placeholders for the parts of a key, with commas between them.
func (q *Query) BindKey(key []any, columns []*Column) *Query {
	return q.List(len(key), ", ", func(i int) { q.Bind(key[i], columns[i]) })
}

// BindKeys writes a list of keys, each in parentheses.
func (q *Query) BindKeys(keys [][]any, columns []*Column) *Query {
	return q.List(len(keys), ", ", func(i int) { q.Write("(").BindKey(keys[i], columns).Write(")") })
}

// List writes n items with a separator between them.
func (q *Query) List(n int, separator string, item func(i int)) *Query {
	for i := range n {
		if i > 0 {
			q.Write(separator)
		}
		item(i)
	}
	return q
}

// where writes the WHERE clause of a conjunction.
func (q *Query) where(all ...condition) *Query {
	if all = present(all); len(all) == 0 {
		return q
	}
	return q.Write(" WHERE ").List(len(all), " AND ", func(i int) { all[i](q) })
}

// order writes an ORDER BY.
func (q *Query) order(by fields) *Query { return q.orderBy(by.list()) }

func (q *Query) orderBy(exprs string) *Query {
	q.ordered = true
	return q.Write(" ORDER BY ", exprs)
}

// limit writes the clause that limits the rows.
func (q *Query) limit(n int) *Query {
	if orderer, ok := q.dialect.(Orderer); ok && !q.ordered {
		q.orderBy(orderer.AnyOrder())
	}
	q.args = append(q.args, Arg{Value: int64(n)})
	return q.Write(q.dialect.Limit(q.dialect.Placeholder(len(q.args), nil)))
}

// fromOneRow writes the FROM clause of a SELECT that reads no table, if it needs one.
func (q *Query) fromOneRow() *Query {
	if r, ok := q.dialect.(Rower); ok {
		q.Write(" FROM ", r.OneRow())
	}
	return q
}

// remainder writes the remainder of the division of an expression by a number.
func (q *Query) remainder(of string, by int64) *Query {
	q.args = append(q.args, Arg{Value: by})
	placeholder := q.dialect.Placeholder(len(q.args), nil)
	if r, ok := q.dialect.(Remainderer); ok {
		return q.Write(r.Remainder(of, placeholder))
	}
	return q.Write(of, " % ", placeholder)
}

// A condition writes a condition of a WHERE clause; nil: true for every row.
type condition func(*Query)

func present(all []condition) []condition {
	return slices.DeleteFunc(slices.Clone(all), func(c condition) bool { return c == nil })
}

// and returns a conjunction of conditions in parentheses; nil if there are none.
func and(all ...condition) condition { return join(" AND ", all) }

func or(all ...condition) condition { return join(" OR ", all) }

func join(word string, all []condition) condition {
	switch all = present(all); len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(q *Query) {
		q.Write("(").List(len(all), word, func(i int) { all[i](q) }).Write(")")
	}
}

// text returns a condition without parameters.
func text(sql string) condition { return func(q *Query) { q.Write(sql) } }

// never is true for no row.
var never = text("1 = 0")

// not returns the condition that another one is false or NULL.
func not(c condition) condition {
	return func(q *Query) {
		q.Write("(CASE WHEN ")
		c(q)
		q.Write(" THEN 1 ELSE 0 END) = 0")
	}
}

// A field is an expression, and the column that it is; nil: none.
type field struct {
	expr string
	as   *Column
}

// is returns the condition field operator value.
func (f field) is(operator string, value any) condition {
	return func(q *Query) { q.Write(f.expr, operator).Bind(value, f.as) }
}

// between returns the condition that the field is in [from, to).
func (f field) between(from, to any) condition {
	return func(q *Query) {
		f.is(" >= ", from)(q)
		f.is(" < ", to)(q.Write(" AND "))
	}
}

// in returns the condition that the field is one of some values.
func (f field) in(values []any) condition {
	return func(q *Query) {
		q.Write(f.expr, " IN (").List(len(values), ", ", func(i int) { q.Bind(values[i], f.as) }).Write(")")
	}
}

// Fields are a key or an order.
type fields []field

// list returns the expressions, separated by commas.
func (all fields) list() string {
	exprs := make([]string, len(all))
	for i, f := range all {
		exprs[i] = f.expr
	}
	return strings.Join(exprs, ", ")
}

// are returns the condition that a row comes after some values (" > "), before
// them (" < ") or not before them (" >= ") in the order of the fields.
func (all fields) are(operator string, values []any, form Keyset) condition {
	if len(all) == 1 {
		return all[0].is(operator, values[0])
	}
	if form == RowCompare {
		return func(q *Query) {
			q.Write("(", all.list(), ")", operator, "(").List(len(all), ", ", func(i int) { q.Bind(values[i], all[i].as) }).Write(")")
		}
	}
	var cases, same []condition
	for i, f := range all {
		op := operator
		if i < len(all)-1 {
			op = operator[:2] + " " // without the = of >=
		}
		cases = append(cases, and(append(same, f.is(op, values[i]))...))
		same = append(same, f.is(" = ", values[i]))
	}
	if form == Led {
		return and(all[0].is(operator[:2]+"= ", values[0]), or(cases...))
	}
	return or(cases...)
}

// split returns the columns and the expressions.
func (all fields) split() (columns []*Column, exprs []string) {
	for _, f := range all {
		columns, exprs = append(columns, f.as), append(exprs, f.expr)
	}
	return columns, exprs
}
