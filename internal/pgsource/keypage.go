package pgsource

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// A keyPage is the keys of one page of rows.
type keyPage struct {
	oids    []doc.OID
	rejects []doc.Reject // of keys that are unusable
	last    []string     // the last key, in text form
	rows    int
}

// keyPages reads the keys of a range in the database's own order, a batch at a
// time.
func (t *Table) keyPages(ctx context.Context, x *tx, r doc.Range) iter.Seq2[keyPage, error] {
	return func(yield func(keyPage, error) bool) {
		var after []string
		for {
			page, err := t.keyPage(ctx, x, r, after)
			if !yield(page, err) || err != nil || page.rows < t.batch {
				return
			}
			after = page.last
		}
	}
}

func (t *Table) keyPage(ctx context.Context, x *tx, r doc.Range, after []string) (keyPage, error) {
	q, err := t.keysQuery(r, after)
	if err != nil {
		return keyPage{}, err
	}
	rows, err := x.all(ctx, q)
	if err != nil {
		return keyPage{}, err
	}
	p := keyPage{rows: len(rows)}
	for _, row := range rows {
		oid, err := t.key.rawOID(row)
		if err != nil {
			p.rejects = append(p.rejects, doc.Reject{Reason: err.Error()})
			continue
		}
		p.oids = append(p.oids, oid)
	}
	p.oids = slices.Compact(p.oids)
	if len(rows) > 0 {
		p.last = textsOf(rows[len(rows)-1])
	}
	return p, nil
}

func (t *Table) keysQuery(r doc.Range, after []string) (query, error) {
	q := query{of: []*view{&t.view}}
	condition, err := t.within(&q, r)
	if err != nil {
		return query{}, err
	}
	if after != nil {
		condition += " AND " + t.key.after(&q, t.sql, after)
	}
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s AND %s ORDER BY %s LIMIT %s",
		strings.Join(t.key.columns(t.sql), ", "), t.sql.from(), condition, t.key.notNull(t.sql),
		strings.Join(t.key.order(t.sql), ", "), q.bind(int8OID, strconv.Itoa(t.batch)))
	return q, nil
}

// maxKeyless bounds the rejects of Keyless.
const maxKeyless = 100

// Keyless returns rejects for the live rows that no OID can name, since their
// key is NULL or a numeric that is no integer of 64 bits: one for each reason,
// a hundred at most.
func (t *Table) Keyless(ctx context.Context) (b doc.Batch, err error) {
	err = t.read(ctx, func(x *tx) error {
		b.At = x.at
		b.Rejects, err = t.keyless(ctx, x)
		return err
	})
	return b, err
}

func (t *Table) keyless(ctx context.Context, x *tx) ([]doc.Reject, error) {
	var rejects []doc.Reject
	for _, p := range t.key {
		rows, err := x.all(ctx, t.keylessQuery(p))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if _, err := (key{p}).rawOID(row); err != nil {
				rejects = append(rejects, doc.Reject{Reason: err.Error()})
			}
		}
	}
	return rejects[:min(len(rejects), maxKeyless)], nil
}

// keylessQuery asks for the values of a key column that are unusable.
func (t *Table) keylessQuery(p keyPart) query {
	q := query{of: []*view{&t.view}}
	column := t.sql.column(p.name)
	unusable := column + " IS NULL"
	if p.param == pgtype.NumericOID {
		// NaN is greater than every number.
		unusable = fmt.Sprintf("(%s OR %s <> trunc(%s) OR %s NOT BETWEEN -9223372036854775808 AND 9223372036854775807)", unusable, column, column, column)
	}
	q.sql = fmt.Sprintf("SELECT DISTINCT %s %s WHERE %s AND %s LIMIT %s",
		column, t.sql.from(), unusable, t.live(&q), q.bind(int8OID, strconv.Itoa(maxKeyless)))
	return q
}
