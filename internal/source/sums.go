package source

import (
	"fmt"
	"indexerd/internal/source/dialect"
)

// sums begins a statement that selects, by key, the number of rows, the sum of
// their digests and the greatest updateTime. It groups by bytes: the columns' order
// could merge the rows of two parents. ok is false if the database can't sum, or if
// only reading an updateTime shows whether it is a time.
func (c *child) sums(among dialect.Condition, times dialect.Times) (q *dialect.Query, ok bool) {
	summer, ok := c.dialect.(dialect.Summer)
	if !ok {
		return nil, false
	}
	keys := c.keyFields()
	for i := range keys {
		if tie := c.tie(i); tie.Expr != "" {
			keys[i] = tie
		}
	}
	q = c.ask("SELECT ", keys.List(), ", count(*), ", summer.Sum(c.token()), ", ")
	if !c.latest(q, times) {
		return nil, false
	}
	return q.Write(" ", c.From()).Where(among).Write(" GROUP BY ", keys.List()), true
}

// latest writes the greatest updateTime of a group. It reports false if the database
// can't find it.
func (c *child) latest(q *dialect.Query, times dialect.Times) bool {
	if times == nil {
		q.Write("NULL")
		return true
	}
	maxer, ok := times.(dialect.Maxer)
	return ok && maxer.Max(q, c.updated.Expr, c.updated.As)
}

// addSum adds a row of sums.
func (c *child) addSum(rows *childRows, raw []any, times dialect.Times) (err error) {
	k := len(c.key)
	n, err := dialect.Integer(raw[k])
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	rows.count = uint64(n)
	if rows.unknown = raw[k+1] == nil; !rows.unknown {
		rows.sum, err = dialect.SumOf(raw[k+1])
	}
	if err != nil {
		return fmt.Errorf("token: %w", err)
	}
	rows.updated = c.timeOf(raw[k+2], times)
	rows.hidden = raw[k+2] != nil && times != nil && rows.updated.IsZero()
	return nil
}
