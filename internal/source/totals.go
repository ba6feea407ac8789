package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
	"strconv"
)

// Totals returns for each table the sum of the tokens of all its rows, as TokenSums does
// for one range; false where that is not known. It sends one statement for all tables
// that share settings: for many small ones, of which each would take longer to be asked
// for than to be summed. Of a database in this process no sum is known.
func (s *Source) Totals(ctx context.Context, all []*Table) (sums []doc.Sum, known []bool, err error) {
	sums, known = make([]doc.Sum, len(all)), make([]bool, len(all))
	bySettings := map[string][]total{}
	for i, t := range all {
		if parts, ok := t.totals(); ok {
			bySettings[t.settings] = append(bySettings[t.settings], total{i, t, parts})
		}
	}
	for settings, some := range bySettings {
		if err := s.totals(ctx, settings, some, sums, known); err != nil {
			return nil, nil, err
		}
	}
	return sums, known, nil
}

// A total is a table to sum, at a place of the result.
type total struct {
	at    int
	table *Table
	parts []summing
}

// totals returns what the total of a table is the sum of; false if it can't be summed.
func (t *Table) totals() ([]summing, bool) {
	_, divides := t.dialect.(dialect.Divider)
	_, embedded := t.dialect.(dialect.Embedded)
	parts, ok := t.tokenSummings()
	return parts, ok && divides && !embedded && !t.rowKey
}

// totals sums tables in one statement. If the SQL of one fails for a row, it sums them in
// halves, and that table alone has no sum.
func (s *Source) totals(ctx context.Context, settings string, some []total, sums []doc.Sum, known []bool) error {
	read, err := snapshotOf(ctx, s, settings, func(x *tx, _ dialect.Snapshot) (map[int]doc.Sum, error) { return x.totals(ctx, some) })
	switch {
	case isRowFault(err) && len(some) > 1:
		middle := len(some) / 2
		return errors.Join(s.totals(ctx, settings, some[:middle], sums, known), s.totals(ctx, settings, some[middle:], sums, known))
	case isRowFault(err):
		return nil // a comparison finds the row
	case err != nil:
		return fmt.Errorf("sum %d tables: %w", len(some), err)
	}
	for _, t := range some {
		if sum, ok := read[t.at]; ok {
			if sum.Rows > 0 {
				sum.Epoch = t.table.epoch
			}
			sums[t.at], known[t.at] = sum, true
		}
	}
	return nil
}

// totals returns the sums of tables, by their places. A table with an unknown token has
// none.
func (x *tx) totals(ctx context.Context, some []total) (map[int]doc.Sum, error) {
	q := dialect.NewQuery(x.source.dialect)
	var parts []summing
	for _, t := range some {
		for _, s := range t.parts {
			if len(parts) > 0 {
				q.Write(" UNION ALL ")
			}
			s.total(q, len(parts), x.source.dialect.(dialect.Divider))
			parts = append(parts, s)
		}
	}
	read := make([][]doc.Sum, len(parts))
	var failed error
	_, err := x.each(ctx, q, func(raw []any) bool {
		failed = readTotal(read, raw)
		return failed == nil
	})
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	sums, n := map[int]doc.Sum{}, 0
	for _, t := range some {
		mine := read[n : n+len(t.parts)]
		n += len(t.parts)
		if slices.ContainsFunc(mine, func(one []doc.Sum) bool { return one == nil }) {
			continue
		}
		whole := make([]doc.Sum, 1)
		for i, s := range t.parts {
			s.addTo(whole, mine[i], t.table.view)
		}
		sums[t.at] = whole[0]
	}
	return sums, nil
}

// readTotal reads the sum of a part. One with an unknown token stays nil.
func readTotal(read [][]doc.Sum, raw []any) error {
	at, err := dialect.Integer(raw[0])
	if err != nil {
		return err
	}
	rows, err := dialect.Integer(raw[1])
	if err != nil || rows > 0 && raw[2] == nil {
		return err
	}
	sum := doc.Sum{Rows: rows}
	if rows > 0 {
		sum.Digest, err = dialect.SumOf(raw[2])
	}
	read[at] = []doc.Sum{sum}
	return err
}

// total writes a statement of the number of a part, the number of its rows and the sum of
// their digests.
func (s summing) total(q *dialect.Query, n int, d dialect.Divider) {
	q.Reads(&s.view.Described)
	q.ReadsAll()
	q.Write("SELECT ", strconv.Itoa(n), ", count(*), ", d.Sum(s.digest(d)), " ", s.view.From()).Where(s.view.notNull(), s.among)
}
