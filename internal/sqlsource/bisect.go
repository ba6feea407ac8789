package sqlsource

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// A keyBisection reads integer keys although the SQL fails for some rows.
//
// A database may call a volatile function for every row that it reads, even if the
// statement does not select its column. Then a statement for the keys alone fails
// too. But the database checks a condition on the key first, so a range of keys
// fails only if it contains a failing row. The range is halved until each part
// succeeds or is one key, that of the failing row: about 64 statements for each
// such row. Keys of other types have too many values for this.
type keyBisection struct {
	table *Table
	also  condition
	limit int
	oids  []doc.OID
}

// bisectKeys returns the next keys of a scan, in their order, up to a limit. fault
// is the error of the statement for all of them.
func (t *Table) bisectKeys(ctx context.Context, s *scan, also condition, limit int, fault error) ([]doc.OID, error) {
	if len(t.key) != 1 || t.kinds[0] != doc.Integer {
		return nil, notRowFault(fmt.Errorf("the keys can't be read without the failing row: declare the functions of the SQL STABLE: %w", fault))
	}
	low, high := s.ends()
	if low > high {
		return nil, nil
	}
	b := &keyBisection{table: t, also: also, limit: limit}
	// If even this condition on the key fails, every range would.
	if err := b.readOnce(ctx, 1, 0); isRowFault(err) {
		return nil, notRowFault(fault)
	}
	if err := b.read(ctx, low, high); err != nil {
		return nil, err
	}
	return b.oids, nil
}

// ends returns the least and the greatest integer that the scan has not read.
func (s *scan) ends() (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if s.from != nil {
		low = s.from.key[0].(int64)
	}
	if s.to != nil {
		if high = s.to.key[0].(int64); high == math.MinInt64 {
			return 0, -1
		}
		high--
	}
	if s.after != nil {
		last, err := integer(s.after.key[0])
		if err != nil || last == math.MaxInt64 {
			return 0, -1
		}
		low = max(low, last+1)
	}
	return low, high
}

func (b *keyBisection) read(ctx context.Context, low, high int64) error {
	if len(b.oids) >= b.limit {
		return nil
	}
	err := b.readOnce(ctx, low, high)
	if !isRowFault(err) {
		return err
	}
	if low == high {
		oid, err := doc.NewOID(low)
		b.oids = append(b.oids, oid)
		return err
	}
	middle := low + int64(uint64(high-low)/2) // the difference may overflow, and is right as a uint64
	if err := b.read(ctx, low, middle); err != nil {
		return err
	}
	return b.read(ctx, middle+1, high)
}

func (b *keyBisection) readOnce(ctx context.Context, low, high int64) error {
	t := b.table
	expr, as := t.exprs[t.key[0]], &t.view.Columns[t.key[0]]
	in := func(q *Query) { q.Write(expr, " BETWEEN ").Bind(low, as).Write(" AND ").Bind(high, as) }
	oids, err := t.readKeys(ctx, "read keys by halves", t.keys().where(in, b.also).order([]string{expr}).limit(b.limit-len(b.oids)))
	if err == nil {
		b.oids = append(b.oids, oids...)
	}
	return err
}

// bisectBreakpoints returns every n-th key, without the first.
func (t *Table) bisectBreakpoints(ctx context.Context, every int, fault error) (points []doc.OID, err error) {
	for s := (&scan{}); ; {
		oids, err := t.bisectKeys(ctx, s, nil, every, fault)
		if err != nil || len(oids) == 0 {
			return points, err
		}
		if s.after != nil {
			points = append(points, oids[0])
		}
		if len(oids) < every {
			return points, nil
		}
		if s.after, err = t.placeOfOID(oids[len(oids)-1]); err != nil {
			return points, err
		}
	}
}

// bisectPage reads a page of stamps in the order of keys. A page is no larger than
// what stampsByHalves takes at once.
func (t *Table) bisectPage(ctx context.Context, s *scan, also condition, fault error) (p page, err error) {
	limit := min(t.stampPage, max(t.batch, sqlFaultRows))
	oids, err := t.bisectKeys(ctx, s, also, limit, fault)
	if err != nil || len(oids) == 0 {
		return p, err
	}
	if len(oids) >= limit {
		if p.last, err = t.placeOfOID(oids[len(oids)-1]); err != nil {
			return p, err
		}
		p.more = true
	}
	p.stamps, err = t.stampsByHalves(ctx, slices.Compact(oids))
	p.stamps = onceEach(p.stamps)
	slices.SortFunc(p.stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	return p, err
}
