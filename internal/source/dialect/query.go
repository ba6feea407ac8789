package dialect

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

// Reads adds an SQL that the statement wraps.
func (q *Query) Reads(sql *Described) *Query {
	q.reads = append(q.reads, sql)
	return q
}

// ReadsAll marks a statement that reads the whole table.
func (q *Query) ReadsAll() { q.slow = true }

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

// Where writes the WHERE clause of a conjunction.
func (q *Query) Where(all ...Condition) *Query {
	if all = present(all); len(all) == 0 {
		return q
	}
	return q.Write(" WHERE ").List(len(all), " AND ", func(i int) { all[i](q) })
}

// Order writes an ORDER BY.
func (q *Query) Order(by Fields) *Query { return q.orderBy(by.List()) }

func (q *Query) orderBy(exprs string) *Query {
	q.ordered = true
	return q.Write(" ORDER BY ", exprs)
}

// Limit writes the clause that limits the rows.
func (q *Query) Limit(n int) *Query {
	if orderer, ok := q.dialect.(Orderer); ok && !q.ordered {
		q.orderBy(orderer.AnyOrder())
	}
	q.args = append(q.args, Arg{Value: int64(n)})
	return q.Write(q.dialect.Limit(q.dialect.Placeholder(len(q.args), nil)))
}

// FromOneRow writes the FROM clause of a SELECT that reads no table, if it needs one.
func (q *Query) FromOneRow() *Query {
	if r, ok := q.dialect.(Rower); ok {
		q.Write(" FROM ", r.OneRow())
	}
	return q
}

// Remainder writes the remainder of the division of an expression by a number.
func (q *Query) Remainder(of string, by int64) *Query {
	q.args = append(q.args, Arg{Value: by})
	placeholder := q.dialect.Placeholder(len(q.args), nil)
	if r, ok := q.dialect.(Remainderer); ok {
		return q.Write(r.Remainder(of, placeholder))
	}
	return q.Write(of, " % ", placeholder)
}

// A Condition writes a condition of a WHERE clause; nil: true for every row.
type Condition func(*Query)

func present(all []Condition) []Condition {
	return slices.DeleteFunc(slices.Clone(all), func(c Condition) bool { return c == nil })
}

// And returns a conjunction of conditions in parentheses; nil if there are none.
func And(all ...Condition) Condition { return join(" AND ", all) }

// Or returns a disjunction of conditions in parentheses; nil if there are none.
func Or(all ...Condition) Condition { return join(" OR ", all) }

func join(word string, all []Condition) Condition {
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

// SQL returns a condition without parameters.
func SQL(sql string) Condition { return func(q *Query) { q.Write(sql) } }

// Never is true for no row.
var Never = SQL("1 = 0")

// Not returns the condition that another one is false or NULL.
func Not(c Condition) Condition {
	return func(q *Query) {
		q.Write("(CASE WHEN ")
		c(q)
		q.Write(" THEN 1 ELSE 0 END) = 0")
	}
}

// A Field is an expression, and the column that it is; nil: none.
type Field struct {
	Expr string
	As   *Column
}

// Is returns the condition field operator value.
func (f Field) Is(operator string, value any) Condition {
	return func(q *Query) { q.Write(f.Expr, operator).Bind(value, f.As) }
}

// Between returns the condition that the field is in [from, to).
func (f Field) Between(from, to any) Condition {
	return func(q *Query) {
		f.Is(" >= ", from)(q)
		f.Is(" < ", to)(q.Write(" AND "))
	}
}

// In returns the condition that the field is one of some values.
func (f Field) In(values []any) Condition {
	return func(q *Query) {
		q.Write(f.Expr, " IN (").List(len(values), ", ", func(i int) { q.Bind(values[i], f.As) }).Write(")")
	}
}

// Fields are a key or an order.
type Fields []Field

// List returns the expressions, separated by commas.
func (all Fields) List() string {
	exprs := make([]string, len(all))
	for i, f := range all {
		exprs[i] = f.Expr
	}
	return strings.Join(exprs, ", ")
}

// Are returns the condition that a row comes after some values (" > "), before
// them (" < ") or not before them (" >= ") in the order of the fields.
func (all Fields) Are(operator string, values []any, form Keyset) Condition {
	if len(all) == 1 {
		return all[0].Is(operator, values[0])
	}
	if form == RowCompare {
		return func(q *Query) {
			q.Write("(", all.List(), ")", operator, "(").List(len(all), ", ", func(i int) { q.Bind(values[i], all[i].As) }).Write(")")
		}
	}
	var cases, same []Condition
	for i, f := range all {
		op := operator
		if i < len(all)-1 {
			op = operator[:2] + " " // without the = of >=
		}
		cases = append(cases, And(append(same, f.Is(op, values[i]))...))
		same = append(same, f.Is(" = ", values[i]))
	}
	if form == Led {
		return And(all[0].Is(operator[:2]+"= ", values[0]), Or(cases...))
	}
	return Or(cases...)
}

// Split returns the columns and the expressions.
func (all Fields) Split() (columns []*Column, exprs []string) {
	for _, f := range all {
		columns, exprs = append(columns, f.As), append(exprs, f.Expr)
	}
	return columns, exprs
}
