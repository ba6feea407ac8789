package pagetable

import (
	"context"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
)

// keepRemovals is how long the cell of a removal stays. An older write that arrives
// within this time does not bring the page back.
const keepRemovals = time.Hour

// All lists the Meta of every page, without order. Pages that are put or removed
// meanwhile may be listed or not. Then it deletes the rows of removals that are an
// hour old.
func (p *Pages) All() iter.Seq2[doc.Meta, error] {
	return func(yield func(doc.Meta, error) bool) {
		var old []removed
		for s, err := range p.scan() {
			if err != nil {
				yield(doc.Meta{}, err)
				return
			}
			if !s.gone {
				if !yield(s.Meta, nil) {
					return
				}
			} else if time.Since(s.Fetched) > keepRemovals {
				old = append(old, removed{p.key(s.OID), uint64(s.V)})
			}
		}
		if err := p.purge(old); err != nil {
			yield(doc.Meta{}, err)
		}
	}
}

// A removed is the row of a removal.
type removed struct {
	key string
	at  uint64
}

// scan lists the newest cell meta:page of every row, also of removals. Rows of other
// keys or with a damaged description are errors.
func (p *Pages) scan() iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		for from := p.first(); from != ""; {
			rows, err := p.scanned(from)
			for _, row := range rows {
				s, err := p.listed(row)
				if !yield(s, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(stored{}, err)
				return
			}
			if from = ""; len(rows) == scanRows {
				from = rows[len(rows)-1].Key + "0" // the least key behind it: keys are hex
			}
		}
	}
}

func (p *Pages) scanned(from string) (rows []Cells, _ error) {
	err := p.again(readWithin, func(ctx context.Context) (err error) {
		rows, err = p.Store.Scan(ctx, from, p.last(), Meta, scanRows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the pages of %s: %w", p.Name, err)
	}
	return rows, nil
}

func (p *Pages) listed(row Cells) (stored, error) {
	oid, err := p.oid(row.Key)
	if err != nil {
		return stored{}, err
	}
	all := versionsOf(row.Cells)
	if len(all) == 0 {
		return stored{}, fmt.Errorf("page %.40s: %w: it has no description", oid, ErrCorrupt)
	}
	return decode(oid, all[0])
}

// purge deletes the rows of removals. A page that was put since then stays.
func (p *Pages) purge(old []removed) error {
	if p.readOnly {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, r := range old {
		g.Go(func() error {
			return p.again(readWithin, func(ctx context.Context) error { return p.Store.Remove(ctx, r.key, r.at) })
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("delete what is left of removed pages of %s: %w", p.Name, err)
	}
	return nil
}
