package fakeworld

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync"

	"indexerd/internal/base/doc"
)

// Pages is a sink.Pages.
type Pages struct {
	Before func(step string) error // steps: put pages, delete pages, meta, get, all pages, pages health

	mu    sync.Mutex
	pages map[doc.OID]doc.Page
}

// NewPages returns an empty store.
func NewPages() *Pages { return &Pages{pages: map[doc.OID]doc.Page{}} }

// Put stores pages. After an error, the first half is stored.
func (p *Pages) Put(pages []doc.Page) error {
	err := call(p.Before, "put pages")
	if err != nil {
		pages = pages[:len(pages)/2]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, page := range pages {
		p.pages[page.OID] = page
	}
	return err
}

// Delete removes pages. After an error, the first half is removed.
func (p *Pages) Delete(gone []doc.Removal) error {
	err := call(p.Before, "delete pages")
	if err != nil {
		gone = gone[:len(gone)/2]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range gone {
		delete(p.pages, r.OID)
	}
	return err
}

// Metas returns pages without their bodies.
func (p *Pages) Metas(oids []doc.OID) ([]doc.Meta, error) {
	metas := make([]doc.Meta, len(oids))
	for i, oid := range oids {
		var err error
		if metas[i], _, err = p.Meta(oid); err != nil {
			return nil, err
		}
	}
	return metas, nil
}

// Meta returns a page without its body.
func (p *Pages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	if err := call(p.Before, "meta"); err != nil {
		return doc.Meta{}, false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[oid]
	return page.Meta, ok, nil
}

// Err returns the error of the step "pages health".
func (p *Pages) Err() error { return call(p.Before, "pages health") }

// Page returns one page.
func (p *Pages) Page(oid doc.OID) (doc.Page, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[oid]
	return page, ok
}

// errDamaged is the error of a page without a body.
var errDamaged = errors.New("damaged record")

// Get returns a page. A page without a body is reported as damaged.
func (p *Pages) Get(oid doc.OID) (doc.Page, error) {
	if err := call(p.Before, "get"); err != nil {
		return doc.Page{}, err
	}
	page, ok := p.Page(oid)
	if !ok {
		return page, fmt.Errorf("page %v: not found", oid)
	}
	if len(page.Body) == 0 {
		return page, fmt.Errorf("page %v: %w", oid, errDamaged)
	}
	return page, nil
}

// View calls see with a page.
func (p *Pages) View(oid doc.OID, see func(doc.Page) error) error {
	page, err := p.Get(oid)
	if err != nil {
		return err
	}
	return see(page)
}

// All lists all pages without their bodies, in no particular order.
func (p *Pages) All() iter.Seq2[doc.Meta, error] {
	return func(yield func(doc.Meta, error) bool) {
		if err := call(p.Before, "all pages"); err != nil {
			yield(doc.Meta{}, err)
			return
		}
		p.mu.Lock()
		pages := maps.Clone(p.pages)
		p.mu.Unlock()
		for _, page := range pages {
			if !yield(page.Meta, nil) {
				return
			}
		}
	}
}

// Len returns the number of pages.
func (p *Pages) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pages)
}
