package pgsource

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// A keyBisection reads integer keys although the SQL fails for some rows.
//
// The server calls a VOLATILE function (the default) for every row that it
// reads, even if the query does not select its column. Then a query for the
// keys alone fails too. But the server checks a condition on the key first, so
// a range of keys fails only if it contains a failing row. The range is halved
// until each part succeeds or is one key, that of the failing row: about 64
// statements for each such row. Keys of other types have too many values for
// this.
type keyBisection struct {
	table *Table
	among condition // a further condition
	limit int
	oids  []doc.OID
}

// bisectKeys returns the next keys of a range after a key, in their order, up
// to a limit. fault is the error of the query for all of them.
func (t *Table) bisectKeys(ctx context.Context, r doc.Range, among condition, after []string, limit int, fault error) ([]doc.OID, error) {
	if len(t.key) != 1 || t.key[0].param != pgtype.Int8OID {
		return nil, notRowFault(fmt.Errorf("the keys can't be read without the failing row: declare the functions of the SQL STABLE: %w", fault))
	}
	low, high, err := t.ends(r, after)
	if err != nil || low > high {
		return nil, err
	}
	a := &keyBisection{table: t, among: among, limit: limit}
	// If even this condition on the key fails, every range would.
	if err := a.readOnce(ctx, 1, 0); isRowFault(err) {
		return nil, notRowFault(fault)
	}
	if err := a.read(ctx, low, high); err != nil {
		return nil, err
	}
	return a.oids, nil
}

// ends returns the least and the greatest integer of a range after a key.
func (t *Table) ends(r doc.Range, after []string) (low, high int64, err error) {
	low, high = math.MinInt64, math.MaxInt64
	if r.From != "" {
		if low, err = t.integer(r.From); err != nil {
			return 0, 0, err
		}
	}
	if r.To != "" {
		if high, err = t.integer(r.To); err != nil || high == math.MinInt64 {
			return 0, -1, err
		}
		high--
	}
	if after != nil {
		last, err := strconv.ParseInt(after[0], 10, 64)
		if err != nil || last == math.MaxInt64 {
			return 0, -1, err
		}
		low = max(low, last+1)
	}
	return low, high, nil
}

func (t *Table) integer(oid doc.OID) (int64, error) {
	texts, err := t.key.texts(oid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(texts[0], 10, 64)
}

func (a *keyBisection) read(ctx context.Context, low, high int64) error {
	if len(a.oids) >= a.limit {
		return nil
	}
	err := a.readOnce(ctx, low, high)
	if !isRowFault(err) {
		return err
	}
	if low == high {
		oid, err := doc.NewOID(low)
		a.oids = append(a.oids, oid)
		return err
	}
	middle := low + int64(uint64(high-low)/2) // the difference may overflow, and is right as a uint64
	if err := a.read(ctx, low, middle); err != nil {
		return err
	}
	return a.read(ctx, middle+1, high)
}

func (a *keyBisection) readOnce(ctx context.Context, low, high int64) error {
	oids, err := a.table.readKeys(ctx, a.query(low, high))
	a.oids = append(a.oids, oids...)
	return err
}

func (a *keyBisection) query(low, high int64) query {
	t := a.table
	q := query{reads: []*view{&t.view}}
	column := t.key.columns(t.sql)[0]
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s BETWEEN %s AND %s AND %s ORDER BY %s LIMIT %s", column, t.sql.from(),
		column, q.bind(int8OID, strconv.FormatInt(low, 10)), q.bind(int8OID, strconv.FormatInt(high, 10)), a.among(&q),
		column, q.bind(int8OID, strconv.Itoa(a.limit-len(a.oids))))
	return q
}

// bisectBreakpoints returns every n-th key, without the first.
func (t *Table) bisectBreakpoints(ctx context.Context, every int, fault error) (points []doc.OID, err error) {
	for after := []string(nil); ; {
		oids, err := t.bisectKeys(ctx, doc.Range{}, noCondition, after, every, fault)
		if err != nil || len(oids) == 0 {
			return points, err
		}
		if after != nil {
			points = append(points, oids[0])
		}
		if len(oids) < every {
			return points, nil
		}
		if after, err = t.key.texts(oids[len(oids)-1]); err != nil {
			return points, err
		}
	}
}

// bisectWindow yields the stamps of the live rows with updateTime in the
// window, in the order of keys. It reports whether the consumer wants more.
func (t *Table) bisectWindow(ctx context.Context, w doc.Window, fault error, yield func([]doc.Stamp, error) bool) bool {
	var unit time.Duration
	err := t.read(ctx, func(x *tx) (err error) {
		unit, err = t.unit(ctx, x)
		return err
	})
	for after := []string(nil); ; {
		var stamps []doc.Stamp
		if err == nil {
			stamps, after, err = t.bisectStamps(ctx, doc.Range{}, t.inWindow(w, unit), after, fault)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if len(stamps) > 0 && !yield(stamps, nil) {
			return false
		}
		if after == nil {
			return true
		}
	}
}

// bisectStamps reads a page of stamps in the order of keys. last is its last
// key, or nil on the last page. A page is no larger than what stampsByHalves
// takes at once.
func (t *Table) bisectStamps(ctx context.Context, r doc.Range, among condition, after []string, fault error) (stamps []doc.Stamp, last []string, err error) {
	limit := min(t.stampPage, max(t.batch, sqlFaultRows))
	oids, err := t.bisectKeys(ctx, r, among, after, limit, fault)
	if err != nil || len(oids) == 0 {
		return nil, nil, err
	}
	if len(oids) >= limit {
		if last, err = t.key.texts(oids[len(oids)-1]); err != nil {
			return nil, nil, err
		}
	}
	stamps, err = t.stampsByHalves(ctx, slices.Compact(oids))
	stamps = onceEach(stamps, doc.SetOf(oids))
	slices.SortFunc(stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	return stamps, last, err
}
