package fakeworld

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"indexerd/internal/doc"
)

// ErrCrash is what every step returns after the crash.
var ErrCrash = errors.New("the machine has stopped")

// A Countdown crashes the world at a step.
type Countdown struct {
	mu   sync.Mutex
	left int
}

// NewCountdown lets n steps be done before the crash.
func NewCountdown(n int) *Countdown { return &Countdown{left: n} }

// Before fails the step, if the world has stopped by now.
func (c *Countdown) Before(string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return ErrCrash
	}
	return nil
}

// Crashed reports whether there was a step left to stop at.
func (c *Countdown) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left < 0
}

// Unfit begins the titles of rows that the index can't take. Refused begins
// those that it takes to be fit, and fails to write with all of their batch.
const (
	Unfit   = "unfit: "
	Refused = "refused: "
)

// An Index is a sink.Index.
type Index struct {
	Before func(step string) error // steps: apply, versions, index health

	mu         sync.Mutex
	generation doc.Generation
	docs       map[doc.OID]doc.Doc
}

// NewIndex makes an empty index.
func NewIndex(generation doc.Generation) *Index {
	return &Index{generation: generation, docs: map[doc.OID]doc.Doc{}}
}

// Generation returns the number given to NewIndex.
func (x *Index) Generation() doc.Generation { return x.generation }

// Hash digests the title, which is all that is searched.
func (x *Index) Hash(r doc.Row) (doc.DocHash, error) {
	title := titleOf(r)
	if strings.HasPrefix(title, Unfit) {
		return 0, fmt.Errorf("column title: %q does not fit", title)
	}
	h := fnv.New64a()
	h.Write([]byte(title))
	return doc.DocHash(h.Sum64()), nil
}

// Apply writes and removes. A failed one has done the first half of both.
func (x *Index) Apply(puts []doc.Doc, deletes []doc.OID) error {
	err := call(x.Before, "apply")
	for _, d := range puts {
		if strings.HasPrefix(titleOf(d.Row), Refused) && err == nil {
			err = fmt.Errorf("document %v: it can't be written", d.OID)
		}
	}
	if err != nil {
		puts, deletes = puts[:len(puts)/2], deletes[:len(deletes)/2]
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range puts {
		x.docs[d.OID] = d
	}
	for _, oid := range deletes {
		delete(x.docs, oid)
	}
	return err
}

// Versions returns the version of each document.
func (x *Index) Versions(oids []doc.OID) ([]doc.Version, error) {
	if err := call(x.Before, "versions"); err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	versions := make([]doc.Version, len(oids))
	for i, oid := range oids {
		versions[i] = x.docs[oid].V
	}
	return versions, nil
}

// Err is the error of the step "index health".
func (x *Index) Err() error { return call(x.Before, "index health") }

// Titles is the index's content.
func (x *Index) Titles() map[doc.OID]string {
	x.mu.Lock()
	defer x.mu.Unlock()
	titles := make(map[doc.OID]string, len(x.docs))
	for oid, d := range x.docs {
		titles[oid] = titleOf(d.Row)
	}
	return titles
}

// Title returns what the index has of one document.
func (x *Index) Title(oid doc.OID) (title string, ok bool) {
	d, ok := x.Doc(oid)
	return titleOf(d.Row), ok
}

// Doc returns one document.
func (x *Index) Doc(oid doc.OID) (doc.Doc, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d, ok := x.docs[oid]
	return d, ok
}

func titleOf(r doc.Row) string {
	v, _ := r.Get("title")
	return doc.FormatText(v)
}

// Pages is a sink.Pages.
type Pages struct {
	Before func(step string) error // steps: put pages, delete pages, meta, pages health

	mu    sync.Mutex
	pages map[doc.OID]doc.Page
}

// NewPages makes an empty store.
func NewPages() *Pages { return &Pages{pages: map[doc.OID]doc.Page{}} }

// Put stores pages. A failed one has stored the first half.
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

// Delete removes pages. A failed one has removed the first half.
func (p *Pages) Delete(oids []doc.OID) error {
	err := call(p.Before, "delete pages")
	if err != nil {
		oids = oids[:len(oids)/2]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, oid := range oids {
		delete(p.pages, oid)
	}
	return err
}

// Meta returns what is known of a page.
func (p *Pages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	if err := call(p.Before, "meta"); err != nil {
		return doc.Meta{}, false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[oid]
	return page.Meta, ok, nil
}

// Err is the error of the step "pages health".
func (p *Pages) Err() error { return call(p.Before, "pages health") }

// Page returns one page.
func (p *Pages) Page(oid doc.OID) (doc.Page, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, ok := p.pages[oid]
	return page, ok
}

// A Quarantine is a sink.Quarantine.
type Quarantine struct {
	Before func(step string) error // steps: add, clear

	mu        sync.Mutex
	rows      map[doc.OID]string
	documents map[doc.OID]doc.Visibility
}

// NewQuarantine makes an empty one.
func NewQuarantine() *Quarantine {
	return &Quarantine{rows: map[doc.OID]string{}, documents: map[doc.OID]doc.Visibility{}}
}

// Add lists the rejects.
func (q *Quarantine) Add(b doc.Batch) error {
	if err := call(q.Before, "add"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range b.Rejects {
		q.rows[r.OID], q.documents[r.OID] = r.Reason, r.Document
	}
	return nil
}

// Document is what became of the last document of a row.
func (q *Quarantine) Document(oid doc.OID) doc.Visibility {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.documents[oid]
}

// Clear lets rows go.
func (q *Quarantine) Clear(oids []doc.OID) error {
	if err := call(q.Before, "clear"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, oid := range oids {
		delete(q.rows, oid)
	}
	return nil
}

// Has reports whether a row is listed.
func (q *Quarantine) Has(oid doc.OID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.rows[oid]
	return ok
}

// LenWith is how many rows there would be with these.
func (q *Quarantine) LenWith(rejects []doc.Reject) int {
	rows := q.Reasons()
	for _, r := range rejects {
		rows[r.OID] = r.Reason
	}
	return len(rows)
}

// Reasons is why each row is listed.
func (q *Quarantine) Reasons() map[doc.OID]string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.rows)
}

func call(before func(string) error, step string) error {
	if before == nil {
		return nil
	}
	return before(step)
}

// Different compares an index with the rows of a table and returns the keys of
// those that are not the same in both, in order.
func Different(table *Table, index *Index) []doc.OID {
	titles := index.Titles()
	var different []doc.OID
	for oid, row := range table.Rows() {
		if title, ok := titles[oid]; !ok || title != row.Title {
			different = append(different, oid)
		}
		delete(titles, oid)
	}
	different = slices.AppendSeq(different, maps.Keys(titles))
	slices.Sort(different)
	return different
}
