package source

import (
	"context"
	"fmt"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"iter"
	"slices"
)

// A page is the stamps of one listing.
type page struct {
	stamps   []doc.Stamp // of the rows with a usable key; one for neighbours with one key
	more     bool        // rows follow
	last     []any       // the place of the last row, if more follow; nil: it has no key
	unusable bool        // some row has an unusable key
}

// A listing selects rows page by page in an order.
type listing interface {
	// begin prepares the next page. It reports false if there is no row.
	begin(context.Context, *tx) (bool, error)
	where() []dialect.Condition
	order() dialect.Fields
	place(raw []any) []any // of a row that begins with key and updateTime
}

// listPage reads a page. If the SQL fails for a row, listPage reads the keys and
// updateTimes alone, then the stamps by key. If the page has all rows, also runs
// in its transaction.
func (t *Table) listPage(ctx context.Context, doing string, l listing, also func(*tx, []doc.Stamp)) (page, error) {
	p, err := reading(ctx, t, doing, func(x *tx) (page, error) {
		if err := t.rowLimit.check(ctx, x); err != nil {
			return page{}, err
		}
		p, err := t.readPage(ctx, x, t.view, l, true)
		if err == nil {
			p.stamps, err = t.complete(ctx, x, p.stamps)
		}
		if err == nil && also != nil && !p.more {
			also(x, p.stamps)
		}
		return p, err
	})
	if !isRowFault(err) {
		return p, err
	}
	p, err = reading(ctx, t, doing, func(x *tx) (page, error) { return t.readPage(ctx, x, t.view, l, false) })
	if err != nil {
		return p, err
	}
	stamps, err := t.stampsByHalves(ctx, doc.OIDs(p.stamps))
	p.stamps = inOrderOf(p.stamps, stamps)
	return p, err
}

// readPage reads a page of a view, with the updateTimes of its rows alone. Without
// digests the tokens are unknown, and marked rows are included: the marks may be
// what fails.
func (t *Table) readPage(ctx context.Context, x *tx, v *view, l listing, digest bool) (page, error) {
	r := &stampReader{table: t, view: v, listing: l}
	if ok, err := l.begin(ctx, x); !ok || err != nil {
		return r.page, err
	}
	err := r.run(ctx, x, digest, l.where()...)
	return r.page, err
}

// A stampReader reads rows of key, updateTime and token into a page.
type stampReader struct {
	table   *Table
	view    *view
	listing listing // nil: rows by key, which are all on the page
	page    page
	times   dialect.Times
	read    int
}

func (r *stampReader) run(ctx context.Context, x *tx, digest bool, where ...dialect.Condition) (err error) {
	if r.times, err = r.view.times(ctx, x); err != nil {
		return err
	}
	if digest {
		where = append(where, r.table.liveOf(r.view))
	}
	q := r.view.stamps(digest).Where(where...)
	if r.listing != nil {
		q.Order(r.listing.order()).Limit(r.table.stampPage + 1)
	}
	_, err = x.each(ctx, q, r.add)
	return err
}

// add adds a row. Neighbours with one key become one stamp with an unknown token,
// even across the end of the page. The row after the page shows that there are
// more.
func (r *stampReader) add(raw []any) bool {
	p, k, n := &r.page, len(r.view.key), len(r.page.stamps)
	if r.listing != nil {
		r.read++
		p.more = r.read > r.table.stampPage
		if r.read == r.table.stampPage && !slices.Contains(raw[:k], nil) {
			p.last = r.listing.place(raw)
		}
	}
	oid, err := r.view.oid(raw)
	switch {
	case err == nil && n > 0 && p.stamps[n-1].OID == oid:
		p.stamps[n-1].Token.Digest = 0
	case p.more:
	case err != nil:
		p.unusable = true
	default:
		s := doc.Stamp{OID: oid, Token: doc.Token{Epoch: r.table.epoch}}
		s.Updated = r.view.timeOf(raw[k], r.times)
		if len(raw) > k+1 {
			s.Token.Digest, _ = digestOf(raw[k+1])
		}
		p.stamps = append(p.stamps, s)
	}
	return true
}

// complete drops the stamps of rows that the deleted SQL lists, and adds the
// children to the others.
func (t *Table) complete(ctx context.Context, x *tx, stamps []doc.Stamp) ([]doc.Stamp, error) {
	if len(stamps) == 0 || t.deletion.list == nil && len(t.children) == 0 {
		return stamps, nil
	}
	listed, err := t.listed(ctx, x, distinct(stamps))
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { return listed[s.OID] })
	if err != nil || len(t.children) == 0 {
		return stamps, err
	}
	oids := distinct(stamps)
	r := t.newChildReader(oids)
	_, err = r.read(ctx, x, oids, false)
	for i := range stamps {
		_ = merge(&stamps[i], r.byParent[stamps[i].OID]) // fetching the row returns the reason
	}
	return stamps, err
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
	slices.SortFunc(stamps, func(a, b doc.Stamp) int { return at[a.OID] - at[b.OID] })
	return stamps
}

// onceEach returns one stamp for each OID, with an unknown token if there are
// several.
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

// StampsOf reads the current stamps of the live rows with these OIDs, with zero
// Updated if that is NULL or unusable. OIDs without a row are left out. Each OID
// comes once, with an unknown token if several rows have it.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) (all []doc.Stamp, err error) {
	for part := range slices.Chunk(oids, t.maxKeys()) {
		stamps, err := t.stampsByHalves(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, stamps...)
	}
	return all, nil
}

// stampsByHalves is StampsOf. A stamp whose digest fails has an unknown token, so
// that the row is fetched and the fetch reports why. If all of a part fail, the
// fault is the SQL's.
func (t *Table) stampsByHalves(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	stamps, err := t.stampsAmong(ctx, oids, true)
	if !isRowFault(err) {
		return onceEach(stamps), err
	}
	h := &halving{table: t}
	h.some = func(ctx context.Context, oids []doc.OID) error {
		some, err := t.stampsAmong(ctx, oids, true)
		h.read += len(some)
		stamps = append(stamps, some...)
		return err
	}
	h.one = func(ctx context.Context, oid doc.OID) error {
		err := h.some(ctx, []doc.OID{oid})
		if isRowFault(err) {
			var one []doc.Stamp
			one, err = h.unknown(ctx, oid, err)
			stamps = append(stamps, one...)
		}
		return err
	}
	for part := range slices.Chunk(oids, max(t.batch, sqlFaultRows)) {
		if err := h.part(ctx, part); err != nil {
			return nil, t.wrap("read stamps by key", err)
		}
	}
	return onceEach(stamps), nil
}

// unknown returns the stamp of a row whose digest fails: its key and own
// updateTime, or its key alone if that fails too; none if the row does not exist or
// is marked deleted.
func (h *halving) unknown(ctx context.Context, oid doc.OID, fault error) ([]doc.Stamp, error) {
	t := h.table
	if _, live, err := t.state(ctx, oid); err != nil || !live {
		return nil, err
	}
	h.failed.add(fault)
	stamps, err := t.stampsAmong(ctx, []doc.OID{oid}, false)
	if isRowFault(err) {
		return []doc.Stamp{{OID: oid, Token: doc.Token{Epoch: t.epoch}}}, nil
	}
	return stamps, err
}

// stampsAmong reads the stamps of the live rows with these OIDs, in parts that one
// statement can select by. Without digests the tokens are unknown, the updateTimes
// are those of the main rows, and marked rows are included.
func (t *Table) stampsAmong(ctx context.Context, oids []doc.OID, digest bool) (stamps []doc.Stamp, err error) {
	for part := range slices.Chunk(oids, t.maxKeys()) {
		err := t.read(ctx, fmt.Sprintf("read the stamps of %d rows", len(part)), func(x *tx) error {
			among, err := t.among(part)
			if err != nil {
				return err
			}
			r := stampReader{table: t, view: t.view}
			if err := r.run(ctx, x, digest, among); err != nil {
				return err
			}
			read := doc.Among(r.page.stamps, part)
			if digest {
				read, err = t.complete(ctx, x, read)
			}
			stamps = append(stamps, read...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return stamps, nil
}

// lists is sequence for lists. It leaves out empty ones.
func lists[T any](run func(emit func([]T) error) error) iter.Seq2[[]T, error] {
	return sequence(func(emit func([]T) error) error {
		return run(func(list []T) error {
			if len(list) == 0 {
				return nil
			}
			return emit(list)
		})
	})
}

// StampsInRange reads the stamps of all live rows of a key range, whatever their
// updateTime, in the database's order of keys. Each page is a short transaction,
// so the consumer may wait between pages. Each key comes once, with an unknown
// token if several rows have it.
func (t *Table) StampsInRange(ctx context.Context, r doc.Range) iter.Seq2[[]doc.Stamp, error] {
	return lists(func(emit func([]doc.Stamp) error) error {
		s, err := t.newScan(r)
		if err != nil {
			return err
		}
		return t.stampsOfScan(ctx, s, nil, emit)
	})
}

// stampsOfScan emits the stamps of a scan. fault is the error of a statement for
// the keys alone; nil: not known.
func (t *Table) stampsOfScan(ctx context.Context, s *scan, fault error, emit func([]doc.Stamp) error) error {
	for !s.done {
		var p page
		err := fault
		if err == nil {
			p, err = t.listPage(ctx, "read the stamps of a range", s, nil)
		}
		if isRowFault(err) {
			p, err = t.bisectPage(ctx, s, err)
		}
		if err != nil {
			return err
		}
		s.done, s.last = !p.more, p.last
		if err := emit(p.stamps); err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) begin(context.Context, *tx) (bool, error) { return true, nil }
func (s *scan) order() dialect.Fields                    { return s.keyOrder() }
func (s *scan) place(raw []any) []any                    { return s.view.place(raw[:len(s.key)]) }
