package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"indexerd/internal/doc"
)

// A page is the stamps of the rows of one listing.
type page struct {
	stamps   []doc.Stamp // of the rows with a usable key; of neighbours with one key, one
	last     []any       // key and updateTime of the last row without a NULL in its key; nil: none
	more     bool        // the page is full
	unusable bool        // some row's key is
}

// A listing says which rows' stamps to read, and in which order.
type listing struct {
	where condition
	order string
	limit int // 0: none
}

// StampsOf reads the stamps of the rows with these keys, each key once. Rows
// that are gone or marked deleted are absent. The token of a key that several
// rows have is not known.
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

// list reads a page of stamps. Where that fails at a row, it reads the page's
// keys and then the stamps by key.
func (t *Table) list(ctx context.Context, tx *sql.Tx, l listing) (page, error) {
	p, err := t.own(ctx, tx, t.statements.stamps, l)
	if err == nil {
		p.stamps, err = t.withFamily(ctx, tx, p.stamps)
	}
	if !isRowFault(err) {
		return p, err
	}
	if p, err = t.own(ctx, tx, t.statements.times, l); err != nil {
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

// own reads a page of the rows' own stamps, without their children: selected
// are key and updateTime, and the token or none.
func (t *Table) own(ctx context.Context, tx *sql.Tx, selected string, l listing) (p page, err error) {
	clock, err := t.findClock(ctx, tx)
	if err != nil {
		return p, err
	}
	k, n := len(t.key), 0
	columns := k + 1
	if selected == t.statements.stamps {
		columns++
	}
	limit := cmp.Or(l.limit, -1) // SQLite's word for none
	err = each(ctx, tx, selected+l.where.String()+l.order+" LIMIT ?", append(l.where.args, limit), columns, func(raw []any) bool {
		n++
		if !slices.Contains(raw[:k], nil) {
			p.last = append(p.last[:0], raw[:k+1]...)
		}
		p.add(t, raw, k, clock)
		return true
	})
	p.more = n == limit
	return p, err
}

// add adds a row. Of several rows with one key no digest is known: each is
// another one's.
func (p *page) add(t *Table, raw []any, k int, c *clock) {
	oid, err := t.oid(raw[:k])
	switch n := len(p.stamps); {
	case err != nil:
		p.unusable = true
	case n > 0 && p.stamps[n-1].OID == oid:
		p.stamps[n-1].Token.Digest = 0
	default:
		p.stamps = append(p.stamps, t.stamp(oid, raw[k:], c))
	}
}

// stamp makes a stamp of updateTime and token; the token may be absent.
func (t *Table) stamp(oid doc.OID, raw []any, c *clock) doc.Stamp {
	s := doc.Stamp{OID: oid, Token: doc.Token{Epoch: t.epoch}}
	if raw[0] != nil {
		s.Updated, _ = c.time(raw[0]) // see Stamps
	}
	if len(raw) > 1 {
		digest, _ := raw[1].(int64)
		s.Token.Digest = uint64(digest)
	}
	return s
}

// withFamily leaves out the stamps of rows that the deleted SQL lists, and
// makes of the others what their children make of them.
func (t *Table) withFamily(ctx context.Context, tx *sql.Tx, stamps []doc.Stamp) ([]doc.Stamp, error) {
	if t.deletion.list == nil && len(t.children) == 0 {
		return stamps, nil
	}
	listed, err := t.listed(ctx, tx, distinct(stamps))
	if err != nil {
		return nil, err
	}
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { return listed[s.OID] })
	families, err := t.broods(ctx, tx, distinct(stamps), false, 0)
	if err != nil {
		return nil, err
	}
	for i, s := range stamps {
		stamps[i] = t.grown(s, families[s.OID])
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

// stampsByHalves reads the stamps of the rows with these keys, at most maxKeys.
// Where that fails at a row, it halves the keys until the row is alone. Where
// all of a batch fail, the fault is the SQL's.
func (t *Table) stampsByHalves(ctx context.Context, tx *sql.Tx, oids []doc.OID) (all []doc.Stamp, err error) {
	if len(oids) == 0 {
		return nil, nil
	}
	stamps, err := t.tryAmong(ctx, tx, oids)
	if !isRowFault(err) {
		return stamps, err
	}
	if err := t.sound(ctx, tx); err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(oids, max(t.batch, alike)) {
		h := &stampHalving{table: t}
		if err := h.read(ctx, tx, chunk); err != nil {
			return nil, err
		}
		if err := h.failed.fault(h.sound); err != nil {
			return nil, err
		}
		all = append(all, h.stamps...)
	}
	return all, nil
}

// A stampHalving reads stamps of which some fail.
type stampHalving struct {
	table  *Table
	stamps []doc.Stamp
	sound  int // stamps that did not fail
	failed faultTally
}

func (h *stampHalving) read(ctx context.Context, tx *sql.Tx, oids []doc.OID) error {
	stamps, err := h.table.tryAmong(ctx, tx, oids)
	switch {
	case err == nil:
		h.sound += len(stamps)
		h.stamps = append(h.stamps, stamps...)
		return nil
	case !isRowFault(err):
		return err
	case len(oids) == 1:
		unknown, broken := h.table.poisoned(ctx, tx, oids[0])
		if len(unknown) > 0 {
			h.failed.add(err)
			h.stamps = append(h.stamps, unknown...)
		}
		return broken
	}
	half := len(oids) / 2
	if err := h.read(ctx, tx, oids[:half]); err != nil {
		return err
	}
	return h.read(ctx, tx, oids[half:])
}

func (t *Table) tryAmong(ctx context.Context, tx *sql.Tx, oids []doc.OID) ([]doc.Stamp, error) {
	where, err := t.liveAmong(oids)
	if err != nil {
		return nil, err
	}
	p, err := t.own(ctx, tx, t.statements.stamps, listing{where: where})
	if err != nil {
		return nil, err
	}
	asked := make(map[doc.OID]bool, len(oids))
	for _, oid := range oids {
		asked[oid] = true
	}
	stamps := slices.DeleteFunc(p.stamps, func(s doc.Stamp) bool { return !asked[s.OID] })
	return t.withFamily(ctx, tx, stamps)
}

func (t *Table) liveAmong(oids []doc.OID) (where condition, err error) {
	t.live(&where)
	return where, t.among(&where, oids)
}

// poisoned is the stamp of a row that can't be read: of unknown token, so that
// it is fetched, and the fetch says why.
func (t *Table) poisoned(ctx context.Context, tx *sql.Tx, oid doc.OID) ([]doc.Stamp, error) {
	unknown := []doc.Stamp{{OID: oid, Token: doc.Token{Epoch: t.epoch}}}
	there, live, err := t.standing(ctx, tx, oid)
	switch {
	case isRowFault(err):
		return unknown, nil
	case err != nil || !there || !live:
		return nil, err
	}
	where, err := t.liveAmong([]doc.OID{oid})
	if err != nil {
		return nil, err
	}
	p, err := t.own(ctx, tx, t.statements.times, listing{where: where})
	if isRowFault(err) {
		return unknown, nil
	}
	return p.stamps, err
}
