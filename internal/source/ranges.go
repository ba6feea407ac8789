package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"iter"
	"slices"
)

// maxBoundValues is the number of values that the bounds of one statement may have.
const maxBoundValues = 60_000

// Sums returns the number of live rows and the sum of the digests of their keys
// for each range of keys: below the first bound, from each bound to the next, and
// from the last. It reads the keys of the whole table in one statement. It returns
// none if the database can't divide keys, for a key that the statement computes, and
// if the SQL fails for a row.
func (t *Table) Sums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error) {
	return t.sumsOf(ctx, "sum the keys", bounds, summing{
		view: t.view, among: dialect.And(t.live(), t.unlisted()),
		digest: func(d dialect.Divider) string {
			return d.KeyDigest(t.byBytes().Split())
		},
		rows: t.keys,
		of: func(raw []any) (doc.OID, uint64, error) {
			oid, err := t.oid(raw)
			return oid, maphash.String(keySeed, string(oid)), err
		},
	})
}

// keySeed is that of sums of this process, which nothing stores.
var keySeed = maphash.MakeSeed()

// TokenSums is Sums of the tokens of rows: that of a range is the sum of its stamps'
// tokens modulo 2^64. It needs one statement for the rows and one for each child. It
// returns none if the database does not compute the digests, and if it could compare
// the keys of rows and children in another way than by their bytes.
func (t *Table) TokenSums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error) {
	all, ok := t.tokenSummings()
	if !ok {
		return nil, nil
	}
	sums, err := t.sumsOf(ctx, "sum the digests of rows", bounds, all...)
	for i := range sums {
		if sums[i].Rows > 0 {
			sums[i].Epoch = t.epoch
		}
	}
	return sums, err
}

// tokenSummings returns what sums of tokens consist of, the rows first; false if they are
// not known.
func (t *Table) tokenSummings() ([]summing, bool) {
	all := []summing{t.view.tokens(dialect.And(t.live(), t.unlisted()), 0)}
	for i, c := range t.children {
		if !t.joins(c.view) {
			return nil, false
		}
		all = append(all, c.tokens(t.isParent(c.view), weight(i)))
	}
	return all, !slices.ContainsFunc(all, func(s summing) bool { return s.view.token() == "NULL" })
}

// tokens sums the tokens of some of the view's rows.
func (v *view) tokens(among dialect.Condition, weight uint64) summing {
	var room [maxKeyParts]any
	return summing{
		view: v, among: among, weight: weight,
		digest: func(dialect.Divider) string { return v.token() },
		rows:   v.bodies,
		of: func(raw []any) (doc.OID, uint64, error) {
			oid, err := v.oid(v.keyOf(raw, room[:len(v.key)]))
			if err != nil {
				return "", 0, err
			}
			digest, _ := v.digest(raw) // fetching the row returns the reason
			return oid, digest, nil
		},
	}
}

// joins reports whether a child's key and the table's are equal in the database only
// if their bytes are. A child that SQL leaves out could change without another sum.
func (t *Table) joins(child *view) bool {
	for i, at := range t.key {
		own, its := t.view.Columns[at], child.Columns[child.key[i]]
		if (own.Type != its.Type || own.Detail != its.Detail) && t.kinds[i] != doc.Integer && t.kinds[i] != doc.Text {
			return false
		}
	}
	return true
}

// isParent returns the condition that the table has a live row with a child's key.
func (t *Table) isParent(child *view) dialect.Condition {
	return func(q *dialect.Query) {
		q.Reads(&t.Described)
		key := t.byBytes().List()
		q.Write("(", child.byBytes().List(), ") IN (SELECT ", key, " ", t.From()).Where(t.notNull(), t.live(), t.unlisted()).Write(")")
	}
}

// A summing is what is summed, in SQL, or row by row in an Embedded database. Rows
// without a usable key are left out: no document has one.
type summing struct {
	view   *view
	among  dialect.Condition
	weight uint64 // of a child
	digest func(dialect.Divider) string
	rows   func() *dialect.Query
	of     func(raw []any) (doc.OID, uint64, error)
}

// sumsOf adds the sums of children to those of the table's rows, which come first. All
// are of one snapshot.
func (t *Table) sumsOf(ctx context.Context, doing string, bounds []doc.OID, all ...summing) ([]doc.Sum, error) {
	divider, divides := t.dialect.(dialect.Divider)
	_, embedded := t.dialect.(dialect.Embedded)
	if t.rowKey || len(bounds)*len(t.key) > maxBoundValues || !divides && !embedded {
		return nil, nil
	}
	sums, err := reading(ctx, t, doing, func(x *tx) ([]doc.Sum, error) {
		sums := make([]doc.Sum, len(bounds)+1)
		for _, s := range all {
			var some []doc.Sum
			var err error
			if embedded {
				some, err = s.sumRows(ctx, x, bounds)
			} else {
				some, err = s.sumRanges(ctx, x, bounds, divider)
			}
			if err != nil {
				return nil, err
			}
			s.addTo(sums, some, t.view)
		}
		return sums, nil
	})
	if isRowFault(err) || errors.Is(err, errUnknownSum) {
		return nil, nil // a listing finds the row
	}
	return sums, err
}

// addTo adds some sums: those of children as combine does.
func (s summing) addTo(sums, some []doc.Sum, main *view) {
	for i, one := range some {
		if s.view == main {
			sums[i] = one
			continue
		}
		sums[i].Digest += s.weight * (one.Digest + uint64(one.Rows))
	}
}

func (s summing) sumRanges(ctx context.Context, x *tx, bounds []doc.OID, d dialect.Divider) ([]doc.Sum, error) {
	q, err := s.query(d, bounds)
	if err != nil {
		return nil, err
	}
	sums := make([]doc.Sum, len(bounds)+1)
	var failed error
	_, err = x.each(ctx, q, func(raw []any) bool {
		failed = addSums(sums, raw)
		return failed == nil
	})
	return sums, cmp.Or(err, failed)
}

// query selects the number of a range, the number of its rows and the sum of their
// digests.
func (s summing) query(d dialect.Divider, bounds []doc.OID) (*dialect.Query, error) {
	values := make([][]any, len(bounds))
	for i, oid := range bounds {
		var err error
		if values[i], err = s.view.parts(oid); err != nil {
			return nil, err
		}
	}
	columns, exprs := s.view.byBytes().Split()
	q := s.view.ask("SELECT ")
	q.ReadsAll()
	d.Divide(q, columns, exprs, values)
	return q.Write(" AS n, count(*), ", d.Sum(s.digest(d)), " ", s.view.From()).Where(s.view.notNull(), s.view.numbers(), s.among).Write(" GROUP BY 1"), nil
}

// numbers returns the condition that numbers of the key are none that no document has;
// nil: all are.
func (v *view) numbers() dialect.Condition {
	var all []dialect.Condition
	for i, at := range v.key {
		if kind := v.kinds[i]; kind != doc.Integer && kind != doc.Decimal {
			continue
		}
		if suspect := v.dialect.Suspect(&v.Columns[at], v.kinds[i], v.exprs[at]); suspect != "" {
			all = append(all, dialect.SQL("NOT ("+suspect+")"))
		}
	}
	if all == nil {
		return nil
	}
	return dialect.And(all...)
}

// byBytes returns the key as fields whose order is that of OIDs.
func (v *view) byBytes() dialect.Fields {
	key := v.keyFields()
	for i, f := range key {
		if d, ok := v.dialect.(dialect.Divider); ok {
			key[i].Expr, key[i].As = d.Ordered(f.As, f.Expr)
		} else if tie := v.tie(i); tie.Expr != "" {
			key[i] = tie
		}
	}
	return key
}

// StampsInRanges is StampsInRange for some ranges, by the order of OIDs whatever the
// database's is. It reads the keys of the whole table.
func (t *Table) StampsInRanges(ctx context.Context, ranges []doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return lists(func(emit func([]doc.Stamp) error) error {
		s, err := t.newScan(doc.Range{})
		if err == nil {
			s.also, err = t.inRanges(ranges)
		}
		if err != nil {
			return err
		}
		return t.stampsOfScan(ctx, s, nil, emit)
	})
}

// inRanges returns the condition that a key is in one of some ranges.
func (v *view) inRanges(ranges []doc.Range) (dialect.Condition, error) {
	key, form := v.byBytes(), v.dialect.Keyset()
	var any []dialect.Condition
	for _, r := range ranges {
		var both []dialect.Condition
		for operator, oid := range map[string]doc.OID{" >= ": r.From, " < ": r.To} {
			if oid == "" {
				continue
			}
			values, err := v.parts(oid)
			if err != nil {
				return nil, err
			}
			both = append(both, key.Are(operator, values, form))
		}
		if len(both) == 0 {
			return nil, nil // all keys
		}
		any = append(any, dialect.And(both...))
	}
	return dialect.Or(any...), nil
}

// errUnknownSum is the error of a range with an unknown token.
var errUnknownSum = errors.New("a digest is unknown")

// addSums adds a row of query.
func addSums(sums []doc.Sum, raw []any) error {
	if raw[2] == nil {
		return errUnknownSum
	}
	at, err := dialect.Integer(raw[0])
	if err != nil {
		return err
	}
	if at < 0 || at >= int64(len(sums)) {
		return fmt.Errorf("range %d: there are %d", at, len(sums))
	}
	if sums[at].Rows, err = dialect.Integer(raw[1]); err != nil {
		return err
	}
	sums[at].Digest, err = dialect.SumOf(raw[2])
	return err
}

// sumRows reads all rows, in any order.
func (s summing) sumRows(ctx context.Context, x *tx, bounds []doc.OID) ([]doc.Sum, error) {
	q, sums := s.rows().Where(s.view.notNull(), s.among), make([]doc.Sum, len(bounds)+1)
	q.ReadsAll()
	_, err := x.each(ctx, q, func(raw []any) bool {
		if oid, digest, err := s.of(raw); err == nil {
			at, found := slices.BinarySearch(bounds, oid)
			if found {
				at++
			}
			sums[at].Rows++
			sums[at].Digest += digest
		}
		return true
	})
	return sums, err
}
