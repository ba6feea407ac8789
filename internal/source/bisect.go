package source

import (
	"cmp"
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"math"
	"slices"
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
	also  dialect.Condition
	limit int
	oids  []doc.OID
}

// bisectKeys returns the next keys of a scan, in their order, up to a limit, and the
// place of the last one if more may follow. fault is the error of the statement for
// all of them.
func (t *Table) bisectKeys(ctx context.Context, s *scan, limit int, fault error) (oids []doc.OID, last []any, err error) {
	if len(t.key) != 1 || t.kinds[0] != doc.Integer {
		return nil, nil, notRowFault(fmt.Errorf("the keys can't be read without the failing row: declare the functions of the SQL STABLE: %w", fault))
	}
	low, high := s.ends()
	if low > high {
		return nil, nil, nil
	}
	b := &keyBisection{table: t, also: s.also, limit: limit}
	// If even this condition on the key fails, every range would.
	if err := b.readOnce(ctx, 1, 0); isRowFault(err) {
		return nil, nil, notRowFault(fault)
	}
	err = b.read(ctx, low, high)
	if err == nil && len(b.oids) >= limit {
		last, err = t.parts(b.oids[limit-1])
	}
	return b.oids, last, err
}

// ends returns the least and the greatest integer that the scan has not read.
func (s *scan) ends() (low, high int64) {
	low, high = math.MinInt64, math.MaxInt64
	if s.from != nil {
		low = s.from[0].(int64)
	}
	if s.to != nil {
		if high = s.to[0].(int64); high == math.MinInt64 {
			return 0, -1
		}
		high--
	}
	if s.last != nil {
		last, err := dialect.Integer(s.last[0])
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
	key := b.table.keyFields()
	in := func(q *dialect.Query) {
		q.Write(key[0].Expr, " BETWEEN ").Bind(low, key[0].As).Write(" AND ").Bind(high, key[0].As)
	}
	q := b.table.keys().Where(in, b.also).Order(key).Limit(b.limit - len(b.oids))
	oids, err := b.table.readKeys(ctx, "read keys by halves", q, nil)
	b.oids = append(b.oids, oids...)
	return err
}

// bisectBreakpoints returns every n-th key, without the first.
func (t *Table) bisectBreakpoints(ctx context.Context, every int, fault error) (points []doc.OID, err error) {
	for s := (&scan{}); ; {
		oids, last, err := t.bisectKeys(ctx, s, every, fault)
		if err != nil {
			return nil, err
		}
		if s.last != nil && len(oids) > 0 {
			points = append(points, oids[0])
		}
		if s.last = last; last == nil {
			return points, nil
		}
	}
}

// bisectPage reads a page of stamps in the order of keys. A page is no larger than
// what stampsByHalves takes at once.
func (t *Table) bisectPage(ctx context.Context, s *scan, fault error) (p page, err error) {
	var oids []doc.OID
	oids, p.last, err = t.bisectKeys(ctx, s, min(t.stampPage, max(t.batch, sqlFaultRows)), fault)
	if err != nil {
		return p, err
	}
	p.more = p.last != nil
	p.stamps, err = t.stampsByHalves(ctx, slices.Compact(oids))
	slices.SortFunc(p.stamps, func(a, b doc.Stamp) int { return cmp.Compare(a.OID, b.OID) })
	return p, err
}
