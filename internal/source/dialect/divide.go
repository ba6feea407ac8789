package dialect

import (
	"strconv"
	"strings"
)

// A Summer adds digests in SQL. Without it the engine reads the digest of every
// child row.
type Summer interface {
	// Sum returns an aggregate of tokens: their exact sum, as an integer of any size;
	// NULL if one is NULL.
	Sum(token string) string
}

// A Divider sums the rows of ranges of keys in one pass of a table.
type Divider interface {
	Summer
	// Ordered returns an expression for a part of a key whose order is that of OIDs,
	// and the column with which its bounds are compared; nil: they are texts.
	Ordered(as *Column, expr string) (string, *Column)
	// Divide writes the number of the bounds that are not above a key of such
	// expressions.
	Divide(q *Query, columns []*Column, exprs []string, bounds [][]any)
	// KeyDigest returns an expression for the digest of such a key, of 64 bits.
	KeyDigest(columns []*Column, exprs []string) string
}

// Halve implements Divider.Divide by nested CASEs, whose depth is the logarithm of the
// number of bounds.
func Halve(q *Query, columns []*Column, exprs []string, bounds [][]any) {
	halve(q, columns, exprs, bounds, 0)
}

// halve writes the number of the range, where the first bound has the number first.
func halve(q *Query, columns []*Column, exprs []string, bounds [][]any, first int) {
	if len(bounds) == 0 {
		q.Write(strconv.Itoa(first))
		return
	}
	half := len(bounds) / 2
	q.Write("CASE WHEN (", strings.Join(exprs, ", "), ") < (").BindKey(bounds[half], columns).Write(") THEN ")
	halve(q, columns, exprs, bounds[:half], first)
	q.Write(" ELSE ")
	halve(q, columns, exprs, bounds[half+1:], first+half+1)
	q.Write(" END")
}
