package pgsource

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// keyChunk is how many keys one query asks for.
const keyChunk = 10_000

// StampsOf reads the stamps of the live rows with these OIDs as they are now,
// with zero Updated where that is NULL or unusable. Rows that are gone do not
// come; where the database takes upper for lower case, others do. Each chunk is
// a short transaction of its own.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	var all []doc.Stamp
	for chunk := range slices.Chunk(oids, keyChunk) {
		stamps, err := t.stampsByHalves(ctx, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, stamps...)
	}
	return all, nil
}

// StampsInRange reads the stamps of all live rows of a key range, whatever
// their updateTime, in the database's own order of keys. Each page is a short
// transaction of its own: the consumer may rest between them. Of several rows
// with one key at a page's border at least one comes.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		var after []string
		for {
			page, err := t.page(ctx, func(_ time.Duration, digest bool) (query, error) { return t.inRangeQuery(r, after, digest) }, nil)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page.stamps) > 0 && !yield(page.stamps, nil) || page.rows < t.stampPage {
				return
			}
			after = page.last
		}
	}
}

// Ordered reports whether the database's order of keys is that of OIDs.
func (t *Table) Ordered() bool { return !slices.Contains(t.key.kinds(), doc.Text) }

func (t *Table) inRangeQuery(r doc.Range, after []string, digest bool) (query, error) {
	q := query{of: []*view{&t.view}}
	condition, err := t.within(&q, r)
	if err != nil {
		return query{}, err
	}
	if after != nil {
		condition += " AND " + t.key.after(&q, t.sql, after)
	}
	q.sql = fmt.Sprintf("%s WHERE %s AND %s ORDER BY %s LIMIT %s", t.stampsOnly(digest), condition, t.key.notNull(t.sql),
		strings.Join(t.key.order(t.sql), ", "), q.bind(int8OID, strconv.Itoa(t.stampPage)))
	return q, nil
}

func (t *Table) byKeyQuery(oids []doc.OID, digest bool) (query, error) {
	q := query{of: []*view{&t.view}}
	among, err := t.key.among(&q, t.sql, oids)
	q.sql = fmt.Sprintf("%s WHERE %s AND %s", t.stampsOnly(digest), among, t.live(&q))
	return q, err
}

// A page is the stamps of the rows of one query.
type page struct {
	stamps []doc.Stamp // of the rows with a usable key
	rows   int
	last   []string // the last row's key and updateTime, in text form
}

// An ask makes the query of a page: of key, updateTime and token, or NULL for
// the token. unit is that of an updateTime that is an epoch.
type ask func(unit time.Duration, digest bool) (query, error)

// page reads a page. Where some row's digest fails, and with it the page's, the
// keys are read alone and then their stamps by halves. A page that has all rows
// is followed by also, if any, in its transaction.
func (t *Table) page(ctx context.Context, ask ask, also func(*tx)) (page, error) {
	p, err := t.readPage(ctx, ask, true, also)
	if !poisoned(err) {
		return p, err
	}
	if p, err = t.readPage(ctx, ask, false, nil); err != nil {
		return page{}, err
	}
	stamps, err := t.stampsByHalves(ctx, oidsOf(p.stamps))
	p.stamps = inOrderOf(p.stamps, stamps)
	return p, err
}

// readPage reads a page with its digests, or without: then its tokens are not
// known, and its updateTimes are the main rows' alone.
func (t *Table) readPage(ctx context.Context, ask ask, digest bool, also func(*tx)) (p page, err error) {
	err = t.read(ctx, func(x *tx) error {
		unit, err := t.unit(ctx, x)
		if err != nil {
			return err
		}
		q, err := ask(unit, digest)
		if err != nil {
			return err
		}
		d := t.stampDecoder(unit)
		rows := x.rows(ctx, q)
		for ; rows.NextRow(); p.rows++ {
			if s, ok := d.loadStamp(rows.Values()); ok {
				p.stamps = append(p.stamps, s)
			}
		}
		p.last = slices.Clone(d.texts)
		if _, err := rows.Close(); err != nil || !digest {
			return x.fault(ctx, err)
		}
		if err := t.addChildren(ctx, x, p.stamps); err != nil {
			return err
		}
		if also != nil && p.rows < t.stampPage {
			also(x)
		}
		return nil
	})
	return p, err
}

// addChildren completes the stamps of main rows with what their children add.
func (t *Table) addChildren(ctx context.Context, x *tx, stamps []doc.Stamp) error {
	if len(t.children) == 0 || len(stamps) == 0 {
		return nil
	}
	all, err := t.digests(ctx, x, oidsOf(stamps))
	if err != nil {
		return err
	}
	parts := make([]part, len(all))
	for i := range stamps {
		for j, of := range all {
			parts[j] = of[stamps[i].OID]
		}
		_ = apply(&stamps[i], parts) // a zero updateTime tells
	}
	return nil
}

// stampsByHalves reads the stamps of the live rows with these OIDs. One whose
// digest fails comes with a token that is not known.
func (t *Table) stampsByHalves(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	ask := func(_ time.Duration, digest bool) (query, error) { return t.byKeyQuery(oids, digest) }
	p, err := t.readPage(ctx, ask, true, nil)
	if !poisoned(err) {
		return p.stamps, err
	}
	if len(oids) == 1 {
		p, err = t.readPage(ctx, ask, false, nil)
		return p.stamps, err
	}
	middle := len(oids) / 2
	first, err := t.stampsByHalves(ctx, oids[:middle])
	if err != nil {
		return nil, err
	}
	second, err := t.stampsByHalves(ctx, oids[middle:])
	return append(first, second...), err
}

func oidsOf(stamps []doc.Stamp) []doc.OID {
	oids := make([]doc.OID, len(stamps))
	for i, s := range stamps {
		oids[i] = s.OID
	}
	return oids
}

func setOf(oids []doc.OID) map[doc.OID]bool {
	set := make(map[doc.OID]bool, len(oids))
	for _, oid := range oids {
		set[oid] = true
	}
	return set
}

// inOrderOf returns the stamps of the rows that were listed, in their order.
func inOrderOf(listed, stamps []doc.Stamp) []doc.Stamp {
	at := make(map[doc.OID]int, len(listed))
	for i, s := range listed {
		at[s.OID] = i
	}
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { _, ok := at[s.OID]; return !ok })
	slices.SortStableFunc(stamps, func(a, b doc.Stamp) int { return at[a.OID] - at[b.OID] })
	return stamps
}
