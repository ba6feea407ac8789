package sqlsource

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// A page is the stamps of one listing.
type page struct {
	stamps   []doc.Stamp // of the rows with a usable key; one for neighbours with one key
	more     bool        // rows follow
	last     *place      // of the last row, if more follow; nil: it has no key
	unusable bool        // some row has an unusable key
}

// A listing selects rows page by page in an order.
type listing interface {
	// begin prepares the next page. It reports false if there is no row.
	begin(context.Context, *tx) (bool, error)
	where() []condition
	order() []string
	place(key []any, updated any) *place
}

// listPage reads a page. If the SQL fails for a row, listPage reads the keys and
// updateTimes alone, then the stamps by key. If the page has all rows, also runs
// in its transaction.
func (t *Table) listPage(ctx context.Context, doing string, l listing, also func(*tx, []doc.Stamp)) (page, error) {
	p, err := t.readPage(ctx, doing, l, true, also)
	if !isRowFault(err) {
		return p, err
	}
	if p, err = t.readPage(ctx, doing, l, false, nil); err != nil {
		return page{}, err
	}
	stamps, err := t.stampsByHalves(ctx, doc.OIDs(p.stamps))
	p.stamps = inOrderOf(p.stamps, stamps)
	return p, err
}

// readPage reads a page. Without digests its tokens are unknown, its updateTimes
// are those of the main rows, and marked rows are included: the marks may be what
// fails.
func (t *Table) readPage(ctx context.Context, doing string, l listing, digest bool, also func(*tx, []doc.Stamp)) (p page, err error) {
	err = t.read(ctx, doing, func(x *tx) error {
		if ok, err := l.begin(ctx, x); !ok || err != nil {
			return err
		}
		times, err := t.times(ctx, x)
		if err != nil {
			return err
		}
		where := l.where()
		if digest {
			where = append(where, t.live())
		}
		q := t.stamps(digest).where(where...).order(l.order()).limit(t.stampPage + 1)
		p = page{}
		r := stampReader{table: t, times: times, page: &p, limit: t.stampPage, place: l.place}
		if _, err := x.each(ctx, q, r.add); err != nil {
			return err
		}
		if digest {
			if err := t.complete(ctx, x, &p); err != nil {
				return err
			}
		}
		if also != nil && !p.more {
			also(x, p.stamps)
		}
		return nil
	})
	return p, err
}

// A stampReader reads rows of key, updateTime and token into a page.
type stampReader struct {
	table *Table
	times Times
	page  *page
	limit int // rows of the page; the next one shows that there are more; 0: no limit
	read  int
	place func(key []any, updated any) *place
}

// add adds a row. Neighbours with one key become one stamp with an unknown token,
// even across the end of the page.
func (r *stampReader) add(raw []any) bool {
	t, p, k := r.table, r.page, len(r.table.key)
	r.read++
	oid, err := t.oid(raw)
	n := len(p.stamps)
	again := err == nil && n > 0 && p.stamps[n-1].OID == oid
	switch {
	case again:
		p.stamps[n-1].Token.Digest = 0
	case r.limit > 0 && r.read > r.limit:
	case err != nil:
		p.unusable = true
	default:
		digest, _ := digestOf(raw[k+1])
		s, _ := t.stamp(oid, raw[k], digest, r.times) // fetching the row returns the reason
		p.stamps = append(p.stamps, s)
	}
	if r.limit > 0 && r.read == r.limit && !slices.Contains(raw[:k], nil) {
		p.last = r.place(raw[:k], raw[k])
	}
	p.more = r.limit > 0 && r.read > r.limit
	return true
}

// complete drops the stamps of rows that the deleted SQL lists, and adds the
// children to the others.
func (t *Table) complete(ctx context.Context, x *tx, p *page) error {
	if len(p.stamps) == 0 || t.deletion.list == nil && len(t.children) == 0 {
		return nil
	}
	listed, err := t.listed(ctx, x, distinct(p.stamps))
	if err != nil {
		return err
	}
	p.stamps = slices.DeleteFunc(p.stamps, func(s doc.Stamp) bool { return listed[s.OID] })
	if len(t.children) == 0 {
		return nil
	}
	oids := distinct(p.stamps)
	r := t.newChildReader(oids)
	if _, err := r.read(ctx, x, oids, false); err != nil {
		return err
	}
	for i := range p.stamps {
		_ = merge(&p.stamps[i], r.byParent[p.stamps[i].OID]) // fetching the row returns the reason
	}
	return nil
}

// distinct returns the keys of stamps in their order, each once.
func distinct(stamps []doc.Stamp) []doc.OID {
	oids := doc.OIDs(stamps)
	seen := make(map[doc.OID]bool, len(oids))
	return slices.DeleteFunc(oids, func(oid doc.OID) bool {
		again := seen[oid]
		seen[oid] = true
		return again
	})
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

// StampsOf reads the current stamps of the live rows with these OIDs, with zero
// Updated if that is NULL or unusable. OIDs without a row are left out. Each OID
// comes once, with an unknown token if several rows have it.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	var all []doc.Stamp
	for part := range slices.Chunk(oids, t.maxKeys()) {
		stamps, err := t.stampsByHalves(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, stamps...)
	}
	return onceEach(all), nil
}

// onceEach returns one stamp for each OID.
func onceEach(stamps []doc.Stamp) []doc.Stamp {
	at := make(map[doc.OID]int, len(stamps))
	kept := stamps[:0]
	for _, s := range stamps {
		if i, twice := at[s.OID]; twice {
			kept[i].Token.Digest = 0
			continue
		}
		at[s.OID] = len(kept)
		kept = append(kept, s)
	}
	return kept
}

// stampsByHalves reads the stamps of the live rows with these OIDs. A stamp whose
// digest fails has an unknown token, so that the row is fetched and the fetch
// reports why. If all of a part fail, the fault is the SQL's.
func (t *Table) stampsByHalves(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	stamps, err := t.stampsAmong(ctx, oids, true)
	if !isRowFault(err) {
		return stamps, err
	}
	if err := t.checkStatements(ctx); err != nil {
		return nil, err
	}
	var all []doc.Stamp
	for part := range slices.Chunk(oids, max(t.batch, sqlFaultRows)) {
		h := &stampHalving{table: t}
		if err := h.read(ctx, part); err != nil {
			return nil, err
		}
		if err := h.failed.fault(h.good); err != nil {
			return nil, t.wrap("read stamps by key", err)
		}
		all = append(all, h.stamps...)
	}
	return all, nil
}

// stampsAmong reads the stamps of the live rows with these OIDs, in parts that one
// statement can select by. Without digests the tokens are unknown, the updateTimes
// are those of the main rows, and marked rows are included.
func (t *Table) stampsAmong(ctx context.Context, oids []doc.OID, digest bool) (stamps []doc.Stamp, err error) {
	for part := range slices.Chunk(oids, t.maxKeys()) {
		err = t.read(ctx, fmt.Sprintf("read the stamps of %d rows", len(part)), func(x *tx) error {
			among, err := t.among(part)
			if err != nil {
				return err
			}
			times, err := t.times(ctx, x)
			if err != nil {
				return err
			}
			var p page
			r := stampReader{table: t, times: times, page: &p}
			q := t.stamps(digest).where(among)
			if digest {
				q = t.stamps(true).where(among, t.live())
			}
			if _, err := x.each(ctx, q, r.add); err != nil {
				return err
			}
			p.stamps = doc.Among(p.stamps, part)
			if digest {
				err = t.complete(ctx, x, &p)
			}
			stamps = append(stamps, p.stamps...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return stamps, nil
}

// A stampHalving reads stamps of which some fail.
type stampHalving struct {
	table  *Table
	stamps []doc.Stamp
	good   int // the number of stamps that did not fail
	failed faultTally
}

func (h *stampHalving) read(ctx context.Context, oids []doc.OID) error {
	stamps, err := h.table.stampsAmong(ctx, oids, true)
	switch {
	case err == nil:
		h.good += len(stamps)
		h.stamps = append(h.stamps, stamps...)
		return nil
	case !isRowFault(err):
		return err
	case len(oids) == 1:
		return h.unknown(ctx, oids[0], err)
	}
	middle := len(oids) / 2
	if err := h.read(ctx, oids[:middle]); err != nil {
		return err
	}
	return h.read(ctx, oids[middle:])
}

// unknown adds the stamp of a row whose digest fails: its key and own updateTime,
// or its key alone if that fails too; none if the row does not exist or is marked
// deleted.
func (h *stampHalving) unknown(ctx context.Context, oid doc.OID, fault error) error {
	t := h.table
	_, live, err := t.state(ctx, oid)
	if err != nil || !live {
		return err
	}
	h.failed.add(fault)
	stamps, err := t.stampsAmong(ctx, []doc.OID{oid}, false)
	if isRowFault(err) {
		stamps, err = []doc.Stamp{{OID: oid, Token: doc.Token{Epoch: t.epoch}}}, nil
	}
	h.stamps = append(h.stamps, stamps...)
	return err
}

// StampsInRange reads the stamps of all live rows of a key range, whatever their
// updateTime, in the database's order of keys. Each page is a short transaction,
// so the consumer may wait between pages. Each key comes once, with an unknown
// token if several rows have it.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		const doing = "read the stamps of a range"
		s, err := t.newScan(r)
		l := rangeListing{table: t, scan: s}
		for !s.done && err == nil {
			var p page
			p, err = t.listPage(ctx, doing, l, nil)
			if isRowFault(err) {
				p, err = t.bisectPage(ctx, s, nil, err)
			}
			if err != nil {
				break
			}
			s.done, s.after = !p.more, p.last
			if len(p.stamps) > 0 && !yield(p.stamps, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A rangeListing lists the rows of a range in the order of keys.
type rangeListing struct {
	table *Table
	scan  *scan
}

func (l rangeListing) begin(context.Context, *tx) (bool, error) { return true, nil }
func (l rangeListing) where() []condition                       { return l.scan.where(l.table) }
func (l rangeListing) order() []string                          { return l.table.keyOrder() }
func (l rangeListing) place(key []any, _ any) *place            { return l.table.placeOf(key) }

// windowOrder is the order of windows: updateTime, then key.
func (v *view) windowOrder() []string { return slices.Insert(v.keyOrder(), 0, v.exprs[v.updated.at]) }

// windowPlace returns the place of a row in windowOrder.
func (v *view) windowPlace(key []any, updated any) *place {
	p := v.placeOf(key)
	p.updated = keep(updated)
	return p
}

// windowTerms compares updateTime and key with a place, in the columns' order.
func (v *view) windowTerms(p *place) []term {
	at := v.updated.at
	return slices.Insert(v.terms(p), 0, term{v.exprs[at], p.updated, &v.Columns[at]})
}

// joined returns expressions as a list.
func joined(exprs []string) string { return strings.Join(exprs, ", ") }
