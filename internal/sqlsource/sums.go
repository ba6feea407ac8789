package sqlsource

import (
	"context"
	"fmt"
	"math/big"
)

// A Summer adds digests in SQL. Without it the engine reads the digest of every
// child row.
type Summer interface {
	// Sum returns an aggregate of tokens: their exact sum, as an integer of any size.
	Sum(token string) string
}

// sums begins a statement that selects, by key, the number of rows, the sum of
// their digests and the greatest updateTime. It groups by bytes: the columns' order
// could merge the rows of two parents. ok is false if the database can't sum, or if
// only reading an updateTime shows whether it is a time.
func (c *child) sums(among condition) (q *Query, ok bool) {
	summer, ok := c.dialect.(Summer)
	if !ok || c.updated != nil && c.updated.epochs != nil {
		return nil, false
	}
	keys := c.keyExprs()
	for i, tie := range c.ties() {
		if tie != "" {
			keys[i] = tie
		}
	}
	updated := "NULL"
	if c.updated != nil {
		updated = "max(" + c.exprs[c.updated.at] + ")"
	}
	q = c.ask("SELECT ", joined(keys), ", count(*), ", summer.Sum(c.token()), ", ", updated, " ", c.From())
	return q.where(among).Write(" GROUP BY ", joined(keys)), true
}

// readSums reads the sums of a child's rows.
func (r *childReader) readSums(ctx context.Context, x *tx, c *child, i int, q *Query, times Times) error {
	k := len(c.key)
	var fault error
	_, err := x.each(ctx, q, func(raw []any) bool {
		rows := r.rowsOf(c, i, raw)
		if rows == nil {
			return true
		}
		count, err := integer(raw[k])
		rows.count = uint64(count)
		if err == nil {
			rows.sum, err = wrapSum(raw[k+1])
		}
		if err != nil {
			fault = fmt.Errorf("token: %w", err)
			return true
		}
		rows.updated, err = c.timeOf(raw[k+2], times)
		rows.fault = c.named(err)
		return true
	})
	if err == nil {
		err = fault
	}
	return err
}

// wrapSum returns an integer of any size modulo 2^64.
func wrapSum(raw any) (uint64, error) {
	if n, err := integer(raw); err == nil {
		return uint64(n), nil
	}
	sum, ok := new(big.Int).SetString(fmt.Sprint(keep(raw)), 10)
	if !ok {
		return 0, fmt.Errorf("%s is not a sum of digests", Show(raw))
	}
	return sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64(), nil
}
