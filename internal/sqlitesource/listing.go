package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"indexerd/internal/doc"
)

// A listing says which rows' stamps to read, and in which order.
type listing struct {
	where condition
	order string
	limit int // 0: none
}

// StampsOf reads the stamps of the rows with these keys. Rows that are gone or
// marked deleted are absent.
func (t *Table) StampsOf(ctx context.Context, oids []doc.OID) (stamps []doc.Stamp, err error) {
	for chunk := range slices.Chunk(oids, maxKeys) {
		err := t.read(ctx, func(tx *sql.Tx) error {
			some, err := t.stampsAmong(ctx, tx, chunk)
			stamps = append(stamps, some...)
			return err
		})
		if err != nil {
			return nil, t.source.fault("read the stamps of rows of "+t.name, err)
		}
	}
	return stamps, nil
}

// list reads a page of stamps. Where that fails at a row, it reads the page's
// keys and then the stamps by key. last is the last row's key and updateTime,
// nil where the page was the last one.
func (t *Table) list(ctx context.Context, tx *sql.Tx, l listing) (stamps []doc.Stamp, last []any, err error) {
	stamps, last, err = t.own(ctx, tx, t.statements.stamps, l)
	if err == nil {
		stamps, err = t.withFamily(ctx, tx, stamps)
	}
	if !isRowFault(err) {
		return stamps, last, err
	}
	stamps, last, err = t.own(ctx, tx, t.statements.times, l)
	if err != nil {
		return nil, nil, err
	}
	oids := distinct(stamps)
	if stamps, err = t.stampsAmong(ctx, tx, oids); err != nil {
		return nil, nil, err
	}
	place := make(map[doc.OID]int, len(oids))
	for i, oid := range oids {
		place[oid] = i
	}
	slices.SortStableFunc(stamps, func(a, b doc.Stamp) int { return place[a.OID] - place[b.OID] })
	return stamps, last, nil
}

// own reads a page of the rows' own stamps, without their children: selected
// are key and updateTime, and the token or none.
func (t *Table) own(ctx context.Context, tx *sql.Tx, selected string, l listing) (stamps []doc.Stamp, last []any, err error) {
	clock, err := t.findClock(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	k, n := len(t.key), 0
	columns := k + 1
	if selected == t.statements.stamps {
		columns++
	}
	limit := cmp.Or(l.limit, -1) // SQLite's word for none
	err = each(ctx, tx, selected+l.where.String()+l.order+" LIMIT ?", append(l.where.args, limit), columns, func(raw []any) bool {
		if n++; n == limit {
			last = slices.Clone(raw[:k+1])
		}
		if oid, err := t.oid(raw[:k]); err == nil {
			stamps = append(stamps, t.stamp(oid, raw[k:], clock))
		}
		return true
	})
	return stamps, last, err
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

// stampsAmong reads the stamps of the rows with these keys, at most maxKeys.
// Where that fails at a row, it halves the keys until the row is alone.
func (t *Table) stampsAmong(ctx context.Context, tx *sql.Tx, oids []doc.OID) ([]doc.Stamp, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	stamps, err := t.tryAmong(ctx, tx, oids)
	if !isRowFault(err) {
		return stamps, err
	}
	half := len(oids) / 2
	if half == 0 {
		return t.poisoned(ctx, tx, oids[0])
	}
	first, err := t.stampsAmong(ctx, tx, oids[:half])
	if err != nil {
		return nil, err
	}
	second, err := t.stampsAmong(ctx, tx, oids[half:])
	return append(first, second...), err
}

func (t *Table) tryAmong(ctx context.Context, tx *sql.Tx, oids []doc.OID) ([]doc.Stamp, error) {
	where, err := t.liveAmong(oids)
	if err != nil {
		return nil, err
	}
	stamps, _, err := t.own(ctx, tx, t.statements.stamps, listing{where: where})
	if err != nil {
		return nil, err
	}
	asked := make(map[doc.OID]bool, len(oids))
	for _, oid := range oids {
		asked[oid] = true
	}
	stamps = slices.DeleteFunc(stamps, func(s doc.Stamp) bool { return !asked[s.OID] })
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
	stamps, _, err := t.own(ctx, tx, t.statements.times, listing{where: where})
	if isRowFault(err) {
		return unknown, nil
	}
	return stamps, err
}
