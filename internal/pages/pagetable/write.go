package pagetable

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
)

// The size of one request, and how many are under way at a time.
const (
	writeRows  = 500
	writeBytes = 4 << 20
	readKeys   = 200
	scanRows   = 1000
	parallel   = 4
)

// Put stores pages durably. Of several pages with the same OID that with the highest
// version counts; a page of the same version replaces the one before. After an error
// some pages may be stored, each of them whole, and the caller may put them again.
func (p *Pages) Put(pages []doc.Page) error {
	if err := p.writing.Acquire(p.life, 1); err != nil {
		return err
	}
	defer p.writing.Release(1)
	rows := make([]Cells, 0, len(pages))
	for i := range pages {
		if pages[i].V > MaxVersion {
			return p.fail(fmt.Errorf("page %.40s: version %d is beyond %d, the last one: load the table into another data directory", pages[i].OID, pages[i].V, MaxVersion))
		}
		row, err := p.encode(&pages[i])
		if err != nil {
			return fmt.Errorf("page %.40s: %w", pages[i].OID, err)
		}
		rows = append(rows, row)
	}
	err := p.addKeys(pages)
	if err == nil {
		err = p.write(last(rows))
	}
	if err != nil {
		return fmt.Errorf("put %d pages in %s: %w", len(pages), p.Store, err)
	}
	return nil
}

// last returns the last row of each key. A store does not order rows of one request.
func last(rows []Cells) []Cells {
	at := make(map[string]int, len(rows))
	kept := rows[:0]
	for _, r := range rows {
		if i, twice := at[r.Key]; twice {
			kept[i] = r
			continue
		}
		at[r.Key] = len(kept)
		kept = append(kept, r)
	}
	return kept
}

// Delete removes pages and all their versions durably.
func (p *Pages) Delete(gone []doc.Removal) error {
	rows, now := make([]Cells, len(gone)), time.Now()
	for i, r := range gone {
		rows[i] = p.encodeGone(r, now)
	}
	if err := p.write(last(rows)); err != nil {
		return fmt.Errorf("delete %d pages in %s: %w", len(gone), p.Store, err)
	}
	return nil
}

// write writes rows in requests of a bounded size.
func (p *Pages) write(rows []Cells) error {
	if p.readOnly {
		return ErrReadOnly
	}
	if err := p.Err(); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(parallel)
	for len(rows) > 0 {
		n := requestOf(rows)
		part := rows[:n]
		g.Go(func() error {
			return p.again(p.Patience, func(ctx context.Context) error { return p.Store.Write(ctx, part) })
		})
		rows = rows[n:]
	}
	return p.fail(g.Wait())
}

// requestOf returns how many rows go into the next request.
func requestOf(rows []Cells) int {
	size := 0
	for i, r := range rows {
		for _, c := range r.Cells {
			size += len(r.Key) + len(c.Qualifier) + len(c.Value)
		}
		if i == writeRows || i > 0 && size > writeBytes {
			return i
		}
	}
	return len(rows)
}

// Clear removes all pages of the table by removals of one version, which is above that
// of all pages.
func (p *Pages) Clear(v doc.Version) error {
	var gone []doc.Removal
	for m, err := range p.All() {
		if err != nil {
			return err
		}
		if gone = append(gone, doc.Removal{OID: m.OID, V: v}); len(gone) == parallel*writeRows {
			if err := p.Delete(gone); err != nil {
				return err
			}
			gone = gone[:0]
		}
	}
	return p.Delete(gone)
}
