package sink

import (
	"fmt"

	"indexerd/internal/doc"
)

// writes is what a batch comes to: documents for the index, pages for all that
// are current, rows to set aside, and the counts.
type writes struct {
	docs                    []doc.Doc
	pages                   []doc.Page
	oids                    []doc.OID // of the pages
	rejects                 []doc.Reject
	added, updated, skipped int
	late                    doc.Lateness // of versions that were not known
}

// rejectDuplicates sets aside rows that share a key: which of them is the
// document can't be known. A row that was rejected already is one of them.
func rejectDuplicates(b doc.Batch) doc.Batch {
	count := make(map[doc.OID]int, len(b.Docs)+len(b.Rejects))
	for i := range b.Docs {
		count[b.Docs[i].OID]++
	}
	for _, r := range b.Rejects {
		count[r.OID]++
	}
	if len(count) == len(b.Docs)+len(b.Rejects) {
		return b
	}
	docs := b.Docs
	b.Docs = nil
	for _, d := range docs {
		n := count[d.OID]
		if n == 1 {
			b.Docs = append(b.Docs, d)
		} else if n > 1 {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: fmt.Sprintf("%d rows have this key: the SQL must return one row a key", n)})
			count[d.OID] = 0
		}
	}
	return b
}

// keys returns the keys of documents and rejects; some rejects have none.
func keys(docs []doc.Doc, rejects []doc.Reject) []doc.OID {
	oids := make([]doc.OID, 0, len(docs)+len(rejects))
	for i := range docs {
		oids = append(oids, docs[i].OID)
	}
	for _, r := range rejects {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	return oids
}

// plan decides what to write. Rows that can't be indexed join the rejects;
// what is older than what is applied is dropped.
func (s *Sink) plan(b doc.Batch) (writes, error) {
	n := len(b.Docs)
	w := writes{docs: make([]doc.Doc, 0, n), pages: make([]doc.Page, 0, n), oids: make([]doc.OID, 0, n)}
	before, err := s.lookUp(keys(b.Docs, nil))
	if err != nil {
		return w, err
	}
	if w.rejects, err = s.current(b.Rejects, b.Fetch); err != nil {
		return w, err
	}
	first, err := s.numbers.next(uint64(n))
	if err != nil {
		return w, err
	}
	for i, d := range b.Docs {
		if s.outdated(d.OID, before[i].Meta, d.Fetch) {
			continue
		}
		d.Gen, d.V = s.index.Generation(), doc.Version(first)+doc.Version(i)
		body, err := d.Row.AppendJSON(make([]byte, 0, bodyGuess))
		if err == nil {
			d.Hash, err = s.index.Hash(d.Row)
		}
		if err != nil {
			w.rejects = append(w.rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
			continue
		}
		w.add(d, body, before[i])
	}
	return w, nil
}

// bodyGuess is room for a common row's JSON.
const bodyGuess = 512

// add files one document under written or skipped.
func (w *writes) add(d doc.Doc, body []byte, before state) {
	switch {
	case before.indexed() && before.Hash == d.Hash:
		d.V = before.V // the page goes on speaking of the write that the index has
		w.skipped++
	case before.version != 0:
		w.updated++
		w.docs = append(w.docs, d)
	default:
		w.added++
		w.docs = append(w.docs, d)
	}
	if !before.Same(d.Stamp) && !d.Updated.IsZero() {
		w.late.Note(d.Fetched.Sub(d.Updated))
	}
	w.oids = append(w.oids, d.OID)
	w.pages = append(w.pages, doc.Page{Meta: d.Meta, Body: body})
}

// current returns the rejects that are not older than what is applied.
func (s *Sink) current(rejects []doc.Reject, fetch doc.FetchSeq) ([]doc.Reject, error) {
	var current []doc.Reject
	for _, r := range rejects {
		page, _, err := s.pages.Meta(r.OID)
		if err != nil {
			return nil, err
		}
		if !s.outdated(r.OID, page, fetch) {
			current = append(current, r)
		}
	}
	return current, nil
}

// outdated reports whether a newer fetch than this one has been applied to the
// row.
func (s *Sink) outdated(oid doc.OID, page doc.Meta, fetch doc.FetchSeq) bool {
	newest := page.Fetch
	s.locked(func() { newest = max(newest, s.absent[oid]) })
	return newest > fetch
}

// A state is what is stored of a document: its page's Meta, and the version
// that the index has, which is 0 where the page is of another generation.
type state struct {
	doc.Meta
	version doc.Version
}

// indexed reports whether the index has the very write that the page speaks
// of.
func (s state) indexed() bool { return s.version != 0 && s.version == s.V }

func (s *Sink) lookUp(oids []doc.OID) ([]state, error) {
	states := make([]state, len(oids))
	var at []int // of those that the index may have
	var ask []doc.OID
	for i, oid := range oids {
		page, ok, err := s.pages.Meta(oid)
		if err != nil {
			return nil, err
		}
		states[i].Meta = page
		if ok && page.Gen == s.index.Generation() {
			at, ask = append(at, i), append(ask, oid)
		}
	}
	if len(ask) == 0 {
		return states, nil
	}
	versions, err := s.index.Versions(ask)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		states[i].version = versions[k]
	}
	return states, nil
}

// write makes a plan durable, index first, then pages, and then tells the tree,
// which knows only of what is durable.
func (s *Sink) write(w writes) error {
	if len(w.docs) > 0 {
		if err := s.index.Apply(w.docs, nil); err != nil {
			return fmt.Errorf("index %d documents: %w", len(w.docs), err)
		}
	}
	if len(w.pages) == 0 {
		return nil
	}
	if err := s.pages.Put(w.pages); err != nil {
		return fmt.Errorf("store %d pages: %w", len(w.pages), err)
	}
	stamps := make([]doc.Stamp, len(w.pages))
	for i := range w.pages {
		stamps[i] = w.pages[i].Stamp
	}
	if err := s.tree.Put(stamps); err != nil {
		return fmt.Errorf("remember %d stamps: %w", len(stamps), err)
	}
	return nil
}
