package sink

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
)

// A row that can't become a document keeps its last document. In a table with an
// ACL this document must not keep groups that the row has lost, or a user could
// keep access by breaking the row. So the sink writes the document again, with the
// groups that were read of the row, or with none if they can't be read. Only
// admins find a document without groups. If others can read the index itself, such a
// document is removed instead.
//
// Index, page and tree are written in the usual order, before the row is
// quarantined and before Put returns. The page keeps its updateTime and loses its
// token, so it never has the stamp of a row: the row counts as different until it
// becomes a document. A crash in between leaves page and document of two versions,
// or a row that is not quarantined. Both count as different too.
//
// Invariant: the document of a reject has the groups that the newest fetch read of
// the row, or none.

// WithACL makes the sink apply the groups of rejects to their last documents. Call
// it before the first Put.
func (s *Sink) WithACL(acl doc.ACL) *Sink {
	s.acl = acl
	return s
}

// withGroups sets the groups of a batch's rejects. all is the batch before rows
// with one key became rejects: these have groups if all of them have the same.
func (s *Sink) withGroups(b, all doc.Batch) doc.Batch {
	if s.acl == (doc.ACL{}) || len(b.Rejects) == 0 {
		return b
	}
	groups := make(map[doc.OID]*doc.Row, len(all.Docs)+len(all.Rejects))
	add := func(oid doc.OID, g *doc.Row) {
		if known, several := groups[oid]; several && !doc.SameGroups(known, g) {
			g = nil
		}
		groups[oid] = g
	}
	for i := range all.Docs {
		add(all.Docs[i].OID, s.acl.Of(all.Docs[i].Row))
	}
	for _, r := range all.Rejects {
		add(r.OID, r.Groups)
	}
	b.Rejects = slices.Clone(b.Rejects)
	for i, r := range b.Rejects {
		b.Rejects[i].Groups = groups[r.OID]
	}
	return b
}

// restrict applies the groups of rejects to their last documents, and sets Document
// of each reject. In any table it makes the page and the document of a reject those of one
// write: a crash may have come between both.
func (s *Sink) restrict(b doc.Batch) error {
	oids := keys(nil, b.Rejects)
	versions, err := s.index.Versions(oids)
	if err != nil {
		return err
	}
	r := restriction{sink: s, fetch: b.Fetch, done: make(map[doc.OID]doc.Visibility, len(oids))}
	at := 0
	for i := range b.Rejects {
		reject := &b.Rejects[i]
		if reject.OID == "" {
			continue
		}
		if _, twice := r.done[reject.OID]; !twice {
			if err := r.add(*reject, versions[at]); err != nil {
				return err
			}
		}
		reject.Document = r.done[reject.OID]
		at++
	}
	return r.write()
}

// HideUnknown hides the documents of quarantined rows whose groups are unknown,
// because the table had no ACL when they were quarantined. It returns how many
// there are.
func (s *Sink) HideUnknown(ctx context.Context, rows []doc.Reject) (int, error) {
	oids := keys(nil, rows)
	if s.acl == (doc.ACL{}) || len(oids) == 0 {
		return 0, nil
	}
	fetch, err := s.Begin(func() error { return nil })
	if err != nil {
		return 0, err
	}
	defer s.End(fetch)
	held, err := s.hold(ctx, oids)
	if err != nil {
		return 0, err
	}
	defer s.release(held)
	repaired := func(r doc.Reject) bool { return !s.quarantine.Has(r.OID) } // before hold returned
	b := doc.Batch{Fetch: fetch, Rejects: slices.DeleteFunc(slices.Clone(rows), repaired)}
	if err := s.restrict(b); err != nil {
		return 0, err
	}
	b.Rejects = slices.DeleteFunc(b.Rejects, func(r doc.Reject) bool { return r.Document == "" })
	return len(b.Rejects), s.quarantine.Add(b)
}

// restrictedText is how many bytes of pages a restriction collects before it
// writes.
const restrictedText = 16 << 20

// A restriction collects the changes of the last documents of rejects.
type restriction struct {
	sink    *Sink
	fetch   doc.FetchSeq
	done    map[doc.OID]doc.Visibility
	entries []entry
	removed []doc.OID
	text    int
}

// add decides how the document that the index has at a version is changed.
func (r *restriction) add(reject doc.Reject, version doc.Version) error {
	s := r.sink
	meta, paged, err := s.pages.Meta(reject.OID)
	if err != nil {
		return err
	}
	current := paged && meta.Gen == s.index.Generation()
	guarded := s.acl != doc.ACL{}
	switch {
	case version == 0 && !(guarded && current), version == meta.V && current && !guarded:
		return nil
	case version == 0 || !current:
		r.remove(reject.OID)
		return nil
	}
	page, ok, err := s.page(reject.OID)
	if err != nil {
		return err
	}
	if !ok {
		r.remove(reject.OID)
		return nil
	}
	e, visibility, ok := r.rebuilt(page, reject.Groups)
	if !ok || visibility == doc.Hidden && s.Exposed {
		r.remove(reject.OID)
		return nil
	}
	r.done[reject.OID] = r.seen(visibility)
	// Bodies and not hashes: the index may have been built without the ACL field,
	// and the next index is built from the page.
	if bytes.Equal(e.body, page.Body) && version == page.V {
		return nil
	}
	r.entries = append(r.entries, e)
	if r.text += len(e.body); r.text < restrictedText {
		return nil
	}
	return r.write()
}

// remove removes a document from the index, since without a readable page it can't be made
// whole, and its groups can't be replaced.
func (r *restriction) remove(oid doc.OID) {
	r.removed, r.done[oid] = append(r.removed, oid), r.seen(doc.Hidden)
}

// seen returns what is listed of a document, nothing in a table without an ACL.
func (r *restriction) seen(v doc.Visibility) doc.Visibility {
	if r.sink.acl == (doc.ACL{}) {
		return ""
	}
	return v
}

// page reads a page. It reports false for a damaged one.
func (s *Sink) page(oid doc.OID) (doc.Page, bool, error) {
	page, err := s.pages.Get(oid)
	if err == nil {
		return page, true, nil
	}
	if _, ok, metaErr := s.pages.Meta(oid); ok || metaErr != nil {
		return page, false, fmt.Errorf("page %.40s: %w", oid, err)
	}
	return page, false, nil
}

// rebuilt builds the document of a page again, with other groups, or with none if
// these can't be indexed. It reports false if the page's row can't be indexed.
func (r *restriction) rebuilt(page doc.Page, groups *doc.Row) (entry, doc.Visibility, bool) {
	s := r.sink
	row, err := doc.ParseRow(page.Body)
	if err != nil {
		return entry{}, "", false
	}
	visibility := doc.Visible
	if groups == nil {
		visibility = doc.Hidden
	}
	for {
		d := doc.Doc{Meta: page.Meta, Row: s.acl.Replace(row, groups)}
		d.Token, d.Fetch = doc.Token{}, max(page.Fetch, r.fetch)
		e, err := s.build(&d, &bodies{left: 1})
		if err == nil {
			e.change = updated
			return e, visibility, true
		}
		if visibility == doc.Hidden {
			return entry{}, "", false
		}
		groups, visibility = nil, doc.Hidden
	}
}

// write makes the collected changes durable.
func (r *restriction) write() error {
	s := r.sink
	if len(r.removed) > 0 {
		defer s.noteChanged(slices.Clone(r.removed))
		// Without an ACL a document that stays shows nothing to anyone who may not see it, and
		// the next sweep removes it.
		if err := s.unindex(r.removed); err != nil && s.acl != (doc.ACL{}) {
			return fmt.Errorf("hide %d documents: %w", len(r.removed), err)
		}
	}
	first, err := s.numbers.next(uint64(len(r.entries)))
	if err != nil {
		return err
	}
	for i := range r.entries {
		r.entries[i].doc.V = doc.Version(first) + doc.Version(i)
	}
	defer s.noteChanged(doc.OIDs(r.entries))
	if err := s.writeAll(r.entries); err != nil {
		return fmt.Errorf("change the groups of %d documents: %w", len(r.entries), err)
	}
	if err := s.putStamps(r.entries); err != nil {
		return err
	}
	r.entries, r.removed, r.text = r.entries[:0], r.removed[:0], 0
	return nil
}
