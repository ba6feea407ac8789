package sqlsource

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
}

// A condition writes a condition of a WHERE clause; nil: true for every row.
type condition func(*Query)

// NewQuery returns an empty statement for a dialect.
func NewQuery(d Dialect) *Query { return &Query{dialect: d} }

// Statement returns the statement that was written.
func (q *Query) Statement() Statement { return q.statement() }

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

// where writes the WHERE clause of a conjunction.
func (q *Query) where(all ...condition) *Query {
	word := " WHERE "
	for _, c := range all {
		if c != nil {
			q.Write(word)
			c(q)
			word = " AND "
		}
	}
	return q
}

// order writes an ORDER BY of some expressions.
func (q *Query) order(exprs []string) *Query {
	return q.Write(" ORDER BY ", strings.Join(exprs, ", "))
}

// limit writes the clause that limits the rows. It follows an ORDER BY.
func (q *Query) limit(n int) *Query {
	q.args = append(q.args, Arg{Value: int64(n)})
	return q.Write(q.dialect.Limit(q.dialect.Placeholder(len(q.args), nil)))
}

// statement returns the statement that was written.
func (q *Query) statement() Statement {
	return Statement{SQL: q.sql.String(), Args: q.args, Reads: q.reads, Slow: q.slow}
}

// and returns a conjunction of conditions in parentheses; nil if there are none.
func and(all ...condition) condition { return join(" AND ", all) }

func or(all ...condition) condition { return join(" OR ", all) }

func join(word string, all []condition) condition {
	all = slices.DeleteFunc(all, func(c condition) bool { return c == nil })
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(q *Query) {
		for i, c := range all {
			q.Write([]string{"(", word}[min(i, 1)])
			c(q)
		}
		q.Write(")")
	}
}

// text returns a condition without parameters.
func text(sql string) condition { return func(q *Query) { q.Write(sql) } }

// compare returns the condition expr operator value.
func compare(expr, operator string, value any, as *Column) condition {
	return func(q *Query) { q.Write(expr, operator).Bind(value, as) }
}

// not returns the condition that another one is false or NULL.
func not(c condition) condition {
	return func(q *Query) {
		q.Write("(CASE WHEN ")
		c(q)
		q.Write(" THEN 1 ELSE 0 END) = 0")
	}
}

// A term is an expression of an order with the value to compare it with.
type term struct {
	expr  string
	value any
	as    *Column
}

// after returns the condition that a row comes after the terms in their order.
func after(d Dialect, terms []term) condition {
	if d.Keyset() == RowCompare || len(terms) == 1 {
		return compareRows(terms, " > ")
	}
	var cases []condition
	for i, last := range terms {
		var same []condition
		for _, t := range terms[:i] {
			same = append(same, compare(t.expr, " = ", t.value, t.as))
		}
		cases = append(cases, and(append(same, compare(last.expr, " > ", last.value, last.as))...))
	}
	return or(cases...)
}

// within returns the condition that a row does not come before the terms, or comes
// before them, in their order.
func within(d Dialect, terms []term, operator string) condition {
	switch {
	case d.Keyset() == RowCompare || len(terms) == 1:
		return compareRows(terms, operator)
	case operator == " >= ":
		var same []condition
		for _, t := range terms {
			same = append(same, compare(t.expr, " = ", t.value, t.as))
		}
		return or(after(d, terms), and(same...))
	}
	return before(terms)
}

// before returns the condition that a row comes before the terms in their order.
func before(terms []term) condition {
	var cases []condition
	for i, last := range terms {
		var same []condition
		for _, t := range terms[:i] {
			same = append(same, compare(t.expr, " = ", t.value, t.as))
		}
		cases = append(cases, and(append(same, compare(last.expr, " < ", last.value, last.as))...))
	}
	return or(cases...)
}

// compareRows compares row values, or single values.
func compareRows(terms []term, operator string) condition {
	return func(q *Query) {
		open, close := "(", ")"
		if len(terms) == 1 {
			open, close = "", ""
		}
		q.Write(open)
		for i, t := range terms {
			q.Write([]string{"", ", "}[min(i, 1)], t.expr)
		}
		q.Write(close, operator, open)
		for i, t := range terms {
			q.Write([]string{"", ", "}[min(i, 1)]).Bind(t.value, t.as)
		}
		q.Write(close)
	}
}
