package sink

import (
	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// A plan is what a batch comes to.
type plan struct {
	entries []entry
	rejects []doc.Reject
	deleted []doc.OID // rows marked deleted
}

// An entry is a current document: its page is written, and the document where
// the index does not have it.
type entry struct {
	doc    doc.Doc
	body   []byte
	change change
	seen   bool // this version was known
}

// A change is what an entry means to the index.
type change int

const (
	skipped change = iota // it has the same
	added
	updated
)

// plan decides what to write. Rows that can't be indexed join the rejects;
// what is older than what is applied is dropped.
func (s *Sink) plan(b doc.Batch) (plan, error) {
	p := plan{entries: make([]entry, 0, len(b.Docs))}
	before, err := s.lookUp(keys(b.Docs, nil))
	if err != nil {
		return p, err
	}
	if p.rejects, err = current(s, b.Rejects, b.Fetch, func(r doc.Reject) doc.OID { return r.OID }); err != nil {
		return p, err
	}
	if p.deleted, err = current(s, b.Deleted, b.Fetch, func(oid doc.OID) doc.OID { return oid }); err != nil {
		return p, err
	}
	first, err := s.numbers.next(uint64(len(b.Docs)))
	if err != nil {
		return p, err
	}
	for i, d := range b.Docs {
		if s.outdated(d.OID, before[i].Meta, d.Fetch) {
			continue
		}
		d.Gen, d.V = s.index.Generation(), doc.Version(first)+doc.Version(i)
		body, err := s.build(&d)
		if err != nil {
			p.rejects = append(p.rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Groups: s.acl.Of(d.Row)})
			continue
		}
		p.entries = append(p.entries, newEntry(d, body, before[i]))
	}
	return p, nil
}

// bodyGuess is room for the names and quotes of a common row's JSON.
const bodyGuess = 512

// build makes a page's body, and hashes what the index would say. Its size is
// looked at first: to analyse a text takes many times its size in memory.
func (s *Sink) build(d *doc.Doc) (body []byte, err error) {
	if s.Check != nil {
		if err := s.Check(d.Row); err != nil {
			return nil, err
		}
	}
	size := d.Row.Size()
	if body, err = d.Row.AppendJSON(make([]byte, 0, size+size/8+bodyGuess)); err != nil {
		return nil, err
	}
	if err := fits(d.OID, body); err != nil {
		return nil, err
	}
	d.Hash, err = s.index.Hash(d.Row)
	return body, err
}

// newEntry compares a document with what is stored of it.
func newEntry(d doc.Doc, body []byte, before state) entry {
	e := entry{body: body, change: added, seen: before.Same(d.Stamp)}
	switch {
	case before.indexed() && before.Hash == d.Hash:
		d.V = before.V // the page goes on speaking of the write that the index has
		e.change = skipped
	case before.version != 0:
		e.change = updated
	}
	e.doc = d
	return e
}

// count adds what was written to a report. Late are versions that were not
// known.
func count(r *doc.Report, written []entry) {
	for i := range written {
		e := &written[i]
		switch e.change {
		case skipped:
			r.Skipped++
		case added:
			r.Added++
		case updated:
			r.Updated++
		}
		if d := &e.doc; !e.seen && timeunit.Plausible(d.Updated, d.Fetched) { // else it says nothing of transactions
			r.Late.Note(d.Fetched.Sub(d.Updated))
		}
	}
}

// current returns the rows that are not older than what is applied.
func current[T any](s *Sink, rows []T, fetch doc.FetchSeq, key func(T) doc.OID) ([]T, error) {
	var current []T
	for _, r := range rows {
		page, _, err := s.pages.Meta(key(r))
		if err != nil {
			return nil, err
		}
		if !s.outdated(key(r), page, fetch) {
			current = append(current, r)
		}
	}
	return current, nil
}
