package sink

import (
	"errors"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/base/timeunit"
)

// A plan is what Put has to do for a batch.
type plan struct {
	entries []entry
	rejects []doc.Reject
	deleted []doc.OID // rows marked deleted
}

// An entry is a document to put: its page is always written, its index document
// unless the change is skipped.
type entry struct {
	doc    doc.Doc
	body   []byte
	flaws  []doc.Flaw // the values that the document lacks
	change change
	seen   bool // this version was stored before

	before doc.Stamp // of the page that was stored
	whole  bool      // it was that of the index, or there was none
}

// Key returns the OID.
func (e entry) Key() doc.OID { return e.doc.OID }

// A change is the effect of an entry on the index.
type change int

const (
	skipped change = iota // the index has the same document
	added
	updated
)

// plan decides what to write. It adds rows that can't be indexed to the rejects,
// and drops rows that are outdated.
func (s *Sink) plan(b doc.Batch) (plan, error) {
	p := plan{entries: make([]entry, 0, len(b.Docs))}
	oids := doc.OIDs(b.Docs)
	before, err := s.lookUp(oids)
	if err != nil {
		return p, err
	}
	absent := s.absentAmong(oids)
	if p.rejects, err = current(s, b.Rejects, b.Fetch, doc.Reject.Key); err != nil {
		return p, err
	}
	if p.deleted, err = current(s, b.Deleted, b.Fetch, func(oid doc.OID) doc.OID { return oid }); err != nil {
		return p, err
	}
	first, err := s.numbers.next(uint64(len(b.Docs)))
	if err != nil {
		return p, err
	}
	all := bodies{left: len(b.Docs)}
	work := giveway.Background()
	defer work.End()
	for i, d := range b.Docs {
		work.Step()
		if s.outdated(d.OID, before[i].Meta, absent, d.Fetch) {
			continue
		}
		d.Gen, d.V = s.index.Generation(), doc.Version(first)+doc.Version(i)
		e, err := s.build(d, &all)
		if err != nil {
			p.rejects = append(p.rejects, doc.Reject{OID: d.OID, Reason: err.Error(), Seen: d.Stamp, Groups: s.acl.Of(d.Row)})
			continue
		}
		e.compare(before[i])
		p.entries = append(p.entries, e)
	}
	return p, nil
}

// bodies has the bodies of a batch side by side in memory, which costs less than
// many small pieces.
type bodies struct {
	room []byte
	left int // documents without a body
}

// maxRoom is the most that is taken at once, unless a body is larger.
const maxRoom = 256 << 10

// build returns the entry of a document, with its page's body, its hash and the values
// that it lacks. It checks the size first, because analysis takes many times the size of
// a text in memory.
func (s *Sink) build(d doc.Doc, all *bodies) (e entry, err error) {
	if s.Check != nil {
		if err := s.Check(d.Row); err != nil {
			return e, err
		}
	}
	if e.body, err = all.add(d.Row); err != nil {
		return e, err
	}
	if err := fits(d.OID, e.body); err != nil {
		return e, err
	}
	if e.flaws, err = s.index.Prepare(&d); err != nil {
		return e, err
	}
	e.doc = d
	return e, s.unreadableGroups(e.flaws)
}

// unreadableGroups returns an error if a document lacks a value of the ACL's field.
func (s *Sink) unreadableGroups(flaws []doc.Flaw) error {
	for _, f := range flaws {
		if s.acl != (doc.ACL{}) && (f.Column == s.acl.Column || f.Column == s.acl.Child) {
			return errors.New(f.String())
		}
	}
	return nil
}

func (b *bodies) add(row doc.Row) ([]byte, error) {
	size := row.Size()
	size += size / 8 // usual for JSON
	if cap(b.room)-len(b.room) < size {
		b.room = make([]byte, 0, max(size, min(size*b.left, maxRoom)))
	}
	b.left--
	from := len(b.room)
	all, err := row.AppendJSON(b.room)
	if err != nil {
		return nil, err
	}
	b.room = all
	return all[from:len(all):len(all)], nil
}

// compare compares the document with the stored one.
func (e *entry) compare(before state) {
	e.change, e.seen = added, before.Same(e.doc.Stamp)
	e.before, e.whole = before.Stamp, before.OID == "" || before.indexed()
	switch {
	case before.indexed() && before.Hash == e.doc.Hash:
		e.doc.V = before.V // the version that the index has
		e.change = skipped
	case before.version != 0:
		e.change = updated
	}
}

// count adds the written entries to a report. Versions that were stored before do
// not count as late.
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
		if d := &e.doc; !e.seen && timeunit.Plausible(d.Updated, d.Fetched) { // an implausible time is no lateness
			r.Late.Note(d.Fetched.Sub(d.Updated))
		}
	}
}

// current returns the rows that are not outdated.
func current[T any](s *Sink, rows []T, fetch doc.FetchSeq, key func(T) doc.OID) ([]T, error) {
	oids := make([]doc.OID, len(rows))
	for i, r := range rows {
		oids[i] = key(r)
	}
	pages, err := s.pages.Metas(oids)
	if err != nil {
		return nil, err
	}
	absent := s.absentAmong(oids)
	var current []T
	for i, r := range rows {
		if !s.outdated(oids[i], pages[i], absent, fetch) {
			current = append(current, r)
		}
	}
	return current, nil
}
