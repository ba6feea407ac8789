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

// keyChunk is the number of keys in one query.
const keyChunk = 10_000

// StampsOf reads the current stamps of the live rows with these OIDs, with zero
// Updated if that is NULL or unusable. OIDs without a row are left out. Each
// OID comes once, with an unknown token if several rows have it. Each chunk of
// keyChunk OIDs is a short transaction.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	var all []doc.Stamp
	for chunk := range slices.Chunk(oids, keyChunk) {
		stamps, err := t.stampsByHalves(ctx, chunk)
		if err != nil {
			return nil, err
		}
		all = append(all, stamps...)
	}
	return onceEach(all, doc.SetOf(oids)), nil
}

// onceEach returns one stamp for each OID asked for. If the collation ignores
// case, the query returns other rows too.
func onceEach(stamps []doc.Stamp, asked map[doc.OID]bool) []doc.Stamp {
	at := make(map[doc.OID]int, len(stamps))
	kept := stamps[:0]
	for _, s := range stamps {
		switch i, twice := at[s.OID]; {
		case !asked[s.OID]:
		case twice:
			kept[i].Token.Digest = 0
		default:
			at[s.OID] = len(kept)
			kept = append(kept, s)
		}
	}
	return kept
}

// StampsInRange reads the stamps of all live rows of a key range, whatever
// their updateTime, in the database's order of keys. Each page is a short
// transaction, so the consumer may wait between pages. Each key comes once,
// with an unknown token if several rows have it.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		var after []string
		for {
			page, err := t.page(ctx, func(_ time.Duration, digest bool) (query, error) { return t.inRangeQuery(r, after, digest) }, nil)
			if isRowFault(err) {
				page, err = t.bisectPage(ctx, r, after, err)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			full := page.rows >= t.stampPage
			if full {
				if after, err = t.border(&page); err != nil {
					yield(nil, err)
					return
				}
			}
			if len(page.stamps) > 0 && !yield(page.stamps, nil) || !full {
				return
			}
		}
	}
}

// bisectPage reads a page of stamps that one query could not read.
func (t *Table) bisectPage(ctx context.Context, r doc.Range, after []string, fault error) (p page, err error) {
	p.stamps, p.last, err = t.bisectStamps(ctx, r, noCondition, after, fault)
	if p.last != nil {
		p.rows = t.stampPage // more may follow
	}
	return p, err
}

// border removes the last key of a full page, since more of its rows may
// follow, and returns the key after which the next page begins. A page of one
// key keeps it.
func (t *Table) border(p *page) (after []string, err error) {
	if n := len(p.stamps) - 1; n > 0 {
		p.stamps = p.stamps[:n]
		return t.key.texts(p.stamps[n-1].OID)
	}
	return p.last, nil
}

// Ordered reports whether the database orders keys as OIDs are ordered.
func (t *Table) Ordered() bool { return !slices.Contains(t.key.kinds(), doc.Text) }

func (t *Table) inRangeQuery(r doc.Range, after []string, digest bool) (query, error) {
	return t.rangePageQuery(t.stampsOnly(digest), r, t.liveFor(digest), after, t.stampPage)
}

// rangePageQuery selects a page of a range in the database's order of keys.
func (t *Table) rangePageQuery(selects string, r doc.Range, live condition, after []string, limit int) (query, error) {
	q := query{reads: []*view{&t.view}}
	where, err := t.bounds(&q, r, live)
	if err != nil {
		return query{}, err
	}
	if after != nil {
		where += " AND " + t.key.after(&q, t.sql, after)
	}
	q.sql = fmt.Sprintf("%s WHERE %s AND %s ORDER BY %s LIMIT %s", selects, where, t.key.notNull(t.sql),
		strings.Join(t.key.order(t.sql), ", "), q.bind(int8OID, strconv.Itoa(limit)))
	return q, nil
}

func (t *Table) byKeyQuery(oids []doc.OID, digest bool) (query, error) {
	q := query{reads: []*view{&t.view}}
	among, err := t.key.among(&q, t.sql, oids)
	q.sql = fmt.Sprintf("%s WHERE %s AND %s", t.stampsOnly(digest), among, t.liveFor(digest)(&q))
	return q, err
}

// liveFor is the condition on rows whose keys and digests are read. It is empty
// if only keys are read: then the deletion marks may be what fails.
func (t *Table) liveFor(digest bool) condition {
	if digest {
		return t.live
	}
	return noCondition
}

// A page is the stamps of the rows of one query.
type page struct {
	stamps   []doc.Stamp // of the rows with a usable key; one for neighbours with the same key
	rows     int
	unusable bool     // some row has an unusable key
	last     []string // key and updateTime, as text, of the last row with a key
}

// A pageQuery makes the query of a page: key, updateTime and token, or NULL for
// the token. unit is that of an updateTime that is a number.
type pageQuery func(unit time.Duration, digest bool) (query, error)

// page reads a page. If a row's digest fails, page reads the keys alone and
// then their stamps by halves. If the page has all rows, also runs in its
// transaction.
func (t *Table) page(ctx context.Context, ask pageQuery, also func(*tx)) (page, error) {
	p, err := t.readPage(ctx, ask, true, also)
	if !isRowFault(err) {
		return p, err
	}
	if p, err = t.readPage(ctx, ask, false, nil); err != nil {
		return page{}, err
	}
	stamps, err := t.stampsByHalves(ctx, doc.OIDs(p.stamps))
	p.stamps = inOrderOf(p.stamps, stamps)
	return p, err
}

// readPage reads a page. Without digests its tokens are unknown, and its
// updateTimes are those of the main rows alone.
func (t *Table) readPage(ctx context.Context, ask pageQuery, digest bool, also func(*tx)) (p page, err error) {
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
		_, err = x.each(ctx, q, func(raw [][]byte) bool {
			p.add(d, raw)
			return true
		})
		if err != nil || !digest {
			return err
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

// add adds a row. Several rows with one key have no known digest.
func (p *page) add(d *rowDecoder, raw [][]byte) {
	s, ok := d.loadStamp(raw)
	if !slices.ContainsFunc(raw[:len(d.key)], func(v []byte) bool { return v == nil }) {
		p.last = append(p.last[:0], d.texts...)
	}
	p.rows++
	switch n := len(p.stamps); {
	case !ok:
		p.unusable = true
	case n > 0 && p.stamps[n-1].OID == s.OID:
		p.stamps[n-1].Token.Digest = 0
	default:
		p.stamps = append(p.stamps, s)
	}
}

// addChildren adds the children's stamps to those of main rows.
func (t *Table) addChildren(ctx context.Context, x *tx, stamps []doc.Stamp) error {
	if len(t.children) == 0 || len(stamps) == 0 {
		return nil
	}
	all, err := t.digests(ctx, x, doc.OIDs(stamps))
	if err != nil {
		return err
	}
	parts := make([]childStamp, len(all))
	for i := range stamps {
		for j, of := range all {
			parts[j] = of[stamps[i].OID]
		}
		unknown := stamps[i].Token.Digest == 0
		_ = mergeChildStamps(&stamps[i], parts) // the stamp then has zero Updated
		if unknown {
			stamps[i].Token.Digest = 0
		}
	}
	return nil
}

// stampsByHalves reads the stamps of the live rows with these OIDs. A stamp
// whose digest fails has an unknown token. If all of a batch fail, the fault is
// the SQL's.
func (t *Table) stampsByHalves(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	p, err := t.stampsAmong(ctx, oids, true)
	if !isRowFault(err) {
		return p.stamps, err
	}
	if err := t.checkStatements(ctx); err != nil {
		return nil, err
	}
	var all []doc.Stamp
	for chunk := range slices.Chunk(oids, max(t.batch, sqlFaultRows)) {
		h := &stampHalving{table: t}
		if err := h.read(ctx, chunk); err != nil {
			return nil, err
		}
		if err := h.failed.fault(h.good); err != nil {
			return nil, t.wrap(err)
		}
		all = append(all, h.stamps...)
	}
	return all, nil
}

func (t *Table) stampsAmong(ctx context.Context, oids []doc.OID, digest bool) (page, error) {
	return t.readPage(ctx, func(time.Duration, bool) (query, error) { return t.byKeyQuery(oids, digest) }, digest, nil)
}

// A stampHalving reads stamps of which some fail.
type stampHalving struct {
	table  *Table
	stamps []doc.Stamp
	good   int // the number of stamps that did not fail
	failed faultTally
}

func (h *stampHalving) read(ctx context.Context, oids []doc.OID) error {
	p, err := h.table.stampsAmong(ctx, oids, true)
	switch {
	case err == nil:
		h.good += len(p.stamps)
		h.stamps = append(h.stamps, p.stamps...)
		return nil
	case !isRowFault(err):
		return err
	case len(oids) == 1:
		h.failed.add(err)
		return h.unknown(ctx, oids[0])
	}
	middle := len(oids) / 2
	if err := h.read(ctx, oids[:middle]); err != nil {
		return err
	}
	return h.read(ctx, oids[middle:])
}

// unknown adds the stamp of a row whose digest fails: its key and own
// updateTime, or its key alone if that fails too.
func (h *stampHalving) unknown(ctx context.Context, oid doc.OID) error {
	p, err := h.table.stampsAmong(ctx, []doc.OID{oid}, false)
	if isRowFault(err) {
		p, err = page{stamps: []doc.Stamp{{OID: oid, Token: doc.Token{Epoch: h.table.epoch}}}}, nil
	}
	h.stamps = append(h.stamps, p.stamps...)
	return err
}

// inOrderOf returns the stamps of the listed rows, in their order.
func inOrderOf(listed, stamps []doc.Stamp) []doc.Stamp {
	at := make(map[doc.OID]int, len(listed))
	for i, s := range listed {
		at[s.OID] = i
	}
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { _, ok := at[s.OID]; return !ok })
	slices.SortStableFunc(stamps, func(a, b doc.Stamp) int { return at[a.OID] - at[b.OID] })
	return stamps
}
