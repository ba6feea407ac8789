package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"indexerd/internal/doc"
)

// A page is the stamps of one listing.
type page struct {
	stamps   []doc.Stamp // of the rows with a usable key; one for adjacent rows of one key
	last     []any       // key and updateTime of the last row whose key has no NULL; nil: none
	more     bool        // the page is full
	unusable bool        // a row has an unusable key
}

// A listing selects the rows whose stamps are read, in an order.
type listing struct {
	where condition
	order string
	limit int // 0: none
}

// StampsOf reads the stamps of the rows with these keys, each key once. It leaves
// out rows that do not exist or are marked deleted. The token of a key that
// several rows have is unknown.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) (stamps []doc.Stamp, err error) {
	for chunk := range slices.Chunk(oids, maxKeys) {
		err := t.read(ctx, func(tx *sql.Tx) error {
			some, err := t.stampsByHalves(ctx, tx, chunk)
			stamps = append(stamps, some...)
			return err
		})
		if err != nil {
			return nil, t.source.fault("read the stamps of rows of "+t.name, err)
		}
	}
	return onceEach(stamps), nil
}

// onceEach returns one stamp for each key.
func onceEach(stamps []doc.Stamp) []doc.Stamp {
	at := make(map[doc.OID]int, len(stamps))
	once := stamps[:0]
	for _, s := range stamps {
		if i, twice := at[s.OID]; twice {
			once[i].Token.Digest = 0
			continue
		}
		at[s.OID] = len(once)
		once = append(once, s)
	}
	return once
}

// list reads a page of stamps. If the SQL fails for a row, it reads the page's
// keys, then the stamps by key.
func (t *Table) list(ctx context.Context, tx *sql.Tx, l listing) (page, error) {
	p, err := t.listRows(ctx, tx, t.statements.stamps, l)
	if err == nil {
		p.stamps, err = t.completeStamps(ctx, tx, p.stamps)
	}
	if !isRowFault(err) {
		return p, err
	}
	if p, err = t.listRows(ctx, tx, t.statements.times, l); err != nil {
		return page{}, err
	}
	oids := distinct(p.stamps)
	stamps, err := t.stampsByHalves(ctx, tx, oids)
	if err != nil {
		return page{}, err
	}
	p.stamps = onceEach(stamps)
	place := make(map[doc.OID]int, len(oids))
	for i, oid := range oids {
		place[oid] = i
	}
	slices.SortStableFunc(p.stamps, func(a, b doc.Stamp) int { return place[a.OID] - place[b.OID] })
	return p, nil
}

// listRows reads a page of stamps of the main rows, without their children. The
// columns of selected are key, updateTime and optionally the token.
func (t *Table) listRows(ctx context.Context, tx *sql.Tx, selected string, l listing) (p page, err error) {
	format, err := t.findFormat(ctx, tx)
	if err != nil {
		return p, err
	}
	k, n := len(t.key), 0
	columns := k + 1
	if selected == t.statements.stamps {
		columns++
	}
	limit := cmp.Or(l.limit, -1) // LIMIT -1 is no limit
	err = eachRow(ctx, tx, selected+l.where.String()+l.order+" LIMIT ?", append(l.where.args, limit), columns, func(raw []any) bool {
		n++
		if !slices.Contains(raw[:k], nil) {
			p.last = append(p.last[:0], raw[:k+1]...)
		}
		p.add(t, raw, k, format)
		return true
	})
	p.more = n == limit
	return p, err
}

// add adds a row. Adjacent rows of one key become one stamp with an unknown token.
func (p *page) add(t *Table, raw []any, k int, f *timeFormat) {
	oid, err := t.oid(raw[:k])
	switch n := len(p.stamps); {
	case err != nil:
		p.unusable = true
	case n > 0 && p.stamps[n-1].OID == oid:
		p.stamps[n-1].Token.Digest = 0
	default:
		p.stamps = append(p.stamps, t.stamp(oid, raw[k:], f))
	}
}

// stamp returns the stamp of a key, an updateTime and optionally a token.
func (t *Table) stamp(oid doc.OID, raw []any, f *timeFormat) doc.Stamp {
	s := doc.Stamp{OID: oid, Token: doc.Token{Epoch: t.epoch}}
	if raw[0] != nil {
		s.Updated, _ = f.time(raw[0]) // an invalid one stays zero: see Stamps
	}
	if len(raw) > 1 {
		digest, _ := raw[1].(int64)
		s.Token.Digest = uint64(digest)
	}
	return s
}

// completeStamps drops the stamps of rows that the deleted SQL lists, and adds the
// children to the others.
func (t *Table) completeStamps(ctx context.Context, tx *sql.Tx, stamps []doc.Stamp) ([]doc.Stamp, error) {
	if t.deletion.list == nil && len(t.children) == 0 {
		return stamps, nil
	}
	listed, err := t.listed(ctx, tx, distinct(stamps))
	if err != nil {
		return nil, err
	}
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { return listed[s.OID] })
	byParent, err := t.readChildRows(ctx, tx, distinct(stamps), false, 0)
	if err != nil {
		return nil, err
	}
	for i, s := range stamps {
		stamps[i] = stampWithChildren(s, byParent[s.OID])
	}
	return stamps, nil
}

// distinct returns the keys of stamps in their order, each once.
func distinct(stamps []doc.Stamp) (oids []doc.OID) {
	seen := make(map[doc.OID]bool, len(stamps))
	for _, s := range stamps {
		if !seen[s.OID] {
			seen[s.OID] = true
			oids = append(oids, s.OID)
		}
	}
	return oids
}

// stampsByHalves reads the stamps of the rows with these keys, at most maxKeys. If
// the SQL fails for a row, it halves the keys until the row is alone. If all rows
// of a batch fail, it returns an error of the SQL.
func (t *Table) stampsByHalves(ctx context.Context, tx *sql.Tx, oids []doc.OID) (all []doc.Stamp, err error) {
	if len(oids) == 0 {
		return nil, nil
	}
	stamps, err := t.stampsAmong(ctx, tx, oids)
	if !isRowFault(err) {
		return stamps, err
	}
	if err := t.checkStatements(ctx, tx); err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(oids, max(t.batch, sqlFaultRows)) {
		h := &stampHalving{table: t}
		if err := h.halve(ctx, tx, chunk); err != nil {
			return nil, err
		}
		if err := h.failed.fault(h.read); err != nil {
			return nil, err
		}
		all = append(all, h.stamps...)
	}
	return all, nil
}

// A stampHalving reads stamps by key, some of which may fail.
type stampHalving struct {
	table  *Table
	stamps []doc.Stamp
	read   int // stamps that did not fail
	failed faultTally
}

func (h *stampHalving) halve(ctx context.Context, tx *sql.Tx, oids []doc.OID) error {
	stamps, err := h.table.stampsAmong(ctx, tx, oids)
	switch {
	case err == nil:
		h.read += len(stamps)
		h.stamps = append(h.stamps, stamps...)
		return nil
	case !isRowFault(err):
		return err
	case len(oids) == 1:
		unknown, other := h.table.unknownStamp(ctx, tx, oids[0])
		if len(unknown) > 0 {
			h.failed.add(err)
			h.stamps = append(h.stamps, unknown...)
		}
		return other
	}
	half := len(oids) / 2
	if err := h.halve(ctx, tx, oids[:half]); err != nil {
		return err
	}
	return h.halve(ctx, tx, oids[half:])
}

// stampsAmong reads the stamps of the rows with these keys. It drops rows whose
// keys are only equal under the collation.
func (t *Table) stampsAmong(ctx context.Context, tx *sql.Tx, oids []doc.OID) ([]doc.Stamp, error) {
	where, err := t.liveAmong(oids)
	if err != nil {
		return nil, err
	}
	p, err := t.listRows(ctx, tx, t.statements.stamps, listing{where: where})
	if err != nil {
		return nil, err
	}
	return t.completeStamps(ctx, tx, doc.Among(p.stamps, oids))
}

func (t *Table) liveAmong(oids []doc.OID) (where condition, err error) {
	t.live(&where)
	return where, t.among(&where, oids)
}

// unknownStamp returns the stamp of a row for which the SQL fails: one with an
// unknown token, so that the row is fetched and the fetch reports why; none if the
// row does not exist or is marked deleted.
func (t *Table) unknownStamp(ctx context.Context, tx *sql.Tx, oid doc.OID) ([]doc.Stamp, error) {
	unknown := []doc.Stamp{{OID: oid, Token: doc.Token{Epoch: t.epoch}}}
	exists, live, err := t.rowState(ctx, tx, oid)
	switch {
	case isRowFault(err):
		return unknown, nil
	case err != nil || !exists || !live:
		return nil, err
	}
	where, err := t.liveAmong([]doc.OID{oid})
	if err != nil {
		return nil, err
	}
	p, err := t.listRows(ctx, tx, t.statements.times, listing{where: where})
	if isRowFault(err) {
		return unknown, nil
	}
	return p.stamps, err
}
