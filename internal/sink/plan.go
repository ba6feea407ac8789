package sink

import (
	"fmt"

	"indexerd/internal/doc"
)

// writes is what a batch comes to: documents for the index, pages for all of
// them, and the counts.
type writes struct {
	docs                    []doc.Doc
	pages                   []doc.Page
	oids                    []doc.OID
	added, updated, skipped int
}

// rejectDuplicates sets aside rows that share a key: which of them is the
// document can't be known.
func rejectDuplicates(b doc.Batch) doc.Batch {
	count := make(map[doc.OID]int, len(b.Docs))
	for i := range b.Docs {
		count[b.Docs[i].OID]++
	}
	if len(count) == len(b.Docs) {
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

// plan decides what to write. Rows that can't be indexed move to the batch's
// rejects; documents older than what is applied are dropped.
func (s *Sink) plan(b *doc.Batch) (writes, error) {
	n := len(b.Docs)
	w := writes{docs: make([]doc.Doc, 0, n), pages: make([]doc.Page, 0, n), oids: make([]doc.OID, 0, n)}
	before, err := s.lookUp(b.Docs)
	if err != nil {
		return w, err
	}
	first, err := s.numbers.next(uint64(n))
	if err != nil {
		return w, err
	}
	for i, d := range b.Docs {
		if before[i].Fetch > d.Fetch || s.deletedAfter(d.OID, d.Fetch) {
			continue
		}
		d.Gen, d.V = s.index.Generation(), doc.Version(first)+doc.Version(i)
		body, err := d.Row.AppendJSON(make([]byte, 0, bodyGuess))
		if err == nil {
			d.Hash, err = s.index.Hash(d.Row)
		}
		if err != nil {
			b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
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
	case before.indexed && before.Hash == d.Hash:
		d.V = before.V // the page goes on speaking of the write that the index has
		w.skipped++
	case before.paged:
		w.updated++
		w.docs = append(w.docs, d)
	default:
		w.added++
		w.docs = append(w.docs, d)
	}
	w.oids = append(w.oids, d.OID)
	w.pages = append(w.pages, doc.Page{Meta: d.Meta, Body: body})
}

// A state is what is stored of a document.
type state struct {
	doc.Meta
	paged   bool // it has a page
	indexed bool // the index has the very write that the page speaks of
}

func (s *Sink) lookUp(docs []doc.Doc) ([]state, error) {
	states := make([]state, len(docs))
	var paged []int
	var oids []doc.OID
	for i := range docs {
		meta, ok, err := s.pages.Meta(docs[i].OID)
		if err != nil {
			return nil, err
		}
		states[i] = state{Meta: meta, paged: ok}
		if ok && meta.Gen == s.index.Generation() {
			paged, oids = append(paged, i), append(oids, docs[i].OID)
		}
	}
	if len(oids) == 0 {
		return states, nil
	}
	versions, err := s.index.Versions(oids)
	if err != nil {
		return nil, err
	}
	for k, i := range paged {
		states[i].indexed = versions[k] == states[i].V
	}
	return states, nil
}

// deletedAfter reports whether a newer fetch found the row gone.
func (s *Sink) deletedAfter(oid doc.OID, fetch doc.FetchSeq) (after bool) {
	s.locked(func() { after = s.deleted[oid] > fetch })
	return after
}

// write makes a plan durable: index first, then pages.
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
	return nil
}
