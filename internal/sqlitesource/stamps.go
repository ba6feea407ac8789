package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"

	"indexerd/internal/doc"
)

// stampPage is how many stamps are read in one transaction.
const stampPage = 10_000

// Stamps reads the stamps of the rows whose updateTime is in the window, in
// the order of updateTime and key. Where updateTime is text that is spelled in
// several ways, stamps outside of the window may be among them.
//
// A row whose updateTime can't be read has none in its stamp; whoever fetches
// it learns why. A row whose key can't be read has no stamp.
func (t *Table) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return t.scanStamps(ctx, &stampScan{table: t, window: w})
}

// StampsByOID is Stamps in the order of keys.
func (t *Table) StampsByOID(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return t.scanStamps(ctx, &stampScan{table: t, window: w, byKey: true})
}

func (t *Table) scanStamps(ctx context.Context, s *stampScan) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		s := *s // a scan for each walk
		for !s.done {
			stamps, err := s.page(ctx)
			if err != nil {
				yield(nil, t.source.fault("read a window of "+t.name, err))
				return
			}
			if len(stamps) > 0 && !yield(stamps, nil) {
				return
			}
		}
	}
}

// A stampScan reads a window by pages.
type stampScan struct {
	table    *Table
	window   doc.Window
	byKey    bool // in the order of keys, not of updateTimes
	clock    *clock
	from, to any
	after    []any // updateTime (unless byKey) and key of the last row; nil: none yet
	done     bool
}

func (s *stampScan) page(ctx context.Context) (stamps []doc.Stamp, err error) {
	err = s.table.read(ctx, func(tx *sql.Tx) (err error) {
		if s.clock == nil {
			if err = s.begin(ctx, tx); err != nil || s.done {
				return err
			}
		}
		stamps, err = s.read(ctx, tx)
		return err
	})
	return stamps, err
}

// begin spells the window, once for all pages: each must go on where the last
// one ended.
func (s *stampScan) begin(ctx context.Context, tx *sql.Tx) (err error) {
	if s.clock, err = s.table.findClock(ctx, tx); err != nil {
		return err
	}
	if s.clock == nil {
		s.done = true // no row has an updateTime
		return nil
	}
	s.from, s.to = s.clock.bounds(s.window)
	return nil
}

func (s *stampScan) read(ctx context.Context, tx *sql.Tx) ([]doc.Stamp, error) {
	statements := &s.table.statements
	position, order := statements.stamp, statements.byStamp
	if s.byKey {
		position, order = cmp.Or(statements.bytes, statements.key), statements.byBytes
	}
	var where condition
	if s.after == nil || s.byKey {
		where.and(statements.updated+" >= ?", s.from)
	}
	if s.after != nil {
		where.and(position+" > "+tuple(slices.Repeat([]string{"?"}, len(s.after))), s.after...)
	}
	where.and(statements.updated+" < ?", s.to)
	where.and("NOT " + statements.isNull)
	query := statements.stamps + where.String() + order + " LIMIT ?"
	rows, err := tx.QueryContext(ctx, query, append(where.args, stampPage)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var stamps []doc.Stamp
	row, n := newScanner(len(s.table.key)+2), 0
	for ; rows.Next(); n++ {
		if err := row.scan(rows); err != nil {
			return nil, err
		}
		if stamp, ok := s.stamp(row.raw); ok {
			stamps = append(stamps, stamp)
		}
	}
	if s.done = n < stampPage; !s.done {
		k := len(s.table.key)
		s.after = slices.Clone(row.raw[:k])
		if !s.byKey {
			s.after = append([]any{row.raw[k]}, s.after...)
		}
	}
	return stamps, rows.Err()
}

// stamp reads a row of key, updateTime and token.
func (s *stampScan) stamp(raw []any) (stamp doc.Stamp, ok bool) {
	k := len(s.table.key)
	oid, err := s.table.oid(raw[:k])
	if err != nil {
		return stamp, false
	}
	stamp.OID = oid
	stamp.Updated, _ = s.clock.time(raw[k]) // see Stamps
	digest, ok := raw[k+1].(int64)
	stamp.Token = doc.Token{Digest: uint64(digest), Epoch: s.table.epoch}
	return stamp, ok
}
