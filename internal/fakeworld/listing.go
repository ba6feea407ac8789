package fakeworld

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// Documents lists the documents from a key on, in order, up to n.
func (x *Index) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	if err := call(x.Before, "documents"); err != nil {
		return nil, "", err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, oid := range slices.Sorted(maps.Keys(x.docs)) {
		switch {
		case oid < from:
		case len(docs) == n:
			return docs, oid, nil
		default:
			docs = append(docs, doc.Indexed{OID: oid, V: x.docs[oid].V})
		}
	}
	return docs, "", nil
}

// Count is the number of documents.
func (x *Index) Count() (uint64, error) {
	if err := call(x.Before, "count documents"); err != nil {
		return 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return uint64(len(x.docs)), nil
}

// errDamaged: a page without a body.
var errDamaged = errors.New("damaged record")

// Get reads a page; one without a body is damaged.
func (p *Pages) Get(oid doc.OID) (doc.Page, error) {
	if err := call(p.Before, "get"); err != nil {
		return doc.Page{}, err
	}
	page, ok := p.Page(oid)
	if !ok {
		return page, fmt.Errorf("page %v: there is none", oid)
	}
	if len(page.Body) == 0 {
		return page, fmt.Errorf("page %v: %w", oid, errDamaged)
	}
	return page, nil
}

// View shows a page.
func (p *Pages) View(oid doc.OID, see func(doc.Page) error) error {
	page, err := p.Get(oid)
	if err != nil {
		return err
	}
	return see(page)
}

// All lists what is known of all pages, in some order.
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

// Len is the number of pages.
func (p *Pages) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pages)
}

// Keys lists up to n keys of rows set aside after one, in order.
func (q *Quarantine) Keys(after doc.OID, n int) []doc.OID {
	var keys []doc.OID
	for _, oid := range slices.Sorted(maps.Keys(q.Reasons())) {
		if oid > after && len(keys) < n {
			keys = append(keys, oid)
		}
	}
	return keys
}

// Keyless lists the rows without a key, which are listed under none.
func (q *Quarantine) Keyless(rejects []doc.Reject, _ time.Time) error {
	if err := call(q.Before, "keyless"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.rows, "")
	for _, r := range rejects {
		q.rows[""] = r.Reason
	}
	return nil
}
