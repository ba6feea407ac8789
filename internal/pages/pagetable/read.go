package pagetable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
)

// Meta returns the Meta of a page, and reports whether there is a page. It reports a
// page whose description is damaged as absent, so that the caller fetches the row
// again.
func (p *Pages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	metas, err := p.Metas([]doc.OID{oid})
	if err != nil {
		return doc.Meta{}, false, err
	}
	return metas[0], metas[0].OID != "", nil
}

// Metas returns the Meta of each page as Meta does, without an OID where there is
// none.
func (p *Pages) Metas(oids []doc.OID) ([]doc.Meta, error) {
	found, keys := make(map[doc.OID]doc.Meta, len(oids)), make([]string, 0, len(oids))
	for _, oid := range p.among(oids) {
		keys = append(keys, p.key(oid))
	}
	err := p.read(keys, Meta, 1, func(row Cells) error {
		oid, err := p.oid(row.Key)
		if err != nil {
			return err
		}
		if s, ok, err := newest(oid, row.Cells); ok && err == nil {
			found[oid] = s.Meta
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%d pages of %s: %w", len(oids), p.Name, err)
	}
	metas := make([]doc.Meta, len(oids))
	for i, oid := range oids {
		metas[i] = found[oid]
	}
	return metas, nil
}

// newest decodes the newest cell meta:page of a page. It reports false for a removal,
// or if there is none.
func newest(oid doc.OID, cells []Cell) (s stored, ok bool, err error) {
	all := versionsOf(cells)
	if len(all) == 0 {
		return s, false, nil
	}
	s, err = decode(oid, all[0])
	return s, err != nil || !s.gone, err
}

// versionsOf returns the cells meta:page, newest first.
func versionsOf(cells []Cell) []Cell {
	var all []Cell
	for _, c := range cells {
		if c.Family == Meta && c.Qualifier == pageCell {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Cell) int { return cmp.Compare(b.At, a.At) })
	return all
}

// read calls each with the rows of keys, one at a time.
func (p *Pages) read(keys []string, family string, versions int, each func(Cells) error) error {
	var g errgroup.Group
	g.SetLimit(parallel)
	var one sync.Mutex
	for part := range slices.Chunk(keys, readKeys) {
		g.Go(func() error {
			var rows []Cells
			err := p.again(readWithin, func(ctx context.Context) (err error) {
				rows, err = p.Store.Read(ctx, part, family, versions)
				return err
			})
			one.Lock()
			defer one.Unlock()
			for i := 0; i < len(rows) && err == nil; i++ {
				err = each(rows[i])
			}
			return err
		})
	}
	return g.Wait()
}

// Get returns the newest version of a page. It returns ErrNotFound if there is none,
// and ErrCorrupt if it is damaged.
func (p *Pages) Get(oid doc.OID) (doc.Page, error) {
	pages, err := p.pagesOf(oid, 1)
	if err != nil {
		return doc.Page{}, err
	}
	return pages[0], nil
}

// View calls see with the newest version of a page. It returns the error that Get
// would return, or the error of see.
func (p *Pages) View(oid doc.OID, see func(doc.Page) error) error {
	page, err := p.Get(oid)
	if err != nil {
		return err
	}
	return see(page)
}

// NewestVersions returns the kept versions of a page, newest first, and reports
// whether there are older ones. It returns as many as have bytes of content, but
// always the newest. It returns ErrNotFound if there is none. For a damaged version it
// returns an error together with the other versions.
func (p *Pages) NewestVersions(oid doc.OID, bytes int) (_ []doc.Page, more bool, _ error) {
	pages, err := p.pagesOf(oid, p.Versions)
	for i, page := range pages {
		if bytes -= len(page.Body); bytes < 0 && i > 0 {
			return pages[:i], true, err
		}
	}
	return pages, false, err
}

// pagesOf returns up to n versions of a page, newest first. A store that has not yet
// removed the versions of a removed page shows none behind the removal.
func (p *Pages) pagesOf(oid doc.OID, n int) (pages []doc.Page, _ error) {
	var faults []error
	err := p.read([]string{p.key(oid)}, "", n, func(row Cells) error {
		for _, c := range versionsOf(row.Cells) {
			s, err := decode(oid, c)
			if err == nil && s.gone {
				break
			}
			var page doc.Page
			if err == nil {
				page, err = s.page(row.Cells)
			}
			if err != nil {
				faults = append(faults, err)
			} else if len(pages) < n {
				pages = append(pages, page)
			}
		}
		return nil
	})
	if err == nil {
		err = errors.Join(faults...)
	}
	switch {
	case err != nil:
		return pages, fmt.Errorf("page %.40s of %s: %w", oid, p.Name, err)
	case len(pages) == 0:
		return nil, ErrNotFound
	}
	return pages, nil
}
