package pgsource

import (
	"context"
	"iter"
	"slices"
	"strings"

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
			page, err := t.keyPage(ctx, x, r, t.live, after)
			if !yield(page, err) || err != nil || page.rows < t.batch {
				return
			}
			after = page.last
		}
	}
}

// keyPage reads the keys of the rows that meet a condition.
func (t *Table) keyPage(ctx context.Context, x *tx, r doc.Range, live func(*query) string, after []string) (keyPage, error) {
	q, err := t.keysQuery(r, live, after)
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

func (t *Table) keysQuery(r doc.Range, live func(*query) string, after []string) (query, error) {
	return t.rangePageQuery("SELECT "+strings.Join(t.key.columns(t.sql), ", ")+" "+t.sql.from(), r, live, after, t.batch)
}
